// Reductions of mapped operands: the loops of three ufuncs, on the CPU and on devices.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "numpy_plugin/run/library/kernel_library.hpp"
#include "numpy_plugin/run/reduce/device_map_reduction.hpp"

namespace numpy_plugin::run {

class MapReduction {
 public:
  using Library = std::shared_ptr<KernelLibrary>;
  // The loops of one call; `finish` is null where the accumulator is the result.
  struct Loops {
    const Loop* map;
    const Loop* combine;
    const Loop* finish;

    std::vector<base::DType> items() const;
  };

  // `finish` may be null. With `has_number`, the map's last input is the element's number.
  MapReduction(std::string name, Library map, Library combine, Library finish, bool has_number);

  const std::string& name() const { return name_; }
  // With the options of all of its kernels.
  const declare::Declaration& declaration() const { return map_->declaration(); }
  bool has_number() const { return has_number_; }

  // The loops for operands of exactly these dtypes, typed where they have no declared types. Call
  // without the GIL. Throws declare::KernelError, base::Error.
  Loops loops_for(std::vector<base::DType> operands) const;
  // The same loops with their code for the CPU. Likewise.
  Loops compiled(const Loops& loops) const;

  // The device kernels of these loops, compiled at their first launch. Throws base::Error (kType)
  // where a kernel other than the map can raise.
  std::shared_ptr<const DeviceMapReduction> on_device(const std::shared_ptr<Device>& device,
                                                      const Loops& loops) const;

 private:
  emit::Program program(const Loops& loops) const;
  void check(const Loop& loop, const char* role) const;

  std::string name_;
  Library map_, combine_, finish_;
  bool has_number_;
  // The map's loop determines the others.
  mutable PerDevice<const Loop*, DeviceMapReduction> kernels_;
};

}  // namespace numpy_plugin::run
