// Arrays of other libraries in device memory, without a copy: read by __cuda_array_interface__ or
// DLPack, and results handed back as arrays of the library that the operands came from.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "numpy_plugin/ufunc/arrays/device_array.hpp"

namespace numpy_plugin::ufunc {

// Whether an operand's type has one of the two protocols: a cheap test. Host arrays may have
// DLPack too; foreign_device_array looks closer.
bool may_be_foreign_device_array(nanobind::handle operand);

// Whether an operand of such a type says that it is on a CUDA device.
bool is_foreign_device_array(nanobind::handle operand);

// The operand's memory for one call on a stream, or, where that is null or another device's, on
// this thread's stream of the operand's device. The stream goes on after the owner's work, and the
// owner after the stream's when the array is gone. Nothing for what is no array of a device.
// Throws base::Error (kType, kValue) for arrays that no call can take, and what the owner throws.
std::optional<DeviceArray> foreign_device_array(nanobind::handle operand,
                                                const std::shared_ptr<run::Stream>& stream);

// A view for longer: the stream goes on after the owner's work; from then on the order between the
// two is the user's to say. A DeviceArray is returned as it is. Throws base::Error (kType) for
// what is no array of a device.
DeviceArray as_device_array(nanobind::handle operand, const std::shared_ptr<run::Stream>& stream);

// An array of the operand's library over the result's memory; the result itself where the library
// has no way to take it, and for a DeviceArray.
nanobind::object to_callers_library(const DeviceArray& result, nanobind::handle operand);

// Another library's description of an array, before its memory is borrowed.
struct ForeignArray {
  std::uint64_t address = 0;
  std::vector<std::int64_t> shape;
  std::optional<std::vector<std::int64_t>> strides;  // in bytes; none: C order
  nanobind::object dtype;
  bool is_read_only = false;
  std::optional<CUstream> stream;  // its owner's, where that is known
  bool is_after_default = false;   // not known: its owner may work on the legacy default stream
  std::shared_ptr<void> owner;
};

}  // namespace numpy_plugin::ufunc
