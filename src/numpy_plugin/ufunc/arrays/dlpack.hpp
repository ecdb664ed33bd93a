// DLPack, both ways; nanobind does the capsules.
#pragma once

#include "numpy_plugin/ufunc/arrays/foreign_array.hpp"

namespace numpy_plugin::ufunc {

// The result of __dlpack_device__.
struct DlpackDevice {
  int type = 0;
  int number = 0;

  bool is_cuda() const;  // memory of a CUDA device, managed memory included
};
DlpackDevice dlpack_device(nanobind::handle owner);

// Exports the owner's array for work on a stream. Throws base::Error (kType, kValue) for what
// device arrays can't have, and what the owner throws.
ForeignArray read_dlpack(nanobind::handle owner, run::Stream& stream);

// Arguments of DeviceArray.__dlpack__, each None where it was not given.
struct DlpackRequest {
  nanobind::object stream, max_version, dl_device, copy;
};
// A capsule with the array's memory, or with a copy of it. The stream that was named goes on after
// the array's own. Throws BufferError for what DLPack has no words for.
nanobind::object dlpack_capsule(const DeviceArray& array, const DlpackRequest& request);
nanobind::tuple dlpack_device_of(const DeviceArray& array);

}  // namespace numpy_plugin::ufunc
