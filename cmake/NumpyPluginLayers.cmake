# Targets from the list of rooms in src/LAYERS, also read by tools/check_layout.py. A room is a directory
# of sources, with its subdirectories; it may include itself and the rooms before it. A layer,
# numpy_plugin/NAME with all its rooms, is a static library linked with the layers before it.

set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS "${CMAKE_SOURCE_DIR}/src/LAYERS")
file(STRINGS "${CMAKE_SOURCE_DIR}/src/LAYERS" NPP_ROOMS REGEX "^[^#]")

# The layers of src/numpy_plugin except ufunc, which is the extension.
set(NPP_LAYERS ${NPP_ROOMS})
list(FILTER NPP_LAYERS INCLUDE REGEX "^numpy_plugin/")
list(TRANSFORM NPP_LAYERS REPLACE "^numpy_plugin/([^/]+).*" "\\1")
list(REMOVE_DUPLICATES NPP_LAYERS)
list(REMOVE_ITEM NPP_LAYERS ufunc)

# numpy_plugin_room_sources(OUTPUT ROOM...): sources of these rooms and of those nested in them.
function(numpy_plugin_room_sources output)
  set(found)
  foreach(room IN LISTS ARGN)
    file(GLOB_RECURSE sources CONFIGURE_DEPENDS "${CMAKE_SOURCE_DIR}/src/${room}/*.cpp")
    list(APPEND found ${sources})
  endforeach()
  set(${output} ${found} PARENT_SCOPE)
endfunction()

# Headers that most sources include, precompiled once per kind of target. Sources still include all
# that they use: sanitizer builds have no precompiled headers.
set(NPP_COMMON_HEADERS <algorithm> <array> <cstdint> <functional> <map> <memory> <mutex> <optional>
    <span> <string> <string_view> <unordered_map> <utility> <vector>)

# numpy_plugin_precompile(TARGET [header...]): precompiles the common headers and the given ones.
function(numpy_plugin_precompile target)
  if(NOT NPP_SANITIZE)
    target_precompile_headers(${target} PRIVATE ${NPP_COMMON_HEADERS} ${ARGN})
  endif()
endfunction()

# numpy_plugin_share_precompiled(TARGET OWNER): reuses those of a target with equal compile options.
function(numpy_plugin_share_precompiled target owner)
  if(NOT NPP_SANITIZE)
    target_precompile_headers(${target} REUSE_FROM ${owner})
  endif()
endfunction()

# numpy_plugin_find_nvidia_header(VARIABLE HEADER PACKAGE): its directory, from the pip package of the
# building Python, else from a toolkit. cuda.h: only types and constants, without linking CUDA. NVTX:
# functions that are complete in their headers.
function(numpy_plugin_find_nvidia_header variable header package)
  find_package(Python 3.11 REQUIRED COMPONENTS Interpreter)
  execute_process(
    COMMAND "${Python_EXECUTABLE}" -c "import sysconfig; print(sysconfig.get_paths()['purelib'])"
    OUTPUT_VARIABLE site_packages OUTPUT_STRIP_TRAILING_WHITESPACE)
  find_path(${variable} ${header}
    HINTS "${site_packages}/nvidia/cu13/include" ENV PYTHONPATH
    PATHS "$ENV{CUDA_HOME}/include" "$ENV{CUDA_PATH}/include" /usr/local/cuda/include
    PATH_SUFFIXES nvidia/cu13/include)
  if(NOT ${variable})
    message(FATAL_ERROR "${header} was not found; pip install ${package} brings it")
  endif()
endfunction()

function(numpy_plugin_find_cuda_headers)
  numpy_plugin_find_nvidia_header(NPP_CUDA_INCLUDE_DIR cuda.h nvidia-cuda-runtime)
endfunction()

# Embeds templates/*.hpp in one generated source file of the emit layer.
function(numpy_plugin_embed_templates output)
  file(GLOB_RECURSE templates CONFIGURE_DEPENDS "${CMAKE_SOURCE_DIR}/templates/npp/*.hpp")
  add_custom_command(
    OUTPUT "${output}"
    COMMAND "${CMAKE_COMMAND}" "-DOUTPUT=${output}" "-DTEMPLATES=${templates}"
            -P "${CMAKE_SOURCE_DIR}/cmake/embed_templates.cmake"
    DEPENDS ${templates} "${CMAKE_SOURCE_DIR}/cmake/embed_templates.cmake"
    VERBATIM)
