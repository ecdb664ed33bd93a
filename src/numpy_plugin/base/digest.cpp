// SHA-256 by FIPS 180-4: 64 rounds per block of 64 bytes.
#include "numpy_plugin/base/digest.hpp"

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>

namespace numpy_plugin::base {
namespace {

constexpr std::size_t kBlockBytes = 64;

// The first 32 bits of the fractional parts of the cube roots of the first 64 primes.
constexpr std::array<std::uint32_t, 64> kRoundConstants = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
    0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
    0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
    0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2};

using State = std::array<std::uint32_t, 8>;

std::uint32_t load_big_endian(const unsigned char* bytes) {
  return std::uint32_t{bytes[0]} << 24 | std::uint32_t{bytes[1]} << 16 |
         std::uint32_t{bytes[2]} << 8 | std::uint32_t{bytes[3]};
}

// One round; the caller rotates the eight names instead of moving eight values.
inline void do_round(std::uint32_t a, std::uint32_t b, std::uint32_t c, std::uint32_t& d,
                     std::uint32_t e, std::uint32_t f, std::uint32_t g, std::uint32_t& h,
                     std::uint32_t input) {
  const std::uint32_t sum1 = std::rotr(e, 6) ^ std::rotr(e, 11) ^ std::rotr(e, 25);
  const std::uint32_t sum0 = std::rotr(a, 2) ^ std::rotr(a, 13) ^ std::rotr(a, 22);
  const std::uint32_t mixed = h + sum1 + (g ^ (e & (f ^ g))) + input;
  d += mixed;
  h = mixed + sum0 + ((a & b) | (c & (a | b)));
}

std::array<std::uint32_t, 64> expand(const unsigned char* block) {
  std::array<std::uint32_t, 64> words;
  for (std::size_t t = 0; t < 16; ++t) words[t] = load_big_endian(block + 4 * t);
  for (std::size_t t = 16; t < 64; ++t) {
    const std::uint32_t near = words[t - 2];
    const std::uint32_t far = words[t - 15];
    words[t] = words[t - 16] + words[t - 7] +
               (std::rotr(near, 17) ^ std::rotr(near, 19) ^ near >> 10) +
               (std::rotr(far, 7) ^ std::rotr(far, 18) ^ far >> 3);
  }
  for (std::size_t t = 0; t < 64; ++t) words[t] += kRoundConstants[t];
  return words;
}

void add_block(State& state, const unsigned char* block) {
  const std::array<std::uint32_t, 64> words = expand(block);
  auto [a, b, c, d, e, f, g, h] = state;
  for (std::size_t t = 0; t < 64; t += 8) {
    do_round(a, b, c, d, e, f, g, h, words[t]);
    do_round(h, a, b, c, d, e, f, g, words[t + 1]);
    do_round(g, h, a, b, c, d, e, f, words[t + 2]);
    do_round(f, g, h, a, b, c, d, e, words[t + 3]);
    do_round(e, f, g, h, a, b, c, d, words[t + 4]);
    do_round(d, e, f, g, h, a, b, c, words[t + 5]);
    do_round(c, d, e, f, g, h, a, b, words[t + 6]);
    do_round(b, c, d, e, f, g, h, a, words[t + 7]);
  }
  const State added = {a, b, c, d, e, f, g, h};
  for (std::size_t i = 0; i < state.size(); ++i) state[i] += added[i];
}

// The last bytes, a one bit, zeros, and the length in bits in the last 8 bytes.
void add_padded_tail(State& state, std::string_view tail, std::uint64_t total_bytes) {
  std::array<unsigned char, 2 * kBlockBytes> padded = {};
  if (!tail.empty()) std::memcpy(padded.data(), tail.data(), tail.size());
  padded[tail.size()] = 0x80;
  const std::size_t n_bytes = tail.size() + 9 <= kBlockBytes ? kBlockBytes : 2 * kBlockBytes;
  for (std::size_t i = 0; i < 8; ++i) {
    padded[n_bytes - 1 - i] = static_cast<unsigned char>(total_bytes * 8 >> (8 * i));
  }
  for (std::size_t at = 0; at < n_bytes; at += kBlockBytes) add_block(state, padded.data() + at);
}

std::string to_hexadecimal(const State& state) {
  constexpr char kDigits[] = "0123456789abcdef";
  std::string text;
  for (std::uint32_t word : state) {
    for (int shift = 28; shift >= 0; shift -= 4) text += kDigits[word >> shift & 15];
  }
  return text;
}

}  // namespace

std::string sha256(std::string_view bytes) {
  State state = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
                 0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
  const auto* data = reinterpret_cast<const unsigned char*>(bytes.data());
  const std::size_t n_whole = bytes.size() / kBlockBytes * kBlockBytes;
  for (std::size_t at = 0; at < n_whole; at += kBlockBytes) add_block(state, data + at);
  add_padded_tail(state, bytes.substr(n_whole), bytes.size());
  return to_hexadecimal(state);
}

}  // namespace numpy_plugin::base
