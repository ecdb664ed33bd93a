// The part of every elementwise CPU loop that does not depend on the kernel: which form a call
// takes, buffers for strided and broadcast operands, and the search for flags that are not real.
#pragma once

#include <npp/cpu/driver.hpp>

namespace numpy_plugin::load {

const npp::ElementwiseDriver& elementwise_driver();

}  // namespace numpy_plugin::load
