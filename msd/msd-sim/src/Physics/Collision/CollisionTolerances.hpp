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

/// A moving collider's fat box is wider by this share of its size, and by what the body may move in
/// kFatSteps steps at its present speed.
inline constexpr double kFatMargin = 0.05;
inline constexpr double kFatSteps = 4.0;

/// A fat box is made anew when its margin is this many times what the body's present speed asks for.
inline constexpr double kLooseBox = 4.0;

/// Points this share of the smaller shape's size apart belong to a contact, beyond what the bodies
/// may approach each other in the step.
inline constexpr double kSpareMargin = 1e-3;

/// A contact is kept without a new test while its bodies have moved less than this share of the
/// smaller shape's size since the last one. Faces follow the bodies exactly; for the others the error
/// of the gap is at most travel²/(2 size), 4.5e-8 of the size.
inline constexpr double kReuseTravel = 3e-4;

/// The same for round shapes: a point that stays with a rolling surface moves out from under its centre,
/// and the force in it drives the roll. What remains is an acceleration of g times this.
inline constexpr double kRollTravel = 1e-9;

/// Margins wider than this share of the smaller shape's size: two edges that touch first need not be
/// the only features that touch before the next test.
inline constexpr double kFastMargin = 0.03;

}  // namespace msd_sim
