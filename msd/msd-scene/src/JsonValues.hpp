#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "msd-scene/src/JsonReader.hpp"
#include "msd-scene/src/SceneDocument.hpp"

/// The kinds of value a scene is made of, read strictly. `unit` completes the message: "[m]".
namespace msd_scene {

[[nodiscard]] double readNumber(JsonReader& reader, std::string_view unit);
[[nodiscard]] Vector3D readVector3(JsonReader& reader, std::string_view unit);
[[nodiscard]] std::vector<Coordinate> readPoints(JsonReader& reader);
[[nodiscard]] std::vector<std::array<std::uint32_t, 3>> readTriangles(JsonReader& reader);
[[nodiscard]] WrittenRotation readRotation(JsonReader& reader);
/// What a quantity is over time: an array of {"at": s, "value": ...}.
[[nodiscard]] std::vector<TimedNumber> readTimedNumbers(JsonReader& reader);
[[nodiscard]] std::vector<TimedVector> readTimedVectors(JsonReader& reader);
[[nodiscard]] std::vector<std::string_view> timedFields();
/// A tensor of three principal values, or six: xx, yy, zz, xy, xz, yz.
[[nodiscard]] Matrix3D readInertia(JsonReader& reader);

/// Red, green, blue, and opacity where it is given.
[[nodiscard]] SceneColour readColour(JsonReader& reader);

/// A whole number from low to high.
[[nodiscard]] std::uint64_t readWhole(JsonReader& reader, std::uint64_t low, std::uint64_t high);

/// The name of a thing: not empty, at most Limits::kNameBytes, no control characters.
[[nodiscard]] std::string readName(JsonReader& reader, std::string_view what);
/// Demands of a field's key, where it names a thing, what readName demands of a value.
void checkName(JsonReader& reader, std::string_view name, std::string_view what);

/// One of a fixed list of words; returns its index.
[[nodiscard]] std::size_t readChoice(JsonReader& reader, std::span<const std::string_view> choices);

}  // namespace msd_scene
