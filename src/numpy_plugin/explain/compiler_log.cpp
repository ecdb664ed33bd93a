// Parses logs line by line. Unrecognized lines are details of the previous message (NVRTC) or stay
// in the log only (g++, clang++).
#include "numpy_plugin/explain/body_diagnostics.hpp"

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <optional>
#include <regex>

#include "numpy_plugin/base/text.hpp"
#include "numpy_plugin/system/fork.hpp"

namespace numpy_plugin::explain {
namespace {

using Severity = CompilerMessage::Severity;

// Longer lines are truncated: regular expressions here recurse once per character.
constexpr std::size_t kLongestLine = 4000;

struct Heading {
  std::string_view text;
  Severity severity;
};

constexpr Heading kGnuHeadings[] = {{": fatal error: ", Severity::kError},
                                    {": error: ", Severity::kError},
                                    {": warning: ", Severity::kWarning},
                                    {": note: ", Severity::kNote},
                                    // The instantiation path of an error in a template, printed
                                    // before it.
                                    {":   required from here", Severity::kNote},
                                    {":   required from ", Severity::kNote}};

constexpr Heading kNvrtcHeadings[] = {{"): catastrophic error: ", Severity::kError},
                                      {"): error: ", Severity::kError},
                                      {"): error #", Severity::kError},
                                      {"): warning #", Severity::kWarning},
                                      {"): warning: ", Severity::kWarning},
                                      {"): note #", Severity::kNote}};

// Removes a decimal number and the separator before it from the end of `text`.
std::optional<int> cut_number(std::string_view& text, char separator) {
  const std::size_t at = text.rfind(separator);
  if (at == std::string_view::npos) return std::nullopt;
  int number = 0;
  const char* const end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data() + at + 1, end, number);
  if (error != std::errc() || stop != end) return std::nullopt;
  text = text.substr(0, at);
  return number;
}

std::optional<CompilerMessage> parse_gnu_line(std::string_view line) {
  for (const Heading& heading : kGnuHeadings) {
    const std::size_t at = line.find(heading.text);
    if (at == std::string_view::npos) continue;
    std::string_view place = line.substr(0, at);
    const std::optional<int> last = cut_number(place, ':');
    const std::optional<int> before = last ? cut_number(place, ':') : std::nullopt;
    if (!last.has_value()) continue;
    // g++ omits the column in very long lines.
    return CompilerMessage{heading.severity,
                           std::string(place),
                           before.value_or(*last),
                           before.has_value() ? *last - 1 : -1,
                           std::string(line.substr(at + heading.text.size())),
                           {},
                           "",
                           heading.text.find("required") != std::string_view::npos ||
                               line.ends_with(" requested here")};
  }
  return std::nullopt;
}

std::optional<CompilerMessage> parse_nvrtc_line(std::string_view line) {
  for (const Heading& heading : kNvrtcHeadings) {
    const std::size_t at = line.find(heading.text);
    if (at == std::string_view::npos) continue;
    std::string_view place = line.substr(0, at);
    const std::optional<int> row = cut_number(place, '(');
    if (!row.has_value()) continue;
    std::string_view text = line.substr(at + heading.text.size());
    if (heading.text.ends_with('#')) text.remove_prefix(std::min(text.find(": ") + 2, text.size()));
    return CompilerMessage{
        heading.severity, std::string(place), *row, -1, std::string(text), {}, ""};
  }
  return std::nullopt;
}

// "detected during instantiation of ... at line 6 of gen.cu"; without a file name, that of the
// previous line.
CompilerMessage parse_nvrtc_detail(std::string_view line, const CompilerMessage& above) {
  const std::regex pattern(".* at line ([0-9]+)( of \"?(.*?)\"?)?$");
  CompilerMessage note{Severity::kNote, "", 0, -1, std::string(base::strip(line)), {}, ""};
  std::smatch found;
  if (!std::regex_match(note.text, found, pattern)) return note;
  note.line = std::atoi(found.str(1).c_str());
  note.file = found[3].matched ? found.str(3) : above.file;
  note.leads_here = true;
  return note;
}

bool is_caret(std::string_view line) { return base::strip(line) == "^"; }

bool is_use_of_macro(const CompilerMessage& note) {
  return note.text.starts_with("in expansion of macro ");
}

// g++ points into a macro's definition, other compilers at its use: this uses the latter where they
// are in different texts. Uses follow the error immediately, innermost first.
void place_at_use(const CompilerMessage& note, CompilerMessage& message) {
  const bool is_of_error = std::all_of(message.notes.begin(), message.notes.end(), is_use_of_macro);
  if (!is_of_error || !is_use_of_macro(note) || note.file == message.file) return;
  message.file = note.file;
  message.line = note.line;
  message.column = note.column;
}

std::vector<CompilerMessage> parse_gnu(const std::vector<std::string>& lines) {
  std::vector<CompilerMessage> messages;
  std::vector<CompilerMessage> waiting;  // notes that precede their error
  for (const std::string& line : lines) {
    std::optional<CompilerMessage> message = parse_gnu_line(line);
    if (!message.has_value()) continue;
    const bool comes_before = line.find(":   required from ") != std::string::npos;
    if (message->severity == Severity::kNote && !comes_before) waiting.clear();
    if (message->severity != Severity::kNote) {
      message->notes = std::move(waiting);
      waiting.clear();
      messages.push_back(std::move(*message));
    } else if (comes_before || messages.empty()) {
      waiting.push_back(std::move(*message));
    } else {
      place_at_use(*message, messages.back());
      messages.back().notes.push_back(std::move(*message));
    }
  }
  return messages;
}

// Uses of an error's code follow its caret; its other details precede it.
void add_nvrtc_detail(std::string_view line, CompilerMessage& message) {
  const bool has_above = !message.notes.empty() && message.notes.back().leads_here;
  CompilerMessage note = parse_nvrtc_detail(line, has_above ? message.notes.back() : message);
  if (note.leads_here || message.column < 0) message.notes.push_back(std::move(note));
}

// After the heading: details, then the source line and a caret below the position, indented by two
// spaces.
std::vector<CompilerMessage> parse_nvrtc(const std::vector<std::string>& lines) {
  std::vector<CompilerMessage> messages;
  bool is_open = false;  // between a heading and its caret
  std::string_view previous;
  for (const std::string& line : lines) {
    if (std::optional<CompilerMessage> message = parse_nvrtc_line(line)) {
      is_open = message->severity != Severity::kNote || !messages.empty();
      if (message->severity != Severity::kNote) {
        messages.push_back(std::move(*message));
      } else if (is_open) {
        messages.back().notes.push_back(std::move(*message));
      }
    } else if (is_open && is_caret(line)) {
      CompilerMessage& last = messages.back();
      const bool is_of_note = !last.notes.empty() && last.notes.back().line > 0 && last.column >= 0;
      const int column = static_cast<int>(line.find('^')) - 2;
      CompilerMessage& placed = is_of_note ? last.notes.back() : last;
      placed.column = column;
      placed.source_line = previous;
      is_open = false;
    } else if (!messages.empty() && line.starts_with("          ")) {
      add_nvrtc_detail(line, messages.back());
    }
    previous = line;
  }
  return messages;
}

}  // namespace

