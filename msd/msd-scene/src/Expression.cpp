#include "msd-scene/src/Expression.hpp"

#include <fmt/format.h>

#include <array>
#include <charconv>
#include <cmath>
#include <numbers>
#include <vector>

#include "msd-scene/src/JsonText.hpp"
#include "msd-scene/src/Suggestion.hpp"
#include "msd-sim/src/DataTypes/Rotation.hpp"

namespace msd_scene {

namespace {

constexpr double kPi = std::numbers::pi;
constexpr int kDepth = 100;

/// sin and cos of an angle, from half of it: the engine's rotations are the same bits everywhere.
std::array<double, 2> sineAndCosine(double angle) {
  const double turn = std::remainder(angle, 2.0 * kPi);
  const msd_sim::Quaternion q = msd_sim::exponentialRotation({0.0, 0.0, turn});
  return {2.0 * q.w() * q.z(), (q.w() - q.z()) * (q.w() + q.z())};
}

double arcTangent(double y, double x) {
  const double length = std::sqrt(x * x + y * y);
  if (!(length > 0.0)) return 0.0;
  // The rotation whose half angle this is, brought to the right half plane.
  const bool left = x < 0.0;
  const msd_sim::Quaternion q{std::abs(x) / length, 0.0, 0.0, y / length};
  const double angle = 0.5 * msd_sim::rotationVector(q).z();
  if (!left) return angle;
  return (y < 0.0 ? -kPi : kPi) - angle;
}

double power(double base, double exponent) {
  if (exponent == std::floor(exponent) && std::abs(exponent) <= 64.0) {
    double result = 1.0;
    for (int i = 0; i < static_cast<int>(std::abs(exponent)); ++i) result *= base;
    return exponent < 0.0 ? 1.0 / result : result;
  }
  if (exponent == 0.5) return std::sqrt(base);
  return std::pow(base, exponent);
}

struct Function {
  std::string_view name;
  std::size_t arguments;
  double (*call)(const std::vector<double>&);
};

using A = const std::vector<double>&;
constexpr std::array<Function, 15> kFunctions{{
    {"sqrt", 1, [](A a) { return std::sqrt(a[0]); }},
    {"abs", 1, [](A a) { return std::abs(a[0]); }},
    {"floor", 1, [](A a) { return std::floor(a[0]); }},
    {"ceil", 1, [](A a) { return std::ceil(a[0]); }},
    {"round", 1, [](A a) { return std::round(a[0]); }},
    {"min", 2, [](A a) { return std::min(a[0], a[1]); }},
    {"max", 2, [](A a) { return std::max(a[0], a[1]); }},
    {"sin", 1, [](A a) { return sineAndCosine(a[0])[0]; }},
    {"cos", 1, [](A a) { return sineAndCosine(a[0])[1]; }},
    {"tan", 1, [](A a) { return sineAndCosine(a[0])[0] / sineAndCosine(a[0])[1]; }},
    {"asin", 1, [](A a) { return arcTangent(a[0], std::sqrt((1.0 - a[0]) * (1.0 + a[0]))); }},
    {"acos", 1, [](A a) { return arcTangent(std::sqrt((1.0 - a[0]) * (1.0 + a[0])), a[0]); }},
    {"atan", 1, [](A a) { return arcTangent(a[0], 1.0); }},
    {"atan2", 2, [](A a) { return arcTangent(a[0], a[1]); }},
    {"deg", 1, [](A a) { return a[0] * (kPi / 180.0); }},
}};

bool isLetter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

bool isDigit(char c) {
  return c >= '0' && c <= '9';
}

/// Recursive descent, from the loosest binding to the tightest.
class Parser {
 public:
  Parser(std::string_view text, const Variables& variables) : text_{text}, variables_{variables} {}

  double parse() {
    const double value = choice();
    skipSpace();
    if (at_ < text_.size()) fail(fmt::format("'{}'", text_[at_]), "an operator or the end");
    return value;
  }

 private:
  [[noreturn]] void fail(std::string_view found, std::string_view expected) const {
    throw ExpressionError{fmt::format("{} at character {} of the expression {}, expected {}", found,
                                      at_ + 1, shortened(jsonString(text_)), expected)};
  }

  void skipSpace() {
    while (at_ < text_.size() && (text_[at_] == ' ' || text_[at_] == '\t')) ++at_;
  }

  bool take(std::string_view token) {
    skipSpace();
    if (text_.substr(at_, token.size()) != token) return false;
    at_ += token.size();
    return true;
  }

  double choice() {
    if (++depth_ > kDepth) fail("brackets nested too deep", "fewer");
    const double condition = comparison();
    double result = condition;
    if (take("?")) {
      const double yes = choice();
      if (!take(":")) fail("no ':'", "':' between the two choices");
      const double no = choice();
      result = condition != 0.0 ? yes : no;
    }
    --depth_;
    return result;
  }

