#include "numpy_plugin/ufunc/bindings/bindings.hpp"

#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <tuple>

#include "numpy_plugin/base/cpu_levels.hpp"
#include "numpy_plugin/declaration/declaration.hpp"
#include "numpy_plugin/jit/host/host_compiler.hpp"
#include "numpy_plugin/run/library/ahead_of_time.hpp"
#include "numpy_plugin/ufunc/api/python_lock.hpp"
#include "numpy_plugin/ufunc/api/string_caster.hpp"
#include "numpy_plugin/ufunc/loops/ufunc_state.hpp"
#include "numpy_plugin/ufunc/object/make_ufunc.hpp"

namespace numpy_plugin::ufunc {
namespace {

namespace nb = nanobind;
using namespace nb::literals;

// A ufunc of a module: the ufunc, its name, its docstring, its identity as a Python expression, and
// whether it is reorderable without one.
using UfuncRow = std::tuple<nb::handle, std::string, std::string, std::string, bool>;

run::KernelLibrary& library_of(nb::handle ufunc) { return *state_of(ufunc).library; }

std::vector<std::string> level_names() {
  std::vector<std::string> names;
  for (const base::CpuLevel& level : base::cpu_levels()) names.emplace_back(level.name);
  return names;
}

nb::bytes as_bytes(const std::string& text) { return nb::bytes(text.data(), text.size()); }

nb::bytes object_of(nb::handle ufunc, const std::string& level, std::size_t number,
                    std::size_t level_number) {
  const run::KernelLibrary& library = library_of(ufunc);
  const std::string object = [&] {
    const ReleasedGil release;
    return run::built_object(library, level, emit::built_suffix(number, level_number));
  }();
  return as_bytes(object);
}

nb::bytes table_of(const std::string& name, const std::string& doc,
                   const std::vector<std::string>& levels, const std::vector<UfuncRow>& rows,
                   const std::string& raising, const std::string& exceptions,
                   const std::string& device_file) {
  emit::BuiltModule module{name, doc, levels, {}, raising, exceptions, device_file};
  for (const auto& [ufunc, ufunc_name, ufunc_doc, identity, is_reorderable] : rows) {
    emit::BuiltUfunc row = run::built_ufunc(library_of(ufunc));
    row.name = ufunc_name;
    row.doc = ufunc_doc;
    row.identity = identity;
    row.is_reorderable = is_reorderable;
    module.ufuncs.push_back(std::move(row));
  }
  const std::string object = [&] {
    const ReleasedGil release;
    return run::built_table(module);
  }();
  return as_bytes(object);
}

// One argument of an exception: its parts are a text, or a value's dtype and format.
nb::list argument_parts(const std::vector<declare::MessagePart>& parts) {
  nb::list list;
  for (const declare::MessagePart& part : parts) {
    if (part.is_value) {
      list.append(nb::make_tuple(std::string(base::name(part.dtype)), part.text, part.format));
    } else {
      list.append(nb::str(part.text.c_str(), part.text.size()));
    }
  }
  return list;
}

nb::tuple exception_row(const declare::RaisedException& exception) {
  nb::object type = nb::str(exception.type_name.c_str());
  if (exception.type)
    type = nb::borrow(static_cast<PyObject*>(const_cast<void*>(exception.type.get())));
  nb::list arguments;
  for (const auto& argument : exception.arguments) arguments.append(argument_parts(argument));
  return nb::make_tuple(type, arguments, exception.file, exception.place.line, exception.function);
}

// For each kernel: the dtypes of values differ.
std::vector<nb::list> raised_exceptions(nb::handle ufunc) {
  std::vector<nb::list> found;
  for (const run::Loop& loop : library_of(ufunc).declared_loops()) {
    nb::list rows;
    if (const auto* python = std::get_if<declare::PythonKernel>(&loop.kernel.body)) {
      for (const auto& exception : python->exceptions) rows.append(exception_row(exception));
    }
    found.push_back(std::move(rows));
  }
  return found;
}

using ImageRow = std::tuple<std::string, std::string, int, nb::bytes>;

std::vector<ImageRow> images_of(nb::handle ufunc, const std::string& arch) {
  const run::KernelLibrary& library = library_of(ufunc);
  const std::vector<run::BuiltImage> images = [&] {
    const ReleasedGil release;
    return run::built_images(library, arch);
  }();
  std::vector<ImageRow> rows;
  for (const run::BuiltImage& image : images)
    rows.emplace_back(image.digest, image.arch, image.driver_version, as_bytes(image.bytes));
  return rows;
}

nb::object make_device_ufunc(const declare::DeclarationText& text, const nb::object& identity,
                             const std::vector<ImageRow>& rows) {
  std::vector<run::BuiltImage> images;
  for (const auto& [digest, arch, driver_version, bytes] : rows)
    images.push_back({digest, arch, driver_version, std::string(bytes.c_str(), bytes.size())});
  const auto library = [&] {
    const ReleasedGil release;
    return std::make_shared<run::KernelLibrary>(
        declare::make_declaration(text),
        std::make_shared<const run::BuiltImages>(std::move(images)));
  }();
  return make_ufunc(library, identity, library->declaration().name);
}

void link(const std::vector<std::string>& objects, const std::string& output) {
  const ReleasedGil release;
  jit::link_module(objects, output);
}

}  // namespace

void bind_building(nb::module_& module) {
  module.def("cpu_levels", &level_names,
             "The levels of instruction sets that modules are built for, from the oldest.");
  module.def(
      "obstacle_to_building",
      [](nb::handle ufunc) { return run::obstacle_to_building(library_of(ufunc)); }, "ufunc"_a,
      "Why a ufunc can't be part of a built module; empty where it can.");
  module.def(
      "built_object", &object_of, "ufunc"_a, "level"_a, "number"_a, "level_number"_a,
      "The object file of a ufunc's loops for a level; the numbers are those in the module.");
  module.def("built_table", &table_of, "name"_a, "doc"_a, "levels"_a, "ufuncs"_a, "raising"_a,
             "exceptions"_a, "device_file"_a,
             nb::sig("def built_table(name: str, doc: str, levels: collections.abc.Sequence[str], "
                     "ufuncs: collections.abc.Sequence[tuple[numpy.ufunc, str, str, str, bool]], "
                     "raising: str, exceptions: str, device_file: str) -> bytes"),
             "The object file of a module's table of ufuncs.");
  module.def("raised_exceptions", &raised_exceptions, "ufunc"_a,
             nb::sig("def raised_exceptions(ufunc: numpy.ufunc) -> list[list[tuple[typing.Any, "
                     "list[list[typing.Any]], str, int, str]]]"),
             "What each kernel raises: class or name, arguments, file, line and function.");
  module.def("built_images", &images_of, "ufunc"_a, "arch"_a,
             "The device code of a ufunc for an architecture: digest of the source, architecture, "
             "version of the oldest driver and bytes.");
  module.def(
      "make_device_ufunc", &make_device_ufunc, "declaration"_a, "identity"_a.none(), "images"_a,
      nb::sig("def make_device_ufunc(declaration: Declaration, identity: object | None, "
              "images: collections.abc.Sequence[tuple[str, str, int, bytes]]) -> numpy.ufunc"),
      "Make the ufunc of a built module for device arrays, with its device code.");
  module.def("link_module", &link, "objects"_a, "output"_a,
             "Link object files to an extension module.");
}

}  // namespace numpy_plugin::ufunc
