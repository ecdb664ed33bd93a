// Lock-free: calls run in many threads, and in forked children, which find no compilation running.
#include "numpy_plugin/run/cpu/sized_variants.hpp"

#include <exception>
#include <utility>

#include "numpy_plugin/base/forced_unwind.hpp"
#include "numpy_plugin/run/cpu/parallel_loop.hpp"
#include "numpy_plugin/system/threads/thread_pool.hpp"

namespace numpy_plugin::run {
namespace {

using std::intptr_t;

constexpr int kKeyBits = 8;  // for each size
constexpr std::size_t kMostNames = 64 / kKeyBits;

// All sizes in one number, 0 where one is too large.
std::uint64_t key_of(const intptr_t* sizes, std::size_t n_names) {
  if (n_names > kMostNames) return 0;
  std::uint64_t key = 0;
  for (std::size_t name = 0; name < n_names; ++name) {
    if (sizes[name] < 1 || sizes[name] > SizedVariants::kLargestSize) return 0;
    key = key << kKeyBits | static_cast<std::uint64_t>(sizes[name]);
  }
  return key;
}

// Whether the core dimensions of all operands are contiguous: the form that is unrolled.
bool has_contiguous_cores(const ParallelLoop& loop, const intptr_t* sizes,
                          const intptr_t* core_steps) {
  for (const LoopOperand& operand : loop.operands) {
    intptr_t expected = operand.n_bytes;
    for (std::size_t axis = operand.core_names.size(); axis-- > 0;) {
      if (core_steps[axis] != expected) return false;
      expected *= sizes[operand.core_names[axis]];
    }
    core_steps += operand.core_names.size();
  }
  return true;
}

intptr_t n_elements_of(const intptr_t* dimensions, std::size_t n_names) {
  intptr_t n_elements = dimensions[0];
  for (std::size_t name = 1; name <= n_names; ++name) n_elements *= dimensions[name];
  return n_elements;
}

}  // namespace

const ParallelLoop* SizedVariants::find(const ParallelLoop& general, const intptr_t* dimensions,
                                        const intptr_t* steps) {
  const std::uint64_t key = key_of(dimensions + 1, general.n_names);
  if (key == 0) return nullptr;
  if (!has_contiguous_cores(general, dimensions + 1, steps + general.operands.size()))
    return nullptr;
  Variant* const variant = variant_of(key);
  if (variant == nullptr) return nullptr;
  const ParallelLoop* const loop = variant->loop.load(std::memory_order_acquire);
  if (loop != nullptr) return loop;
  const intptr_t n_elements = n_elements_of(dimensions, general.n_names);
  const intptr_t n_before = variant->n_elements.fetch_add(n_elements, std::memory_order_relaxed);
  if (n_before < kManyElements && n_before + n_elements >= kManyElements) {
    start(*variant, Sizes(dimensions + 1, dimensions + 1 + general.n_names));
  }
  return nullptr;
}

// The first sizes that come keep their places.
SizedVariants::Variant* SizedVariants::variant_of(std::uint64_t key) {
  for (Variant& variant : variants_) {
    std::uint64_t seen = variant.key.load(std::memory_order_relaxed);
    if (seen == 0 && variant.key.compare_exchange_strong(seen, key)) return &variant;
    if (seen == key) return &variant;
  }
  return nullptr;
}

// Without a version, whatever the reason, calls continue with the general loop.
void SizedVariants::start(Variant& variant, Sizes sizes) {
  const auto compile = [self = shared_from_this(), &variant, sizes = std::move(sizes)] {
    try {
      variant.owned = self->compile_(sizes);
      variant.loop.store(variant.owned.get(), std::memory_order_release);
    } catch (const base::ForcedUnwind&) {
      throw;
    } catch (...) {
      return;
    }
  };
  system::run_in_background(compile);
}

}  // namespace numpy_plugin::run
