// From a compiler's log to diagnostics: which messages concern the body, and which are consequences
// of others.
#include "numpy_plugin/explain/body_diagnostics.hpp"

#include <algorithm>
#include <optional>
#include <regex>

#include "numpy_plugin/base/text.hpp"
#include "numpy_plugin/cpp_body/cpp_body_checks.hpp"
#include "numpy_plugin/explain/explanations.hpp"

namespace numpy_plugin::explain {
namespace {

using declare::Diagnostic;

// Label of the generated text after a body, where the function's brace closes, or after a preamble.
constexpr std::string_view kGenerated = "npp-generated";
constexpr int kFirstLinesBehind = 3;

struct Position {
  int line = 0;  // 0: after the end of the body
  std::size_t column = 0;
};

Position position_of(const CompilerMessage& message) {
  return {message.line, static_cast<std::size_t>(std::max(message.column, 0))};
}

// Whether a message about generated text refers to the brace that closes a body's function.
bool is_about_bracket(const CompilerMessage& message) {
  if (!message.source_line.empty()) return base::strip(message.source_line).starts_with('}');
  return message.text.find(" before '") == std::string::npos ||
         message.text.find(" before '}'") != std::string::npos;
}

// The user's text that a file name stands for; null for generated text.
const BodyText* text_of_file(const BodyTexts& texts, const std::string& file) {
  const auto found = std::find_if(texts.begin(), texts.end(),
                                  [&file](const BodyText& text) { return text.label() == file; });
  return found == texts.end() ? nullptr : &*found;
}

// Among the notes that lead to an error in generated text, the first one in the user's.
const CompilerMessage* first_use(const BodyTexts& texts, const CompilerMessage& message) {
  for (const CompilerMessage& note : message.notes) {
    if (note.leads_here && text_of_file(texts, note.file) != nullptr) return &note;
  }
  return nullptr;
}

// The position in one of the user's texts that a message refers to: its own, or that of the use.
std::optional<Position> find_position(const BodyTexts& texts, const BodyText& text,
                                      const CompilerMessage& message) {
  if (message.file == text.label()) return position_of(message);
  if (text_of_file(texts, message.file) != nullptr) return std::nullopt;
  if (const CompilerMessage* const use = first_use(texts, message)) {
    return use->file == text.label() ? std::optional(position_of(*use)) : std::nullopt;
  }
  const bool is_behind = message.file == kGenerated && message.line <= kFirstLinesBehind;
  const bool is_at_end = is_behind && (text.is_function() ? is_about_bracket(message)
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

// Undefined functions are detected by the linker, which reports no lines.
std::string undefined_symbol(const std::string& log) {
  const std::regex pattern(
      "(undefined reference to `|undefined symbol: |Unresolved extern function ')([^'\n]+)'?");
  std::smatch found;
  return std::regex_search(log, found, pattern) ? found.str(2) : "";
}

// "helper" of "helper(double)"; "new" of "operator new(unsigned long)".
std::string name_of_symbol(const std::string& symbol) {
  const std::string name = symbol.substr(0, symbol.find('('));
  return name.substr(name.find_last_of(": ") + 1);
}

std::string definition_hint(const BodyText& text) {
  const bool has_preamble = text.is_function() || text.label().starts_with("<preamble");
  return format("define it in {}; functions of the C library need no definition",
                has_preamble ? "preamble=" : "this source");
}

std::vector<Diagnostic> diagnose_undefined(const BodyText& text, const std::string& symbol) {
  const std::string name = name_of_symbol(symbol);
  for (int line = 1; static_cast<std::size_t>(line) <= text.lines().size(); ++line) {
    const std::optional<Span> span = find_word(text.code(line), name);
    if (!span.has_value() || text.declares(line, name)) continue;
    const bool is_memory = symbol.starts_with("operator ");
    return {{declare::Severity::kError,
             is_memory ? format("'{}' needs a library that kernels are not linked with", name)
                       : format("'{}' is called but not defined", name),
             text.place(line, *span),
             {},
             is_memory ? "an array of fixed size: double v[32];" : definition_hint(text)}};
  }
  return {};
}

const CompilerMessage* first_error(const std::vector<CompilerMessage>& messages) {
  const auto found = std::find_if(messages.begin(), messages.end(), [](const auto& message) {
    return message.severity == CompilerMessage::Severity::kError;
  });
  return found == messages.end() ? nullptr : &*found;
}

std::string file_name(const std::string& path) { return path.substr(path.rfind('/') + 1); }

// No part of a user's body is to blame, or the log can't be parsed.
std::string plain_report(const std::string& what_happened, const std::string& log,
                         const std::vector<CompilerMessage>& messages) {
  if (const std::string symbol = undefined_symbol(log); !symbol.empty()) {
    return format("'{}' is called but not defined", symbol);
  }
  const CompilerMessage* const error = first_error(messages);
  if (error == nullptr) {
    return what_happened + (log.empty() ? " and wrote nothing" : "; its output is in the log");
  }
  return format("{}: {} ({}, line {}); its whole output is in the log", what_happened,
                plain_message(error->text), file_name(error->file), error->line);
}

// For an error in a preamble, points to the body's line that uses it.
void add_use(const BodyTexts& texts, const BodyText& text, const CompilerMessage& message,
             Diagnostic& diagnostic) {
  if (message.file != text.label() || text.is_function()) return;
  for (const CompilerMessage& note : message.notes) {
    const BodyText* const user = text_of_file(texts, note.file);
    if (!note.leads_here || user == nullptr || !user->is_function()) continue;
    declare::SourceSpan place = user->whole_line(note.line);
    place.source = 1;
    diagnostic.notes.push_back({"used here", place});
    return;
  }
}

// Collects errors until it is known which are consequences of others.
class Findings {
 public:
  void add(TranslatedMessage message) {
    if (message.kind == MessageKind::kMissingReturn) {
      missing_return_ = std::move(message.diagnostic);
    } else if (syntax_.has_value()) {
      // Later messages after a syntax error may be consequences of it.
      const bool is_cause = message.kind == MessageKind::kUnknownName &&
                            message.diagnostic.place.line == syntax_->diagnostic.place.line;
      if (is_cause) found_.push_back(std::move(message));
    } else if (message.kind == MessageKind::kSyntax) {
      syntax_ = std::move(message);
    } else {
      found_.push_back(std::move(message));
    }
  }

  // In the order of the text. The body is emitted once per signature, so its messages are repeated.
  std::vector<Diagnostic> take(const BodyText& body) {
    if (syntax_.has_value() && !has_error_on(syntax_->diagnostic.place.line)) {
      found_.push_back(std::move(*syntax_));
    }
    std::stable_sort(found_.begin(), found_.end(), [](const auto& first, const auto& second) {
      return comes_before(first.diagnostic, second.diagnostic);
    });
    std::vector<Diagnostic> diagnostics;
    for (const TranslatedMessage& each : found_) {
      if (!follows_from_another(body, each)) diagnostics.push_back(each.diagnostic);
    }
    diagnostics.erase(std::unique(diagnostics.begin(), diagnostics.end(), has_same_place),
                      diagnostics.end());
    if (diagnostics.empty() && missing_return_.has_value()) return {*missing_return_};
    return diagnostics;
  }

 private:
  bool has_error_on(int line) const {
    return std::any_of(found_.begin(), found_.end(), [line](const TranslatedMessage& each) {
      return each.diagnostic.place.line == line;
    });
  }

  // A name reported before or declared with an error; or anything on a line after an unknown type.
  bool follows_from_another(const BodyText& body, const TranslatedMessage& message) const {
    for (const TranslatedMessage& other : found_) {
      if (&other == &message) break;
      const bool is_unknown = other.kind == MessageKind::kUnknownName;
      if (other.spoils_line && other.diagnostic.place.line == message.diagnostic.place.line &&
          comes_before(other.diagnostic, message.diagnostic)) {
        return true;
      }
      if (is_unknown && message.kind == MessageKind::kUnknownName && other.name == message.name &&
          comes_before(other.diagnostic, message.diagnostic)) {
        return true;
      }
    }
    if (has_error_inside(message)) return true;
    if (message.kind != MessageKind::kUnknownName) return false;
    const std::vector<BodyName> names = body.names();
    return std::any_of(names.begin(), names.end(), [&](const BodyName& known) {
      return known.name == message.name && known.line > 0 &&
             known.line <= message.diagnostic.place.line && has_other_error_on(known, message);
    });
  }

  // An error of an expression may be a consequence of an error in its part.
  bool has_error_inside(const TranslatedMessage& message) const {
    const declare::SourceSpan& whole = message.diagnostic.place;
    return std::any_of(found_.begin(), found_.end(), [&](const TranslatedMessage& each) {
      const declare::SourceSpan& part = each.diagnostic.place;
      const bool is_inside = part.line == whole.line && part.end_line == whole.end_line &&
                             part.column >= whole.column && part.end_column <= whole.end_column;
      return is_inside && part.end_column - part.column < whole.end_column - whole.column;
    });
  }

  bool has_other_error_on(const BodyName& declared, const TranslatedMessage& message) const {
    return std::any_of(found_.begin(), found_.end(), [&](const TranslatedMessage& each) {
      return &each != &message && each.diagnostic.place.line == declared.line &&
             !has_same_place(each.diagnostic, message.diagnostic);
    });
  }

  std::vector<TranslatedMessage> found_;
  std::optional<TranslatedMessage> syntax_;
  std::optional<Diagnostic> missing_return_;
};

}  // namespace

std::vector<Diagnostic> diagnose(const BodyTexts& texts, const BodyText& text,
                                 const std::vector<CompilerMessage>& messages) {
  if (!text.is_function()) {  // brackets and similar mistakes, which compilers explain badly
    std::vector<Diagnostic> found = declare::check_cpp_preamble(base::join(text.lines(), "\n"));
    if (!found.empty()) return found;
  }
  Findings findings;
  for (const CompilerMessage& message : messages) {
    if (message.severity != CompilerMessage::Severity::kError) continue;
    const std::optional<Position> position = find_position(texts, text, message);
    if (!position.has_value()) continue;
    TranslatedMessage translated =
        translate_message(text, message, position->line, position->column);
    add_use(texts, text, message, translated.diagnostic);
    findings.add(std::move(translated));
  }
  return findings.take(text);
}

CompileError make_compile_error(const BodyTexts& texts, std::size_t index, const std::string& log,
                                std::vector<Diagnostic> diagnostics) {
  std::vector<declare::SourceText> sources = {{texts[index].label(), "", 1, texts[index].lines()}};
  for (const BodyText& other : texts) {
    if (&other != &texts[index]) sources.push_back({other.label(), "", 1, other.lines()});
  }
  const std::string rendered = declare::render(diagnostics, sources);
  return {rendered, log, std::move(diagnostics), std::move(sources)};
}

CompileError make_compile_error(const BodyTexts& texts, const std::string& log, LogForm form,
                                const std::string& what_happened) {
  const std::vector<CompilerMessage> messages = parse_compiler_log(log, form);
  const std::string symbol = undefined_symbol(log);
  // Errors of a body may be consequences of errors in its preamble.
  for (std::size_t i = 0; i < texts.size(); ++i) {
    std::vector<Diagnostic> diagnostics = diagnose(texts, texts[i], messages);
    if (!diagnostics.empty()) return make_compile_error(texts, i, log, std::move(diagnostics));
  }
  for (std::size_t i = texts.size(); i-- > 0 && !symbol.empty();) {
    std::vector<Diagnostic> diagnostics = diagnose_undefined(texts[i], symbol);
    if (!diagnostics.empty()) return make_compile_error(texts, i, log, std::move(diagnostics));
  }
  return {plain_report(what_happened, log, messages), log, {}, {}};
}

CompileError make_compile_error(const emit::Source& source, const std::string& log, LogForm form,
                                const std::string& what_happened) {
  BodyTexts texts;
  for (const std::optional<BodyText>& text :
       {BodyText::preamble_of(source), BodyText::of(source)}) {
    if (text.has_value()) texts.push_back(*text);
  }
  return make_compile_error(texts, log, form, what_happened);
}

}  // namespace numpy_plugin::explain
