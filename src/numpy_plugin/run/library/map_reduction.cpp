#include "numpy_plugin/run/library/map_reduction.hpp"

#include <algorithm>
#include <utility>

#include "numpy_plugin/base/error.hpp"
#include "numpy_plugin/kernel/kernel.hpp"
#include "numpy_plugin/run/library/compiled_code.hpp"

namespace numpy_plugin::run {
namespace {

std::vector<base::DType> input_dtypes(const Loop& loop) {
  std::vector<base::DType> dtypes;
  for (const auto& input : loop.kernel.signature.inputs) dtypes.push_back(input.dtype);
  return dtypes;
}

const Loop& loop_of(KernelLibrary& library, const std::vector<base::DType>& inputs) {
  const auto declared = library.declared_loops();
  const auto found = std::find_if(declared.begin(), declared.end(),
                                  [&](const Loop& loop) { return input_dtypes(loop) == inputs; });
  return found == declared.end() ? library.loop_for(inputs) : *found;
}

}  // namespace

std::vector<base::DType> MapReduction::Loops::items() const {
  std::vector<base::DType> dtypes;
  for (const auto& output : map->kernel.signature.outputs) dtypes.push_back(output.dtype);
  return dtypes;
}

MapReduction::MapReduction(std::string name, Library map, Library combine, Library finish,
                           bool has_number)
    : name_(std::move(name)),
      map_(std::move(map)),
      combine_(std::move(combine)),
      finish_(std::move(finish)),
      has_number_(has_number) {}

MapReduction::Loops MapReduction::loops_for(std::vector<base::DType> operands) const {
  if (has_number_) operands.push_back(base::DType::kInt64);
  Loops loops{&loop_of(*map_, operands), nullptr, nullptr};
  const std::vector<base::DType> items = loops.items();
  std::vector<base::DType> pair = items;
  pair.insert(pair.end(), items.begin(), items.end());
  loops.combine = &loop_of(*combine_, pair);
  if (finish_ != nullptr) loops.finish = &loop_of(*finish_, items);
  return loops;
}

MapReduction::Loops MapReduction::compiled(const Loops& loops) const {
  Loops compiled{&map_->compiled(*loops.map), &combine_->compiled(*loops.combine), nullptr};
  if (loops.finish != nullptr) compiled.finish = &finish_->compiled(*loops.finish);
  return compiled;
}

// The exceptions of one kernel are numbered from 1.
void MapReduction::check(const Loop& loop, const char* role) const {
  if (!declare::can_raise(loop.kernel)) return;
  throw base::Error(base::ErrorKind::kType,
                    format("{} of '{}' can raise, which only map can on devices; check the values "
                           "in map, or the result",
                           role, name_));
}

emit::Program MapReduction::program(const Loops& loops) const {
  emit::Program program = map_->program({loops.map->kernel, loops.combine->kernel});
  program.name = name_;
  if (loops.finish != nullptr) program.kernels.push_back(loops.finish->kernel);
  for (const Library& library : {combine_, finish_}) {
    if (library == nullptr) continue;
    const declare::Declaration& declaration = library->declaration();
    if (declaration.preamble != map_->declaration().preamble) {
      program.preamble += declaration.preamble;
    }
    program.linked.insert(program.linked.end(), declaration.linked.begin(),
                          declaration.linked.end());
  }
  return program;
}

std::shared_ptr<const DeviceMapReduction> MapReduction::on_device(
    const std::shared_ptr<Device>& device, const Loops& loops) const {
  check(*loops.combine, "reduce");
  if (loops.finish != nullptr) check(*loops.finish, "finish");
  return kernels_.get(device, loops.map, [&] {
    const auto options = with_declared(options_for(*device), map_->declaration());
    return std::make_shared<const DeviceMapReduction>(
        device, DeviceMapReduction::Recipe{program(loops), has_number_, device_compiler(options)});
  });
}

}  // namespace numpy_plugin::run
