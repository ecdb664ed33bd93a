// The kernel-independent part of every elementwise CPU loop: selection of the form, buffers for
// strided and broadcast operands, and the search for spurious flags.
#pragma once

#include <npp/cpu/driver.hpp>

namespace numpy_plugin::run {

const npp::ElementwiseDriver& elementwise_driver();

}  // namespace numpy_plugin::run
