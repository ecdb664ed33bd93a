#include "numpy_plugin/run/library/kernel_library.hpp"

#include "numpy_plugin/base/digest.hpp"
#include "numpy_plugin/jit/toolkit/toolkit.hpp"

namespace numpy_plugin::run {
namespace {

// How well code serves a device: 0 where the device does not run it. Machine code of its own major
// version precedes PTX, the newest of each kind the others. Names such as "sm_90a" are for exactly
// one architecture, whose number "90a" has no digit at its end.
int rank(const BuiltImage& image, const Device& device) {
  const int number = jit::architecture_number(image.arch);
  const int supported = jit::architecture_number(device.info().arch);
  const bool is_ptx = image.arch.starts_with("compute_");
  const bool is_special = image.arch.back() < '0' || image.arch.back() > '9';
  if (is_special ? number != supported : number > supported) return 0;
  if (!device.is_simulated() && device.driver().version < image.driver_version) return 0;
  if (is_ptx) return number;
  const bool is_loadable = !device.is_simulated() && number / 10 == supported / 10;
  constexpr int kMachineCode = 10000;
  return is_loadable ? kMachineCode + number : 0;
}

template <class IsWanted>
const BuiltImage* find_best(const std::vector<BuiltImage>& images, const Device& device,
                            const IsWanted& is_wanted) {
  const BuiltImage* best = nullptr;
  for (const BuiltImage& image : images) {
    const int own = rank(image, device);
    if (own > 0 && is_wanted(image) && (best == nullptr || own > rank(*best, device)))
      best = &image;
  }
  return best;
}

}  // namespace

std::string digest_of(const emit::Source& source) { return base::sha256(source.text); }

const std::string* BuiltImages::find(const emit::Source& source, const Device& device) const {
  const std::string digest = digest_of(source);
  const BuiltImage* const found =
      find_best(images_, device, [&](const BuiltImage& image) { return image.digest == digest; });
  return found == nullptr ? nullptr : &found->bytes;
}

int BuiltImages::architecture_for(const Device& device) const {
  const BuiltImage* const found =
      find_best(images_, device, [](const BuiltImage&) { return true; });
  return found == nullptr ? 0 : jit::architecture_number(found->arch);
}

}  // namespace numpy_plugin::run
