#pragma once

#include <map>
#include <stdexcept>
#include <string>
#include <string_view>

namespace msd_scene {

/// Names and their values; an inner scope hides the outer one's.
using Variables = std::map<std::string, double, std::less<>>;

/// An expression that cannot be evaluated; the message says why.
class ExpressionError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// The value of an arithmetic expression: numbers, names, + - * / % ^ and brackets, comparisons
/// (1 or 0), `c ? a : b`, pi, and the functions sqrt, abs, floor, ceil, round, min, max, sin, cos,
/// tan, asin, acos, atan, atan2, deg (degrees to radians). The result is finite, and the same bits
/// on every machine (sines come from the engine's own rotations). Throws ExpressionError.
[[nodiscard]] double evaluate(std::string_view expression, const Variables& variables);

/// A string with every ${expression} replaced by its value; $${ stands for ${ itself.
struct Evaluated {
  bool isNumber{false};  ///< the whole string was one expression
  double number{0.0};
  std::string text{};
};
[[nodiscard]] Evaluated substitute(std::string_view text, const Variables& variables);

}  // namespace msd_scene
