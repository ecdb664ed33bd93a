#include "numpy_plugin/ufunc/object/call_hook.hpp"

#include "numpy_plugin/ufunc/api/stand_in_type.hpp"
#include "numpy_plugin/ufunc/loops/ufunc_state.hpp"
#include "numpy_plugin/ufunc/object/make_ufunc.hpp"

namespace numpy_plugin::ufunc {
namespace {

namespace nb = nanobind;

constexpr char kStandIn[] = "_stand_in";
constexpr char kMadeFrom[] = "_made_from";

bool is_ufunc_of(const char* module, const std::string& name) {
  const nb::object found = nb::getattr(nb::module_::import_(module), name.c_str(), nb::none());
  return PyObject_TypeCheck(found.ptr(), &PyUFunc_Type) != 0;
}

bool is_operator(const std::string& name) {
  const std::string method = format("__{}__", name);
  const nb::object found =
      nb::getattr(nb::module_::import_("operator"), method.c_str(), nb::none());
  return PyCallable_Check(found.ptr()) != 0;
}

nb::object make_stand_in(nb::handle ufunc, const nb::dict& attributes) {
  const UfuncState& state = state_of(ufunc);
  nb::object made = make_ufunc(state.library, state.identity, "numpy_plugin." + state.name);
  make_stand_in_for(made, ufunc);
  if (attributes.contains(kMadeFrom))
    nb::dict(made.attr("__dict__"))[kMadeFrom] = attributes[kMadeFrom];
  return made;
}

}  // namespace

bool is_known_name(const std::string& name) {
  return is_ufunc_of("numpy", name) || is_ufunc_of("numpy._core.umath", name) || is_operator(name);
}

nb::object stand_in_of(nb::handle ufunc) {
  const nb::dict attributes(ufunc.attr("__dict__"));
  if (!attributes.contains(kStandIn)) attributes[kStandIn] = make_stand_in(ufunc, attributes);
  return attributes[kStandIn];
}

}  // namespace numpy_plugin::ufunc
