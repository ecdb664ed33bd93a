#include "numpy_plugin/run/reduce/segment_indices.hpp"

#include <algorithm>

#include <npp/reduce/arguments.hpp>

#include "numpy_plugin/run/selection/template_kernel.hpp"

namespace numpy_plugin::run {

SegmentLengths examine_segments(std::span<const std::int64_t> indices, std::int64_t length) {
  SegmentLengths lengths;
  for (std::size_t i = 0; i < indices.size(); ++i) {
    const std::int64_t begin = indices[i];
    const std::int64_t end = i + 1 == indices.size() ? length : indices[i + 1];
    const bool is_inside = begin >= 0 && begin < length;
    if (!is_inside && !lengths.wrong) lengths.wrong = static_cast<std::int64_t>(i);
    lengths.ascend = lengths.ascend && end >= begin;
    lengths.longest = std::max(lengths.longest, std::max<std::int64_t>(end - begin, 1));
  }
  return lengths;
}

SegmentLengths examine_segments(const std::shared_ptr<Stream>& stream, const DeviceMemory& indices,
                                std::int64_t length) {
  constexpr std::int64_t kIndicesOfBlock = 4 * npp::kReduceThreads;
  constexpr std::int64_t kMostBlocks = 128;
  const std::int64_t n = indices.layout.size();
  if (n == 0) return {};
  indices.buffer->use_on(stream, Access::kRead);
  const HostValue<npp::SegmentsFound> found(stream->device(), {~0ull, 0, 0});
  const npp::SegmentCheck arguments = {indices.address(), static_cast<std::uint64_t>(n),
                                       static_cast<std::uint64_t>(length), found.address()};
  launch_template(stream,
                  {"reduce/check_segments.hpp", "npp_check_segments", "reduceat",
                   "npp::SegmentCheck", "npp::check_segments", npp::kReduceThreads},
                  std::min(blocks_of(n, kIndicesOfBlock), kMostBlocks), arguments);
  const npp::SegmentsFound& values = found.wait(*stream);
  SegmentLengths lengths;
  if (values.wrong != ~0ull) lengths.wrong = static_cast<std::int64_t>(values.wrong);
  lengths.longest = static_cast<std::int64_t>(values.longest);
  lengths.ascend = values.n_descending == 0;
  return lengths;
}

}  // namespace numpy_plugin::run