  double comparison() {
    const double left = sum();
    if (take("<=")) return left <= sum() ? 1.0 : 0.0;
    if (take(">=")) return left >= sum() ? 1.0 : 0.0;
    if (take("==")) return left == sum() ? 1.0 : 0.0;
    if (take("!=")) return left != sum() ? 1.0 : 0.0;
    if (take("<")) return left < sum() ? 1.0 : 0.0;
    if (take(">")) return left > sum() ? 1.0 : 0.0;
    return left;
  }

  double sum() {
    double value = product();
    for (;;) {
      if (take("+")) {
        value += product();
      } else if (take("-")) {
        value -= product();
      } else {
        return value;
      }
    }
  }

  double product() {
    double value = sign();
    for (;;) {
      if (take("*")) {
        value *= sign();
      } else if (take("/")) {
        value /= sign();
      } else if (take("%")) {
        value = std::fmod(value, sign());
      } else {
        return value;
      }
    }
  }

  double sign() {
    if (++depth_ > kDepth) fail("signs nested too deep", "fewer");
    const double value = take("-") ? -sign() : take("+") ? sign() : raised();
    --depth_;
    return value;
  }

  double raised() {
    const double base = atom();
    return take("^") ? power(base, sign()) : base;
  }

  double atom() {
    if (take("(")) {
      const double value = choice();
      if (!take(")")) fail(at_ < text_.size() ? fmt::format("'{}'", text_[at_]) : "the end", "')'");
      return value;
    }
    if (at_ < text_.size() && (isDigit(text_[at_]) || text_[at_] == '.')) return number();
    if (at_ < text_.size() && isLetter(text_[at_])) return name();
    fail(at_ < text_.size() ? fmt::format("'{}'", text_[at_]) : "the end",
         "a number, a name or a bracket");
  }

  double number() {
    double value = 0.0;
    const auto result = std::from_chars(text_.data() + at_, text_.data() + text_.size(), value);
    if (result.ec != std::errc{}) fail("no number", "a number");
    at_ = static_cast<std::size_t>(result.ptr - text_.data());
    return value;
  }

  double name() {
    const std::size_t start = at_;
    while (at_ < text_.size() && (isLetter(text_[at_]) || isDigit(text_[at_]))) ++at_;
    const std::string_view word = text_.substr(start, at_ - start);
    for (const Function& function : kFunctions) {
      if (function.name == word && take("(")) return call(function);
    }
    if (const auto known = variables_.find(word); known != variables_.end()) return known->second;
    if (word == "pi") return kPi;
    std::vector<std::string_view> names{"pi"};
    for (const auto& [known, value] : variables_) names.push_back(known);
    at_ = start;
    fail(fmt::format("the unknown name {}", jsonString(word)),
         fmt::format("a parameter{}", suggestion(word, names)));
  }

  double call(const Function& function) {
    std::vector<double> arguments{choice()};
    while (take(",")) arguments.push_back(choice());
    if (!take(")")) fail(at_ < text_.size() ? fmt::format("'{}'", text_[at_]) : "the end", "')'");
    const bool many = function.name == "min" || function.name == "max";
    if (many && arguments.size() > 2) {
      double value = arguments[0];
      for (const double next : arguments) value = function.call({value, next});
      return value;
    }
    if (arguments.size() != function.arguments) {
      fail(fmt::format("{} arguments of {}", arguments.size(), function.name),
           fmt::format("{}", function.arguments));
    }
    return function.call(arguments);
  }

  std::string_view text_;
  const Variables& variables_;
  std::size_t at_{0};
  int depth_{0};
};

}  // namespace

double evaluate(std::string_view expression, const Variables& variables) {
  const double value = Parser{expression, variables}.parse();
  if (!std::isfinite(value)) {
    throw ExpressionError{
        fmt::format("the expression {} with the value {}, expected a finite number",
                    shortened(jsonString(expression)), value)};
  }
  return value;
}

Evaluated substitute(std::string_view text, const Variables& variables) {
  Evaluated result;
  std::size_t at = 0;
  while (at < text.size()) {
    const std::size_t open = text.find("${", at);
    if (open == std::string_view::npos) break;
    if (open > at && text[open - 1] == '$') {
      result.text.append(text.substr(at, open - at)).append("{");
      at = open + 2;
      continue;
    }
    const std::size_t close = text.find('}', open);
    if (close == std::string_view::npos) throw ExpressionError{"\"${\" without \"}\""};
    const double value = evaluate(text.substr(open + 2, close - open - 2), variables);
    if (open == 0 && close + 1 == text.size()) {
      result.isNumber = true;
      result.number = value;
    }
    result.text.append(text.substr(at, open - at)).append(numberText(value));
    at = close + 1;
  }
  result.text.append(text.substr(at));
  return result;
}

}  // namespace msd_scene
