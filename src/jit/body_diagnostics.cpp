// From a log to what a person reads: which messages are about the body, and which only follow from
// others.
#include "numpy_plugin/jit/body_diagnostics.hpp"

#include <algorithm>
#include <optional>
#include <regex>

#include "numpy_plugin/base/text.hpp"
#include "numpy_plugin/jit/message_rules.hpp"
#include "numpy_plugin/jit/quoted.hpp"

namespace numpy_plugin::jit {
namespace {

using declare::Diagnostic;

// The label of our text behind a body, where the function's bracket closes, or behind a preamble.
constexpr std::string_view kGenerated = "npp-generated";
constexpr int kFirstLinesBehind = 3;

struct Position {
  int line = 0;  // 0: behind the body's end, or somewhere in code the body uses
  std::size_t column = 0;
};

Position position_of(const CompilerMessage& message) {
  return {message.line, static_cast<std::size_t>(std::max(message.column, 0))};
}

// Whether a message about our text means the bracket that ends a body's function.
bool is_about_bracket(const CompilerMessage& message) {
  if (!message.source_line.empty()) return base::strip(message.source_line).starts_with('}');
  return message.text.find(" before '") == std::string::npos ||
         message.text.find(" before '}'") != std::string::npos;
}

// Where in the body a message points: itself, or through the last of its notes that does; nothing
// when it is about a preamble or our own text.
std::optional<Position> find_position(const BodyText& body, const CompilerMessage& message) {
  if (message.file == body.label()) return position_of(message);
  for (auto note = message.notes.rbegin(); note != message.notes.rend(); ++note) {
    if (note->file == body.label()) return position_of(*note);
  }
  const bool is_behind = message.file == kGenerated && message.line <= kFirstLinesBehind;
  const bool is_at_end = is_behind && (body.is_function() ? is_about_bracket(message)
                                                          : message.text.starts_with("expected ") &&
                                                                !is_about_bracket(message));
  return is_at_end ? std::optional(Position{}) : std::nullopt;
}

bool comes_before(const Diagnostic& first, const Diagnostic& second) {
  return std::pair(first.place.line, first.place.column) <
         std::pair(second.place.line, second.place.column);
}

bool has_same_place(const Diagnostic& first, const Diagnostic& second) {
  return !comes_before(first, second) && !comes_before(second, first);
}

// A function that was declared and never defined is found by the linker, which knows no lines.
std::string missing_definition(const std::string& log) {
  static const std::regex kPattern(
      "(undefined reference to `|undefined symbol: |Unresolved extern function ')([^'\n]+)'?");
  std::smatch found;
  if (!std::regex_search(log, found, kPattern)) return "";
  return quoted(found.str(2)) +
         " is called and defined nowhere; a kernel can call its own functions and those of the C "
         "library";
}

const CompilerMessage* first_error(const std::vector<CompilerMessage>& messages) {
  const auto found = std::find_if(messages.begin(), messages.end(), [](const auto& message) {
    return message.severity == CompilerMessage::Severity::kError;
  });
  return found == messages.end() ? nullptr : &*found;
}

std::string file_name(const std::string& path) { return path.substr(path.rfind('/') + 1); }

// Nothing of a person's body is to blame, or nothing can be read from the log.
std::string plain_report(const std::string& what_happened, const std::string& log,
                         const std::vector<CompilerMessage>& messages) {
  if (const std::string missing = missing_definition(log); !missing.empty()) return missing;
  const CompilerMessage* const error = first_error(messages);
  if (error == nullptr) {
    return what_happened + (log.empty() ? " and wrote nothing" : "; its output is in the log");
  }
  return what_happened + ": " + plain_message(error->text) + " (" + file_name(error->file) +
         ", line " + std::to_string(error->line) + "); its whole output is in the log";
}

}  // namespace

std::vector<Diagnostic> diagnose_body(const BodyText& body,
                                      const std::vector<CompilerMessage>& messages) {
  std::vector<Diagnostic> diagnostics;
  std::optional<Diagnostic> missing_return;
  for (const CompilerMessage& message : messages) {
    if (message.severity != CompilerMessage::Severity::kError) continue;
    const std::optional<Position> position = find_position(body, message);
    if (!position.has_value()) continue;
    TranslatedMessage translated =
        translate_message(body, message, position->line, position->column);
    if (translated.kind == MessageKind::kMissingReturn) {
      missing_return = std::move(translated.diagnostic);
      continue;
    }
    diagnostics.push_back(std::move(translated.diagnostic));
    if (translated.kind == MessageKind::kSyntax) break;
  }
  if (diagnostics.empty() && missing_return.has_value()) return {*missing_return};
  // The body is there once a signature, and each of them is told the same.
  std::stable_sort(diagnostics.begin(), diagnostics.end(), comes_before);
  diagnostics.erase(std::unique(diagnostics.begin(), diagnostics.end(), has_same_place),
                    diagnostics.end());
  return diagnostics;
}

CompileError make_compile_error(const emit::Source& source, const std::string& log, LogForm form,
                                const std::string& what_happened) {
  const std::vector<CompilerMessage> messages = parse_compiler_log(log, form);
  // What is wrong with a body may only follow from its preamble.
  for (const std::optional<BodyText>& text :
       {BodyText::preamble_of(source), BodyText::of(source)}) {
    if (!text.has_value()) continue;
    std::vector<Diagnostic> diagnostics = diagnose_body(*text, messages);
    if (diagnostics.empty()) continue;
    std::vector<declare::SourceText> sources = {{text->label(), "", 1, text->lines()}};
    const std::string rendered = declare::render(diagnostics, sources);
    return {rendered, log, std::move(diagnostics), std::move(sources)};
  }
  return {plain_report(what_happened, log, messages), log, {}, {}};
}

}  // namespace numpy_plugin::jit
