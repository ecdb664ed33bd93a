// Chooses host, device or foreign dispatch by the types of a call's operands.
#pragma once

#include "numpy_plugin/ufunc/arguments/call_arguments.hpp"

namespace numpy_plugin::ufunc {

struct CallDispatch {
  bool has_device_array = false;      // among the operands, `out` and `where`
  bool has_foreign_dispatch = false;  // an operand's type has an __array_ufunc__ of its own
  nanobind::handle stream;            // of `stream=`; null where it was not given
};

CallDispatch look_at(const GivenArguments& given);

// Whether a method of a ufunc, whose arguments all may be operands, has an operand of such a type.
bool asks_foreign_dispatch(const GivenArguments& given);

}  // namespace numpy_plugin::ufunc
