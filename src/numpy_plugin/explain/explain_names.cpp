// Unknown names, duplicate names, members and headers.
#include <algorithm>
#include <array>

#include "numpy_plugin/base/text.hpp"
#include "numpy_plugin/cpp_body/cpp_body_tokens.hpp"
#include "numpy_plugin/emit/source/emit.hpp"
#include "numpy_plugin/explain/explanations.hpp"

namespace numpy_plugin::explain {
namespace {

using declare::Diagnostic;

struct Habit {
  std::string_view name;
  std::string_view hint;
};

constexpr std::string_view kLook = "return the value as one more result to inspect it";
constexpr std::string_view kLocal = "an array of fixed size: double v[32];";
constexpr std::string_view kPlain = "functions are called by their plain names here: sqrt(x)";

// Names from other languages and libraries, with their replacements.
constexpr Habit kHabits[] = {{"pi", "M_PI"},
                             {"nan", "NAN"},
                             {"inf", "INFINITY"},
                             {"e", "M_E"},
                             {"print", kLook},
                             {"printf", kLook},
                             {"cout", kLook},
                             {"cerr", kLook},
                             {"endl", kLook},
                             {"malloc", kLocal},
                             {"calloc", kLocal},
                             {"vector", kLocal},
                             {"array", kLocal},
                             {"math", kPlain},
                             {"np", kPlain},
                             {"numpy", kPlain},
                             {"arcsin", "asin"},
                             {"arccos", "acos"},
                             {"arctan", "atan"},
                             {"arctan2", "atan2"},
                             {"arcsinh", "asinh"},
                             {"arccosh", "acosh"},
                             {"arctanh", "atanh"},
                             {"power", "pow"},
                             {"absolute", "abs"},
                             {"maximum", "fmax"},
                             {"minimum", "fmin"},
                             {"ln", "log"},
                             {"mod", "fmod"},
                             {"None", "NAN"},
                             {"free", "an array of fixed size needs none"},
                             {"__shared__", kLocal},
                             {"clamp", "min(max(x, low), high)"},
                             {"sqr", "x*x"},
                             {"square", "x*x"}};

std::string habit_hint(std::string_view name) {
  for (const Habit& habit : kHabits) {
    if (habit.name == name) return std::string(habit.hint);
  }
  return "";
}

bool is_called(std::string_view code, Span name) {
  const std::size_t next = code.find_first_not_of(" \t", name.end);
  return next != std::string_view::npos && code[next] == '(';
}

// `flaot z`, `<flaot>`.
bool is_type(std::string_view code, Span name) {
  const std::size_t next = code.find_first_not_of(" \t", name.end);
  if (next == std::string_view::npos) return false;
  const bool is_listed = code[next] == '>' && name.begin > 0 && code[name.begin - 1] == '<';
  const std::string word = text_of(code, token_at(code, next));
  return is_listed ||
         (next > name.end && declare::is_cpp_name(word) && !declare::is_cpp_keyword(word));
}

struct Spot {
  int line;
  Span span;
};

// Position of a name: the message's, or that of the macro used there.
Spot find_spot(const Finding& found, const std::string& name) {
  if (const auto span = find_word(found.code(), name, found.column)) return {found.line, *span};
  for (int line = 1; static_cast<std::size_t>(line) <= found.body.lines().size(); ++line) {
    const std::string_view code = found.body.code(line);
    const auto span = find_word(code, name);
    if (span.has_value() && base::strip(code).starts_with('#')) return {line, *span};
  }
  return {found.line, token_at(found.code(), found.column)};
}

std::vector<std::string> known_types(const BodyText& body) {
  std::vector<std::string> types = {"double", "float",    "int64_t",  "int32_t",  "int",
                                    "long",   "unsigned", "uint64_t", "uint32_t", "uint8_t",
                                    "bool",   "auto",     "size_t"};
  for (const BodyName& operand : body.operands()) types.push_back(operand.name + "_t");
  return types;
}

// A variable of an inner block after its end: its declaration must move out of the block.
std::string scope_hint(const BodyText& body, const std::string& name, int line) {
  for (const BodyName& known : body.names()) {
    const bool is_before = known.name == name && known.line > 0 && known.line < line;
    if (is_before && !known.type.empty())
      return format("declare it before the '{': {} {} = ...;", known.type, name);
  }
  return "";
}

// Spelling of core arrays' sizes.
std::string size_hint(const BodyText& body, const std::string& name) {
  if (name.size() > 1 && name != "size" && name != "shape") return "";
  for (const BodyName& operand : body.operands()) {
    const std::size_t n_dimensions = body.n_dimensions(operand.name);
    if (n_dimensions == 0) continue;
    std::string hint = format("sizes are {}.shape(0)", operand.name);
    return n_dimensions > 1 ? format("{}, {}.shape(1)", hint, operand.name) : hint;
  }
  return "";
}

std::string name_hint(const Finding& found, const std::string& name, bool is_function) {
  if (std::string hint = habit_hint(name); !hint.empty()) return hint;
  std::vector<std::string> candidates = cmath_names();
  if (!is_function) {
    if (std::string hint = scope_hint(found.body, name, found.line); !hint.empty()) return hint;
    if (std::string hint = size_hint(found.body, name); !hint.empty()) return hint;
    candidates = {"true", "false", "NAN", "INFINITY", "M_PI"};
    for (const BodyName& known : found.body.names()) {
      // Edit distance is meaningless for one-letter names.
      if (known.name.size() > 1 || name.size() > 1) candidates.push_back(known.name);
    }
  }
  std::erase(candidates, name);
  const std::string meant = base::nearest(name, candidates);
  return meant.empty() ? "" : format("did you mean '{}'?", meant);
}

std::string type_hint(const BodyText& body, const std::string& name) {
  if (name == "T") return "T is defined only if all operands have one type; use 'auto'";
  const std::string meant = base::nearest(name, known_types(body));
  return meant.empty() ? "" : format("did you mean '{}'?", meant);
}

// `.name` at, after or before a column.
std::optional<Span> find_member(std::string_view code, std::size_t column) {
  std::size_t at = std::min(column, code.size());
  if (at < code.size() && is_identifier_character(code[at])) {
    const bool is_member = at > 0 && code[at - 1] == '.';
    at = is_member ? at - 1 : code.find('.', at);
  } else {
    at = code.find('.', at);
  }
  if (at == std::string_view::npos || at + 1 >= code.size()) return std::nullopt;
  return token_at(code, at + 1);
}

}  // namespace

Diagnostic make_error(std::string message, declare::SourceSpan place, std::string hint) {
  return {declare::Severity::kError, std::move(message), place, {}, std::move(hint)};
}

Explanation explain_unknown_name(const Finding& found) {
  const std::string name = found.group(0);
  const Spot spot = find_spot(found, name);
  const std::string_view code = found.body.code(spot.line);
  const declare::SourceSpan place = found.body.place(spot.line, spot.span);
  if (is_type(code, spot.span)) {
    return ExplainedMessage(
        make_error(format("unknown type '{}'", name), place, type_hint(found.body, name)), true);
  }
  const bool is_function =
      is_called(code, spot.span) && text_of(code, spot.span) == name;  // and not a macro's name
  return make_error(format("unknown {} '{}'", is_function ? "function" : "name", name), place,
                    name_hint(found, name, is_function));
}

Explanation explain_member_of_namespace(const Finding& found) {
  const std::string name = found.group(0);
  const std::string space = found.group(1);
  const std::optional<Span> member = find_word(found.code(), name, found.column);
  const std::size_t size = space.size() + 2;
  if (!member.has_value() || member->begin < size) return std::nullopt;
  const Span whole = {member->begin - size, member->end};
  if (text_of(found.code(), whole) != format("{}::{}", space, name)) return std::nullopt;
  std::string hint = habit_hint(name);
  if (hint.empty() && space == "std") hint = "only the <cmath> functions of std are available";
  return ExplainedMessage(make_error(format("unknown name '{}::{}'", space, name),
                                     found.body.place(found.line, whole), hint),
                          true);
}

// Explains `std::name` where the standard library or <cmath> has no such function.
Explanation explain_standard_namespace(const Finding& found) {
  const std::optional<Span> space = find_word(found.code(), "std", found.column);
  if (!space.has_value()) return std::nullopt;
  const std::size_t at = space->end + 2;
  const std::string_view code = found.code();
  if (at >= code.size() || code.substr(space->end, 2) != "::") return std::nullopt;
  Finding member = found;
  member.groups = {text_of(code, token_at(code, at)), "std"};
  member.column = at;
  return explain_member_of_namespace(member);
}

Explanation explain_declared_twice(const Finding& found) {
  const std::string text = found.group(0);
  std::string name = text.substr(0, text.find('('));
  name = name.substr(name.find_last_of(" :*&") + 1);
  const std::optional<Span> span = find_word(found.code(), name, found.column);
  if (!span.has_value()) return std::nullopt;
  const declare::SourceSpan place = found.body.place(found.line, *span);
  if (found.body.operand(name) != nullptr) {
    return make_error(format("'{}' is an operand and cannot be declared again", name), place);
  }
  Diagnostic error = make_error(format("'{}' is declared twice", name), place);
  for (const BodyName& known : found.body.names()) {
    const bool is_before =
        std::pair(known.line, known.span.begin) < std::pair(found.line, span->begin);
    if (known.name != name || known.line == 0 || !is_before) continue;
    error.notes.push_back({"declared here first", found.body.place(known.line, known.span)});
    break;
  }
  return error;
}

Explanation explain_no_member(const Finding& found) {
  const std::string_view code = found.code();
  const std::optional<Span> member = find_member(code, found.column);
  if (!member.has_value()) return std::nullopt;
  const Span object = operand_before(code, member->begin - 1);
  const std::string name = text_of(code, *member);
  const std::string subject = text_of(code, object);
  const declare::SourceSpan place = found.body.place(found.line, {object.begin, member->end});
  std::string type = found.body.type_of(subject);
  const std::string said = plain_type(found.group(0));
  if (!said.empty() && found.body.operand(subject) == nullptr) type = said;
  if (type.starts_with("Array<")) {
    return make_error(format("a core array has no '{}'; it has shape(axis)", name), place,
                      subject + ".shape(0)");
  }
  if (type.starts_with("complex")) {
    const std::string meant = base::nearest(name, {"real", "imag"});
    return make_error(format("a complex number has no '{}'; it has real and imag", name), place,
                      meant.empty() ? "" : format("did you mean '{}'?", meant));
  }
  if (type.empty()) return make_error(format("'{}' has no '{}'", subject, name), place);
  return make_error(format("{} is {} and has no '{}'", subject, type_in_words(type), name), place);
}

Explanation explain_member_function(const Finding& found) {
  const std::string_view code = found.code();
  std::optional<Span> member = find_member(code, found.column);
  if (found.column < code.size() && code[found.column] == '[') {
    const Span before = operand_before(code, found.column);
    member = find_member(code, before.begin);
  }
  if (!member.has_value()) return std::nullopt;
  const Span object = operand_before(code, member->begin - 1);
  const std::string function = text_of(code, {object.begin, member->end});
  const std::string argument =
      member->end < code.size() && code[member->end] == '['
          ? text_of(code, {member->end + 1, operand_after(code, member->end).end - 1})
          : "0";
  return make_error(function + " is a function",
                    found.body.place(found.line, {object.begin, member->end}),
                    format("{}({})", function, argument));
}

namespace {

// Where another header is needed, or code for one target.
std::string header_hint(std::string_view name, bool is_device) {
  constexpr std::string_view kDeviceOnly[] = {"cub/", "cuda/", "thrust/", "cooperative_groups"};
  const bool is_for_devices =
      std::any_of(std::begin(kDeviceOnly), std::end(kDeviceOnly),
                  [name](std::string_view beginning) { return name.starts_with(beginning); });
  if (!is_device) {
    return is_for_devices ? "put device-only code between #ifdef __CUDACC__ and #endif" : "";
  }
  std::vector<std::string> names;
  for (const emit::NamedHeader& header : emit::named_headers()) names.emplace_back(header.name);
  const std::string meant = base::nearest(std::string(name), names);
  if (!meant.empty()) return format("did you mean <{}>?", meant);
  if (name.starts_with("thrust/"))
    return "write out what it is needed for: devices have <algorithm>, <utility>";
  return is_for_devices ? "raw kernels have those of CUDA: pip install nvidia-cuda-cccl"
                        : "put CPU-only code between #ifndef __CUDACC__ and #endif";
}

}  // namespace

Explanation explain_missing_header(const Finding& found) {
  const std::string name = found.group(0);
  const std::size_t at = found.code().find(name);
  if (at == std::string_view::npos || at == 0) return std::nullopt;
  const bool is_device = found.text.starts_with("could not open");
  return make_error(format("there is no header '{}'", name),
                    found.body.place(found.line, {at - 1, at + name.size() + 1}),
                    header_hint(name, is_device));
}

}  // namespace numpy_plugin::explain
