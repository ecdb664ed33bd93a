// Arguments of calls: presence, number and permitted kinds.
#pragma once

#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "numpy_plugin/infer/core/function_context.hpp"

namespace numpy_plugin::declare {

constexpr int kAnyNumber = std::numeric_limits<int>::max();  // of arguments

// A function's name in users' spelling: "print", "cuda.zeros".
std::string without_builtins(const std::string& name);

// The value of a call's keyword argument; null where not given.
const SyntaxNode* find_keyword(const SyntaxNode& call, std::string_view name);

// The argument at a position or with its name; nullptr where not given.
const SyntaxNode* find_argument(const SyntaxNode& call, std::size_t position,
                                std::string_view name);

bool check_starred_arguments(FunctionContext& context, const SyntaxNode& node);

// Rejects starred arguments, and keywords that the function does not have.
bool check_plain_arguments(FunctionContext& context, const std::string& name,
                           const SyntaxNode& node, const std::vector<std::string>& keywords = {});

// Whether the number of arguments is right; the hint shows the function's usual ones, as "(x, y)".
bool check_argument_count(FunctionContext& context, int n_least, int n_most, const SyntaxNode& node,
                          const std::string& hint);

// Whether a function's argument is a number; reports it otherwise.
bool check_number(FunctionContext& context, const Value& value, const std::string& shown);

std::optional<std::vector<Value>> scalar_arguments(FunctionContext& context,
                                                   const std::string& name, int n_least, int n_most,
                                                   const SyntaxNode& node,
                                                   const std::vector<std::string>& keywords = {});

Value explicit_cast(FunctionContext& context, const Value& value, base::DType dtype,
                    const SyntaxNode& node);

}  // namespace numpy_plugin::declare
