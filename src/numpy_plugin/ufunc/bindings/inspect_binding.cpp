// Bindings: functions of numpy_plugin.inspect.
#include <nanobind/stl/optional.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include "numpy_plugin/run/library/inspection.hpp"
#include "numpy_plugin/ufunc/api/python_lock.hpp"
#include "numpy_plugin/ufunc/api/string_caster.hpp"
#include "numpy_plugin/ufunc/bindings/bindings.hpp"
#include "numpy_plugin/ufunc/loops/promotion.hpp"
#include "numpy_plugin/ufunc/loops/ufunc_state.hpp"

namespace numpy_plugin::ufunc {
namespace {

namespace nb = nanobind;
using namespace nb::literals;

using Text = std::optional<std::string>;

run::KernelLibrary& library_of(nb::handle ufunc) { return *state_of(ufunc).library; }

void use_cublas(nb::handle ufunc) { library_of(ufunc).use_cublas(); }

std::string source(nb::handle ufunc, const std::string& target, const Text& signature) {
  return run::source_text(library_of(ufunc), target, signature);
}

std::string host_form(nb::handle ufunc, const Text& signature) {
  return run::host_form_text(library_of(ufunc), signature);
}

std::string assembly(nb::handle ufunc, const Text& signature) {
  run::KernelLibrary& library = library_of(ufunc);
  const ReleasedGil release;
  return run::assembly_text(library, signature);
}

std::string ptx(nb::handle ufunc, const Text& signature, const std::string& arch,
                const std::string& form) {
  run::KernelLibrary& library = library_of(ufunc);
  const ReleasedGil release;
  return run::ptx_text(library, signature, arch, form);
}

jit::CudaBinary device_binary(nb::handle ufunc, const Text& signature, const std::string& arch,
                              const std::string& form) {
  run::KernelLibrary& library = library_of(ufunc);
  const ReleasedGil release;
  return run::device_binary(library, signature, arch, form);
}

nb::bytes cubin(nb::handle ufunc, const Text& signature, const std::string& arch,
                const std::string& form) {
  run::KernelLibrary& library = library_of(ufunc);
  const std::string bytes = [&] {
    const ReleasedGil release;
    return run::machine_code(library, signature, arch, form);
  }();
  return nb::bytes(bytes.data(), bytes.size());
}

using ResourceRow = std::tuple<std::string, int, int, int, int, int, int>;

std::vector<ResourceRow> resources(nb::handle ufunc, const Text& signature, const std::string& arch,
                                   const std::string& form) {
  std::vector<ResourceRow> rows;
  for (const jit::KernelResources& row : device_binary(ufunc, signature, arch, form).resources) {
    rows.emplace_back(row.name, row.n_registers, row.spill_store_bytes, row.spill_load_bytes,
                      row.stack_bytes, row.shared_bytes, row.constant_bytes);
  }
  return rows;
}

std::vector<std::string> signatures(nb::handle ufunc) {
  std::vector<std::string> texts;
  for (const run::Loop* loop : library_of(ufunc).loops()) {
    texts.push_back(loop->kernel.signature.text());
  }
  return texts;
}

}  // namespace

void bind_inspection(nb::module_& module) {
  module.def(
      "check_ufunc", [](nb::handle ufunc) { state_of(ufunc); }, "ufunc"_a.none(),
      "Raise TypeError for anything but a ufunc of this package.");
  module.def(
      "resolve_dtypes",
      [](nb::handle ufunc, const nb::tuple& dtypes, const nb::kwargs& named) {
        const TypesOnly types_only;
        return nb::object(ufunc.attr("resolve_dtypes")(dtypes, **named));
      },
      "ufunc"_a, "dtypes"_a, "named"_a,
      nb::sig("def resolve_dtypes(ufunc: numpy.ufunc, dtypes: tuple[object, ...], **named: object) "
              "-> tuple[numpy.dtype, ...]"),
      "Return what the ufunc's own method does, and compile nothing for the CPU.");
  module.def(
      "is_own_ufunc", [](nb::handle ufunc) { return find_state(ufunc.ptr()) != nullptr; },
      "ufunc"_a.none(), "Whether this is a ufunc of this package.");
  module.def("signatures", &signatures, "ufunc"_a, "Signatures that there are kernels for.");
  module.def("use_cublas", &use_cublas, "ufunc"_a,
             nb::sig("def use_cublas(ufunc: numpy.ufunc) -> None"),
             "Let cuBLAS compute the ufunc's products of matrices on devices.");
  module.def("source", &source, "ufunc"_a, "target"_a, "signature"_a.none(),
             "The C++ text for a target.");
  module.def("host_form", &host_form, "ufunc"_a, "signature"_a.none(),
             "How the host's loops compute their elements.");
  module.def("assembly", &assembly, "ufunc"_a, "signature"_a.none(),
             "The host compiler's assembly.");
  module.def("ptx", &ptx, "ufunc"_a, "signature"_a.none(), "arch"_a, "form"_a, "NVRTC's PTX.");
  module.def("cubin", &cubin, "ufunc"_a, "signature"_a.none(), "arch"_a, "form"_a,
             "The machine code.");
  module.def("resources", &resources, "ufunc"_a, "signature"_a.none(), "arch"_a, "form"_a,
             "Registers, spills and memory of each device kernel.");
}

}  // namespace numpy_plugin::ufunc
