#include "numpy_plugin/run/selection/search.hpp"

#include <limits>
#include <string>

#include <npp/sort/arguments.hpp>

#include "numpy_plugin/run/selection/template_kernel.hpp"

namespace numpy_plugin::run {
namespace {

// As templates/npp/sort/bins.hpp has them.
constexpr std::int64_t kSharedBins = 2048;
constexpr std::int64_t kBinTile = 16 * std::int64_t{kLaunchThreads};

TemplateKernel search_kernel(const std::string& operation, const std::string& function,
                             const std::string& arguments, const std::string& parameters = "") {
  return {"sort/search.hpp", "npp_" + function, operation, "npp::" + arguments,
          "npp::" + function + parameters};
}

TemplateKernel bins_kernel(const std::string& function) {
  return {"sort/bins.hpp", "npp_" + function, "bincount", "npp::BinCounts", "npp::" + function};
}

std::uint64_t size_of(const DeviceMemory& memory) {
  return static_cast<std::uint64_t>(memory.layout.size());
}

std::int64_t thread_blocks(const DeviceMemory& memory) {
  return blocks_of(memory.layout.size(), kLaunchThreads);
}

std::string parameters_of(base::DType dtype, bool flag) {
  return format("<{}, {}>", ordered_type(dtype), flag ? "true" : "false");
}

}  // namespace

std::string ordered_type(base::DType dtype) {
  return base::is_time(dtype) ? "npp::Ticks" : std::string(base::info(dtype).cpp_name);
}

void search_sorted(const std::shared_ptr<Stream>& stream, const DeviceMemory& sorted,
                   base::DType dtype, const DeviceMemory& keys, bool is_right,
                   const DeviceMemory& places) {
  if (keys.layout.size() == 0) return;
  sorted.buffer->use_on(stream, Access::kRead);
  keys.buffer->use_on(stream, Access::kRead);
  places.buffer->use_on(stream);
  const npp::SortedSearch arguments = {sorted.address(), size_of(sorted), keys.address(),
                                       size_of(keys), places.address()};
  launch_template(stream,
                  search_kernel("searchsorted", "search_sorted", "SortedSearch",
                                parameters_of(dtype, is_right)),
                  thread_blocks(keys), arguments);
}

void find_run_heads(const std::shared_ptr<Stream>& stream, const DeviceMemory& sorted,
                    base::DType dtype, bool is_nan_equal, const DeviceMemory& heads) {
  if (sorted.layout.size() == 0) return;
  sorted.buffer->use_on(stream, Access::kRead);
  heads.buffer->use_on(stream);
  const npp::RunHeads arguments = {sorted.address(), size_of(sorted), heads.address()};
  launch_template(
      stream,
      search_kernel("unique", "find_run_heads", "RunHeads", parameters_of(dtype, is_nan_equal)),
      thread_blocks(sorted), arguments);
}

void write_run_numbers(const std::shared_ptr<Stream>& stream, const DeviceMemory& starts,
                       const DeviceMemory& positions, const DeviceMemory& numbers) {
  if (positions.layout.size() == 0) return;
  starts.buffer->use_on(stream, Access::kRead);
  positions.buffer->use_on(stream, Access::kRead);
  numbers.buffer->use_on(stream);
  const npp::RunNumbers arguments = {starts.address(), size_of(starts), positions.address(),
                                     size_of(positions), numbers.address()};
  launch_template(stream, search_kernel("unique", "write_run_numbers", "RunNumbers"),
                  thread_blocks(positions), arguments);
}

std::pair<std::int64_t, std::int64_t> find_limits(const std::shared_ptr<Stream>& stream,
                                                  const DeviceMemory& values) {
  std::int64_t limits[2] = {std::numeric_limits<std::int64_t>::max(),
                            std::numeric_limits<std::int64_t>::min()};
  const ArrayLayout layout = make_layout({2}, sizeof limits[0], ArrayOrder::kC);
  const DeviceMemory memory = {std::make_shared<DeviceBuffer>(stream, sizeof limits, "limits"),
                               layout};
  copy_from_host(stream, memory, limits);
  values.buffer->use_on(stream, Access::kRead);
  const npp::BinCounts arguments = {.values = values.address(),
                                    .n = size_of(values),
                                    .counts = 0,
                                    .n_bins = 0,
                                    .limits = memory.address()};
  launch_template(stream, bins_kernel("find_limits"), thread_blocks(values), arguments);
  copy_to_host(stream, memory, limits);
  stream->synchronize();
  return {limits[0], limits[1]};
}

void count_bins(const std::shared_ptr<Stream>& stream, const DeviceMemory& values,
                const DeviceMemory& counts) {
  if (values.layout.size() == 0) return;
  values.buffer->use_on(stream, Access::kRead);
  counts.buffer->use_on(stream);
  const npp::BinCounts arguments = {.values = values.address(),
                                    .n = size_of(values),
                                    .counts = counts.address(),
                                    .n_bins = size_of(counts),
                                    .limits = 0};
  const bool has_few = counts.layout.size() <= kSharedBins;
  launch_template(stream, bins_kernel(has_few ? "count_few_bins" : "count_bins"),
                  blocks_of(values.layout.size(), kBinTile), arguments);
}

}  // namespace numpy_plugin::run
