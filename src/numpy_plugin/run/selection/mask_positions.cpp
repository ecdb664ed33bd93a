#include "numpy_plugin/run/selection/indexed_call.hpp"

#include <algorithm>

#include <npp/select/arguments.hpp>

#include "numpy_plugin/run/selection/template_kernel.hpp"

namespace numpy_plugin::run {
namespace {

npp::MaskArguments mask_arguments(const DeviceMemory& mask, std::uint64_t counts,
                                  std::uint64_t total) {
  const std::int64_t n = mask.layout.size();
  return {mask.address(), static_cast<std::uint64_t>(n), counts, total,
          static_cast<std::uint64_t>(blocks_of(n, npp::kMaskTile))};
}

TemplateKernel mask_kernel(const std::string& name, const std::string& arguments) {
  return {"select/mask.hpp",   "npp_" + name,  "boolean indexing",
          "npp::" + arguments, "npp::" + name, npp::kMaskThreads};
}

}  // namespace

CountedMask::CountedMask(const std::shared_ptr<Stream>& stream, const DeviceMemory& mask)
    : stream_(stream), mask_(mask) {
  if (mask.layout.size() == 0) return;
  const auto n_tiles = blocks_of(mask.layout.size(), npp::kMaskTile);
  counts_ = std::make_shared<DeviceBuffer>(
      stream, static_cast<std::size_t>(n_tiles) * sizeof(std::uint64_t), "counts of a mask");
  const HostNumber total(stream->device());
  const npp::MaskArguments arguments = mask_arguments(mask, counts_->address(), total.address());
  mask.buffer->use_on(stream, Access::kRead);
  launch_template(stream, mask_kernel("count_selected", "MaskArguments"), n_tiles, arguments);
  launch_template(stream, mask_kernel("sum_counts", "MaskArguments"), 1, arguments);
  count_ = static_cast<std::int64_t>(total.wait(*stream));
}

void CountedMask::write_positions(const DeviceMemory& positions) const {
  if (count_ == 0) return;
  npp::PositionsArguments arguments = {.mask = mask_arguments(mask_, counts_->address(), 0),
                                       .positions = positions.address(),
                                       .count = static_cast<std::uint64_t>(count_),
                                       .n_dimensions = mask_.layout.shape.size(),
                                       .sizes = {}};
  std::copy(mask_.layout.shape.begin(), mask_.layout.shape.end(), arguments.sizes);
  mask_.buffer->use_on(stream_, Access::kRead);
  positions.buffer->use_on(stream_);
  launch_template(stream_, mask_kernel("write_positions", "PositionsArguments"),
                  static_cast<std::int64_t>(arguments.mask.n_tiles), arguments);
}

}  // namespace numpy_plugin::run
