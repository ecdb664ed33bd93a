// Each preamble or source is printed once, in its own namespace: two of them may use one name for
// different helpers. Its includes precede the namespace.
#include "numpy_plugin/emit/printing/user_code.hpp"

#include <algorithm>
#include <deque>
#include <utility>

#include "numpy_plugin/base/error.hpp"
#include "numpy_plugin/base/text.hpp"
#include "numpy_plugin/emit/printing/cpp_text.hpp"

namespace numpy_plugin::emit {
namespace {

using declare::DeclaredCode;
using declare::ExternalFunction;

bool is_include(std::string_view line) {
  line = base::strip(line);
  if (!line.starts_with('#')) return false;
  return base::strip(line.substr(1)).starts_with("include");
}

// The #include lines of a text; or the others, with empty lines in place of those.
std::string lines_of(const std::string& source, bool wants_includes) {
  std::string text;
  for (const std::string& line : base::split_lines(source)) {
    const bool is_wanted = is_include(line) == wants_includes;
    if (is_wanted) text += line;
    if (is_wanted || !wants_includes) text += "\n";
  }
  return text;
}

std::string result_type(const ExternalFunction& function) {
  return element_types(function.signature.outputs).front();
}

// "int, int"
std::string parameter_types(const ExternalFunction& function) {
  return base::join(element_types(function.signature.inputs), ", ");
}

// The struct member that forwards its arguments.
std::string forwarding_call(const ExternalFunction& function, const std::string& callee) {
  std::vector<std::string> parameters, arguments;
  for (const std::string& type : element_types(function.signature.inputs)) {
    arguments.push_back(format("x{}", arguments.size()));
    parameters.push_back(format("{} {}", type, arguments.back()));
  }
  return format(
      "  NPP_FUNCTION static {} call({}) {\n"
      "    return {}({});\n"
      "  }\n",
      result_type(function), base::join(parameters, ", "), callee, base::join(arguments, ", "));
}

std::string types_check(const ExternalFunction& function) {
  std::string types = result_type(function);
  if (!function.signature.inputs.empty()) types += ", " + parameter_types(function);
  return format(
      "static_assert(npp::has_types<npp::Types<{}>>({}), \"'{}' is declared as {} and defined with "
      "other types\");\n",
      types, function.name, function.name, function.signature.text());
}

class Printer {
 public:
  explicit Printer(Target target) : target_(target) {}

  // Adds a function and returns the qualified name of its struct member.
  std::string add(const ExternalFunction& function) {
    if (target_ == Target::kCuda) add_linked(function.linked);
    Names names;
    const std::string name = names.add(format("{}_{}", function.name, n_functions_++));
    const std::string& space = function.declared == nullptr ? add_body(function, name)
                               : target_ == Target::kCpu    ? add_for_cpu(function, name)
                                                            : add_for_cuda(function, name);
    return format("{}::{}::call", space, name);
  }

  ExternalFunctions take() {
    std::string includes;
    for (const Space& space : spaces_) {
      includes += space.includes;
      result_.text +=
          format("namespace {} {\n{}}  // namespace {}\n\n", space.name, space.text, space.name);
    }
    if (needs_types_) includes.insert(0, "#include \"npp/core/external.hpp\"\n");
    result_.text.insert(0, includes);
    return std::move(result_);
  }

 private:
  struct Space {
    std::string name;
    std::string source;  // the user's
    std::string includes;
    std::string text;
  };

  Space& space_of(const std::string& source, const std::string& label) {
    const auto known = std::find_if(spaces_.begin(), spaces_.end(),
                                    [&](const Space& space) { return space.source == source; });
    if (known != spaces_.end()) return *known;
    Space& space = spaces_.emplace_back();
    space.name = format("npp_external_{}", spaces_.size() - 1);
    space.source = source;
    if (source.empty()) return space;
    space.includes = lines_of(source, true);
    space.text = print_user_text(label, lines_of(source, false)) + "\n";
    return space;
  }

  const std::string& add_body(const ExternalFunction& function, const std::string& name) {
    Space& space = space_of(function.preamble, preamble_label(function.name));
    const declare::TypedKernel kernel{function.name, function.signature, {}, function.body};
    space.text += format("struct {} {\n{}};\n", name, print_cpp_body(kernel));
    return space.name;
  }

  const std::string& add_source(const ExternalFunction& function, const std::string& name,
                                const std::string& source, const std::string& label) {
    Space& space = space_of(source, label);
    space.text += format("{}struct {} {\n{}};\n", types_check(function), name,
                         forwarding_call(function, function.name));
    needs_types_ = true;
    return space.name;
  }

  const std::string& add_for_cpu(const ExternalFunction& function, const std::string& name) {
    const DeclaredCode& code = *function.declared;
    if (!code.cpu_source.empty())
      return add_source(function, name, code.cpu_source, code.cpu_label);
    if (code.cpu_library.empty()) {
      result_.missing = format(
          "'{}' has no code for the CPU\n"
          "  hint: give declare_device its C or C++ source, or a shared library, as cpu=",
          function.name);
      return space_of("", "").name;
    }
    const std::string pointer = format("npp_function_{}", result_.library_functions.size());
    result_.library_functions.push_back({pointer, code.cpu_library, function.name});
    Space& space = space_of("", "");
    space.text += format(
        "extern \"C\" {\n"
        "__attribute__((visibility(\"default\"))) {} (*{})({}) = nullptr;\n"
        "}\n"
        "struct {} {\n"
        "{}};\n",
        result_type(function), pointer, parameter_types(function), name,
        forwarding_call(function, pointer));
    return space.name;
  }

  const std::string& add_for_cuda(const ExternalFunction& function, const std::string& name) {
    const DeclaredCode& code = *function.declared;
    if (!code.cuda_source.empty()) {
      return add_source(function, name, code.cuda_source, code.cuda_label);
    }
    if (function.linked.empty()) {
      throw base::Error(
          base::ErrorKind::kCompiler,
          format("'{}' has no code for devices\n"
                 "  hint: give declare_device its CUDA C++ as source=, or compiled code as link=",
                 function.name));
    }
    Space& space = space_of("", "");
    space.text += format("extern \"C\" __device__ {} {}({});\nstruct {} {\n{}};\n",
                         result_type(function), function.name, parameter_types(function), name,
                         forwarding_call(function, function.name));
    return space.name;
  }

  void add_linked(const declare::DeviceCodes& codes) {
    for (const auto& code : codes) {
      const auto is_same = [&](const auto& known) { return known->bytes == code->bytes; };
      if (std::none_of(result_.linked.begin(), result_.linked.end(), is_same))
        result_.linked.push_back(code);
    }
  }

  Target target_;
  std::deque<Space> spaces_;  // references to names stay valid
  ExternalFunctions result_;
  int n_functions_ = 0;
  bool needs_types_ = false;
};

}  // namespace

ExternalFunctions print_external_functions(const Program& program, Target target) {
  Printer printer(target);
  std::vector<std::vector<std::string>> names;
  for (const declare::TypedKernel& kernel : program.kernels) {
    names.emplace_back();
    const auto* python = std::get_if<declare::PythonKernel>(&kernel.body);
    if (python == nullptr) continue;
    for (const ExternalFunction& function : python->external_functions)
      names.back().push_back(printer.add(function));
  }
  ExternalFunctions result = printer.take();
  result.names = std::move(names);
  return result;
}

}  // namespace numpy_plugin::emit
