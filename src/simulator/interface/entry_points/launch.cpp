// Entry points: launches.
#include "simulator/interface/objects/capture.hpp"
#include "simulator/interface/work/node_work.hpp"

using namespace numpy_plugin::sim;

namespace {

void launch_in_order(CUfunction handle, const LaunchRequest& request, CUstream stream_handle,
                     void** parameters, void** extra) {
  const auto function = find_function(handle);
  const auto stream = find_stream(stream_handle, current_context());
  require(stream->context() == function->context(), CUDA_ERROR_INVALID_HANDLE,
          "the kernel and the stream are of different contexts");
  submit(stream, kernel_work(function, request, parameters, extra));
}

// Other attributes are hints to a GPU's scheduler and caches.
void read_attribute(const CUlaunchAttribute& attribute, LaunchRequest& request) {
  const auto& cluster = attribute.value.clusterDim;
  switch (attribute.id) {
    case CU_LAUNCH_ATTRIBUTE_COOPERATIVE:
      request.is_cooperative = attribute.value.cooperative != 0;
      return;
    case CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION:
      request.cluster = {cluster.x, cluster.y, cluster.z};
      return;
    case CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_EVENT:
    case CU_LAUNCH_ATTRIBUTE_LAUNCH_COMPLETION_EVENT:
      throw CallError(CUDA_ERROR_NOT_SUPPORTED, "the simulator has no events of launches");
    case CU_LAUNCH_ATTRIBUTE_DEVICE_UPDATABLE_KERNEL_NODE:
      require(attribute.value.deviceUpdatableKernelNode.deviceUpdatable == 0,
              CUDA_ERROR_NOT_SUPPORTED, "the simulator's kernels do not update graphs");
      return;
    default:
      return;
  }
}

}  // namespace

NPP_EXPORT CUresult cuLaunchKernel(CUfunction function, unsigned grid_x, unsigned grid_y,
                                   unsigned grid_z, unsigned block_x, unsigned block_y,
                                   unsigned block_z, unsigned shared_bytes, CUstream stream,
                                   void** parameters, void** extra) {
  return answer([&] {
    const LaunchRequest request{
        {grid_x, grid_y, grid_z}, {block_x, block_y, block_z}, shared_bytes};
    launch_in_order(function, request, stream, parameters, extra);
  });
}

NPP_EXPORT CUresult cuLaunchCooperativeKernel(CUfunction function, unsigned grid_x, unsigned grid_y,
                                              unsigned grid_z, unsigned block_x, unsigned block_y,
                                              unsigned block_z, unsigned shared_bytes,
                                              CUstream stream, void** parameters) {
  return answer([&] {
    const LaunchRequest request{{grid_x, grid_y, grid_z},
                                {block_x, block_y, block_z},
                                shared_bytes,
                                /*is_cooperative=*/true};
    launch_in_order(function, request, stream, parameters, nullptr);
  });
}

NPP_EXPORT CUresult cuLaunchKernelEx(const CUlaunchConfig* config, CUfunction function,
                                     void** parameters, void** extra) {
  return answer([&] {
    require_pointer(config);
    LaunchRequest request{{config->gridDimX, config->gridDimY, config->gridDimZ},
                          {config->blockDimX, config->blockDimY, config->blockDimZ},
                          config->sharedMemBytes};
    for (unsigned index = 0; index < config->numAttrs; ++index) {
      read_attribute(config->attrs[index], request);
    }
    launch_in_order(function, request, config->hStream, parameters, extra);
  });
}
