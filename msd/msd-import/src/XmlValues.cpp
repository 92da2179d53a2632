#include "msd-import/src/XmlValues.hpp"

#include <fmt/format.h>

#include <charconv>
#include <cmath>

#include "msd-scene/src/JsonText.hpp"
#include "msd-sim/src/DataTypes/Rotation.hpp"

namespace msd_import {

namespace {

bool isSpace(char c) {
  return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

}  // namespace

std::vector<double> readNumbers(const XmlNode& node, std::string_view attribute, std::size_t most) {
  std::vector<double> numbers;
  const std::string_view text = node.text(attribute);
  std::size_t at = 0;
  for (;;) {
    while (at < text.size() && isSpace(text[at])) ++at;
    if (at >= text.size()) return numbers;
    std::size_t end = at;
    while (end < text.size() && !isSpace(text[end])) ++end;
    std::string_view token = text.substr(at, end - at);
    const std::string_view written = token;
    if (token.starts_with('+')) token.remove_prefix(1);
    double value = 0.0;
    const auto result = std::from_chars(token.data(), token.data() + token.size(), value);
    const bool whole = result.ptr == token.data() + token.size();
    const bool tiny = result.ec == std::errc::result_out_of_range && whole &&
                      written.find("e-") != std::string_view::npos;
    if ((result.ec != std::errc{} && !tiny) || !whole || !std::isfinite(value)) {
      failAt(node, attribute, inQuotes(written), "a finite number");
    }
    if (numbers.size() == most) {
      failAt(node, attribute, fmt::format("more than {} numbers", most), "fewer");
    }
    numbers.push_back(tiny ? 0.0 : value);
    at = end;
  }
}

std::optional<std::vector<double>> findNumbers(const XmlNode& node, std::string_view attribute,
                                               std::size_t count) {
  if (node.find(attribute) == nullptr) return std::nullopt;
  std::vector<double> numbers = readNumbers(node, attribute);
  if (numbers.size() != count) {
    failAt(node, attribute, fmt::format("{} numbers", numbers.size()),
           fmt::format("{} {}", count, count == 1 ? "number" : "numbers"));
  }
  return numbers;
}

std::optional<double> findNumber(const XmlNode& node, std::string_view attribute) {
  const auto numbers = findNumbers(node, attribute, 1);
  return numbers ? std::optional{numbers->front()} : std::nullopt;
}

double numberOr(const XmlNode& node, std::string_view attribute, double usual) {
  return findNumber(node, attribute).value_or(usual);
}

double requireNumber(const XmlNode& node, std::string_view attribute, std::string_view unit) {
  if (node.find(attribute) == nullptr) {
    failAt(node, {}, fmt::format("no attribute \"{}\"", attribute),
           fmt::format("a number {}", unit));
  }
  return *findNumber(node, attribute);
}

std::optional<Vector3D> findVector(const XmlNode& node, std::string_view attribute) {
  const auto n = findNumbers(node, attribute, 3);
  return n ? std::optional{Vector3D{(*n)[0], (*n)[1], (*n)[2]}} : std::nullopt;
}

Vector3D vectorOr(const XmlNode& node, std::string_view attribute, const Vector3D& usual) {
  return findVector(node, attribute).value_or(usual);
}

std::string requireText(const XmlNode& node, std::string_view attribute, std::string_view what) {
  if (node.text(attribute).empty()) {
    failAt(node, node.find(attribute) ? attribute : std::string_view{},
           fmt::format("no attribute \"{}\"", attribute), std::string{what});
  }
  return std::string{node.text(attribute)};
}

std::optional<bool> findBool(const XmlNode& node, std::string_view attribute) {
  const XmlAttribute* a = node.find(attribute);
  if (a == nullptr) return std::nullopt;
  if (a->value == "true" || a->value == "1") return true;
  if (a->value == "false" || a->value == "0") return false;
  failAt(node, attribute, inQuotes(a->value), "true or false");
}

Vector3D unitOf(const XmlNode& node, std::string_view attribute, const Vector3D& v) {
  const double length = v.norm();
  if (!(length > 1e-12) || !std::isfinite(length)) {
    failAt(node, attribute, fmt::format("a direction of length {}", length),
           "a direction that is not zero");
  }
  return v / length;
}

Quaternion rotationAbout(const Vector3D& axis, double angle) {
  return msd_sim::exponentialRotation(axis * angle);
}

Quaternion rotationFromZ(const Vector3D& direction) {
  const Vector3D z{0.0, 0.0, 1.0};
  const Vector3D axis = z.cross(direction);
  const double sine = axis.norm();
  if (sine < 1e-15) {
    return direction.z() < 0.0 ? Quaternion{0.0, 1.0, 0.0, 0.0} : Quaternion::Identity();
  }
  return rotationAbout(axis / sine, std::atan2(sine, direction.z()));
}

}  // namespace msd_import
