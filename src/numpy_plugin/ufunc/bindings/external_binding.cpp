// Bindings: external functions and the device code to be linked.
#include <nanobind/stl/pair.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/vector.h>

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "numpy_plugin/base/error.hpp"
#include "numpy_plugin/cpp_body/cpp_body.hpp"
#include "numpy_plugin/jit/nvrtc/nvjitlink.hpp"
#include "numpy_plugin/ufunc/api/numpy_api.hpp"
#include "numpy_plugin/ufunc/api/string_caster.hpp"
#include "numpy_plugin/ufunc/bindings/bindings.hpp"
#include "numpy_plugin/ufunc/bindings/kernel_arguments.hpp"

namespace numpy_plugin::ufunc {
namespace {

namespace nb = nanobind;
using namespace nb::literals;

using declare::DeviceCode;
using declare::ExternalFunction;

std::shared_ptr<const ExternalFunction> declare_function(const std::string& name,
                                                         const std::string& signature,
                                                         declare::DeclaredCode code,
                                                         nb::handle linked) {
  const declare::DeviceCodes codes = read_device_codes(linked);
  std::vector<jit::LinkedPart> parts;
  for (const auto& each : codes) parts.push_back({each->name, each->bytes});
  const bool is_linked = code.cuda_source.empty() && !parts.empty();
  const auto function = declare::declare_external_function(name, signature, std::move(code), codes);
  if (is_linked) jit::check_linked_function(name, function->signature, parts);
  return function;
}

}  // namespace

declare::DeviceCodes read_device_codes(nb::handle codes) {
  declare::DeviceCodes result;
  for (const nb::handle item : codes) {
    std::pair<std::string, nb::bytes> pair;
    if (!nb::try_cast(item, pair)) {
      throw base::Error(
          base::ErrorKind::kType,
          "linked code must be pairs of a name and bytes, found " + type_name_of(item));
    }
    auto code = std::make_shared<DeviceCode>();
    code->name = std::move(pair.first);
    code->bytes.assign(pair.second.c_str(), pair.second.size());
    jit::check_device_code({code->name, code->bytes});
    result.push_back(std::move(code));
  }
  return result;
}

void bind_external_functions(nb::module_& module) {
  using Declared = declare::DeclaredCode;
  nb::class_<Declared>(module, "DeclaredCode", "The code of an external function.")
      .def(nb::init<>())
      .def_rw("cuda_source", &Declared::cuda_source, "CUDA C++ text")
      .def_rw("cuda_label", &Declared::cuda_label, "what messages call it")
      .def_rw("cpu_source", &Declared::cpu_source, "C or C++ text")
      .def_rw("cpu_label", &Declared::cpu_label, "what messages call it")
      .def_rw("cpu_library", &Declared::cpu_library, "path of a shared library");
  nb::class_<ExternalFunction>(module, "ExternalFunction", "An external function.")
      .def_prop_ro("signature", [](const ExternalFunction& f) { return f.signature.text(); });
  module.def("declare_function", &declare_function, "name"_a, "signature"_a, "code"_a, "linked"_a,
             nb::sig("def declare_function(name: str, signature: str, code: DeclaredCode, linked: "
                     "collections.abc.Sequence[tuple[str, bytes]]) -> ExternalFunction"),
             "Check an external function; raises SignatureError or ValueError.");
}

}  // namespace numpy_plugin::ufunc
