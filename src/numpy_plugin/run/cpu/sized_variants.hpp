// Versions of a generalized loop with core sizes compiled in, so that inner loops are unrolled:
// for small sizes that calls repeat. A version is compiled in the background; until it is there,
// calls take the general loop, whose results it repeats.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <utility>
#include <vector>

namespace numpy_plugin::run {

struct ParallelLoop;

class SizedVariants : public std::enable_shared_from_this<SizedVariants> {
 public:
  // Loops of larger sizes gain little or lose by it.
  static constexpr std::intptr_t kLargestSize = 8;
  // Work after which a version pays for its compilation: about 50 ms of the general loop.
  static constexpr std::intptr_t kManyElements = std::intptr_t{1} << 26;

  using Sizes = std::vector<std::intptr_t>;  // of each name of the core signature
  using Compile = std::function<std::shared_ptr<const ParallelLoop>(const Sizes&)>;

  explicit SizedVariants(Compile compile) : compile_(std::move(compile)) {}

  // The version for a call of the general loop, or nullptr. Notes the call.
  const ParallelLoop* find(const ParallelLoop& general, const std::intptr_t* dimensions,
                           const std::intptr_t* steps);

 private:
  static constexpr std::size_t kMostVariants = 8;

  struct Variant {
    std::atomic<std::uint64_t> key = 0;  // 0: not used yet
    std::atomic<std::intptr_t> n_elements = 0;
    std::atomic<const ParallelLoop*> loop = nullptr;
    std::shared_ptr<const ParallelLoop> owned = nullptr;  // written before `loop`
  };

  Variant* variant_of(std::uint64_t key);
  void start(Variant& variant, Sizes sizes);

  Compile compile_;
  std::array<Variant, kMostVariants> variants_;
};

}  // namespace numpy_plugin::run
