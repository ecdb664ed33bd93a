// Zero-copy use of other libraries' device arrays: read by __cuda_array_interface__ or DLPack;
// results are returned as arrays of the operands' library.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "numpy_plugin/ufunc/arrays/device_array.hpp"

namespace numpy_plugin::ufunc {

// Whether an operand's type has one of the two protocols: a cheap test. Host arrays may support
// DLPack too; foreign_device_array checks the device.
bool may_be_foreign_device_array(nanobind::handle operand);

// Whether an operand of such a type is on a CUDA device.
bool is_foreign_device_array(nanobind::handle operand);

// The operand's memory for one call on a stream, or, where that is null or another device's, on
// this thread's stream of the operand's device. Its first user waits for the owner's work, and the
// owner for the call's once the array is released. nullopt for anything but device arrays. Throws
// base::Error (kType, kValue) for arrays that no call can take, and the owner's exceptions.
std::optional<DeviceArray> foreign_device_array(nanobind::handle operand,
                                                const std::shared_ptr<run::Stream>& stream);

// A longer-lived view: the stream waits for the owner's work; further ordering is up to the user. A
// DeviceArray is returned unchanged. Throws base::Error (kType) for anything but device arrays.
DeviceArray as_device_array(nanobind::handle operand, const std::shared_ptr<run::Stream>& stream);

// Wraps the result's memory in an array of the operand's library; returns the result itself where
// the library can't import it, and for a DeviceArray.
nanobind::object to_callers_library(const DeviceArray& result, nanobind::handle operand);

// Another library's description of an array, before its memory is borrowed.
struct ForeignArray {
  std::uint64_t address = 0;
  std::vector<std::int64_t> shape;
  std::optional<std::vector<std::int64_t>> strides;  // in bytes; nullopt: C order
  nanobind::object dtype;
  bool is_read_only = false;
  std::optional<CUstream> stream;  // its owner's, where known
  bool is_after_default = false;   // unknown: its owner may use the legacy default stream
  bool is_before_ours = false;     // unknown: the owner has ordered its work before this thread's
  std::shared_ptr<void> owner;
};

}  // namespace numpy_plugin::ufunc
