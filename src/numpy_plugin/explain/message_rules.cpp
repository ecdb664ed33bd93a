// One row per compiler and message. Patterns are matched against plain_message, which has single
// quotes; the first row that explains a message wins.
#include "numpy_plugin/explain/explanations.hpp"

#include <algorithm>
#include <iterator>
#include <regex>
#include <string_view>

#include "numpy_plugin/system/fork.hpp"

namespace numpy_plugin::explain {
namespace {

struct MessageRow {
  const char* pattern;
  Explain explain;
  MessageKind kind = MessageKind::kOther;
  bool has_reversed_groups = false;  // the required type precedes the given one
};

constexpr bool kReversed = true;
constexpr MessageKind kOther = MessageKind::kOther;

constexpr MessageKind kSyntax = MessageKind::kSyntax;
constexpr MessageKind kMissingReturn = MessageKind::kMissingReturn;
constexpr MessageKind kName = MessageKind::kUnknownName;

constexpr MessageRow kGccRows[] = {
    {"expected (?:',' or )?';' before .*", explain_missing_semicolon, kSyntax},
    {"expected initializer before .*", explain_missing_semicolon, kSyntax},
    {"expected (?:primary-expression|unqualified-id|declaration|identifier) before .*",
     explain_missing_value, kSyntax},
    {"'else' without a previous 'if'", explain_missing_value, kSyntax},
    {"expected '([():\\]])' before .*", explain_missing_sign, kSyntax},
    {"'([^']+)' is not a member of '([^']+)'.*", explain_member_of_namespace, kName},
    {"'std' has not been declared", explain_standard_namespace, kName},
    {"'([^']+)' (?:was not declared in this scope|does not name a type|has not been declared).*",
     explain_unknown_name, kName},
    {"no matching function for call to '([^(<']+).*", explain_no_overload},
    {"too (?:few|many) arguments to function '.*", explain_no_overload},
    {"call of overloaded '([^(']+).*' is ambiguous", explain_ambiguous_call},
    {"'.*' cannot be used as a function", explain_not_a_function},
    {"cannot resolve overloaded function '([^']+)' .*", explain_function_as_value},
    {"invalid operands of types .*", explain_operator},
    {"no match for 'operator\\[\\]'.*", explain_not_an_array},
    {"no match for call to '.*", explain_not_a_function},
    {"no match for 'operator.*", explain_operator},
    {"ambiguous overload for 'operator.*", explain_operator},
    {"wrong type argument to bit-complement", explain_bit_operator},
    {"(?:assignment of|increment of|decrement of) read-only "
     "(?:parameter|variable|location|reference) "
     "'([A-Za-z_0-9]*).*",
     explain_assigned_operand},
    {"cannot convert '(.*)' to '(.*)' in .*", explain_conversion},
    {"cannot convert '[^']*' to '[^']*'", explain_no_overload},
    {"invalid (?:'[a-z_]+' from type|cast from type) .*", explain_cast},
    {"variable or field '.*' declared void", explain_void},
    {"duplicate case value", explain_case},
    {"base operand of '->' .*", explain_arrow},
    {"size '.*' of array '.*' is negative", explain_negative_size},
    {"too many initializers for .*", explain_too_many_values},
    {"assigning to an array from an initializer list", explain_assigned_operand},
    {"invalid array assignment", explain_assigned_operand},
    {"a template declaration cannot appear at block scope", explain_function_in_body, kSyntax},
    {"a function-definition is not allowed here before .*", explain_function_in_body, kSyntax},
    {"label '([^']+)' used but not defined", explain_missing_label},
    {"duplicate label '([^']+)'", explain_label_twice},
    {"declaration of 'auto .*' has no initializer", explain_auto},
    {"'[^']+' is not captured", explain_capture},
    {"macro '([^']+)' (?:passed|requires) .*", explain_macro},
    {"no 'operator(?:\\+\\+|--)\\(int\\)' declared for postfix .*", explain_operator},
    {"invalid conversion from '(.*)' to '([^']*)'.*", explain_conversion},
    {"conversion from '(.*)' to non-scalar type '(.*)' requested", explain_conversion},
    {"could not convert '.*' from '(.*)' to '(.*)'", explain_conversion},
    {"narrowing conversion of '.*' from '(.*)' to '(.*)'", explain_narrowing},
    {"(?:control reaches end of|no return statement in function returning) non-void.*",
     explain_missing_return, kMissingReturn},
    {"return-statement with no value, in function returning .*", explain_return_without_value},
    {"return-statement with a value, in function returning 'void'.*", explain_returned_value},
    {"invalid types '.*' for array subscript", explain_not_an_array},
    {"invalid type argument of unary '\\*'.*", explain_not_a_pointer},
    {"request for member '.*' in '.*', which is of non-class type '(.*)'", explain_no_member},
    {"'(.*)' has no member named '.*", explain_no_member},
    {"redeclaration of '([^']+)'", explain_declared_twice},
    {"redefinition of '([^']+)'", explain_declared_twice},
    {"declaration of '([^']+)' shadows a parameter", explain_declared_twice},
    {"conflicting declaration '([^']+)'", explain_declared_twice},
    {"uninitialized '(?:const )?([^']+)'", explain_const_without_value},
    {"(?:break|continue) statement not within .*", explain_outside_of_loop},
    {"jump to label '.*", explain_jump},
    {"switch quantity not an integer", explain_switch},
    {"(?:ISO C\\+\\+ forbids )?variable length array '.*", explain_size_of_array},
    {"static assertion failed.*", explain_static_assertion},
    {"([^ ]+): No such file or directory", explain_missing_header},
    {"template instantiation depth exceeds maximum.*", explain_depth},
};

// zig's messages are clang++'s.
constexpr MessageRow kClangRows[] = {
    {"expected ';' .*", explain_missing_semicolon, kSyntax},
    {"invalid '==' at end of declaration.*", explain_missing_semicolon, kSyntax},
    {"expected (?:expression|unqualified-id|'\\}'|statement)", explain_missing_value, kSyntax},
    {"extraneous closing brace.*", explain_missing_value, kSyntax},
    {"expected '([():\\]])'.*", explain_missing_sign, kSyntax},
    {"no (?:member|type|template) named '([^']+)' in namespace '([^']+)'.*",
     explain_member_of_namespace, kName},
    {"use of undeclared identifier 'std'.*", explain_standard_namespace, kName},
    {"(?:use of undeclared identifier|unknown type name) '([^']+)'.*", explain_unknown_name, kName},
    {"no matching function for call to '([^']+)'", explain_no_overload},
    {"call to '([^']+)' is ambiguous", explain_ambiguous_call},
    {"called object type '.*' is not a function or function pointer", explain_not_a_function},
    {"address of overloaded function '([^']+)' does not match required type .*",
     explain_function_as_value},
    {"invalid operands to binary expression .*", explain_operator},
    {"no viable overloaded '.*'", explain_operator},
    {"cannot (?:increment|decrement) value of type .*", explain_operator},
    {"type '.*' does not provide a subscript operator", explain_not_an_array},
    {"type '.*' does not provide a call operator", explain_not_a_function},
    {"use of overloaded operator '.*' is ambiguous.*", explain_operator},
    {"comparison (?:between pointer and integer|of .*)", explain_operator},
    {"invalid argument type '.*' to unary expression", explain_bit_operator},
    {"cannot assign to variable '([^']+)' with const-qualified type .*", explain_assigned_operand},
    {"cannot assign to return value because .*", explain_assigned_operand},
    {"read-only variable is not assignable", explain_assigned_operand},
    {"cannot initialize (?:a variable|return object|an array element|a member subobject|a "
     "parameter) of type '(.*)' with an? [lrx]value of type '(.*)'.*",
     explain_conversion, kOther, kReversed},
    {"assigning to '(.*)' from incompatible type '(.*)'", explain_conversion, kOther, kReversed},
    {"no viable conversion from returned value of type '(.*)' to function return type '(.*)'",
     explain_conversion},
    {"no viable conversion from '(.*)' to '(.*)'", explain_conversion},
    {"type '(.*)' cannot be narrowed to '(.*)' in initializer list", explain_narrowing},
    {"constant expression evaluates to .* which cannot be narrowed to type '(.*)'",
     explain_narrowing, kOther, kReversed},
    {"non-void function does not return a value.*", explain_missing_return, kMissingReturn},
    {"non-void function '.*' should return a value", explain_return_without_value},
    {"void function '.*' should not return a value", explain_returned_value},
    {"subscripted value is not an array, pointer, or vector", explain_not_an_array},
    {"indirection requires pointer operand .*", explain_not_a_pointer},
    {"member reference base type '(.*)' is not a structure or union", explain_no_member},
    {"no member named '.*' in '(.*)'.*", explain_no_member},
    {"reference to non-static member function must be called.*", explain_member_function},
    {"redefinition of '([^']+)'.*", explain_declared_twice},
    {"default initialization of an object of const type '.*'.*", explain_const_without_value},
    {"'(?:break|continue)' statement not in loop.*", explain_outside_of_loop},
    {"cannot jump from this goto statement to its label", explain_jump},
    {"statement requires expression of integer type .*", explain_switch},
    {"variable length array.*", explain_size_of_array},
    {"static(?:_assert| assertion) failed.*", explain_static_assertion},
    {"'(.*)' file not found", explain_missing_header},
    {"recursive template instantiation exceeded maximum depth.*", explain_depth},
    {"cannot cast from type .*", explain_cast},
    {"member reference type '.*' is not a pointer.*", explain_arrow},
    {"'.*' declared as an array with a negative size", explain_negative_size},
    {"excess elements in (?:array|scalar) initializer", explain_too_many_values},
    {"array type '.*' is not assignable", explain_assigned_operand},
    {"function definition is not allowed here", explain_function_in_body, kSyntax},
    {"use of undeclared label '([^']+)'", explain_missing_label},
    {"redefinition of label '([^']+)'", explain_label_twice},
    {"declaration of variable '.*' with deduced type '.*' requires an initializer", explain_auto},
    {"variable '[^']+' cannot be implicitly captured in a lambda .*", explain_capture},
    {"(?:reinterpret|static|const)_cast from .*", explain_cast},
    {"C-style cast from .*", explain_cast},
    {"variable has incomplete type 'void'", explain_void},
    {"duplicate case value.*", explain_case},
    {"too (?:many|few) arguments provided to function-like macro invocation", explain_macro},
};

constexpr MessageRow kNvrtcRows[] = {
    {"expected a ';'", explain_missing_semicolon, kSyntax},
    {"unrecognized token", explain_missing_value, kSyntax},
    {"expected an? (?:expression|statement|declaration|identifier)", explain_missing_value,
     kSyntax},
    {"expected an? '([():\\]])'", explain_missing_sign, kSyntax},
    {"type name is not allowed", explain_missing_value, kSyntax},
    {"namespace '([^']+)' has no member '([^']+)'", explain_member_of_namespace, kName, kReversed},
    {"name followed by '::' must be a class or namespace name", explain_standard_namespace, kName},
    {"identifier '([^']+)' is undefined", explain_unknown_name, kName},
    {"no instance of overloaded function '([^']+)' matches the required type",
     explain_function_as_value},
    {"no instance of (?:overloaded function|function template|constructor) '([^'(<]+).*",
     explain_no_overload},
    {"too (?:few|many) arguments in function call", explain_no_overload},
    {"argument of type '.*' is incompatible with parameter of type '.*'", explain_no_overload},
    {"more than one instance of (?:overloaded function|function template) '([^'(<]+).*",
     explain_ambiguous_call},
    {"expression preceding parentheses of apparent call must have .*", explain_not_a_function},
    {"expression must have integral or unscoped enum type.*", explain_bit_operator},
    {"no operator '\\[\\]' matches these operands", explain_not_an_array},
    {"call of an object of a class type without .*", explain_not_a_function},
    {"no operator '.*' matches these operands", explain_operator},
    {"expression must have arithmetic or unscoped enum type.*", explain_operator},
    {"more than one operator '.*' matches these operands.*", explain_operator},
    {"operand types are incompatible .*", explain_operator},
    {"expression must be a modifiable lvalue", explain_assigned_operand},
    {"a value of type '(.*)' cannot be (?:assigned to|used to initialize) an entity of type "
     "'(.*)'",
     explain_conversion},
    {"return value type does not match the function type", explain_conversion},
    {"no suitable conversion function from '(.*)' to '(.*)' exists", explain_conversion},
    {"no suitable constructor exists to convert from '(.*)' to '(.*)'", explain_conversion},
    {"invalid narrowing conversion from '(.*)' to '(.*)'.*", explain_narrowing},
    {"missing return statement at end of non-void function.*", explain_missing_return,
     kMissingReturn},
    {"non-void function '.*' should return a value", explain_return_without_value},
    {"expression must have pointer-to-object type but it has type '.*'", explain_not_an_array},
    {"operand of '\\*' must be a pointer but has type '.*'", explain_not_a_pointer},
    {"expression must have class type but it has type '(.*)'", explain_no_member},
    {"(?:class|struct) '(.*)' has no member '.*'", explain_no_member},
    {"a pointer to a bound function may only be used to call the function",
     explain_member_function},
    {"'([^']+)' has already been declared in the current scope.*", explain_declared_twice},
    {"function '([^']+)' has already been defined.*", explain_declared_twice},
    {"const variable '([^']+)' requires an initializer", explain_const_without_value},
    {"a (?:break|continue) statement may only be used within a loop.*", explain_outside_of_loop},
    {"transfer of control bypasses initialization of.*", explain_jump},
    {"expression must have integral or enum type", explain_switch},
    {"expression must have a constant value", explain_size_of_array},
    {"static assertion failed.*", explain_static_assertion},
    {"could not open source file '([^']+)'.*", explain_missing_header},
    {"excessive recursion at instantiation of .*", explain_depth},
    {"invalid type conversion", explain_cast},
    {"expression must have bool type.*", explain_conversion},
    {"operator -> or ->\\* applied to '.*' instead of to a pointer type", explain_arrow},
    {"the size of an array must be greater than zero", explain_negative_size},
    {"too many initializer values", explain_too_many_values},
    {"a template declaration is not allowed here", explain_function_in_body, kSyntax},
    {"label '([^']+)' was referenced but not defined", explain_missing_label},
    {"label '([^']+)' has already been defined.*", explain_label_twice},
    {"cannot deduce 'auto' type.*", explain_auto},
    {"an enclosing-function local variable cannot be referenced in a lambda body .*",
     explain_capture},
    {"incomplete type 'void' is not allowed", explain_void},
    {"case label value has already appeared in this switch.*", explain_case},
    {"too (?:many|few) arguments in invocation of macro '([^']+)'", explain_macro},
};

// The literal prefix of every match of a pattern.
std::string_view literal_beginning(std::string_view pattern) {
  const std::size_t special = pattern.find_first_of("\\^$.|?*+()[]{}");
  if (special == std::string_view::npos) return pattern;
  const bool is_optional = pattern[special] == '?' || pattern[special] == '*';
  return pattern.substr(0, is_optional && special > 0 ? special - 1 : special);
}

std::vector<MessageRow> rows() {
  std::vector<MessageRow> all(std::begin(kGccRows), std::end(kGccRows));
  all.insert(all.end(), std::begin(kClangRows), std::end(kClangRows));
  all.insert(all.end(), std::begin(kNvrtcRows), std::end(kNvrtcRows));
  return all;
}

std::vector<std::string> groups_of(const std::smatch& match, const MessageRow& row) {
  std::vector<std::string> groups;
  for (std::size_t i = 1; i < match.size(); ++i) groups.push_back(match.str(i));
  if (row.has_reversed_groups) std::reverse(groups.begin(), groups.end());
  return groups;
}

declare::Diagnostic in_the_compiler_s_words(const Finding& found) {
  const declare::SourceSpan place =
      found.line == 0 ? found.body.whole()
                      : found.body.place(found.line, token_at(found.code(), found.column));
  return make_error(found.text, place);
}

}  // namespace

TranslatedMessage translate_message(const BodyText& body, const CompilerMessage& message, int line,
                                    std::size_t column) {
  Finding found{body, message, plain_message(message.text), line, column, {}};
  if (Explanation directive = explain_error_directive(found)) {
    return {MessageKind::kOther, std::move(directive->diagnostic), ""};
  }
  for (const MessageRow& row : system::made_once<rows>()) {
    // Constructing regular expressions is the most expensive part.
    if (!found.text.starts_with(literal_beginning(row.pattern))) continue;
    std::smatch match;
    const std::regex pattern(row.pattern);
    if (!std::regex_match(found.text, match, pattern)) continue;
    found.groups = groups_of(match, row);
    const bool needs_place = row.kind == MessageKind::kOther;
    if (needs_place && line == 0) break;
    Explanation explained = row.explain(found);
    if (!explained.has_value()) continue;
    return {row.kind, std::move(explained->diagnostic), found.group(0), explained->spoils_line};
  }
  return {MessageKind::kOther, in_the_compiler_s_words(found), ""};
}

}  // namespace numpy_plugin::explain
