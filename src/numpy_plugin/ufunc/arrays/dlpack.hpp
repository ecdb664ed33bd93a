// Import and export by DLPack; nanobind handles the capsules.
#pragma once

#include "numpy_plugin/ufunc/arrays/foreign_array.hpp"

namespace numpy_plugin::ufunc {

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
