// Shadow of written bytes: 0 or 1 per byte. A lane's access is 1, 2, 4, 8, 16 or 32 bytes. Not for
// handlers: they are compiled for several instruction sets, this only once.
#pragma once

#include <cstdint>
#include <cstring>

namespace numpy_plugin::sim {

constexpr std::uint64_t kAllWritten = 0x0101'0101'0101'0101;

template <class T>
inline bool is_part_written(const std::uint8_t* written) {
  T part;
  std::memcpy(&part, written, sizeof part);
  return part == static_cast<T>(kAllWritten);
}

inline bool is_written(const std::uint8_t* written, std::uint32_t n_bytes) {
  if (n_bytes == 4) return is_part_written<std::uint32_t>(written);
  if (n_bytes == 2) return is_part_written<std::uint16_t>(written);
  if (n_bytes == 1) return *written != 0;
  for (std::uint32_t index = 0; index < n_bytes; index += 8) {
    if (!is_part_written<std::uint64_t>(written + index)) return false;
  }
  return true;
}

inline void set_written(std::uint8_t* written, std::uint32_t n_bytes) {
  if (n_bytes < 8) {
    std::memcpy(written, &kAllWritten, n_bytes);
    return;
  }
  for (std::uint32_t index = 0; index < n_bytes; index += 8) {
    std::memcpy(written + index, &kAllWritten, 8);
  }
}

// Likewise for locations that several host threads access concurrently by atomic operations.
inline bool is_written_atomically(const std::uint8_t* written, std::uint32_t n_bytes) {
  bool is_written = true;
  for (std::uint32_t index = 0; index < n_bytes; ++index) {
    is_written &= __atomic_load_n(written + index, __ATOMIC_RELAXED) != 0;
  }
  return is_written;
}

inline void set_written_atomically(std::uint8_t* written, std::uint32_t n_bytes) {
  for (std::uint32_t index = 0; index < n_bytes; ++index) {
    __atomic_store_n(written + index, std::uint8_t{1}, __ATOMIC_RELAXED);
  }
}

}  // namespace numpy_plugin::sim
