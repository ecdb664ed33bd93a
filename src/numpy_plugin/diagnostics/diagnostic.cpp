// Rendering of diagnostics: message, place, source line, underline, notes, hint.
#include "numpy_plugin/diagnostics/diagnostic.hpp"

#include <algorithm>
#include <string_view>

#include "numpy_plugin/base/text.hpp"

namespace numpy_plugin::declare {
namespace {

constexpr std::size_t kMaxDiagnostics = 10;

const SourceText& source_of(const SourceSpan& place, const std::vector<SourceText>& sources) {
  NPP_ASSERT(place.source >= 0 && static_cast<std::size_t>(place.source) < sources.size(),
             format("source {}", place.source));
  return sources[static_cast<std::size_t>(place.source)];
}

// The first line of a place; empty where it is outside the available text.
std::string_view line_of(const SourceSpan& place, const std::vector<SourceText>& sources) {
  const SourceText& source = source_of(place, sources);
  const long index = static_cast<long>(place.line) - source.first_line;
  if (index < 0 || static_cast<std::size_t>(index) >= source.lines.size()) return {};
  return source.lines[static_cast<std::size_t>(index)];
}

bool is_notebook_cell(const std::string& file) { return file.starts_with("Cell In["); }

// `  File "pdf.py", line 6, in f`: the form that terminals and editors turn into links.
std::string location(const SourceSpan& place, const SourceText& source) {
  std::string text =
      is_notebook_cell(source.file) ? source.file : format("File \"{}\"", source.file);
  text += format(", line {}", place.line);
  if (!source.function.empty()) text += ", in " + source.function;
  return "\n  " + text;
}

std::string block(const SourceSpan& place, const std::vector<SourceText>& sources) {
  if (place.line == 0) return {};
  std::string text = location(place, source_of(place, sources));
  std::string_view line = line_of(place, sources);
  line = line.substr(0, line.find_last_not_of(" \t\r\f") + 1);
  const std::size_t indentation = std::min(line.find_first_not_of(" \t\f"), line.size());
  line.remove_prefix(indentation);
  if (line.empty()) return text;

  const bool spans_lines = place.end_line > place.line;
  const auto shift = [indentation](int column) {
    const auto bytes = static_cast<std::size_t>(std::max(column, 0));
    return bytes - std::min(bytes, indentation);
  };
  const std::size_t end = spans_lines ? line.size() : shift(place.end_column);
  text += format("\n    {}", line);
  text += "\n    " + underline(line, shift(place.column), end);
  if (spans_lines) text += "\n    ...";
  return text;
}

std::string render_one(const Diagnostic& diagnostic, const std::vector<SourceText>& sources) {
  std::string text = diagnostic.message + block(diagnostic.place, sources);
  for (const Note& note : diagnostic.notes) {
    text += "\n  note: " + note.message + block(note.place, sources);
  }
  if (!diagnostic.hint.empty()) text += "\n  hint: " + diagnostic.hint;
  return text;
}

}  // namespace

std::string text_at(const SourceText& source, const SourceSpan& where) {
  std::string result;
  for (int line = where.line; line <= where.end_line; ++line) {
    const auto index = static_cast<std::size_t>(line - source.first_line);
    if (index >= source.lines.size()) break;
    std::string_view part = source.lines[index];
    if (line == where.end_line) part = part.substr(0, static_cast<std::size_t>(where.end_column));
    if (line == where.line) {
      part.remove_prefix(std::min(part.size(), static_cast<std::size_t>(where.column)));
    }
    part = base::strip(part);
    if (!result.empty() && !part.empty()) result += ' ';
    result += part;
  }
  return result;
}

std::string render(const std::vector<Diagnostic>& diagnostics,
                   const std::vector<SourceText>& sources) {
  std::string text;
  const std::size_t n_shown = std::min(diagnostics.size(), kMaxDiagnostics);
  for (std::size_t i = 0; i < n_shown; ++i) {
    if (i > 0) text += "\n\n";
    text += render_one(diagnostics[i], sources);
  }
  return text;
}

int character_column(const SourceSpan& place, const std::vector<SourceText>& sources) {
  const std::string_view line = line_of(place, sources);
  const auto n_bytes = static_cast<std::size_t>(std::max(place.column, 0));
  return static_cast<int>(count_characters(line, n_bytes)) + 1;
}

}  // namespace numpy_plugin::declare
