// Contents of a built module as data: the module's generated source defines them, and the library's
// part of each such module (src/built_module) makes ufuncs of them.
#pragma once

#include "npp/cpu/driver.hpp"

namespace npp {

// NumPy's loop signature.
using LoopFunction = void(char**, const intp*, const intp*, void*);

struct BuiltLoop {
  LoopFunction* const* functions;  // one for each of the module's levels
  const char* const* dtypes;       // NumPy's names of the operands', as "datetime64[s]"
  intp n_bytes;                    // of an element of all operands; 0 with core dimensions
  bool can_raise;
};

struct BuiltUfunc {
  const char* name;
  const char* doc;
  const char* layout;    // null for elementwise ones
  const char* identity;  // a Python expression; null without
  bool is_reorderable;   // without an identity
  int n_inputs, n_outputs;
  const BuiltLoop* loops;
  int n_loops;
  const int* kept_operands;  // written ones whose elements kernels may read, or leave as they are
  int n_kept_operands;
};

struct BuiltModule {
  const char* name;  // without its package
  const char* doc;
  const char* const* levels;  // of instruction sets, from the oldest
  int n_levels;
  const ElementwiseDriver** const* drivers;  // the pointers of driver_pointer.hpp in all objects
  int n_drivers;
  const BuiltUfunc* ufuncs;
  int n_ufuncs;
  const char* raising;     // Python functions that make exceptions; null where no kernel raises
  const char* exceptions;  // a Python expression: those of each ufunc
  const char* device_data;
  const char* device_data_end;
};

}  // namespace npp

extern "C" {
// Returns what PyInit_... of the module returns; PyObject* of <Python.h>.
void* npp_start_built_module(const npp::BuiltModule& contents);
}
