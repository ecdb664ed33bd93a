// Python's grammar as a table: what each node that is walked has below it. Nodes that are not in it
// are refused by name wherever a kernel has them, and may hold anything.
#include "numpy_plugin/syntax/syntax_check.hpp"

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

struct Form {
  std::string_view kind;
  Role role;
  Field fields[4] = {};
};

constexpr Role E = Role::kExpression;
constexpr Role S = Role::kStatement;

constexpr Form kForms[] = {
    {"Name", E},
    {"Constant", E},
    {"Text", E},
    {"BinOp", E, {{"left", Count::kOne}, {"right", Count::kOne}}},
    {"UnaryOp", E, {{"operand", Count::kOne}}},
    {"Compare",
     E,
     {{"left", Count::kOne},
      {"ops", Count::kSome, Role::kOperator},
      {"comparators", Count::kSome}}},
    {"BoolOp", E, {{"values", Count::kSome}}},
    {"Call", E, {{"func", Count::kOne}, {"args"}, {"keywords", Count::kAny, Role::kKeyword}}},
    {"Attribute", E, {{"value", Count::kOne}}},
    {"Subscript", E, {{"value", Count::kOne}, {"slice", Count::kOne}}},
    {"Slice",
     E,
     {{"lower", Count::kOptional}, {"upper", Count::kOptional}, {"step", Count::kOptional}}},
    {"IfExp", E, {{"test", Count::kOne}, {"body", Count::kOne}, {"orelse", Count::kOne}}},
    {"Tuple", E, {{"elts"}}},
    {"List", E, {{"elts"}}},
    {"Set", E, {{"elts"}}},
    {"Starred", E, {{"value", Count::kOne}}},
    {"NamedExpr", E, {{"target", Count::kOne}, {"value", Count::kOne}}},
    {"JoinedStr", E, {{"values"}}},
    {"FormattedValue", E, {{"value", Count::kOne}, {"format_spec", Count::kOptional}}},
    {"keyword", Role::kKeyword, {{"value", Count::kOne}}},
    {"alias", Role::kAlias},
    {"ExceptHandler", Role::kHandler, {{"type", Count::kOptional}, {"body", Count::kSome, S}}},
    {"Assign", S, {{"targets", Count::kSome}, {"value", Count::kOne}}},
    {"AugAssign", S, {{"target", Count::kOne}, {"value", Count::kOne}}},
    {"AnnAssign", S, {{"target", Count::kOne}, {"value", Count::kOptional}}},
    {"Expr", S, {{"value", Count::kOne}}},
    {"Return", S, {{"value", Count::kOptional}}},
    {"If", S, {{"test", Count::kOne}, {"body", Count::kSome, S}, {"orelse", Count::kAny, S}}},
    {"While", S, {{"test", Count::kOne}, {"body", Count::kSome, S}, {"orelse", Count::kAny, S}}},
    {"For",
     S,
     {{"target", Count::kOne},
      {"iter", Count::kOne},
      {"body", Count::kSome, S},
      {"orelse", Count::kAny, S}}},
    {"Break", S},
    {"Continue", S},
    {"Pass", S},
    {"Global", S},
    {"Nonlocal", S},
    {"Raise", S, {{"exc", Count::kOptional}, {"cause", Count::kOptional}}},
    {"Assert", S, {{"test", Count::kOne}, {"msg", Count::kOptional}}},
    {"Import", S, {{"names", Count::kSome, Role::kAlias}}},
    {"ImportFrom", S, {{"names", Count::kSome, Role::kAlias}}},
    {"Try",
     S,
     {{"body", Count::kSome, S},
      {"handlers", Count::kAny, Role::kHandler},
      {"orelse", Count::kAny, S},
      {"finalbody", Count::kAny, S}}},
    {"Eq", Role::kOperator},
    {"NotEq", Role::kOperator},
    {"Lt", Role::kOperator},
    {"LtE", Role::kOperator},
    {"Gt", Role::kOperator},
    {"GtE", Role::kOperator},
    {"Is", Role::kOperator},
    {"IsNot", Role::kOperator},
    {"In", Role::kOperator},
    {"NotIn", Role::kOperator}};

// The words that a node's own text is one of.
struct Words {
  std::string_view kind;
  std::string_view words[14];
};

constexpr Words kBinaryWords = {"BinOp",
                                {"Add", "Sub", "Mult", "MatMult", "Div", "Mod", "Pow", "LShift",
                                 "RShift", "BitOr", "BitXor", "BitAnd", "FloorDiv"}};
constexpr Words kWords[] = {
    kBinaryWords, {"UnaryOp", {"UAdd", "USub", "Not", "Invert"}}, {"BoolOp", {"And", "Or"}}};

// What can be assigned to.
constexpr std::string_view kTargets[] = {"Name",  "Attribute", "Subscript",
                                         "Tuple", "List",      "Starred"};

const Form* find_form(std::string_view kind) {
  const auto found = std::find_if(std::begin(kForms), std::end(kForms),
                                  [kind](const Form& form) { return form.kind == kind; });
  return found == std::end(kForms) ? nullptr : found;
}

[[noreturn]] void refuse(const std::string& what) {
  throw base::Error(base::ErrorKind::kValue, "the syntax of a kernel is damaged: " + what);
}

void require(bool condition, std::string_view kind, std::string_view rule) {
  if (!condition) refuse(std::string(kind) + ' ' + std::string(rule));
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

bool is_one_of(std::string_view word, std::span<const std::string_view> words) {
  return !word.empty() && std::find(words.begin(), words.end(), word) != words.end();
}

void check_text(const SyntaxNode& node) {
  if (node.kind == "Name" || node.kind == "Attribute") {
    require(!node.text.empty(), node.kind, "has no name");
  }
  const std::string_view kind = node.kind == "AugAssign" ? "BinOp" : std::string_view(node.kind);
  for (const Words& row : kWords) {
    if (row.kind == kind) require(is_one_of(node.text, row.words), node.kind, "has no operator");
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
  const bool is_loop = node.kind == "While" || node.kind == "For";
  std::size_t n_known = 0;
  for (const Field& field : form.fields) {
    if (field.name.empty()) break;
    const std::vector<SyntaxNode>& nodes = node.children(field.name);
    require(fits(nodes.size(), field.count), node.kind,
            "has " + std::to_string(nodes.size()) + " in " + std::string(field.name));
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
  if (node.kind == "Break" || node.kind == "Continue") {
    require(is_in_loop, node.kind, "is outside of a loop");
  }
  check_text(node);
  check_targets(node);
  check_fields(node, *form, is_in_loop);
  if (node.kind == "Compare") {
    require(node.children("ops").size() == node.children("comparators").size(), node.kind,
            "has operators and operands that don't match");
  }
}

void check_parameters(const FunctionSyntax& function) {
  std::set<std::string> names;
  for (const SyntaxNode& parameter : function.parameters) {
    require(parameter.kind == "arg" && parameter.fields.empty(), parameter.kind, "is no parameter");
    require(names.insert(parameter.text).second && !parameter.text.empty(), "a parameter",
            "has no name of its own");
  }
  require(function.defaults.size() <= function.parameters.size(), function.name,
          "has more defaults than parameters");
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
