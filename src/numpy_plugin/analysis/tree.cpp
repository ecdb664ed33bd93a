// Passes over the tree, and properties of a kernel: calls, branches, loops.
#include "numpy_plugin/analysis/tree.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <string_view>

#include "numpy_plugin/kernel/scratch.hpp"

namespace numpy_plugin::analysis {

using declare::Evaluation;
using declare::Expression;
using declare::ExpressionKind;
using declare::Operation;
using declare::Statement;
using declare::StatementKind;
using declare::visit_expression;
using declare::visit_own_expressions;

namespace {

bool has_local(const Statement& statement, int local) {
  return (statement.kind == StatementKind::kAssign || statement.kind == StatementKind::kStore ||
          statement.kind == StatementKind::kForRange) &&
         statement.local == local;
}

bool computes_with_floating(const Expression& expression) {
  const base::DType dtype = expression.operands.front().type.dtype;
  return base::is_floating(dtype) || base::is_complex(dtype);
}

// Selections between numbers that raise no floating-point flags themselves.
bool is_quiet_choice(Operation operation) {
  return is_extremum(operation) || operation == Operation::kSign ||
         operation == Operation::kHeaviside;
}

bool is_choosing_arithmetic(Operation operation) {
  switch (operation) {
    case Operation::kFloorDivide:
    case Operation::kRemainder:
    case Operation::kSpacing:
    case Operation::kUlp:
    case Operation::kFraction:
    case Operation::kFrexpMantissa:
    case Operation::kFrexpExponent:
    case Operation::kIsClose:
    case Operation::kIsNear:
      return true;
    default:
      return false;
  }
}

// Whether the template of a call selects between floating-point numbers. A compiler may move
// operations on the result into both branches.
bool has_choice(const Expression& expression) {
  if (expression.kind != ExpressionKind::kCall || !computes_with_floating(expression)) return false;
  const auto operation = detail<Operation>(expression);
  const bool is_quotient =
      operation == Operation::kTrueDivide || operation == Operation::kReciprocal;
  return is_quiet_choice(operation) || is_choosing_arithmetic(operation) ||
         (is_quotient && base::is_complex(expression.operands.front().type.dtype));
}

// Whether a call or cast never raises "divide by zero", "overflow" or "invalid".
bool is_quiet(const Expression& expression) {
  if (!computes_with_floating(expression)) return true;
  if (expression.kind == ExpressionKind::kCast) return expression.type.dtype == base::DType::kBool;
  const auto operation = detail<Operation>(expression);
  const bool flips_signs = operation == Operation::kNegative || operation == Operation::kPositive ||
                           operation == Operation::kAbsolute;
  const bool is_test = declare::info(operation).result == declare::OperationResult::kBool;
  return is_quiet_choice(operation) || flips_signs || (is_test && !has_choice(expression));
}

bool is_branch(ExpressionKind kind) {
  return kind == ExpressionKind::kSelect || kind == ExpressionKind::kAnd ||
         kind == ExpressionKind::kOr;
}

// Likewise of any expression: of loads, tests and choices.
bool is_quiet_part(const Expression& expression) {
  switch (expression.kind) {
    case ExpressionKind::kConstant:
    case ExpressionKind::kLocal:
    case ExpressionKind::kArraySize:
    case ExpressionKind::kSelect:
    case ExpressionKind::kAnd:
    case ExpressionKind::kOr:
      return true;
    case ExpressionKind::kLoad:
      return expression.exception < 0;
    case ExpressionKind::kCast:
      return is_quiet(expression);
    case ExpressionKind::kCall:
      // Quotients of integers raise "divide by zero", too.
      return is_quiet(expression) &&
             (computes_with_floating(expression) || expression.type.dtype == base::DType::kBool);
    default:
      return false;
  }
}

// Approximate cost of a call on a device, in units of expf's code.
int call_cost(const Expression& expression) {
  if (expression.kind != ExpressionKind::kCall) return 0;
  const base::DType dtype = expression.operands.front().type.dtype;
  const int n_words = base::info(dtype).n_bytes > 4 ? 2 : 1;
  switch (detail<Operation>(expression)) {
    case Operation::kFloorDivide:
    case Operation::kRemainder:
      return base::is_floating(dtype) ? 4 * n_words : 0;
    case Operation::kFmod:
    case Operation::kPower:
    case Operation::kGamma:
    case Operation::kLogGamma:
      return is_library_call(expression) ? 4 * n_words : 0;
    default:
      return is_library_call(expression) ? (base::is_complex(dtype) ? 4 : n_words) : 0;
  }
}

// Costs of a kernel's callees, per call.
struct FunctionCosts {
  std::vector<int> device;
  std::vector<int> external;
};

// Sums the costs of all calls.
int total_cost(const declare::Function& function, const FunctionCosts& costs) {
  int cost = 0;
  visit_expressions(function.body, [&](const Expression& expression) {
    cost += call_cost(expression);
    if (const auto* call = std::get_if<declare::DeviceFunctionCall>(&expression.detail)) {
      cost += costs.device.at(static_cast<std::size_t>(call->function));
    }
    if (const auto* call = std::get_if<declare::ExternalFunctionCall>(&expression.detail)) {
      cost += costs.external.at(static_cast<std::size_t>(call->function));
    }
  });
  return cost;
}

// Floating-point flags may be raised by selections inside templates, and by compilers that compute
// the parts of complex numbers side by side: where one part is a sum and the other a difference,
// both operations are made of both.
struct FlagTraits {
  bool has_choices = false;
  bool raises_flags = false;
  bool has_complex = false;
  bool adds = false;
  bool subtracts = false;
  bool changes_signs = false;  // as in a difference that is written as a sum

