// Batches of random kernels for compilers. A rejected batch is retried kernel by kernel, and the
// first rejected kernel is shown. $NUMPY_PLUGIN_TEST_SEED and $NUMPY_PLUGIN_TEST_KERNELS select
// others and more.
#pragma once

#include <gtest/gtest.h>

#include "emit/random/random_kernels.hpp"
#include "emit/source/compilers.hpp"
#include "numpy_plugin/infer/core/kernel_text.hpp"

namespace numpy_plugin::emit::test {

inline unsigned from_environment(const char* name, unsigned otherwise) {
  const char* const text = std::getenv(name);
  return text == nullptr ? otherwise : static_cast<unsigned>(std::stoul(text));
}

inline std::vector<TypedKernel> random_kernels(unsigned first, unsigned n, KernelShape shape) {
  std::vector<TypedKernel> result;
  for (unsigned seed = first; seed < first + n; ++seed)
    result.push_back(RandomKernel(seed, shape).run());
  return result;
}

template <class Complaints>
void expect_accepted(const std::vector<TypedKernel>& kernels, unsigned first,
                     const Complaints& complaints) {
  if (complaints(kernels).empty()) return;
  for (unsigned i = 0; i < kernels.size(); ++i) {
    const std::string refused = complaints({kernels[i]});
    if (refused.empty()) continue;
    FAIL() << "seed " << first + i << ": " << refused << "\n" << declare::text(kernels[i]);
  }
  FAIL() << "seeds from " << first << ", only together: " << complaints(kernels);
}

inline Program made_of(const std::vector<TypedKernel>& kernels) {
  Program result = program(kernels.front());
  result.kernels = kernels;
  return result;
}

// Calls check(first seed) for batches of `n` kernels: one by default.
template <class Check>
void for_each_batch(unsigned n, const Check& check) {
  const unsigned first = from_environment("NUMPY_PLUGIN_TEST_SEED", 1);
  const unsigned count = from_environment("NUMPY_PLUGIN_TEST_KERNELS", n);
  for (unsigned at = 0; at < count && !testing::Test::HasFailure(); at += n) check(first + at);
}

class RandomDeviceTest : public testing::Test {
 protected:
  void SetUp() override {
    if (!nvrtc_.is_loaded()) GTEST_SKIP() << "no NVRTC: set NUMPY_PLUGIN_TEST_NVRTC to its library";
  }
  // NVRTC's errors, without warnings. Nothing is optimized, which would take minutes.
  std::string complaints(const Source& source) const {
    const std::string log = nvrtc_.complaints(source.text, {"-fdevice-syntax-only"});
    return log.find(": error") == std::string::npos ? "" : log;
  }

 private:
  Nvrtc nvrtc_;
};

}  // namespace numpy_plugin::emit::test
