// Constants, collected while functions are decoded, on 64-byte boundaries.
#include "simulator/decode/constants.hpp"

#include <algorithm>
#include <cstring>
#include <string>

#include "simulator/assembly/parse.hpp"

namespace numpy_plugin::sim {
namespace {

constexpr std::size_t kBoundary = 64;
constexpr std::size_t kMostBytes = std::size_t{1} << 30;

std::size_t align(std::size_t offset) { return (offset + kBoundary - 1) / kBoundary * kBoundary; }

std::uint64_t low_bytes(std::uint64_t bits, std::uint32_t n_bytes) {
  return n_bytes >= 8 ? bits : bits & ((std::uint64_t{1} << (8 * n_bytes)) - 1);
}

}  // namespace

std::size_t Constants::KeyHash::operator()(const Key& key) const {
  std::uint64_t hash = key.low * 0x9e3779b97f4a7c15u;
  hash = (hash ^ (hash >> 29) ^ key.high) * 0xbf58476d1ce4e5b9u;
  return static_cast<std::size_t>((hash ^ (hash >> 32)) + key.n_bytes);
}

Slot Constants::value(std::uint32_t n_bytes, std::uint64_t low, std::uint64_t high, int line) {
  const Key key{n_bytes, low_bytes(low, n_bytes), n_bytes > 8 ? high : 0};
  return add(key, kWarpSize, line);
}

Slot Constants::predicate(bool is_true, int line) {
  return add({0, is_true ? kAllLanes : 0, 0}, 1, line);
}

Slot Constants::add(const Key& key, std::uint32_t n_copies, int line) {
  const auto [place, is_new] = slots_.emplace(key, 0);
  if (!is_new) return place->second;
  const std::size_t element = key.n_bytes == 0 ? sizeof(LaneMask) : key.n_bytes;
  const std::size_t offset = bytes_.size();
  if (offset > kMostBytes)
    throw PtxError(line, format("the constants take more than {} bytes", kMostBytes));
  bytes_.resize(align(offset + element * n_copies));
  std::byte bits[16];
  std::memcpy(bits, &key.low, sizeof key.low);
  std::memcpy(bits + 8, &key.high, sizeof key.high);
  for (std::size_t lane = 0; lane < n_copies; ++lane)
    std::memcpy(bytes_.data() + offset + lane * element, bits, element);
  place->second = kConstantSlot + static_cast<Slot>(offset);
  return place->second;
}

void Constants::move_to(Program& program) {
  std::vector<std::byte>& storage = program.constants_storage;
  storage.resize(bytes_.size() + kBoundary);
  const auto address = reinterpret_cast<std::uintptr_t>(storage.data());
  std::byte* first = storage.data() + (align(address) - address);
  std::copy(bytes_.begin(), bytes_.end(), first);
  program.constants = first;
}

}  // namespace numpy_plugin::sim