  void add(const Expression& expression) {
    if (expression.kind != ExpressionKind::kCall && expression.kind != ExpressionKind::kCast)
      return;
    has_choices |= has_choice(expression);
    raises_flags |= !is_quiet(expression);
    has_complex |= base::is_complex(expression.type.dtype);
    const auto* const operation = std::get_if<Operation>(&expression.detail);
    if (operation == nullptr || !computes_with_floating(expression)) return;
    adds |= *operation == Operation::kAdd;
    subtracts |= *operation == Operation::kSubtract;
    changes_signs |= *operation == Operation::kNegative || *operation == Operation::kConjugate;
  }

  bool mixes_parts() const {
    return has_complex && int(adds) + int(subtracts) + int(changes_signs) > 1;
  }
};

void add_traits(const declare::Function& function, KernelTraits& traits, FlagTraits& flags) {
  visit_expressions(function.body, [&](const Expression& expression) {
    flags.add(expression);
    if (declare::sets_elements(expression)) traits.has_loops = traits.has_branches = true;
    if (is_branch(expression.kind) || expression.exception >= 0) traits.has_branches = true;
    if (is_library_call(expression)) traits.has_vector_math = true;
  });
  // Elements processed side by side would each need a local array, like iterations of a loop.
  for (const declare::Local& local : function.locals)
    if (local.storage.kind == declare::ArrayStorage::Kind::kLocal ||
        local.storage.kind == declare::ArrayStorage::Kind::kScratch)
      traits.has_loops = true;
  visit_statements(function.body, [&](const Statement& statement) {
    if (is_loop(statement)) traits.has_loops = true;
    const bool is_branch =
        is_loop(statement) || statement.kind == StatementKind::kIf || statement.exception >= 0;
    if (is_branch) traits.has_branches = true;
  });
}

constexpr int kUnknownCost = 2;

// A heuristic that affects only speed: the text is opaque.
bool may_have_loops(std::string_view body) {
  constexpr std::array<std::string_view, 3> kWords = {"for", "while", "goto"};
  const auto is_word_part = [](char c) {
    return c == '_' || std::isalnum(static_cast<unsigned char>(c)) != 0;
  };
  for (auto first = body.begin(); first != body.end();) {
    first = std::find_if(first, body.end(), is_word_part);
    const auto last = std::find_if_not(first, body.end(), is_word_part);
    if (std::find(kWords.begin(), kWords.end(), std::string_view(first, last)) != kWords.end())
      return true;
    first = last;
  }
  return false;
}

KernelTraits cpp_traits(const declare::CppKernel& kernel) {
  KernelTraits result;
  result.has_vector_math = kernel.calls_functions;
  result.has_branches = kernel.has_control_flow;
  result.has_loops = may_have_loops(kernel.body);
  result.cost = kernel.calls_functions ? kUnknownCost : 0;
  return result;
}

KernelTraits python_traits(const declare::PythonKernel& kernel) {
  KernelTraits result;
  FlagTraits flags;
  FunctionCosts costs;
  for (const declare::ExternalFunction& function : kernel.external_functions) {
    const KernelTraits own = cpp_traits(function.body);
    costs.external.push_back(own.cost);
    result.has_vector_math |= own.has_vector_math;
    result.has_branches |= own.has_branches;
    result.has_loops |= own.has_loops;
  }
  for (const declare::Function& function : kernel.device_functions) {
    costs.device.push_back(total_cost(function, costs));
    add_traits(function, result, flags);
  }
  result.cost = total_cost(kernel.function, costs);
  add_traits(kernel.function, result, flags);
  // Elements take turns with the scratch memory.
  if (declare::has_scratch(kernel)) result.has_vector_math = false;
  // Nothing is computed again for its flags, or in blocks.
  if (kernel.prints) {
    result.has_vector_math = result.has_branches = false;
    return result;
  }
  // C++ functions are opaque.
  result.moves_flags =
      flags.mixes_parts() ||
      (flags.has_choices && (flags.raises_flags || !kernel.external_functions.empty()));
  return result;
}

}  // namespace

bool is_extremum(Operation operation) {
  switch (operation) {
    case Operation::kMinimum:
    case Operation::kMaximum:
    case Operation::kFmin:
    case Operation::kFmax:
    case Operation::kPythonMin:
    case Operation::kPythonMax:
      return true;
    default:
      return false;
  }
}

// Integer powers are exact; some operations on complex numbers call library functions.
bool is_library_call(const Expression& expression) {
  if (expression.kind != ExpressionKind::kCall) return false;
  const base::DType dtype = expression.operands.front().type.dtype;
  const auto operation = detail<Operation>(expression);
  if (base::is_complex(dtype) && (operation == Operation::kAbsolute ||
                                  operation == Operation::kSign || operation == Operation::kSqrt))
    return true;
  if (operation == Operation::kPower && base::is_integer(dtype)) return false;
  return declare::info(operation).evaluation != Evaluation::kExact;
}

bool is_mentioned(const Expression& expression, int local) {
  bool found = false;
  visit_expression(expression,
                   [&](const Expression& part) { found |= declare::named_local(part) == local; });
  return found;
}

bool is_mentioned(const Statement& statement, int local) {
  bool found = has_local(statement, local);
  const auto look = [&](const Expression& part) { found |= declare::named_local(part) == local; };
  visit_own_expressions(statement, look);
  const auto is_in = [&](const Statement& inner) { return is_mentioned(inner, local); };
  return found || std::any_of(statement.body.begin(), statement.body.end(), is_in) ||
         std::any_of(statement.orelse.begin(), statement.orelse.end(), is_in);
}

bool is_call(const Expression& expression, std::initializer_list<Operation> operations) {
  return expression.kind == ExpressionKind::kCall &&
         std::ranges::find(operations, detail<Operation>(expression)) != operations.end();
}

bool is_constant(const Expression& expression, std::int64_t value) {
  return as_int64(expression) == value;
}

bool is_whole_dimension(const declare::CoreSignature& layout, const declare::Function& function,
                        const Expression& size, int name) {
  if (const auto local = declare::read_local(size)) {
    const bool is_parameter = static_cast<std::size_t>(*local) < function.n_parameters;
    bool is_whole = !is_parameter && count_assignments(function.body, *local) == 1;
    visit_statements(function.body, [&](const Statement& each) {
      if (each.kind == StatementKind::kStore || !has_local(each, *local)) return;
      is_whole = is_whole && each.kind == StatementKind::kAssign &&
                 is_whole_dimension(layout, function, *each.value, name);
    });
    return is_whole;
  }
  if (const auto* const part = std::get_if<declare::ArraySize>(&size.detail)) {
    const auto operand = static_cast<std::size_t>(part->array);
    if (operand >= layout.operands.size()) return false;
    const auto& dimensions = layout.operands[operand];
    return !dimensions.empty() &&
           dimensions[static_cast<std::size_t>(part->axis)].name_index == name;
  }
  return is_constant(size, layout.names[static_cast<std::size_t>(name)].frozen_size);
}

bool is_quiet(const Block& block) {
  bool result = true;
  visit_expressions(block, [&](const Expression& each) { result &= is_quiet_part(each); });
  visit_statements(block,
                   [&](const Statement& each) { result &= each.kind == StatementKind::kAssign; });
  return result;
}

KernelTraits traits(const declare::TypedKernel& kernel) {
  if (const auto* python = std::get_if<declare::PythonKernel>(&kernel.body))
    return python_traits(*python);
  return cpp_traits(std::get<declare::CppKernel>(kernel.body));
}

}  // namespace numpy_plugin::analysis
