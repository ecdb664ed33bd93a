#include "numpy_plugin/ufunc/api/python_error.hpp"

namespace numpy_plugin::ufunc {
namespace {

PlaceData data_of(const declare::SourceSpan& place) {
  return {place.line, place.column, place.end_line, place.end_column, place.source};
}

// Offsets lines, and columns of first lines, by the position of each source's literal.
class Mover {
 public:
  explicit Mover(const std::vector<Literal>& literals) : literals_(literals) {}

  declare::SourceSpan move(const PlaceData& data) const {
    auto [line, column, end_line, end_column, source] = data;
    for (const auto& [number, file, function, first_line, first_column, lines] : literals_) {
      if (number != source || line == 0) continue;
      if (line == 1) column += first_column;
      if (end_line == 1) end_column += first_column;
      line += first_line - 1;
      end_line += first_line - 1;
    }
    return {line, column, end_line, end_column, source};
  }

 private:
  const std::vector<Literal>& literals_;
};

}  // namespace

ErrorData error_data(const declare::DiagnosedError& error) {
  ErrorData data;
  auto& [diagnostics, sources] = data;
  for (const declare::Diagnostic& each : error.diagnostics()) {
    std::vector<NoteData> notes;
    for (const declare::Note& note : each.notes) {
      notes.emplace_back(note.message, data_of(note.place));
    }
    diagnostics.emplace_back(each.message, each.hint, data_of(each.place), std::move(notes));
  }
  for (const declare::SourceText& source : error.sources()) {
    sources.emplace_back(source.file, source.lines);
  }
  return data;
}

std::tuple<std::string, std::vector<ShownDiagnostic>> show_in_literals(
    const ErrorData& data, const std::vector<Literal>& literals) {
  const auto& [diagnostics_data, sources_data] = data;
  const Mover mover(literals);
  std::vector<declare::SourceText> sources;
  for (const auto& [label, lines] : sources_data) sources.push_back({label, "", 1, lines});
  for (const auto& [number, file, function, line, column, lines] : literals) {
    sources.at(static_cast<std::size_t>(number)) = {file, function, line, lines};
  }
  std::vector<declare::Diagnostic> diagnostics;
  std::vector<ShownDiagnostic> shown;
  for (const auto& [message, hint, place_data, notes_data] : diagnostics_data) {
    const declare::SourceSpan place = mover.move(place_data);
    std::vector<declare::Note> notes;
    for (const auto& [text, where] : notes_data) notes.push_back({text, mover.move(where)});
    diagnostics.push_back({declare::Severity::kError, message, place, std::move(notes), hint});
    shown.emplace_back(sources.at(static_cast<std::size_t>(place.source)).file, place.line,
                       place.line > 0 ? declare::character_column(place, sources) : 0, message,
                       hint);
  }
  return {declare::render(diagnostics, sources), std::move(shown)};
}

}  // namespace numpy_plugin::ufunc
