// `array[key]` and `array[key] = value` of device arrays.
#pragma once

#include "numpy_plugin/ufunc/selection/index_key.hpp"

namespace numpy_plugin::ufunc {

// A view, or a copy in C order where the key has arrays.
DeviceArray get_item(const DeviceArray& array, nanobind::handle key);

// Values are broadcast and cast as by assign(). Where an index is repeated, the last value in C
// order is stored. Throws NumPy's exceptions, with nothing written.
void set_item(const DeviceArray& array, nanobind::handle key, const nanobind::object& value);

// The elements at the places that a parsed key selects.
DeviceArray take(const DeviceArray& array, const ArrayKey& key,
                 const std::shared_ptr<run::Stream>& stream);

}  // namespace numpy_plugin::ufunc
