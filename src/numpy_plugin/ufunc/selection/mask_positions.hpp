// NumPy's nonzero on device arrays.
#pragma once

#include <vector>

#include "numpy_plugin/ufunc/arrays/device_array.hpp"

namespace numpy_plugin::ufunc {

// The coordinates of the elements that are not zero, in C order: int64, one array for each
// dimension. Waits for their number.
std::vector<DeviceArray> find_nonzero(const DeviceArray& array,
                                      const std::shared_ptr<run::Stream>& stream);

}  // namespace numpy_plugin::ufunc
