#pragma once

#include <array>
#include <optional>
#include <string_view>
#include <vector>

#include "msd-import/src/XmlTree.hpp"
#include "msd-sim/src/DataTypes/Pose.hpp"

/// Values of attributes, read strictly: a wrong one is an error with its line.
namespace msd_import {

using msd_sim::Matrix3D;
using msd_sim::Pose;
using msd_sim::Quaternion;
using msd_sim::Vector3D;

/// Finite numbers separated by white space.
[[nodiscard]] std::vector<double> readNumbers(const XmlNode& node, std::string_view attribute,
                                              std::size_t most = 4'000'000);
/// Exactly `count` numbers, or nothing where the attribute is not given.
[[nodiscard]] std::optional<std::vector<double>> findNumbers(const XmlNode& node,
                                                             std::string_view attribute,
                                                             std::size_t count);
[[nodiscard]] std::optional<double> findNumber(const XmlNode& node, std::string_view attribute);
[[nodiscard]] double numberOr(const XmlNode& node, std::string_view attribute, double usual);
[[nodiscard]] double requireNumber(const XmlNode& node, std::string_view attribute,
                                   std::string_view unit);
[[nodiscard]] std::optional<Vector3D> findVector(const XmlNode& node, std::string_view attribute);
[[nodiscard]] Vector3D vectorOr(const XmlNode& node, std::string_view attribute,
                                const Vector3D& usual);
/// The value of a required attribute that is a name.
[[nodiscard]] std::string requireText(const XmlNode& node, std::string_view attribute,
                                      std::string_view what);
/// true/false (also 1/0), or nothing where the attribute is not given.
[[nodiscard]] std::optional<bool> findBool(const XmlNode& node, std::string_view attribute);

/// A direction brought to unit length; an error where its length is zero.
[[nodiscard]] Vector3D unitOf(const XmlNode& node, std::string_view attribute, const Vector3D& v);
/// The rotation by `angle` [rad] about a unit axis.
[[nodiscard]] Quaternion rotationAbout(const Vector3D& axis, double angle);
/// The shortest rotation that takes z to a unit vector; for -z the half turn about x.
[[nodiscard]] Quaternion rotationFromZ(const Vector3D& direction);

}  // namespace msd_import
