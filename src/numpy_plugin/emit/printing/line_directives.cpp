#include "numpy_plugin/emit/printing/user_code.hpp"

#include <utility>
#include <variant>

#include "numpy_plugin/base/text.hpp"

namespace numpy_plugin::emit {
namespace {

constexpr std::string_view kPython = "<Python source of '";
constexpr const char* kEnd = "npp-kernels";

// Sources of one kernel have different labels, though their functions' names may be equal.
std::string python_label(const std::vector<declare::SourceText>& sources, std::size_t index) {
  const std::string number = index == 0 ? "" : format(", {}", index);
  return base::source_label(format("{}{}'{}>", kPython, sources[index].function, number));
}

using Labelled = std::vector<declare::LabelledSource>;

void add_text(Labelled& labelled, const std::string& label, const std::string& text) {
  if (!text.empty()) labelled.push_back({label, {label, "", 1, base::split_lines(text)}});
}

void add_external(Labelled& labelled, const declare::ExternalFunction& function) {
  if (function.declared != nullptr) {
    add_text(labelled, function.declared->cuda_label, function.declared->cuda_source);
    return;
  }
  add_text(labelled, body_label(function.name), function.body.body);
  add_text(labelled, preamble_label(function.name), function.preamble);
}

}  // namespace

std::string line_directive(int line, const std::string& label) {
  return format("#line {} \"{}\"\n", line, label);
}

std::string line_directive(const std::vector<declare::SourceText>& sources,
                           const declare::SourceSpan& place) {
  const auto index = static_cast<std::size_t>(place.source);
  if (place.line == 0 || index >= sources.size()) return "";
  const int line = place.line - sources[index].first_line + 1;
  return line < 1 ? "" : line_directive(line, python_label(sources, index));
}

std::string end_of_lines() { return line_directive(1, kEnd); }

std::string without_line_directives(std::string_view text) {
  std::string shown;
  while (!text.empty()) {
    const std::string_view line = text.substr(0, text.find('\n') + 1);
    const std::string_view whole = line.empty() ? text : line;
    const bool is_directive =
        whole.starts_with("#line ") && (whole.find(kPython) != std::string_view::npos ||
                                        whole.find(kEnd) != std::string_view::npos);
    if (!is_directive) shown += whole;
    text.remove_prefix(whole.size());
  }
  return shown;
}

std::vector<declare::LabelledSource> labelled_sources(const Program& program) {
  Labelled labelled;
  for (const declare::TypedKernel& kernel : program.kernels) {
    if (const auto* body = std::get_if<declare::CppKernel>(&kernel.body)) {
      add_text(labelled, body_label(kernel.name), body->body);
      continue;
    }
    const auto& python = std::get<declare::PythonKernel>(kernel.body);
    for (std::size_t i = 0; i < python.sources.size(); ++i) {
      labelled.push_back({python_label(python.sources, i), python.sources[i]});
    }
    for (const auto& function : python.external_functions) add_external(labelled, function);
  }
  add_text(labelled, preamble_label(program.name), program.preamble);
  return labelled;
}

}  // namespace numpy_plugin::emit
