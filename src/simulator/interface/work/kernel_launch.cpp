// Checks and work of launches. Invalid configurations are rejected at submission.
#include "simulator/interface/work/node_work.hpp"

#include <cstring>
#include <string>
#include <tuple>
#include <vector>

#include "simulator/api/simulator_interface.hpp"
#include "simulator/execute/checks/fault.hpp"
#include "simulator/execute/run/run_launch.hpp"

namespace numpy_plugin::sim {
namespace {

constexpr std::uint64_t kMaxCluster = 16;  // in blocks

// Memory of a cooperative launch's barrier, as the headers of cooperative groups lay it out.
class GridWorkspace {
 public:
  explicit GridWorkspace(std::shared_ptr<Context> context) : context_(std::move(context)) {
    context_->memory().add_host(&words_, sizeof(words_), "workspace of a cooperative launch");
  }
  ~GridWorkspace() { context_->memory().free(address()); }
  GridWorkspace(const GridWorkspace&) = delete;
  GridWorkspace& operator=(const GridWorkspace&) = delete;

  std::uint64_t address() const { return reinterpret_cast<std::uint64_t>(&words_); }

 private:
  struct Words {
    std::uint32_t n_bytes = sizeof(Words);
    std::uint32_t barrier = 0;
  };
  const std::shared_ptr<Context> context_;
  alignas(Words) Words words_;
};

std::string text_of(const std::array<std::uint32_t, 3>& dimensions) {
  return format("({}, {}, {})", dimensions[0], dimensions[1], dimensions[2]);
}

[[noreturn]] void refuse(CUresult code, const LoadedFunction& function, const std::string& what) {
  throw CallError(code, format("launch of kernel '{}': {}",
                               kernel_name(function.module().program(), function.code()), what));
}

void require_dimensions(const LoadedFunction& function, const char* what,
                        const std::array<std::uint32_t, 3>& dimensions, const int (&limits)[3]) {
  for (std::size_t axis = 0; axis < 3; ++axis) {
    const auto limit = static_cast<std::uint32_t>(limits[axis]);
    if (dimensions[axis] >= 1 && dimensions[axis] <= limit) continue;
    refuse(CUDA_ERROR_INVALID_VALUE, function,
           format("{} is {}; dimension {} can be 1 to {}", what, text_of(dimensions), "xyz"[axis],
                  limit));
  }
}

void require_threads(const LoadedFunction& function, const LaunchRequest& request) {
  const auto& block = request.block;
  const std::uint64_t n_threads = std::uint64_t{block[0]} * block[1] * block[2];
  if (n_threads > kMaxThreads) {
    refuse(CUDA_ERROR_INVALID_VALUE, function,
           format("the block {} has {} threads; the device allows {}", text_of(block), n_threads,
                  kMaxThreads));
  }
  if (n_threads > static_cast<std::uint64_t>(function.max_threads())) {
    refuse(CUDA_ERROR_INVALID_VALUE, function,
           format("the block {} has {} threads; the kernel was compiled for at most {}",
                  text_of(block), n_threads, function.max_threads()));
  }
  const auto& required = function.code().required_threads;
  if (required[0] != 0 && required != block) {
    refuse(CUDA_ERROR_INVALID_VALUE, function,
           format("the block is {}; the kernel was compiled for {}", text_of(block),
                  text_of(required)));
  }
}

void require_shared(const LoadedFunction& function, const LaunchRequest& request) {
  const auto allowed = static_cast<std::uint32_t>(function.max_dynamic_shared_bytes());
  if (request.shared_bytes > allowed) {
    refuse(CUDA_ERROR_INVALID_VALUE, function,
           format("{} bytes of dynamic shared memory; {} are allowed besides {} bytes of static, "
                  "more after cuFuncSetAttribute (CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES)",
                  request.shared_bytes, allowed, function.code().shared_bytes));
  }
  const int most = function.context()->device().architecture().max_shared_bytes;
  if (function.code().shared_bytes > static_cast<std::uint32_t>(most)) {
    refuse(CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES, function,
           format("{} bytes of static shared memory; a block can have {}",
                  function.code().shared_bytes, most));
  }
}

// A cluster that the kernel was compiled for counts, whatever the launch requests.
void require_cluster(const LoadedFunction& function, const LaunchRequest& request) {
  const auto& compiled = function.code().required_cluster;
  const auto& cluster = compiled[0] != 0 ? compiled : request.cluster;
  const std::uint64_t n_blocks = std::uint64_t{cluster[0]} * cluster[1] * cluster[2];
  if (n_blocks <= 1) return;
  refuse(
      n_blocks > kMaxCluster ? CUDA_ERROR_INVALID_CLUSTER_SIZE : CUDA_ERROR_NOT_SUPPORTED, function,
      format("clusters of {} blocks; the simulator has clusters of one block{}", text_of(cluster),
             n_blocks > kMaxCluster ? format(", and GPUs of at most {}", kMaxCluster) : ""));
}

std::uint64_t n_blocks(const LaunchRequest& request) {
  return std::uint64_t{request.grid[0]} * request.grid[1] * request.grid[2];
}

// All blocks of a cooperative launch must be resident.
void require_room_for_all(const LoadedFunction& function, const LaunchRequest& request) {
  const auto& block = request.block;
  const auto n_threads = static_cast<int>(block[0] * block[1] * block[2]);
  const auto per_multiprocessor =
      static_cast<std::uint64_t>(function.n_resident_blocks(n_threads, request.shared_bytes));
  const auto n_multiprocessors =
      static_cast<std::uint64_t>(function.context()->device().architecture().n_multiprocessors);
  if (n_blocks(request) <= per_multiprocessor * n_multiprocessors) return;
  refuse(CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE, function,
         format("a cooperative launch of {} blocks; at once the device runs {}, {} on each of {} "
                "multiprocessors",
                n_blocks(request), per_multiprocessor * n_multiprocessors, per_multiprocessor,
                n_multiprocessors));
}

std::vector<std::byte> gather(const LoadedFunction& function, void** pointers) {
  std::vector<std::byte> bytes(function.code().parameter_bytes);
  for (const ParameterPlace& parameter : function.code().parameters) {
    const void* const value = *pointers++;
    if (value == nullptr) {
      refuse(CUDA_ERROR_INVALID_VALUE, function, "the pointer to a parameter is null");
    }
    std::memcpy(bytes.data() + parameter.offset, value, parameter.n_bytes);
  }
  return bytes;
}

// A buffer may be longer by the padding at the end of a parameter struct.
std::vector<std::byte> copy_buffer(const LoadedFunction& function, void** extra) {
  const std::byte* buffer = nullptr;
  std::size_t n_bytes = 0;
  for (; *extra != CU_LAUNCH_PARAM_END; extra += 2) {
    if (*extra == CU_LAUNCH_PARAM_BUFFER_POINTER) {
      buffer = static_cast<const std::byte*>(extra[1]);
    } else if (*extra == CU_LAUNCH_PARAM_BUFFER_SIZE) {
      n_bytes = *static_cast<const std::size_t*>(extra[1]);
    } else {
      refuse(CUDA_ERROR_INVALID_VALUE, function, "there is no such extra option");
    }
  }
  constexpr std::size_t kPadding = 15;
  const std::size_t needed = function.code().parameter_bytes;
  if ((buffer == nullptr && needed > 0) || n_bytes < needed || n_bytes > needed + kPadding) {
    refuse(CUDA_ERROR_INVALID_VALUE, function,
           format("the buffer of parameters has {} bytes; the kernel's parameters have {}", n_bytes,
                  needed));
  }
  return {buffer, buffer + needed};
}

std::vector<std::byte> read_parameters(const LoadedFunction& function, void** pointers,
                                       void** extra) {
  if (extra != nullptr) {
    if (pointers != nullptr) {
      refuse(CUDA_ERROR_INVALID_VALUE, function, "parameters are given in both ways");
    }
    return copy_buffer(function, extra);
  }
  if (pointers == nullptr && !function.code().parameters.empty()) {
    refuse(CUDA_ERROR_INVALID_VALUE, function,
           format("no parameters are given; the kernel has {}", function.code().parameters.size()));
  }
  return gather(function, pointers);
}

std::uint64_t local_limit_bytes(const LoadedFunction& function) {
  Context& context = *function.context();
  if (!context.is_stack_limited()) return Launch().local_limit_bytes;
  // A multiple of 16, so that each thread's part is aligned.
  return (context.limit(CU_LIMIT_STACK_SIZE) + function.code().local_bytes + 15) / 16 * 16;
}

Launch make_launch(const LoadedFunction& function, const LaunchRequest& request,
                   std::vector<std::byte> parameters) {
  const Device& device = function.context()->device();
  Launch launch;
  launch.program = &function.module().program();
  launch.entry = &function.code();
  launch.parameters = std::move(parameters);
  launch.grid = request.grid;
  launch.block = request.block;
  launch.dynamic_shared_bytes = request.shared_bytes;
  launch.memory = &function.context()->memory();
  launch.checks = device.options().checks;
  launch.max_steps = device.options().max_steps;
  launch.local_limit_bytes = local_limit_bytes(function);
  launch.n_multiprocessors = static_cast<std::uint32_t>(device.architecture().n_multiprocessors);
  return launch;
}

void run_on(Device& device, const Launch& launch, const std::atomic<bool>& is_cancelled) {
  if (!device.is_profiled()) return device.add(run_launch(launch, is_cancelled));
  Profile profile;
  Launch profiled = launch;
  profiled.profile = &profile;
  device.add(run_launch(profiled, is_cancelled));
  device.add(*launch.program, *launch.entry, profile);
}

// "injected fault: launch 2 of this device fails, that of kernel 'hypot', model.py:11"
[[noreturn]] void fail_injected(const Launch& launch) {
  const SourceLine& declaration = launch.program->description.declaration;
  std::string text =
      format("{}launch {} of this device fails, that of kernel '{}'", kNppInjectedFault,
             launch.number, kernel_name(*launch.program, *launch.entry));
  if (!declaration.file.empty()) {
    text += format(", {}:{}", declaration.file, declaration.line);
  }
  throw CallError(CUDA_ERROR_LAUNCH_FAILED, text);
}

Task launch_task(const std::shared_ptr<LoadedFunction>& function, Launch launch,
                 bool is_cooperative, const std::shared_ptr<Stream>& stream) {
  const Device::NextLaunch next = function->context()->device().next_launch();
  launch.number = next.number;
  std::shared_ptr<GridWorkspace> workspace;
  if (is_cooperative) {
    workspace = std::make_shared<GridWorkspace>(function->context());
    launch.grid_workspace = workspace->address();
  }
  // The stream runs the work, so it is alive.
  return {[function, launch = std::move(launch), workspace, is_failing = next.is_failing,
           &is_cancelled = stream->is_cancelled()] {
    if (is_failing) fail_injected(launch);
    run_on(function->context()->device(), launch, is_cancelled);
  }};
}

std::shared_ptr<const KernelDescription> describe(const LoadedFunction& function,
                                                  const Launch& launch) {
  auto kernel = std::make_shared<KernelDescription>();
  kernel->bytes = launch.parameters;
  for (const ParameterPlace& parameter : function.code().parameters) {
    kernel->pointers.push_back(kernel->bytes.data() + parameter.offset);
  }
  CUDA_KERNEL_NODE_PARAMS& given = kernel->given;
  given.func = function.handle();
  std::tie(given.gridDimX, given.gridDimY, given.gridDimZ) = std::tuple_cat(launch.grid);
  std::tie(given.blockDimX, given.blockDimY, given.blockDimZ) = std::tuple_cat(launch.block);
  given.sharedMemBytes = launch.dynamic_shared_bytes;
  given.kernelParams = kernel->pointers.data();
  return kernel;
}

}  // namespace

StreamWork kernel_work(const std::shared_ptr<LoadedFunction>& function,
                       const LaunchRequest& request, void** parameters, void** extra) {
  require_dimensions(*function, "the grid", request.grid, kMaxGrid);
  require_dimensions(*function, "the block", request.block, kMaxBlock);
  require_threads(*function, request);
  require_shared(*function, request);
  require_cluster(*function, request);
  if (request.is_cooperative) require_room_for_all(*function, request);
  Launch launch = make_launch(*function, request, read_parameters(*function, parameters, extra));
  auto description = describe(*function, launch);
  const auto task = [function, launch = std::move(launch),
                     is_cooperative = request.is_cooperative](const auto& runner) {
    return launch_task(function, launch, is_cooperative, runner);
  };
  return {.kind = CU_GRAPH_NODE_TYPE_KERNEL, .task = task, .kernel = std::move(description)};
}

}  // namespace numpy_plugin::sim
