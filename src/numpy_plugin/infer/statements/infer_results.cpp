// Results: return statements, casts to the declared types, and what a function must not leave out.
#include <algorithm>

#include "numpy_plugin/base/text.hpp"
#include "numpy_plugin/infer/statements/infer.hpp"

namespace numpy_plugin::declare {
namespace {

using base::DType;

std::size_t n_values(const InferredType& type) { return type.is_tuple() ? type.items.size() : 1; }

const SyntaxNode* last_assigned(const std::vector<SyntaxNode>& body) {
  if (body.empty() || body.back().kind != SyntaxKind::kAssign) return nullptr;
  const SyntaxNode* target = body.back().child("targets");
  return target->kind == SyntaxKind::kName ? target : nullptr;
}

}  // namespace

std::string FunctionInference::promised() const {
  if (!task_.signature || task_.signature->outputs.empty()) return "a result";
  std::string result;
  for (const OperandType& output : task_.signature->outputs) {
    result += (result.empty() ? "" : ", ") + std::string(base::name(output.dtype));
  }
  return result;
}

void FunctionInference::return_statement(const SyntaxNode& node) {
  const SyntaxNode* value_node = node.child("value");
  const bool returns_none = value_node && value_node->text == "NoneType";
  if (task_.is_generalized && value_node && !returns_none) {
    const SyntaxNode& output = syntax_.parameters.back();
    error(place(node),
          "a guvectorize kernel returns nothing; results go into '" + output.text + "'",
          returned_hint(*value_node));
  } else if (task_.is_device_kernel && value_node && !returns_none) {
    error(place(node), "a device kernel returns nothing", "write into an array argument");
  } else if (task_.is_generalized || task_.is_device_kernel) {
    emit({StatementKind::kReturn, place(node), 0, {}, {}, {}, {}, {}});
  } else if (!value_node && task_.signature) {
    error(place(node), "'return' without a value, the signature promises " + promised());
    has_bad_return_ = true;
  } else if (returns_none && task_.signature) {
    error(place(*value_node), "None returned, the signature promises " + promised());
    has_bad_return_ = true;
  } else if (!value_node || (returns_none && !task_.signature)) {
    bare_return_ = place(node);
    emit({StatementKind::kReturn, place(node), 0, {}, {}, {}, {}, {}});
  } else {
    return_value(node, *value_node);
  }
  flow_.stop({"the function returns here", place(node)});
}

// Where a generalized kernel's value belongs.
std::string FunctionInference::returned_hint(const SyntaxNode& value_node) {
  const std::string& output = syntax_.parameters.back().text;
  const Value value = infer(value_node);
  if (value_node.kind == SyntaxKind::kName && value_node.text == output)
    return "leave the 'return' out";
  if (value.type.is_tuple()) return "";
  return output + (value.type.is_array() ? "[:] = " : "[0] = ") + text(value_node);
}

void FunctionInference::return_value(const SyntaxNode& node, const SyntaxNode& value_node) {
  const Value value = infer(value_node);
  if (!value.type.is_known() || !check_result_count(value_node, value)) {
    has_bad_return_ = true;
    return;
  }
  if (!first_return_) first_return_ = place(value_node);
  Statement statement{StatementKind::kReturn, place(node), 0, {}, {}, {}, {}, {}};
  if (task_.results) {
    statement.value = declared_result(value);
  } else {
    add_result(value_node, value);
    statement.value = convert(value, result_before_.value_or(value.type));
  }
  emit(std::move(statement));
}

// Each part of the value as the type the signature declares for it.
Expression FunctionInference::declared_result(const Value& value) {
  const std::vector<DType>& dtypes = *task_.results;
  if (!value.type.is_tuple()) {
    result_now_ = InferredType::scalar(dtypes.front());
    return result_cast(value, dtypes.front(), "returned");
  }
  const Value source = reusable_tuple(value);
  InferredType type = InferredType::tuple({});
  Expression result{ExpressionKind::kTuple, {}, value.expression.place, {}};
  for (std::size_t i = 0; i < dtypes.size(); ++i) {
    Value part = item(source, i, *value.node);
    const std::vector<SyntaxNode>& nodes = value.node->children("elts");
    if (i < nodes.size()) part.node = &nodes[i];
    type.items.push_back(InferredType::scalar(dtypes[i]));
    result.operands.push_back(result_cast(part, dtypes[i], "returned"));
  }
  result.type = storage(type);
  result_now_ = type;
  return result;
}

Value FunctionInference::reusable_tuple(const Value& value) {
  return value.expression.kind == ExpressionKind::kTuple ? value : reusable(value);
}

bool FunctionInference::check_result_count(const SyntaxNode& node, const Value& value) {
  const std::size_t count = n_values(value.type);
  const auto is_array = [](const InferredType& type) { return type.is_array(); };
  if (value.type.is_array() || std::ranges::any_of(value.type.items, is_array)) {
    if (!report_part(value)) error(place(node), "an array cannot be returned");
    return false;
  }
  if (!first_return_) n_returned_ = count;
  if (first_return_ && count != n_returned_) {
    error(place(node),
          base::counted(count, "value") + " returned here and " + std::to_string(n_returned_) +
              " elsewhere",
          "", {{base::counted(n_returned_, "value") + " here", *first_return_}});
    return false;
  }
  if (task_.signature && value.type.is_tuple() && count == 1) {
    error(place(node), "a tuple of 1 returned, " + promised() + " declared",
          "leave the comma out, or return its item");
    return false;
  }
  if (!task_.results || count == task_.results->size()) return true;
  const std::size_t n_declared = task_.results->size();
  std::string hint;
  if (n_declared > 1) hint = "return a tuple of " + std::to_string(n_declared);
  if (count > n_declared) {
    TypeSignature wider = *task_.signature;
    while (wider.outputs.size() < count) wider.outputs.push_back(wider.outputs.back());
    hint = "declare \"" + wider.text() + "\"";
  }
  error(place(node),
        base::counted(count, "value") + " returned, the signature has " +
            base::counted(n_declared, "result"),
        hint);
  return false;
}

// The result's type where no signature declares it: the one that holds all returned values.
void FunctionInference::add_result(const SyntaxNode& node, const Value& value) {
  if (!result_now_) {
    result_now_ = value.type;
  } else if (const auto type = unify(*result_now_, value.type)) {
    result_now_ = *type;
  } else if (result_now_->is_scalar() && value.type.is_scalar()) {
    result_now_ = promote(*result_now_, value.type);
  } else {
    error(place(node), "the values returned differ: " + describe(value.type) + " here and " +
                           describe(*result_now_) + " elsewhere");
    return;
  }
  // A ufunc's loop has a dtype for each result.
  if (!task_.signature) return;
  result_now_->is_weak = false;
  for (InferredType& part : result_now_->items) part.is_weak = false;
}

void FunctionInference::check_end_of_body() {
  if (bare_return_ && first_return_) {
    error(*bare_return_, "'return' without a value, the function returns one elsewhere", "",
          {{"returned here", *first_return_}});
    return;
  }
  const bool returns_nothing = task_.is_generalized || task_.is_device_kernel;
  if (!flow_.is_reachable() || returns_nothing || has_bad_return_) return;
  const std::string name = shown_function();
  const SyntaxNode& last = syntax_.body.back();
  if (first_return_ && last.kind == SyntaxKind::kIf && last.children("orelse").empty()) {
    error(place(*last.child("test")), name + " returns nothing when this is false",
          "add a 'return' after the 'if'");
    return;
  }
  if (first_return_) {
    error(first_line_place(last), name + " returns nothing after this",
          "add a 'return' at the end");
    return;
  }
  if (!task_.signature) return;  // reported at the call
  Place where = syntax_.name_place;
  where.source += source_base_;
  const SyntaxNode* result =
      last.kind == SyntaxKind::kExpr ? last.child("value") : last_assigned(syntax_.body);
  if (result && result->kind == SyntaxKind::kConstant) result = nullptr;  // a docstring
  error(where, name + " returns nothing, the signature promises " + promised(),
        result ? "add 'return " + text(*result) + "'" : "");
}

void FunctionInference::check_outputs_written() {
  if (!task_.is_generalized || !findings_.errors.empty()) return;
  for (std::size_t i = task_.n_inputs; i < task_.arguments.size(); ++i) {
    if (written_arrays_.contains(static_cast<int>(i))) continue;
    const std::string& name = syntax_.parameters[i].text;
    const SyntaxNode* result = last_assigned(syntax_.body);
    error(place(syntax_.parameters[i]), "'" + name + "' is never written",
          name + "[0] = " + (result ? result->text : "..."));
  }
}

}  // namespace numpy_plugin::declare