std::vector<CompilerMessage> parse_compiler_log(std::string_view log, LogForm form) {
  std::vector<std::string> lines = base::split_lines(log);
  for (std::string& line : lines) {
    if (line.size() > kLongestLine) line.resize(kLongestLine);
  }
  return form == LogForm::kGnu ? parse_gnu(lines) : parse_nvrtc(lines);
}

namespace {

struct Replacement {
  std::regex pattern;
  const char* by;
};

std::vector<Replacement> replacements() {
  return {
      {std::regex("\""), "'"},
      {std::regex("'[^']*' [{(]aka '([^']*)'[)}]"), "'$1'"},
      {std::regex("'const ([^'*]*)'"), "'$1'"},
      {std::regex(
           "(\\{anonymous\\}|\\(anonymous namespace\\)|<unnamed>|npp::cmath|npp|Kernel[0-9]+)::"),
       ""},
      {std::regex("(?:struct|class) (Array<|Complex<)"), "$1"},
      {std::regex("(?:struct |class )?(?:call|body)\\([^()]*\\)::"), ""},
      {std::regex(" \\[-W[^\\]]*\\]$"), ""},
  };
}

}  // namespace

std::string plain_message(std::string_view text) {
  std::string message(text.substr(0, kLongestLine));
  for (const Replacement& replacement : system::made_once<replacements>()) {
    message = std::regex_replace(message, replacement.pattern, replacement.by);
  }
  return message;
}

}  // namespace numpy_plugin::explain
