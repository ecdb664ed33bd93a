// The device kernels of an elementwise kernel: what emitted source includes and instantiates.
// cuda_arguments.hpp says how they are launched.
#pragma once

#include "numpy_plugin/cuda_cast.hpp"
#include "numpy_plugin/cuda_contiguous.hpp"
#include "numpy_plugin/cuda_rows.hpp"
#include "numpy_plugin/cuda_strided.hpp"

// Range: npp::Narrow or npp::Wide. width: elements of one vector access; n_vectors: accesses a
// thread makes to each operand.
#define NPP_CONTIGUOUS_KERNEL(name, Kernel, Range, width, n_vectors)               \
  extern "C" __global__ void __launch_bounds__(npp::kThreads)                      \
      name(const __grid_constant__ npp::ContiguousArgumentsOf<Kernel> arguments) { \
    npp::run_contiguous<Kernel, Range, width, n_vectors>(arguments);               \
  }

#define NPP_ROWS_KERNEL(name, Kernel, Range, width, n_vectors)                      \
  extern "C" __global__ void __launch_bounds__(npp::kThreads)                       \
      name(const __grid_constant__ npp::RowsArgumentsOf<Kernel, Range> arguments) { \
    npp::run_rows<Kernel, Range, width, n_vectors>(arguments);                      \
  }

#define NPP_STRIDED_KERNEL(name, Kernel, Range, mask, n_items)                               \
  extern "C" __global__ void __launch_bounds__(npp::kThreads)                                \
      name(const __grid_constant__ npp::StridedArgumentsOf<Kernel, Range, mask> arguments) { \
    npp::run_strided<Kernel, Range, mask, n_items>(arguments);                               \
  }
