// Queries about a kernel's tree that several printers share.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <optional>

#include "numpy_plugin/kernel/visits.hpp"

namespace numpy_plugin::analysis {

using declare::as_int64;
using declare::Block;
using declare::count_assignments;
using declare::is_assigned;
using declare::is_loop;
using declare::visit_expressions;
using declare::visit_statements;

bool is_mentioned(const declare::Expression& expression, int local);
bool is_mentioned(const declare::Statement& statement, int local);
// Whether it calls one of some operations.
bool is_call(const declare::Expression& expression,
             std::initializer_list<declare::Operation> operations);
// Whether an int64 expression is this constant.
bool is_constant(const declare::Expression& expression, std::int64_t value);

// Whether an int64 expression is the size of a core dimension: of an array with it, as a constant,
// or a local set to nothing else.
bool is_whole_dimension(const declare::CoreSignature& layout, const declare::Function& function,
                        const declare::Expression& size, int name);

// Whether an expression calls a function whose value depends on the target.
bool is_library_call(const declare::Expression& expression);

// Whether an operation chooses the lesser or the greater of two numbers.
bool is_extremum(declare::Operation operation);

// Whether leaving out a block is noticed by its values alone: it raises neither flags nor
// exceptions.
bool is_quiet(const Block& block);

// Properties of a kernel that the loop templates need.
struct KernelTraits {
  bool has_vector_math = false;  // some function's value depends on the target
  bool has_branches = false;
  bool moves_flags = false;  // operations may move into a template's selection
  bool has_loops = false;
  int cost = 0;  // of function calls per element, in units of expf
};
KernelTraits traits(const declare::TypedKernel& kernel);

}  // namespace numpy_plugin::analysis
