// The arguments of calls: which are given, how many, and what may be among them.
#pragma once

#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "numpy_plugin/infer/core/function_context.hpp"

namespace numpy_plugin::declare {

constexpr int kAnyNumber = std::numeric_limits<int>::max();  // of arguments

// A function's name as users write it: "print", "cuda.zeros".
std::string without_builtins(const std::string& name);

// The value given for a keyword of a call; null where it is not given.
const SyntaxNode* find_keyword(const SyntaxNode& call, std::string_view name);

// The argument at a position or under its name; nullptr where it is not given.
const SyntaxNode* find_argument(const SyntaxNode& call, std::size_t position,
                                std::string_view name);

bool check_starred_arguments(FunctionContext& context, const SyntaxNode& node);

// Neither keywords nor starred arguments, but for the keywords that the function has.
bool check_plain_arguments(FunctionContext& context, const std::string& name,
                           const SyntaxNode& node, const std::vector<std::string>& keywords = {});

// Whether as many arguments are given; the hint is the function's usual ones, as "(x, y)".
bool check_argument_count(FunctionContext& context, int n_least, int n_most, const SyntaxNode& node,
                          const std::string& hint);

// Whether an argument of the function shown is a number; says so where it is not.
bool check_number(FunctionContext& context, const Value& value, const std::string& shown);

std::optional<std::vector<Value>> scalar_arguments(FunctionContext& context,
                                                   const std::string& name, int n_least, int n_most,
                                                   const SyntaxNode& node,
                                                   const std::vector<std::string>& keywords = {});

Value explicit_cast(FunctionContext& context, const Value& value, base::DType dtype,
                    const SyntaxNode& node);

}  // namespace numpy_plugin::declare
