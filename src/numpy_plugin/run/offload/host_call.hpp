// An elementwise call with operands in host memory, offloaded in pieces, so that transfers in both
// directions overlap kernels and no array needs to fit on the device.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "numpy_plugin/base/dtype.hpp"
#include "numpy_plugin/run/forms/device_loop.hpp"
#include "numpy_plugin/run/memory/array_layout.hpp"

namespace numpy_plugin::run {

// Cuts a call with operands in host memory into pieces that fit staging buffers: boxes of the
// call's shape. Needs no device.

// One operand of a call in host memory: inputs, then the mask of where=, then outputs.
struct HostCallOperand {
  base::DType dtype = base::DType::kBool;
  bool is_value = false;  // an input whose single element is stored in `slot`
  bool is_output = false;
  bool is_read = true;  // also for outputs that a mask may leave unchanged
  alignas(16) std::array<std::byte, 16> slot = {};
  std::byte* data = nullptr;
  std::vector<std::int64_t> strides;  // bytes, one per dimension; 0 where broadcast
};

struct HostCall {
  std::vector<std::int64_t> shape;  // innermost last, in the order of memory
  std::vector<HostCallOperand> operands;
  bool is_masked = false;
};

// A part of an operand, with one element along broadcast axes.
struct HostBlock {
  std::byte* data = nullptr;
  ArrayLayout layout;

  // Copies its elements in C order to and from the contiguous `packed`.
  void gather(std::byte* packed) const;
  void scatter(const std::byte* packed) const;
};

// Division of a call: at most `length` steps of `axis`, all of the later axes, one step of the
// earlier ones.
struct PieceCut {
  std::size_t axis = 0;
  std::int64_t length = 0;
};

// The largest pieces whose operands, except shared ones, take at most `most_bytes` together; at
// least one element.
PieceCut cut_into_pieces(const HostCall& call, std::size_t most_bytes);

// Whether an operand is the same in all pieces and so is transferred once.
bool is_shared(const HostCall& call, const HostCallOperand& operand, const PieceCut& cut);

// A box of the call's shape.
struct Piece {
  std::vector<std::int64_t> begin;
  std::vector<std::int64_t> shape;
};
std::int64_t count_pieces(const HostCall& call, const PieceCut& cut);
void for_each_piece(const HostCall& call, const PieceCut& cut,
                    const std::function<void(const Piece&)>& visit);

// The part of an operand that a piece needs.
HostBlock block_of(const HostCallOperand& operand, const Piece& piece);

// Bytes and elements that a call transfers.
struct HostTraffic {
  std::int64_t bytes_to_device = 0;
  std::int64_t bytes_to_host = 0;
  std::int64_t n_pieces = 0;
};
// Traffic of a call with at least one element.
HostTraffic host_traffic(const HostCall& call);

// Call without the GIL. No output overlaps another operand, unless both are the same elements.
// Everything is allocated before the first output is written. Throws base::Error (kDeviceMemory,
// kCompiler), load::CudaError.
void run_host_call(const std::shared_ptr<Device>& device, const DeviceLoop& loop,
                   const HostCall& call);

}  // namespace numpy_plugin::run
