// Bindings: Declaration and make_ufunc.
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <memory>

#include "numpy_plugin/base/fast_math.hpp"
#include "numpy_plugin/base/text.hpp"
#include "numpy_plugin/cpp_body/indexed_body.hpp"
#include "numpy_plugin/declaration/declaration.hpp"
#include "numpy_plugin/diagnostics/diagnostic.hpp"
#include "numpy_plugin/infer/calls/infer_calls.hpp"
#include "numpy_plugin/signature/signature_text.hpp"
#include "numpy_plugin/syntax/functions.hpp"
#include "numpy_plugin/ufunc/api/events.hpp"
#include "numpy_plugin/ufunc/api/hooks.hpp"
#include "numpy_plugin/ufunc/api/python_error.hpp"
#include "numpy_plugin/ufunc/api/python_lock.hpp"
#include "numpy_plugin/ufunc/api/string_caster.hpp"
#include "numpy_plugin/ufunc/bindings/bindings.hpp"
#include "numpy_plugin/ufunc/bindings/kernel_arguments.hpp"
#include "numpy_plugin/ufunc/object/make_ufunc.hpp"

namespace numpy_plugin::ufunc {
namespace {

namespace nb = nanobind;
using namespace nb::literals;

void check_identity(const nb::object& identity) {
  const bool is_known = identity.is_none() || PyNumber_Check(identity.ptr()) ||
                        (nb::isinstance<nb::str>(identity) &&
                         std::string_view(nb::str(identity).c_str()) == "reorderable");
  if (!is_known) {
    declare::fail_argument(base::ErrorKind::kValue, "identity",
                           format("identity must be a number, None or 'reorderable', found {}",
                                  nb::str(nb::repr(identity)).c_str()));
  }
}

// Issues warnings at the user's line.
void check(const declare::DeclarationText& text, const nb::object& identity) {
  check_identity(identity);
  for (const declare::ArgumentMistake& mistake : declare::check_declaration(text)) {
    hooks().warn_of_mistake(mistake.text(), mistake_object(mistake));
  }
}

// Kernels are typed, compiled and loaded without the GIL.
std::shared_ptr<run::KernelLibrary> make_library(const declare::DeclarationText& text) {
  const ReleasedGil release;
  return std::make_shared<run::KernelLibrary>(declare::make_declaration(text));
}

nb::object make_declared_ufunc(const declare::DeclarationText& text, const nb::object& identity) {
  const std::shared_ptr<run::KernelLibrary> library = make_library(text);
  log_events();
  issue_warnings(library->take_warnings());
  return make_ufunc(library, identity, library->declaration().name);
}

// Line, column, end line and end column.
using Place = std::tuple<int, int, int, int>;

declare::Diagnostic make_diagnostic(const std::string& message, const std::string& hint,
                                    const Place& where) {
  const auto [line, column, end_line, end_column] = where;
  declare::Diagnostic diagnostic;
  diagnostic.message = message;
  diagnostic.place = {line, column, end_line, end_column};
  diagnostic.hint = hint;
  return diagnostic;
}

// Renders a Python diagnostic; `lines` begin at its place.
std::string render_diagnostic(const std::string& message, const std::string& hint,
                              const Place& where, const std::string& file,
                              const std::string& function, const std::vector<std::string>& lines) {
  return declare::render({make_diagnostic(message, hint, where)},
                         {{file, function, std::get<0>(where), lines}});
}

// A source is a file, the name of a function, the number of its first line, and lines.
[[noreturn]] void raise_kernel_error(
    const std::string& message, const std::string& hint, const Place& where,
    const std::tuple<std::string, std::string, int, std::vector<std::string>>& source) {
  const auto& [file, function, first_line, lines] = source;
  throw declare::KernelError({make_diagnostic(message, hint, where)},
                             {{file, function, first_line, lines}});
}

}  // namespace

void bind_declaration(nb::module_& module) {
  using Text = declare::DeclarationText;
  nb::class_<Text>(module, "Declaration", "The declaration of one ufunc.")
      .def(nb::init<>())
#define NPP_DECLARATION_OPTION(type, name, default_value, description) \
  .def_rw(#name, &Text::name, description)
#include "numpy_plugin/declaration/options.def"
      .def_rw("signatures", &Text::signatures, nb::arg().none(),
              "texts of type signatures, or None: compiled for the types of each call")
      .def_rw("layout", &Text::layout, nb::arg().none(), "core dimensions, or None")
      .def_rw("writable_args", &Text::writable_args, "inputs that a kernel changes in place")
      .def_prop_rw(
          "linked", [](const Text& text) { return !text.linked.empty(); },
          [](Text& text, nb::handle codes) { text.linked = read_device_codes(codes); },
          nb::for_setter(nb::sig(
              "def linked(self, codes: collections.abc.Sequence[tuple[str, bytes]]) -> None")),
          "code for devices that device kernels are linked with: names and bytes")
      .def_rw("body", &Text::body, "a C++ kernel's text")
      .def_rw("input_names", &Text::input_names, "operands of a C++ kernel")
      .def_rw("output_names", &Text::output_names, "results of a C++ kernel")
      .def_rw("operand_types", &Text::operand_types,
              "dtypes and type placeholders of a C++ kernel's operands, or none")
      .def_prop_rw(
          "aliases", [](const Text& text) { return !text.aliases.empty(); },
          [](Text& text, const std::vector<std::pair<std::string, std::string>>& aliases) {
            text.aliases = declare::make_aliases(aliases);
          },
          nb::for_setter(nb::sig(
              "def aliases(self, aliases: collections.abc.Sequence[tuple[str, str]]) -> None")),
          "further names of types in a C++ kernel, and the dtypes' names")
      .def_rw("is_fused", &Text::is_fused, "written over whole arrays")
      .def_prop_rw(
          "syntax", [](const Text& text) { return text.syntax.has_value(); },
          [](Text& text, nb::handle data) { text.syntax = read_function_syntax(data); },
          nb::for_setter(nb::sig("def syntax(self, data: tuple[object, ...]) -> None")),
          "a Python kernel's syntax, as the front end hands it over");
  module.def(
      "fast_math_names",
      [] {
        return std::vector<std::string>(std::begin(base::kFastMathNames),
                                        std::end(base::kFastMathNames));
      },
      "The names that fastmath= accepts.");
  module.def("raise_kernel_error", &raise_kernel_error, "message"_a, "hint"_a, "where"_a,
             "source"_a,
             nb::sig("def raise_kernel_error(message: str, hint: str, where: tuple[int, int, int, "
                     "int], source: tuple[str, str, int, collections.abc.Sequence[str]]) -> "
                     "typing.NoReturn"),
             "Raise the KernelError with one error.");
  module.def(
      "kernels_can_call",
      [](const std::string& name) {
        return declare::find_function(name) != nullptr || declare::find_builtin(name) != nullptr;
      },
      "name"_a, "Whether kernels can call the function of this qualified name.");
  module.def("make_ufunc", &make_declared_ufunc, "declaration"_a, "identity"_a.none(),
             nb::sig("def make_ufunc(declaration: Declaration, identity: object | None) -> "
                     "numpy.ufunc"),
             "Compile a declaration's kernels and register them with NumPy.");
  module.def(
      "make_record_ufunc",
      [](const nb::object& kernel, const std::vector<nb::object>& dtypes, int n_inputs,
         const std::string& name, const std::string& doc, const std::string& layout) {
        return make_record_ufunc(kernel, dtypes, n_inputs, {name, doc, layout});
      },
      "kernel"_a, "dtypes"_a, "n_inputs"_a, "name"_a, "doc"_a, "layout"_a,
      nb::sig("def make_record_ufunc(kernel: numpy.ufunc, dtypes: "
              "collections.abc.Sequence[numpy.dtype], n_inputs: int, name: str, doc: str, layout: "
              "str) -> numpy.ufunc"),
      "Make the ufunc of records whose fields are the operands of a ufunc.");
  module.def("check_declaration", &check, "declaration"_a, "identity"_a.none(),
             nb::sig("def check_declaration(declaration: Declaration, identity: object | None) -> "
                     "None"),
             "Find what is wrong before there is a kernel, and warn of what may be.");
  module.def("render_diagnostic", &render_diagnostic, "message"_a, "hint"_a, "where"_a, "file"_a,
             "function"_a, "lines"_a, "The text of one mistake with its place underlined.");
  module.def("show_in_literals", &show_in_literals, "error"_a, "literals"_a,
             "The text and the diagnostics of an error in C++ text that literals of a file hold.");
  module.def("nearest", &base::nearest, "word"_a, "candidates"_a,
             "The candidate that was probably meant by a word; empty when there is none.");
}

}  // namespace numpy_plugin::ufunc
