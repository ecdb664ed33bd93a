// The walks over a function: its local names, the repetition until types are settled, and the typed
// function that comes out.
#include "numpy_plugin/infer/statements/infer.hpp"

#include <algorithm>
#include <iterator>

namespace numpy_plugin::declare {
namespace {

// Types only grow along promotion, so few walks are ever needed; this bounds a bug of ours.
constexpr int kMaxWalks = 30;
// What is wrong has no type, so an error of every other walk moves a variable's type to and fro.
constexpr int kMaxWalksWithErrors = 10;

bool declares_by_name(const SyntaxNode& statement) {
  return statement.kind == SyntaxKind::kFunctionDef || statement.kind == SyntaxKind::kClassDef ||
         statement.kind == SyntaxKind::kAsyncFunctionDef;
}

}  // namespace

FunctionInference::FunctionInference(KernelInference& kernel, const FunctionTask& task)
    : CallInference(kernel, task) {
  declare_names();
}

void FunctionInference::add_variable(const std::string& name, bool is_parameter) {
  const auto [position, is_new] =
      variable_indices_.try_emplace(name, static_cast<int>(variables_.size()));
  if (is_new) {
    Variable variable;
    variable.name = name;
    variable.is_parameter = is_parameter;
    variables_.push_back(std::move(variable));
  }
  ++variables_[static_cast<std::size_t>(position->second)].n_targets;
}

void FunctionInference::declare_names() {
  for (const SyntaxNode& parameter : syntax_.parameters) add_variable(parameter.text, true);
  declare_names(syntax_.body);
}

// A name assigned anywhere in a function is local everywhere in it.
void FunctionInference::declare_names(const std::vector<SyntaxNode>& statements) {
  for (const SyntaxNode& statement : statements) {
    for (const SyntaxNode& target : statement.children("targets")) {
      if (statement.kind != SyntaxKind::kDelete) declare_target(target);
    }
    if (const SyntaxNode* target = statement.child("target")) declare_target(*target);
    if (declares_by_name(statement)) error_names_.insert(statement.text);
    for (const SyntaxNode& alias : statement.children("names")) error_names_.insert(alias.text);
    if (statement.kind == SyntaxKind::kGlobal) error_names_.insert(statement.text);
    for (const auto* field : {"body", "orelse", "finalbody"})
      declare_names(statement.children(field));
    for (const auto* field : {"handlers", "cases"}) declare_names(statement.children(field));
  }
}

void FunctionInference::declare_target(const SyntaxNode& target) {
  if (target.kind == SyntaxKind::kName && !error_names_.contains(target.text)) {
    add_variable(target.text, false);
  }
  for (const SyntaxNode& item : target.children("elts")) declare_target(item);
  if (target.kind == SyntaxKind::kStarred) declare_target(*target.child("value"));
}

void FunctionInference::walk() {
  findings_ = {};
  reported_names_.clear();
  temporaries_.clear();
  widened_.clear();
  written_arrays_.clear();
  stored_.clear();
  n_local_bytes_ = 0;
  n_shared_bytes_ = 0;
  has_effects_ = false;
  bare_return_.reset();
  trip_arrays_.clear();
  constant_arrays_.clear();
  loops_.clear();
  first_return_.reset();
  has_bad_return_ = false;
  result_before_ = result_now_;
  result_now_.reset();
  flow_ = Flow(variables_.size());
  for (std::size_t i = 0; i < variables_.size(); ++i) {
    Variable& variable = variables_[i];
    variable.before = variable.now;
    variable.now.reset();
    variable.assignments.clear();
    variable.has_error = false;
    variable.storage = {};
    variable.origin.reset();
    if (!variable.is_parameter) continue;
    Origin origin;
    origin.is_declared = true;
    if (!variable.before || variable.before == task_.arguments[i]) {
      variable.origin = std::make_shared<const Origin>(std::move(origin));
    }
    if (variable.before && variable.before != task_.arguments[i]) {
      widened_.push_back(static_cast<int>(i));
    }
    variable.now = task_.arguments[i];
    variable.assignments.push_back({task_.arguments[i], place(syntax_.parameters[i]), nullptr});
    flow_.assign(static_cast<int>(i));
  }
}

bool FunctionInference::is_settled() const {
  return result_before_ == result_now_ &&
         std::all_of(variables_.begin(), variables_.end(),
                     [](const Variable& variable) { return variable.before == variable.now; });
}

TypedFunction FunctionInference::run() {
  TypedFunction result;
  for (int n_walks = 0;; ++n_walks) {
    NPP_ASSERT(n_walks < kMaxWalks, "the types of '" + syntax_.name + "' do not settle");
    walk();
    result.function.body = block(syntax_.body);
    check_end_of_body();
    check_outputs_written();
    if (n_walks > 0 && is_settled()) {
      if (!is_tentative_ || findings_.errors.empty()) break;
      is_tentative_ = false;
    }
    if (n_walks >= kMaxWalksWithErrors && !findings_.errors.empty()) break;
  }
  finish(result);
  return result;
}

// A parameter that takes a wider type later is copied into a local of that type first.
std::vector<Statement> FunctionInference::copy_widened_parameters() {
  std::vector<Statement> copies;
  for (const int parameter : widened_) {
    const auto i = static_cast<std::size_t>(parameter);
    const Place where = place(syntax_.parameters[i]);
    Value value;
    value.type = task_.arguments[i];
    value.expression = Expression{ExpressionKind::kLocal, storage(value.type), where, {}};
    value.expression.index = parameter;
    Statement copy{StatementKind::kAssign, where, local_of(parameter), {}, {}, {}, {}, {}};
    copy.value = convert(value, *variables_[i].now);
    copies.push_back(std::move(copy));
  }
  return copies;
}

InferredType FunctionInference::declared_type() const {
  const std::vector<base::DType>& dtypes = *task_.results;
  if (dtypes.size() == 1) return InferredType::scalar(dtypes.front());
  InferredType type = InferredType::tuple({});
  for (const base::DType dtype : dtypes) type.items.push_back(InferredType::scalar(dtype));
  return type;
}

void FunctionInference::finish(TypedFunction& result) {
  Function& function = result.function;
  function.name = syntax_.name;
  function.n_parameters = syntax_.parameters.size();
  const InferredType untyped = InferredType::scalar(base::DType::kInt64);
  for (std::size_t i = 0; i < variables_.size(); ++i) {
    const Variable& variable = variables_[i];
    const InferredType type =
        variable.is_parameter ? task_.arguments[i] : variable.now.value_or(untyped);
    function.locals.push_back({variable.name, storage(type), variable.storage});
  }
  for (const int parameter : widened_) {
    const Variable& variable = variables_[static_cast<std::size_t>(parameter)];
    function.locals.push_back({variable.name, storage(*variable.now), {}});
  }
  function.locals.insert(function.locals.end(), temporaries_.begin(), temporaries_.end());
  std::vector<Statement> body = copy_widened_parameters();
  std::move(function.body.begin(), function.body.end(), std::back_inserter(body));
  function.body = std::move(body);
  result.has_result = result_now_.has_value();
  result.has_effects = has_effects_;
  if (!result_now_ && task_.results) result_now_ = declared_type();  // every path raises
  if (first_return_) result.first_return = *first_return_;
  if (result_now_) result.result = *result_now_;
  function.result = storage(result.result);
  std::stable_sort(findings_.errors.begin(), findings_.errors.end(),
                   [](const Diagnostic& left, const Diagnostic& right) {
                     return left.place.source == right.place.source &&
                            left.place.line < right.place.line;
                   });
  result.stored = std::move(stored_);
  result.findings = std::move(findings_);
}

}  // namespace numpy_plugin::declare
