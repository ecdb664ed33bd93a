// Entry points that the stub does not implement, so that all of them are found. cuda.h is not
// included: its prototypes would have to be repeated.
namespace {

constexpr int kNotSupported = 801;  // CUDA_ERROR_NOT_SUPPORTED

}  // namespace

#if defined(NPP_STUB_WITHOUT_LAUNCH)
__attribute__((visibility("hidden"))) int cuLaunchKernel() __asm__("cuLaunchKernel");
#endif

#define NPP_DRIVER_FUNCTION(name, symbol)           \
  __attribute__((weak)) int name() __asm__(symbol); \
  int name() { return kNotSupported; }
#include "numpy_plugin/load/driver.def"
