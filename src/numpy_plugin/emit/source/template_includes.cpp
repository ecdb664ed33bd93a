// A kernel needs a header where it has a local of its kind, or calls an operation defined there.
#include "numpy_plugin/emit/source/source_parts.hpp"

#include <algorithm>
#include <set>

#include "numpy_plugin/analysis/running_extremum.hpp"
#include "numpy_plugin/analysis/scalar_loops.hpp"
#include "numpy_plugin/analysis/tree.hpp"
#include "numpy_plugin/emit/printing/user_code.hpp"
#include "numpy_plugin/kernel/scratch.hpp"

namespace numpy_plugin::emit {
namespace {

bool has_array(const declare::Function& function) {
  return std::any_of(function.locals.begin(), function.locals.end(), [](const auto& local) {
    return local.type.kind == declare::ValueType::Kind::kArray;
  });
}

// Headers of generalized loops include arrays already.
bool needs_arrays(const declare::TypedKernel& kernel) {
  const auto* const python = std::get_if<declare::PythonKernel>(&kernel.body);
  if (python == nullptr || kernel.layout) return false;
  return has_array(python->function) ||
         std::any_of(python->device_functions.begin(), python->device_functions.end(), has_array);
}

bool checks_bounds(const declare::Function& function) {
  bool result = false;
  declare::visit_expressions(function.body, [&](const declare::Expression& expression) {
    result |= expression.exception >= 0;
  });
  declare::visit_statements(function.body, [&](const declare::Statement& statement) {
    result |= statement.kind == declare::StatementKind::kStore && statement.exception >= 0;
  });
  return result;
}

std::string_view header_of(declare::Fold fold) {
  switch (fold) {
    case declare::Fold::kNone:
      return "";
    case declare::Fold::kSum:
      return "core/pairwise_sum";
    case declare::Fold::kTruth:
      return "core/truths";
    case declare::Fold::kSelection:
      return "core/selected";
    case declare::Fold::kColumns:
      return "core/columns";
    case declare::Fold::kExtremum:
    case declare::Fold::kPosition:
      return "core/extremum";
  }
  return "";
}

void add_headers(const declare::Function& function, std::set<std::string_view>& headers) {
  if (checks_bounds(function)) headers.insert("core/bounds");
  declare::visit_statements(function.body, [&](const declare::Statement& statement) {
    if (statement.kind == declare::StatementKind::kWhile) headers.insert("core/trips");
    if (declare::is_loop(statement) && analysis::is_scalar_loop(function, statement))
      headers.insert("core/scalar_choices");
    const std::string_view header = header_of(statement.fold);
    if (!header.empty()) headers.insert(header);
    if (!analysis::find_running_extrema(statement).empty()) headers.insert("core/extremum");
  });
  declare::visit_expressions(function.body, [&](const declare::Expression& expression) {
    if (expression.kind == declare::ExpressionKind::kSortElements)
      headers.insert("core/order");
    else if (declare::sets_elements(expression))
      headers.insert("core/elements");
    if (expression.kind == declare::ExpressionKind::kPrint) headers.insert("core/print");
    if (expression.kind == declare::ExpressionKind::kReshape) headers.insert("core/reshaped");
    if (expression.kind != declare::ExpressionKind::kCall) return;
    const std::string_view header = declare::info(detail<declare::Operation>(expression)).header;
    if (!header.empty()) headers.insert(header);
  });
}

void add_headers(const declare::TypedKernel& kernel, std::set<std::string_view>& headers) {
  if (needs_arrays(kernel)) headers.insert("core/array");
  const auto* const python = std::get_if<declare::PythonKernel>(&kernel.body);
  if (python == nullptr) return;
  if (declare::has_scratch(*python)) headers.insert("core/scratch");
  add_headers(python->function, headers);
  for (const declare::Function& function : python->device_functions) {
    add_headers(function, headers);
  }
}

}  // namespace

std::string print_template_includes(const Program& program) {
  std::set<std::string_view> headers;
  for (const declare::TypedKernel& kernel : program.kernels) add_headers(kernel, headers);
  std::string text;
  for (const std::string_view header : headers) {
    text += format("#include \"npp/{}.hpp\"\n", header);
  }
  return text;
}

std::string print_device_unit(const Program& program, const std::string& includes,
                              const std::string& code) {
  const std::string own = print_body_include(program, Target::kCuda) + "\n" +
                          print_preamble(program.name, program.preamble) + code;
  return print_absent_names(own) + includes + print_template_includes(program) + own;
}

}  // namespace numpy_plugin::emit
