#include "numpy_plugin/run/selection/digit_passes.hpp"

#include <utility>

#include "numpy_plugin/run/forms/device_move.hpp"

namespace numpy_plugin::run {

DigitPasses::DigitPasses(std::shared_ptr<Stream> stream, std::vector<TemplateKernel> kernels,
                         const DeviceMemory& rows, std::size_t n_key_bytes,
                         std::span<const std::size_t> buffer_bytes)
    : stream_(std::move(stream)),
      module_(stream_->device(), std::move(kernels)),
      n_rows_(rows.layout.shape[0]) {
  const std::int64_t n = rows.layout.shape[1];
  const std::int64_t n_tiles = blocks_of(n, npp::kSortTile);
  pass_.values = rows.address();
  pass_.n = static_cast<std::uint64_t>(n);
  pass_.n_tiles = static_cast<std::uint64_t>(n_tiles);
  for (const std::size_t n_bytes : buffer_bytes)
    buffers_.push_back(reserve(n_rows_ * n * static_cast<std::int64_t>(n_bytes)));
  constexpr std::int64_t kStateBytes = 8, kTotalBytes = 4;
  states_ = reserve_cleared((n_rows_ * n_tiles * npp::kDigits + 1) * kStateBytes);
  totals_ = reserve_cleared(n_rows_ * static_cast<std::int64_t>(n_key_bytes) * npp::kDigits *
                            kTotalBytes);
  scratch_ =
      std::make_shared<DeviceBuffer>(stream_, static_cast<std::size_t>(n_reserved_), "a sort");
  pass_.states = scratch_->address() + states_.begin;
  pass_.totals = scratch_->address() + totals_.begin;
}

DeviceMemory DigitPasses::buffer_of_rows(std::size_t i, std::int64_t item_bytes) const {
  ArrayLayout layout =
      make_layout({n_rows_, static_cast<std::int64_t>(pass_.n)}, item_bytes, ArrayOrder::kC);
  layout.offset = static_cast<std::int64_t>(buffers_[i]);
  return {scratch_, std::move(layout)};
}

void DigitPasses::count(std::size_t kernel, int n_bits, const SortedElements& counted) {
  pass_.n_passes = static_cast<std::uint32_t>(blocks_of(n_bits, npp::kDigitBits));
  pass_.pass = 0;
  pass_.keys = counted.keys;
  pass_.positions = counted.positions;
  clear(totals_);
  launch(kernel);
}

void DigitPasses::move(const SortedElements& from, const SortedElements& to) {
  pass_.keys = from.keys;
  pass_.positions = from.positions;
  pass_.sorted_keys = to.keys;
  pass_.sorted = to.positions;
  clear(states_);
  launch(0);
  ++pass_.pass;
}

void DigitPasses::clear(const Cleared& part) const {
  run::clear(stream_, scratch_, static_cast<std::int64_t>(part.begin), part.n_bytes);
}

// The offset of a part of the scratch memory.
std::uint64_t DigitPasses::reserve(std::int64_t n_bytes) {
  constexpr std::int64_t kAlignment = 256;
  const std::int64_t offset = n_reserved_;
  n_reserved_ += (n_bytes + kAlignment - 1) / kAlignment * kAlignment;
  return static_cast<std::uint64_t>(offset);
}

void DigitPasses::launch(std::size_t kernel) {
  module_.launch(stream_, kernel, n_rows_ * static_cast<std::int64_t>(pass_.n_tiles), pass_);
}

}  // namespace numpy_plugin::run
