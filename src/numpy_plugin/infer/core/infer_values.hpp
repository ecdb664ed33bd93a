// Facts about a value and about a local name of a function.
#pragma once

#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "numpy_plugin/infer/core/constants.hpp"
#include "numpy_plugin/kernel/inferred_type.hpp"
#include "numpy_plugin/kernel/kernel.hpp"

namespace numpy_plugin::declare {

// Why a value is wider than its result, for the warning.
struct Origin {
  bool is_declared = false;  // an operand of that type: no warning
  std::string message;       // "float32 * int32 is float64"
  std::string hint;          // "{}" stands for the declared result's name
  std::vector<Note> notes;
  SourceSpan place;
};
using OriginPointer = std::shared_ptr<const Origin>;

// A typed expression and other known facts about it.
struct Value {
  InferredType type;
  Expression expression{ExpressionKind::kConstant, {}, {}, {}, ConstantValue{}};
  std::optional<PlainNumber> constant;  // of a weak number known at compile time
  const SyntaxNode* node = nullptr;
  OriginPointer origin;
};

// The integer of a constant value; null for others.
inline const Int128* constant_integer(const Value& value) {
  return value.constant ? std::get_if<Int128>(&*value.constant) : nullptr;
}

struct Assignment {
  InferredType type;
  SourceSpan target;
  const SyntaxNode* value = nullptr;  // null for arguments and loop variables
};

// A local name of the function, over all passes.
struct Variable {
  std::string name;
  bool is_parameter = false;
  int n_targets = 0;                   // number of assignments in the source; not `x += 1`
  bool is_augmented = false;           // whether there are such
  std::optional<int> least;            // 0 or 1 where no value is less, as found in the last pass
  std::optional<int> least_now;        // likewise in this one
  std::optional<Int128> number;        // in this pass, of a name that is assigned once
  bool has_error = false;              // an assignment failed in this pass
  bool is_checked = false;             // read, in any pass, where it may have no value
  bool was_checked = false;            // likewise before this one
  std::optional<int> flag;             // of a checked one: the local with whether it has a value
  bool is_rounding = false;            // reported in this pass: a float that holds integers
  std::optional<InferredType> before;  // its type at the end of the previous pass
  std::optional<InferredType> now;     // the type of this pass's assignments so far
  std::vector<Assignment> assignments;
  ArrayStorage storage;  // for an array, in this pass
  // Whether it may be a view of an argument: found in any pass, and before this one.
  bool may_be_argument = false;
  bool might_be_argument = false;
  // The item that the variable of an unrolled loop stands for, in the loop's current trip.
  std::optional<Value> item;
  OriginPointer origin;

  void note_least(std::optional<int> assigned) {
    const bool is_first = assignments.size() == 1;
    least_now = is_first ? assigned : std::min(least_now, assigned);
  }
  // The trips of an unrolled loop may assign several.
  void note_number(std::optional<Int128> assigned) {
    const bool is_same = assignments.size() == 1 || number == assigned;
    number = is_same && is_assigned_once() ? assigned : std::nullopt;
  }
  bool is_assigned_once() const { return n_targets == 1 && !is_augmented; }
};

}  // namespace numpy_plugin::declare
