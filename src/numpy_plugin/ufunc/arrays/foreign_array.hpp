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

// Import and export of __cuda_array_interface__.

// Version 3 of the interface, for other libraries.
nanobind::dict array_interface(const DeviceArray& array);

// The first version with a stream to wait for.
inline constexpr int kInterfaceVersionWithStream = 3;

// Whether its elements are bytes without a type, as those of records and of bfloat16.
bool is_untyped(const nanobind::dict& interface);

// Its `version` entry, 0 where missing.
int version_of_interface(const nanobind::dict& interface);

// Throws base::Error (kType, kValue) for an invalid interface, or properties that device arrays
// can't have.
ForeignArray read_array_interface(nanobind::handle owner, const nanobind::dict& interface);

// Import and export by DLPack; nanobind handles the capsules.

// The result of __dlpack_device__.
struct DlpackDevice {
  int type = 0;
  int number = 0;

  bool is_cuda() const;  // CUDA device memory, including managed memory
};
DlpackDevice dlpack_device(nanobind::handle owner);

// Exports the owner's array for use on a stream. Throws base::Error (kType, kValue) for properties
// that device arrays can't have, and the owner's exceptions.
ForeignArray read_dlpack(nanobind::handle owner, run::Stream& stream);

// Arguments of DeviceArray.__dlpack__, each None where not given.
struct DlpackRequest {
  nanobind::object stream, max_version, dl_device, copy;
};
// A capsule with the array's memory, or with a copy of it. The given stream waits for the array's
// own. Throws BufferError for arrays that DLPack can't express.
nanobind::object dlpack_capsule(const DeviceArray& array, const DlpackRequest& request);
nanobind::tuple dlpack_device_of(const DeviceArray& array);

}  // namespace numpy_plugin::ufunc
