// Copies go through staging memory: by the host's threads, and over the bus.
#include "numpy_plugin/run/offload/device_rates.hpp"

#include <algorithm>
#include <chrono>
#include <functional>
#include <vector>

#include "numpy_plugin/run/device/per_device.hpp"
#include "numpy_plugin/run/memory/device_copy.hpp"
#include "numpy_plugin/run/memory/device_memory.hpp"
#include "numpy_plugin/run/offload/host_call.hpp"
#include "numpy_plugin/system/fork.hpp"

namespace numpy_plugin::run {
namespace {

constexpr int kRepetitions = 3;

// Bytes of staging memory per second; the first repetition warms up, the shortest counts.
double rate(const std::function<void()>& copy) {
  double shortest = 1e9;
  for (int i = 0; i < kRepetitions; ++i) {
    const auto begin = std::chrono::steady_clock::now();
    copy();
    const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - begin;
    shortest = std::min(shortest, taken.count());
  }
  return static_cast<double>(kStagingBytes) / shortest;
}

DeviceMemory bytes_on(const std::shared_ptr<Stream>& stream) {
  return {std::make_shared<DeviceBuffer>(stream, kStagingBytes, "measuring a device"),
          make_layout({static_cast<std::int64_t>(kStagingBytes)}, 1, ArrayOrder::kC)};
}

// Of pieces of an array that no cache holds.
double host_rate(const Staging& staging) {
  constexpr std::size_t kPieces = 32;
  std::vector<std::byte> array(kPieces * kStagingBytes);
  HostBlock block{array.data(),
                  make_layout({static_cast<std::int64_t>(kStagingBytes)}, 1, ArrayOrder::kC)};
  std::size_t piece = 0;
  return rate([&] {
    block.data = array.data() + piece++ % kPieces * kStagingBytes;
    block.gather(staging.data());
  });
}

DeviceRates measure(const std::shared_ptr<Device>& device) {
  const auto stream = std::make_shared<Stream>(device, Stream::Kind::kOfCall);
  const Staging staging(device);
  const DeviceMemory array = bytes_on(stream), other = bytes_on(stream);
  const auto on_device = [&](const std::function<void()>& copy) {
    return rate([&] {
      copy();
      stream->synchronize();
    });
  };
  DeviceRates rates;
  rates.host_bytes = host_rate(staging);
  rates.to_device_bytes = on_device([&] { copy_from_host(stream, array, staging.data()); });
  rates.to_host_bytes = on_device([&] { copy_to_host(stream, array, staging.data()); });
  // Each byte is read and written.
  rates.memory_bytes = 2 * on_device([&] { copy_on_device(stream, other, array); });
  return rates;
}

}  // namespace

DeviceRates device_rates(const std::shared_ptr<Device>& device) {
  auto& measured = system::the_only<PerDevice<int, DeviceRates>>();
  return *measured.get(device, 0,
                       [&] { return std::make_shared<const DeviceRates>(measure(device)); });
}

}  // namespace numpy_plugin::run
