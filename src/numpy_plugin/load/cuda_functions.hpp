// The driver's interface, with the functions in use that newer versions of cuda.h do not declare.
#pragma once

#include <cuda.h>

extern "C" CUresult CUDAAPI cuStreamGetCaptureInfo_v2(CUstream stream,
                                                      CUstreamCaptureStatus* status, cuuint64_t* id,
                                                      CUgraph* graph,
                                                      const CUgraphNode** dependencies,
                                                      size_t* n_dependencies);
