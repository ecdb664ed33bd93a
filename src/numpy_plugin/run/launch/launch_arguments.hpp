// Parameter bytes of a device kernel, in the structs of templates/npp/cuda/arguments.hpp. Needs no
// device and allocates nothing.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>

#include <npp/cuda/arguments.hpp>

#include "numpy_plugin/analysis/device_form.hpp"
#include "numpy_plugin/base/error.hpp"
#include "numpy_plugin/run/launch/launch_choice.hpp"

namespace numpy_plugin::run {

inline constexpr unsigned kLaunchThreads = analysis::kThreads;  // of a block

// A kernel's parameter under construction.
class ArgumentBuffer {
 public:
  ArgumentBuffer() = default;
  ArgumentBuffer(const ArgumentBuffer&) = delete;
  ArgumentBuffer& operator=(const ArgumentBuffer&) = delete;

  template <class T>
  void put(const T& value) {
    std::memcpy(room(sizeof(T)), &value, sizeof(T));
  }
  void put_bytes(std::span<const std::byte> bytes) {
    std::memcpy(room(bytes.size()), bytes.data(), bytes.size());
  }
  void put_zeros(std::size_t n_bytes) { std::memset(room(n_bytes), 0, n_bytes); }
  // Pads with zeros up to a multiple.
  void align(std::size_t n_bytes) { put_zeros((n_bytes - size_ % n_bytes) % n_bytes); }

  std::byte* data() { return bytes_.data(); }
  std::size_t size() const { return size_; }

 private:
  // Room for the largest parameter struct. The driver accepts 32,764 bytes; only wide calls with
  // more than 60 operands exceed them.
  static constexpr std::size_t kCapacity = 40 << 10;

  std::byte* room(std::size_t n_bytes) {
    NPP_ASSERT(n_bytes <= kCapacity - size_, format("{} bytes before", size_));
    std::byte* const begin = &bytes_[size_];
    size_ += n_bytes;
    return begin;
  }

  std::size_t size_ = 0;
  alignas(16) std::array<std::byte, kCapacity> bytes_;  // uninitialized: it is large
};

npp::Divisor make_divisor(std::int64_t number);  // 1 to 2^31

// Appends an operand's slot: its value, or its address.
void put_operand(ArgumentBuffer& arguments, const CallOperand& operand, std::uint64_t address);

// Fields of strided arguments besides operands and dimensions.
struct StridedLaunch {
  std::uint64_t values = 0;
  std::uint32_t full_tiles = 0;
  std::size_t n_dimensions = kMaxDimensions;  // that there is room for
  bool is_wide = false;
};

// Appends the fields of strided arguments: sizes and strides of their dimensions.
void put_strided_fields(ArgumentBuffer& arguments, const Iteration& iteration,
                        const StridedLaunch& launch);

// The grid of a call of `n` elements. Throws base::Error (kValue) for too many blocks.
unsigned checked_grid(std::int64_t n_blocks, std::int64_t n);

// Packs the kernel's parameter into an empty buffer and returns the grid. Throws base::Error
// (kValue) where the call exceeds a grid's number of blocks.
unsigned pack_launch(const PlacedCall& placed, const LaunchChoice& choice,
                     const analysis::LaunchShape& shape, ArgumentBuffer& arguments);

}  // namespace numpy_plugin::run
