// Python's grammar as a table: the valid children of each supported node. Other nodes are rejected
// by name wherever a kernel contains them, and may contain anything.
#include "numpy_plugin/syntax/syntax.hpp"

#include <algorithm>
#include <set>
#include <span>
#include <string_view>

#include "numpy_plugin/base/error.hpp"

namespace numpy_plugin::declare {
namespace {

enum class Role { kExpression, kStatement, kOperator, kKeyword, kHandler, kAlias };
enum class Count { kOne, kOptional, kSome, kAny };

struct Field {
  std::string_view name;
  Count count = Count::kAny;
  Role role = Role::kExpression;
};

using Kind = SyntaxKind;

struct Form {
  Kind kind;
  Role role;
  Field fields[4] = {};
};

constexpr Role E = Role::kExpression;
constexpr Role S = Role::kStatement;

constexpr Form kForms[] = {
    {Kind::kName, E},
    {Kind::kConstant, E},
    {Kind::kText, E},
    {Kind::kBinOp, E, {{"left", Count::kOne}, {"right", Count::kOne}}},
    {Kind::kUnaryOp, E, {{"operand", Count::kOne}}},
    {Kind::kCompare,
     E,
     {{"left", Count::kOne},
      {"ops", Count::kSome, Role::kOperator},
      {"comparators", Count::kSome}}},
    {Kind::kBoolOp, E, {{"values", Count::kSome}}},
    {Kind::kCall, E, {{"func", Count::kOne}, {"args"}, {"keywords", Count::kAny, Role::kKeyword}}},
    {Kind::kAttribute, E, {{"value", Count::kOne}}},
    {Kind::kSubscript, E, {{"value", Count::kOne}, {"slice", Count::kOne}}},
    {Kind::kSlice,
     E,
     {{"lower", Count::kOptional}, {"upper", Count::kOptional}, {"step", Count::kOptional}}},
    {Kind::kIfExp, E, {{"test", Count::kOne}, {"body", Count::kOne}, {"orelse", Count::kOne}}},
    {Kind::kTuple, E, {{"elts"}}},
    {Kind::kList, E, {{"elts"}}},
    {Kind::kSet, E, {{"elts"}}},
    {Kind::kStarred, E, {{"value", Count::kOne}}},
    {Kind::kNamedExpr, E, {{"target", Count::kOne}, {"value", Count::kOne}}},
    {Kind::kJoinedStr, E, {{"values"}}},
    {Kind::kFormattedValue, E, {{"value", Count::kOne}, {"format_spec", Count::kOptional}}},
    {Kind::kKeyword, Role::kKeyword, {{"value", Count::kOne}}},
    {Kind::kAlias, Role::kAlias},
    {Kind::kExceptHandler, Role::kHandler, {{"type", Count::kOptional}, {"body", Count::kSome, S}}},
    {Kind::kAssign, S, {{"targets", Count::kSome}, {"value", Count::kOne}}},
    {Kind::kAugAssign, S, {{"target", Count::kOne}, {"value", Count::kOne}}},
    {Kind::kAnnAssign, S, {{"target", Count::kOne}, {"value", Count::kOptional}}},
    {Kind::kExpr, S, {{"value", Count::kOne}}},
    {Kind::kReturn, S, {{"value", Count::kOptional}}},
    {Kind::kIf, S, {{"test", Count::kOne}, {"body", Count::kSome, S}, {"orelse", Count::kAny, S}}},
    {Kind::kWhile,
     S,
     {{"test", Count::kOne}, {"body", Count::kSome, S}, {"orelse", Count::kAny, S}}},
    {Kind::kFor,
     S,
     {{"target", Count::kOne},
      {"iter", Count::kOne},
      {"body", Count::kSome, S},
      {"orelse", Count::kAny, S}}},
    {Kind::kBreak, S},
    {Kind::kContinue, S},
    {Kind::kPass, S},
    {Kind::kGlobal, S},
    {Kind::kNonlocal, S},
    {Kind::kRaise, S, {{"exc", Count::kOptional}, {"cause", Count::kOptional}}},
    {Kind::kAssert, S, {{"test", Count::kOne}, {"msg", Count::kOptional}}},
    {Kind::kImport, S, {{"names", Count::kSome, Role::kAlias}}},
    {Kind::kImportFrom, S, {{"names", Count::kSome, Role::kAlias}}},
    {Kind::kTry,
     S,
     {{"body", Count::kSome, S},
      {"handlers", Count::kAny, Role::kHandler},
      {"orelse", Count::kAny, S},
      {"finalbody", Count::kAny, S}}},
    {Kind::kEq, Role::kOperator},
    {Kind::kNotEq, Role::kOperator},
    {Kind::kLt, Role::kOperator},
    {Kind::kLtE, Role::kOperator},
    {Kind::kGt, Role::kOperator},
    {Kind::kGtE, Role::kOperator},
    {Kind::kIs, Role::kOperator},
    {Kind::kIsNot, Role::kOperator},
    {Kind::kIn, Role::kOperator},
    {Kind::kNotIn, Role::kOperator}};

// Operators of the nodes that have one.
constexpr Kind kBinaryOperators[] = {Kind::kAdd,     Kind::kSub,   Kind::kMult,   Kind::kMatMult,
                                     Kind::kDiv,     Kind::kMod,   Kind::kPow,    Kind::kLShift,
                                     Kind::kRShift,  Kind::kBitOr, Kind::kBitXor, Kind::kBitAnd,
                                     Kind::kFloorDiv};
constexpr Kind kUnaryOperators[] = {Kind::kUAdd, Kind::kUSub, Kind::kNot, Kind::kInvert};
constexpr Kind kBoolOperators[] = {Kind::kAnd, Kind::kOr};

struct NodeOperators {
  Kind kind;
  std::span<const Kind> operators;
};

constexpr NodeOperators kNodeOperators[] = {{Kind::kBinOp, kBinaryOperators},
                                            {Kind::kAugAssign, kBinaryOperators},
                                            {Kind::kUnaryOp, kUnaryOperators},
                                            {Kind::kBoolOp, kBoolOperators}};

// Kinds of nodes that can be assigned to.
constexpr Kind kTargets[] = {Kind::kName,  Kind::kAttribute, Kind::kSubscript,
                             Kind::kTuple, Kind::kList,      Kind::kStarred};

const Form* find_form(Kind kind) {
  const auto found = std::find_if(std::begin(kForms), std::end(kForms),
                                  [kind](const Form& form) { return form.kind == kind; });
  return found == std::end(kForms) ? nullptr : found;
}

[[noreturn]] void refuse(const std::string& what) {
  throw base::Error(base::ErrorKind::kValue, "the syntax of a kernel is damaged: " + what);
}

void require(bool condition, std::string_view subject, std::string_view rule) {
  if (!condition) refuse(std::string(subject) + ' ' + std::string(rule));
}

void require(bool condition, Kind kind, std::string_view rule) {
  require(condition, class_name(kind), rule);
}

bool fits(std::size_t n, Count count) {
  switch (count) {
    case Count::kOne:
      return n == 1;
    case Count::kOptional:
      return n <= 1;
    case Count::kSome:
      return n >= 1;
    case Count::kAny:
      break;
  }
  return true;
}

bool is_one_of(Kind kind, std::span<const Kind> kinds) {
  return std::find(kinds.begin(), kinds.end(), kind) != kinds.end();
}

void check_text(const SyntaxNode& node) {
  if (node.kind == Kind::kName || node.kind == Kind::kAttribute) {
    require(!node.text.empty(), node.kind, "has no name");
  }
  for (const NodeOperators& row : kNodeOperators) {
    if (row.kind == node.kind) {
      require(is_one_of(node.op, row.operators), node.kind, "has no operator");
    }
  }
}

void check_targets(const SyntaxNode& node) {
  for (const auto* field : {"targets", "target"}) {
    for (const SyntaxNode& target : node.children(field)) {
      require(is_one_of(target.kind, kTargets), node.kind, "assigns to no variable");
    }
  }
}

bool has_field(const SyntaxNode& node, std::string_view name) {
  return std::any_of(node.fields.begin(), node.fields.end(),
                     [name](const auto& field) { return field.first == name; });
}

void check_node(const SyntaxNode& node, Role role, bool is_in_loop);

void check_fields(const SyntaxNode& node, const Form& form, bool is_in_loop) {
  const bool is_loop = node.kind == Kind::kWhile || node.kind == Kind::kFor;
  std::size_t n_known = 0;
  for (const Field& field : form.fields) {
    if (field.name.empty()) break;
    const std::vector<SyntaxNode>& nodes = node.children(field.name);
    require(fits(nodes.size(), field.count), node.kind,
            format("has {} in {}", nodes.size(), field.name));
    for (const SyntaxNode& child : nodes) {
      check_node(child, field.role, is_in_loop || (is_loop && field.name == "body"));
    }
    n_known += has_field(node, field.name) ? 1 : 0;
  }
  require(n_known == node.fields.size(), node.kind, "has a field of another node");
}

void check_node(const SyntaxNode& node, Role role, bool is_in_loop) {
  const Form* const form = find_form(node.kind);
  if (form == nullptr) {
    require(role == Role::kExpression || role == Role::kStatement, node.kind, "is out of place");
    return;
  }
  require(form->role == role, node.kind, "is out of place");
  if (node.kind == Kind::kBreak || node.kind == Kind::kContinue) {
    require(is_in_loop, node.kind, "is outside of a loop");
  }
  check_text(node);
  check_targets(node);
  check_fields(node, *form, is_in_loop);
  if (node.kind == Kind::kCompare) {
    require(node.children("ops").size() == node.children("comparators").size(), node.kind,
            "has operators and operands that don't match");
  }
}

void check_parameters(const FunctionSyntax& function) {
  std::set<std::string> names;
  for (const SyntaxNode& parameter : function.parameters) {
    require(parameter.kind == Kind::kParameter && parameter.fields.empty(), parameter.kind,
            "is not a parameter");
    require(names.insert(parameter.text).second && !parameter.text.empty(), "a parameter",
            "has no name of its own");
  }
  require(function.defaults.size() <= function.parameters.size(), function.name,
          "has more defaults than parameters");
  require(function.n_outer <= function.parameters.size(), function.name,
          "has more parameters of outer variables than others");
}

void check_array(const ConstantArray& array) {
  std::size_t n_bytes = base::info(array.dtype).n_bytes;
  for (const std::int64_t size : array.sizes) {
    require(size > 0 && n_bytes <= array.bytes.size(), "an array", "has other sizes than elements");
    n_bytes *= static_cast<std::size_t>(size);
  }
  require(!array.sizes.empty() && n_bytes == array.bytes.size(), "an array",
          "has other sizes than elements");
}

void check_binding(const Binding& binding, const FunctionSyntax& function) {
  const int source = binding.defined_at.source;
  const auto n_sources = static_cast<int>(function.other_sources.size());
  require(source >= 0 && source <= n_sources, binding.name, "is defined in no source");
  require(
      source == 0 || !function.other_sources[static_cast<std::size_t>(source - 1)].lines.empty(),
      binding.name, "is defined in an empty source");
  if (binding.kind == Binding::Kind::kArray) check_array(*binding.array);
  if (binding.kind == Binding::Kind::kThreadValue) {
    require(find_thread_function(binding.name).has_value(), binding.name,
            "is nothing that a thread has");
  }
  if (binding.kind == Binding::Kind::kTypedNumber) {
    const bool is_bool = std::holds_alternative<bool>(binding.number);
    require(is_bool == (binding.dtype == base::DType::kBool), binding.name,
            "has a number of another type");
  }
  for (const Binding& item : binding.items) check_binding(item, function);
}

}  // namespace

void check_syntax(const FunctionSyntax& function) {
  check_parameters(function);
  require(!function.body.empty(), function.name, "has no statement");
  for (const SyntaxNode& statement : function.body) {
    check_node(statement, Role::kStatement, /*is_in_loop=*/false);
  }
  for (const auto& [name, binding] : function.bindings) check_binding(binding, function);
  for (const Binding& binding : function.defaults) check_binding(binding, function);
}

}  // namespace numpy_plugin::declare
