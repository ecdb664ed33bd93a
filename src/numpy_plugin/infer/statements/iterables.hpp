// Iterables of `for` loops: ranges, arrays, tuples, and enumerate, zip and reversed of these;
// indices and elements of several dimensions, in C order. Every loop counts positions from 0; the
// item at a position is a value.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "numpy_plugin/infer/core/function_context.hpp"

namespace numpy_plugin::declare {

struct Iterable {
  enum class Kind : std::uint8_t {
    kRange,
    kArray,
    kTuple,
    kEnumerate,
    kZip,
    kReversed,
    kIndices,         // np.ndindex
    kElements,        // a.flat
    kIndexedElements  // np.ndenumerate
  };
  Kind kind = Kind::kRange;
  const SyntaxNode* node = nullptr;
  Value value = {};                  // of an array or a tuple
  std::vector<Value> numbers = {};   // start, stop, step of a range; start of enumerate; sizes
  std::vector<Iterable> parts = {};  // of enumerate, zip and reversed
};

// The iterable of a loop in which the variables `changed` are assigned; nullopt after an error.
std::optional<Iterable> infer_iterable(FunctionContext& context, const SyntaxNode& node,
                                       const std::vector<int>& changed);
// Items of a tuple have types of their own: such a loop is unrolled.
bool has_tuple(const Iterable& iterable);
// A plain int64; a constant where it is known. A range of no items may have a negative length.
Value length(FunctionContext& context, const Iterable& iterable);
// `position` is a constant where the iterable has a tuple.
Value item_at(FunctionContext& context, const Iterable& iterable, const Value& position);
// An item of a tuple; its number as a constant where it is one.
Value tuple_part(const FunctionContext& context, const Value& tuple, std::size_t index,
                 const SyntaxNode& node);
// Arithmetic of plain integers.
Value plus(FunctionContext& context, const Value& left, const Value& right, const SyntaxNode& node);
Value minus(FunctionContext& context, const Value& left, const Value& right,
            const SyntaxNode& node);
// A value that stays the same while the variables `changed` are assigned, and can be used again.
Value settled(FunctionContext& context, Value value, const std::vector<int>& changed);

}  // namespace numpy_plugin::declare
