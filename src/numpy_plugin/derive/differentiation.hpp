// What is asked of a function: the partial derivatives by some parameters, and which of them, and
// which of its own results, are returned.
#pragma once

#include <cstddef>
#include <vector>

namespace numpy_plugin::derive {

inline constexpr int kValue = -1;
inline constexpr int kMaxDirections = 64;  // NumPy's limit of operands

// A result of the derived function: of the function's results, or of their derivatives.
struct Part {
  int result = 0;
  int direction = kValue;  // an index into Differentiation::parameters; kValue: the result itself
  bool operator==(const Part&) const = default;
};

// A parameter with the tangent of another one.
struct Carried {
  int value = 0;
  int direction = 0;
  int tangent = 0;
  bool operator==(const Carried&) const = default;
};

struct Differentiation {
  std::vector<int> parameters;  // one direction each, unless tangents are carried
  std::vector<Part> parts;      // in the order of the derived function's results
  // Of a function that stores its results: its parameters with tangents, and theirs.
  std::vector<Carried> carried;
  bool operator==(const Differentiation&) const = default;
};

// The derived function's results from the function's: each part has its result's type.
template <class Result>
std::vector<Result> parts_of(const Differentiation& wanted, const std::vector<Result>& results) {
  std::vector<Result> parts;
  for (const Part& part : wanted.parts)
    parts.push_back(results[static_cast<std::size_t>(part.result)]);
  return parts;
}

// The reverse: a differentiation has parts of all results.
template <class Result>
std::vector<Result> results_of(const Differentiation& wanted, const std::vector<Result>& parts) {
  std::vector<Result> results;
  for (std::size_t i = 0; i < wanted.parts.size(); ++i) {
    const auto result = static_cast<std::size_t>(wanted.parts[i].result);
    if (result >= results.size()) results.resize(result + 1, parts[i]);
    results[result] = parts[i];
  }
  return results;
}

}  // namespace numpy_plugin::derive
