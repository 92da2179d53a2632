#pragma once

#include <cstddef>

/// Every number of the library that is neither geometry nor 0, ½, 1, 2. Lengths are relative to the
/// diagonal of the shape's bounding box ("diameter") unless a unit is given.
namespace msd_assets::tolerances {

/// Points of a hull closer than this are one point: far above the rounding of coordinates (1e-16),
/// far below any edge that a contact could notice.
inline constexpr double kWeld = 1e-9;

/// A point set thinner than this has no volume worth the name: its facets' normals would rest on
/// less than half of the digits.
inline constexpr double kMinThickness = 1e-7;

/// Triangles whose corners all lie this close to one plane belong to one face: a thousand roundings
/// of a coordinate, so that a rotated box keeps its six faces.
inline constexpr double kCoplanar = 2.5e-13;

/// Roundings of the given coordinates that are added to it: a small body far from its frame's
/// origin is known no better.
inline constexpr double kNoiseFactor = 8.0;

/// How far, in widths of a face (the two above), a point may stand in front of a face of a finished
/// hull: 1e-12 of the diameter for a body near its origin.
inline constexpr double kHullSlack = 4.0;

/// The check of a hull looks at every given point as long as points x faces stay below this
/// (a fraction of a second); above it, at the corners of the surface only.
inline constexpr std::size_t kMaxPointChecks = 400'000'000;

/// A triangle whose height is less than this part of its longest side has no area: the direction of
/// its normal would be rounding noise.
inline constexpr double kFlatTriangle = 1e-14;

/// A closed surface whose volume is less than this part of area x diameter encloses nothing:
/// it is thinner than rounding allows to measure.
inline constexpr double kNoVolume = 1e-12;

/// A direction or quaternion whose length is off by less is taken for a rounded unit and brought to
/// length 1; anything else is an error of the caller.
inline constexpr double kUnitLength = 1e-6;

/// ... and one whose squared length is off by less is left as it is, bit for bit: eight roundings.
inline constexpr double kUnitRounding = 2e-15;

/// Sizes (longest side of the bounds) that a shape may have [m]. In SI units, contact between
/// everyday bodies keeps its digits well inside this range; beyond it squares and fifth powers
/// (inertia) of lengths drift towards the ends of what solvers can balance.
inline constexpr double kMinSize = 1e-6;
inline constexpr double kMaxSize = 1e6;

/// Coordinates beyond this are refused: at 1e9 m a double resolves 1e-7 m [m].
inline constexpr double kMaxCoordinate = 1e9;

/// Triangles of one mesh; a file that claims more is refused before anything is allocated.
inline constexpr std::size_t kMaxTriangles = 10'000'000;

/// Values of a glTF file's document: each costs some fifty bytes of memory.
inline constexpr std::size_t kMaxJsonValues = 4'000'000;

/// Bytes of one mesh file.
inline constexpr std::size_t kMaxFileBytes = std::size_t{2} << 30;

}  // namespace msd_assets::tolerances
