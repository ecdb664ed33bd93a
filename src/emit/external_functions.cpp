// A preamble is printed once, in a namespace of its own: two ufuncs may use one name for different
// helpers. What it includes stands before the namespace.
#include "numpy_plugin/emit/external_functions.hpp"

#include <algorithm>

#include "numpy_plugin/base/text.hpp"
#include "numpy_plugin/emit/cpp_body.hpp"
#include "numpy_plugin/emit/names.hpp"

namespace numpy_plugin::emit {
namespace {

using declare::ExternalFunction;

bool is_include(std::string_view line) {
  line = base::strip(line);
  if (!line.starts_with('#')) return false;
  return base::strip(line.substr(1)).starts_with("include");
}

// The lines of a preamble that include; or the others, with empty lines in place of those.
std::string lines_of(const std::string& preamble, bool wants_includes) {
  std::string text;
  for (const std::string& line : base::split_lines(preamble)) {
    const bool is_wanted = is_include(line) == wants_includes;
    if (is_wanted) text += line;
    if (is_wanted || !wants_includes) text += "\n";
  }
  return text;
}

class Printer {
 public:
  // The qualified name of the function's struct.
  std::string add(const ExternalFunction& function) {
    const auto known = std::find(preambles_.begin(), preambles_.end(), function.preamble);
    const auto space = static_cast<std::size_t>(known - preambles_.begin());
    if (known == preambles_.end()) {
      preambles_.push_back(function.preamble);
      bodies_.emplace_back();
      if (!function.preamble.empty()) {
        bodies_.back() = print_preamble(function.name, lines_of(function.preamble, false));
      }
    }
    Names names;
    const std::string name = names.add(function.name + "_" + std::to_string(n_functions_++));
    const declare::TypedKernel kernel{function.name, function.signature, {}, function.body};
    bodies_[space] += "struct " + name + " {\n" + print_cpp_body(kernel) + "};\n";
    return space_name(space) + "::" + name + "::call";
  }

  std::string print() const {
    std::string includes, text;
    for (const std::string& preamble : preambles_) includes += lines_of(preamble, true);
    for (std::size_t i = 0; i < bodies_.size(); ++i) {
      text += "namespace " + space_name(i) + " {\n" + bodies_[i] + "}  // namespace " +
              space_name(i) + "\n\n";
    }
    return includes + text;
  }

 private:
  static std::string space_name(std::size_t index) {
    return "npp_external_" + std::to_string(index);
  }

  std::vector<std::string> preambles_;  // one a namespace
  std::vector<std::string> bodies_;     // what is in it
  int n_functions_ = 0;
};

}  // namespace

ExternalFunctions print_external_functions(const Program& program) {
  ExternalFunctions result;
  Printer printer;
  for (const declare::TypedKernel& kernel : program.kernels) {
    result.names.emplace_back();
    const auto* python = std::get_if<declare::PythonKernel>(&kernel.body);
    if (python == nullptr) continue;
    for (const ExternalFunction& function : python->external_functions)
      result.names.back().push_back(printer.add(function));
  }
  result.text = printer.print();
  return result;
}

}  // namespace numpy_plugin::emit
