// Chooses host, device or foreign dispatch by the types of a call's operands.
#pragma once

#include "numpy_plugin/ufunc/arguments/call_arguments.hpp"

namespace numpy_plugin::ufunc {

struct CallDispatch {
  bool has_device_array = false;      // among the operands, `out` and `where`
  bool has_foreign_dispatch = false;  // an operand's type overrides __array_ufunc__
  bool is_only_dasks = true;          // all such operands are dask arrays
  nanobind::handle stream;            // value of `stream=`; null where not given
};

CallDispatch classify_operands(const GivenArguments& given);

// Likewise for a ufunc's method, all of whose arguments may be operands.
CallDispatch classify_method_operands(const GivenArguments& given);

}  // namespace numpy_plugin::ufunc
