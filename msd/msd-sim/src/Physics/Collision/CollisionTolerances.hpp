#pragma once

namespace msd_sim {

/// Numerical tolerances of collision, each relative to the scale its comment names.

/// Squared sine of the angle below which two edges count as parallel: their cross product says
/// nothing, and a face normal separates as well.
inline constexpr double kParallelEdges = 1e-12;

/// An edge axis must separate better than the best face axis by this share of the smaller shape's
/// size. A slightly tilted face on a face is then still a patch of four points, and not one crossing
/// of two edges.
inline constexpr double kEdgeGain = 1e-3;

/// Two face axes whose separations differ by less, against the smaller shape's size, are a tie; the
/// larger face is then the reference, which keeps a manifold from flickering between the two.
inline constexpr double kFaceTie = 1e-4;

/// Relative difference of area below which two faces count as equally large.
inline constexpr double kAreaTie = 1e-6;

/// A moving collider's fat box is wider by this share of its size and by what the body may move in the
/// coming step, and longer by where it gets in kFatSteps steps at its present velocity.
inline constexpr double kFatMargin = 0.05;
inline constexpr double kFatSteps = 2.0;

/// A fat box is made anew when its margin is this many times what the body's present speed asks for.
inline constexpr double kLooseBox = 2.0;

/// Points this share of the smaller shape's size apart belong to a contact, beyond what the bodies
/// may approach each other in the step.
inline constexpr double kSpareMargin = 1e-3;

/// A point is worth a row up to this gap, against the smaller shape's size, whatever its velocity is: so far
/// a push that no test foresaw may carry it (K-16).
inline constexpr double kAlwaysActive = 0.015;
/// Share of the sliding that counts as approach: so far a normal may lean within a step.
inline constexpr double kLeaningShare = 0.25;
/// A closing motion below this share of the smaller body's size in a step is no hit (K-15).
inline constexpr double kFeltHit = 0.01;

/// A contact is kept without a new test while its bodies have moved less than this share of the
/// smaller shape's size since the last one; the error of the gap is at most travel²/(2 size), 4.5e-8 of
/// the size.
inline constexpr double kReuseTravel = 3e-4;

/// The same where a face owns the normal, or the line between two cores is the normal: plane and points
/// follow the bodies exactly, and no point is missed within kSpareMargin. A face or edge that ends is felt
/// too late by travel²/(2 size), 5e-7 of the size.
inline constexpr double kFaceTravel = kSpareMargin;

/// The same for a sphere, which has one point and cannot miss another: 2e-6 of the size.
inline constexpr double kSphereTravel = 2e-3;

/// The same for two balls, whose only point follows them exactly wherever they go. Once they are this
/// far apart their contact is no longer worth its place among the rows.
inline constexpr double kBallTravel = 4e-3;

/// The same where the core of a round shape may move along something that is not known (the edge of a
/// hull or mesh): the normal leans by travel/radius, which is felt as an acceleration of g times this.
inline constexpr double kSlideTravel = 3e-5;

/// The same for round shapes whose contact does not follow: a point that stays with a rolling surface
/// moves out from under its centre, and the force in it drives the roll with g times this.
inline constexpr double kRollTravel = 1e-9;

/// A round shape and one that turns by more than this in half a step [rad] touch with the point that will
/// be nearest halfway; beyond the second angle a straight look ahead says nothing.
inline constexpr double kAimFrom = 0.01;
inline constexpr double kAimUpTo = 0.4;

/// Two capsules that overlap by more than this share of their radii's sum touch with the ends of the
/// stretch they share, too, as far as these overlap: with one point alone they would tip over it and stay
/// in each other. The axes are within acos of the second number of each other, and so is the line between
/// them from the normal.
inline constexpr double kDeepLine = 0.005;
inline constexpr double kDeepLineCosine = 0.8;

/// Cores must be apart by this share of their roundings' sum for the line between them to be followed.
inline constexpr double kClearCores = 0.1;

/// Two axes cross well enough to follow their nearest points from this squared sine on.
inline constexpr double kCrossingAxes = 0.01;

/// Cores that would slide by more than this share of the size at once are not the nearest points of their
/// lines.
inline constexpr double kSlideAtOnce = 1e-3;

/// A point this share of the size from an edge or end belongs to it.
inline constexpr double kSameFeature = 1e-9;

/// Margins wider than this share of the smaller shape's size: two edges that touch first need not be
/// the only features that touch before the next test.
inline constexpr double kFastMargin = 0.03;

}  // namespace msd_sim
