// The passes of a radix sort on a device: see templates/npp/sort/digits.hpp.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include <npp/sort/arguments.hpp>

#include "numpy_plugin/run/memory/device_copy.hpp"
#include "numpy_plugin/run/selection/template_kernel.hpp"

namespace numpy_plugin::run {

// Addresses of what a pass reads or writes.
struct SortedElements {
  std::uint64_t keys;
  std::uint64_t positions = 0;  // 0 if only keys, which are the values, are sorted
};

class DigitPasses {
 public:
  // Sorts rows in C order, whose keys have up to `n_key_bytes`. The first of the kernels moves
  // digits, the others count them. `buffer_bytes`: of an element in each buffer the caller needs.
  // Throws base::Error (kCompiler), load::CudaError.
  DigitPasses(std::shared_ptr<Stream> stream, std::vector<TemplateKernel> kernels,
              const DeviceMemory& rows, std::size_t n_key_bytes,
              std::span<const std::size_t> buffer_bytes);

  // Of the scratch memory, for an element of each row.
  std::uint64_t buffer(std::size_t i) const { return scratch_->address() + buffers_[i]; }
  DeviceMemory buffer_of_rows(std::size_t i, std::int64_t item_bytes) const;

  // Counts digits by one of the kernels, which may write `counted`; passes begin anew.
  void count(std::size_t kernel, int n_bits, const SortedElements& counted);
  // The next pass.
  void move(const SortedElements& from, const SortedElements& to);
  std::uint32_t n_passes() const { return pass_.n_passes; }

 private:
  // A part of the scratch memory that is set to 0 before launches.
  struct Cleared {
    std::uint64_t begin;
    std::int64_t n_bytes;
  };

  Cleared reserve_cleared(std::int64_t n_bytes) { return {reserve(n_bytes), n_bytes}; }
  void clear(const Cleared& part) const;
  std::uint64_t reserve(std::int64_t n_bytes);
  void launch(std::size_t kernel);

  std::shared_ptr<Stream> stream_;
  TemplateModule module_;
  std::int64_t n_rows_;
  npp::DigitPass pass_ = {};
  std::int64_t n_reserved_ = 0;
  std::vector<std::uint64_t> buffers_;  // offsets in the scratch memory
  Cleared states_, totals_;
  std::shared_ptr<DeviceBuffer> scratch_;
};

}  // namespace numpy_plugin::run
