#pragma once

/// Numerical tolerances of collision, each relative to a named scale. What a user may change is an
/// argument or a setting, never a number in here.
namespace msd_sim::tolerance {

/// Spacing of doubles at 1.
inline constexpr double kUlp = 2.220446049250313e-16;

/// GJK: cores closer than this share of the pair's size count as touching, and the penetration
/// search takes over. Coordinates of a pair carry rounding errors of a few ulps of its size.
inline constexpr double kTouching = 64.0 * kUlp;

/// GJK: relative gap between the upper bound |v|² and the lower bound v·w at which the distance of
/// curved shapes is handed to the feature solver, which finishes it.
inline constexpr double kGjkRelativeGap = 1e-6;

/// EPA: the search ends when the support in the direction of the nearest face lies no more than
/// this share of the pair's size beyond the face.
inline constexpr double kEpaGap = 4.0 * kUlp;
/// The same where a cylinder takes part: a share of the depth, within these shares of the size. The
/// feature solver finishes from there.
inline constexpr double kEpaCurvedShare = 1e-3;
inline constexpr double kEpaCurvedLeast = 1e-10;
inline constexpr double kEpaCurvedMost = 1e-6;

/// EPA: a point counts as beyond a face of the growing polytope from this share of the size on.
inline constexpr double kEpaVisible = 1.0 * kUlp;

/// A direction within this angle [rad] of a face normal may be replaced by it, if the gap along the
/// face normal is no worse by more than kSameGap of the pair's size.
inline constexpr double kNormalSnap = 1e-5;
inline constexpr double kSameGap = 32.0 * kUlp;

/// Witness points that face each other this well, as a share of the pair's size, are taken as found.
inline constexpr double kWitness = 1e-13;

/// Newton's method on the distance of two curves stops at a step of this size [-].
inline constexpr double kNewtonStep = 1e-15;

/// Two tangents count as crossing when the sine of their angle exceeds this; below, the direction
/// between the points fixes the normal better than the cross product does.
inline constexpr double kCrossingSine = 1e-2;

/// A face takes part in clipping as an area when its normal is within acos of this of the contact
/// normal; otherwise the feature that touches is an edge, a rim or a point.
inline constexpr double kFaceCosine = 0.95;
/// A face whose normal makes a smaller cosine with the contact normal is seen edge-on.
inline constexpr double kEdgeOnCosine = 0.05;

/// Two edges that make a smaller sine with each other touch along a line.
inline constexpr double kParallelSine = 0.1;

/// Two lines touch along a stretch where they pass each other sideways by so little that curved
/// sides gain less than this share of the pair's size in gap.
inline constexpr double kLineContact = 1e-6;

/// Ends of a line contact of two capsules count while the line between the axes is within acos of this
/// of the common normal (4 degrees).
inline constexpr double kLineCosine = 0.9976;

/// Clipping keeps points up to this share of the pair's size outside, so that flush sides stay.
inline constexpr double kClipSlack = 1e-12;

/// Reduction to four points: a candidate must beat the others by this share of the patch's size to
/// take precedence by depth; otherwise a direction fixed to the body decides, which does not flicker.
inline constexpr double kReductionBias = 1e-3;
/// Depths that differ by less than this share of the pair's size are equal: the patch may then leave
/// out the deepest candidate.
inline constexpr double kSameDepth = 1e-9;
/// Candidates whose gaps differ by more than this share of the size are no flat patch: those that the
/// body meets first when it tips count, and of two that it meets within kSameTip [rad] the farther.
inline constexpr double kSteepPatch = 0.02;
inline constexpr double kSameTip = 0.02;
/// Points closer than this share of the pair's size are one point.
inline constexpr double kSamePoint = 1e-7;

/// Rim of a disc that lies flat within this share of its radius: the four points stay where they are
/// on the body; a larger tilt draws the nearest of them to the deepest place of the rim.
inline constexpr double kFlatDisc = 1e-7;

/// A moved shape touches when the gap is down to this share of the pair's size.
inline constexpr double kCastGap = 1e-13;

/// Time of impact: the search ends this share of the target distance above it.
inline constexpr double kImpactShare = 0.01;

/// Triangles join a flat region when their normals agree with its plane to this angle [rad].
inline constexpr double kFlushAngle = 1e-7;

/// Contacts share a manifold when their normals agree to this angle [rad].
inline constexpr double kSamePlaneAngle = 1e-6;

/// A shape that is deeper below a triangle than this share of its size may have met it from the side.
inline constexpr double kDeepShare = 0.02;

/// The points over a triangle hold the deepest place when the shortest way out is deeper than them by
/// less than this share of the shape's size.
inline constexpr double kSameTriangleDepth = 1e-4;

/// A triangle that left its way out to another is cut deeper than all contacts say by this share of the
/// shape's size: nobody took it.
inline constexpr double kOrphanDepth = 2e-3;

/// Triangles are listed this share of the shape's size beyond the margin, and measured up to there: the
/// list serves until the shape has travelled as far.
inline constexpr double kTriangleSpread = 0.05;

/// A contact direction may lie outside the cone of normals of a mesh edge or corner by this sine.
inline constexpr double kConeSlack = 1e-6;

}  // namespace msd_sim::tolerance