endfunction()

# Unity builds of eight sources each, because includes dominate compile time. Names in a layer's unnamed
# namespaces must therefore differ. -DCMAKE_UNITY_BUILD=OFF compiles sources separately.
function(numpy_plugin_join_sources target)
  if(NOT DEFINED CMAKE_UNITY_BUILD OR CMAKE_UNITY_BUILD)
    set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_BATCH_SIZE 8)
  endif()
endfunction()

# numpy_plugin_join_directories(TARGET SOURCE...): likewise, the sources of each directory as one.
function(numpy_plugin_join_directories target)
  if(DEFINED CMAKE_UNITY_BUILD AND NOT CMAKE_UNITY_BUILD)
    return()
  endif()
  foreach(source IN LISTS ARGN)
    cmake_path(RELATIVE_PATH source BASE_DIRECTORY "${CMAKE_SOURCE_DIR}")
    cmake_path(GET source PARENT_PATH directory)
    set_source_files_properties("${CMAKE_SOURCE_DIR}/${source}" PROPERTIES UNITY_GROUP "${directory}")
  endforeach()
  set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_MODE GROUP)
endfunction()

# numpy_plugin_join_rooms(TARGET ROOM...): likewise, the sources of each of these rooms as one.
function(numpy_plugin_join_rooms target)
  numpy_plugin_room_sources(sources ${ARGN})
  numpy_plugin_join_directories(${target} ${sources})
endfunction()

# Layers whose time is little beside that of the compilers for which they work: -O2 would take half as
# long again to compile them.
set(NPP_FRONT_END diagnostics signature kernel syntax cpp_body infer declaration analysis emit explain jit)

function(numpy_plugin_add_layer layer)
  numpy_plugin_room_sources(sources "numpy_plugin/${layer}")
  if(layer STREQUAL "emit")
    set(embedded "${CMAKE_BINARY_DIR}/template_files.cpp")
    numpy_plugin_embed_templates("${embedded}")
    list(APPEND sources "${embedded}")
  endif()
  add_library(numpy_plugin_${layer} STATIC ${sources})
  set_target_properties(numpy_plugin_${layer} PROPERTIES LINKER_LANGUAGE CXX)
  numpy_plugin_join_sources(numpy_plugin_${layer})
  target_link_libraries(numpy_plugin_${layer} PUBLIC numpy_plugin_options)
  if(layer IN_LIST NPP_FRONT_END)
    target_compile_options(numpy_plugin_${layer} PRIVATE $<$<CONFIG:Release>:-O1>)
  endif()
  if(layer STREQUAL "base")
    numpy_plugin_precompile(numpy_plugin_base)
  else()
    numpy_plugin_share_precompiled(numpy_plugin_${layer} numpy_plugin_base)
  endif()
  foreach(earlier IN LISTS NPP_LAYERS)
    if(earlier STREQUAL layer)
      break()
    endif()
    target_link_libraries(numpy_plugin_${layer} PUBLIC numpy_plugin_${earlier})
  endforeach()
  if(layer STREQUAL "system")
    numpy_plugin_find_nvidia_header(NPP_NVTX_INCLUDE_DIR nvtx3/nvToolsExt.h nvidia-nvtx)
    target_include_directories(numpy_plugin_${layer} SYSTEM PRIVATE "${NPP_NVTX_INCLUDE_DIR}")
  endif()
  if(layer STREQUAL "run")
    # The interfaces of compiled loops are in templates/.
    target_include_directories(numpy_plugin_${layer} PUBLIC "${CMAKE_SOURCE_DIR}/templates")
  endif()
  if(layer MATCHES "^(load|run)$")
    numpy_plugin_find_cuda_headers()
    target_include_directories(numpy_plugin_${layer} SYSTEM PUBLIC "${NPP_CUDA_INCLUDE_DIR}")
  endif()
endfunction()
