# numpy_plugin_add_layer(NAME): a static library of src/NAME that sees only the layers before it.

# #include "numpy_plugin/base/..." finds src/base through this link.
file(MAKE_DIRECTORY "${CMAKE_BINARY_DIR}/include")
file(CREATE_LINK "${CMAKE_SOURCE_DIR}/src" "${CMAKE_BINARY_DIR}/include/numpy_plugin" SYMBOLIC)

find_package(Threads REQUIRED)

add_library(numpy_plugin_options INTERFACE)
target_include_directories(numpy_plugin_options INTERFACE "${CMAKE_BINARY_DIR}/include")
target_compile_options(numpy_plugin_options INTERFACE -Wall -Wextra -Wconversion)
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  target_compile_options(numpy_plugin_options INTERFACE -Wshadow=local)
endif()
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13)
  # g++ 12 reports copies within std::string itself: `"text" + string` as overlapping, and from
  # precompiled headers, which it no longer knows to be the system's, as too long.
  target_compile_options(numpy_plugin_options INTERFACE -Wno-restrict -Wno-array-bounds
                                                        -Wno-stringop-overflow -Wno-stringop-overread)
endif()
if(NPP_WERROR)
  target_compile_options(numpy_plugin_options INTERFACE -Werror)
endif()
target_link_libraries(numpy_plugin_options INTERFACE Threads::Threads ${CMAKE_DL_LIBS})
if(NPP_SANITIZE)
  add_compile_options(-fsanitize=${NPP_SANITIZE} -fno-omit-frame-pointer -g)
  add_link_options(-fsanitize=${NPP_SANITIZE})
endif()

# Headers that most sources include, compiled once a kind of target. A source names all that it
# uses nevertheless: builds with a sanitizer go without.
set(NPP_COMMON_HEADERS <algorithm> <array> <cstdint> <functional> <map> <memory> <mutex> <optional>
    <span> <string> <string_view> <unordered_map> <utility> <vector>)

# numpy_plugin_precompile(TARGET [header...]): the common headers and those given.
function(numpy_plugin_precompile target)
  if(NOT NPP_SANITIZE)
    target_precompile_headers(${target} PRIVATE ${NPP_COMMON_HEADERS} ${ARGN})
  endif()
endfunction()

# numpy_plugin_share_precompiled(TARGET OWNER): those of a target with the same compile options.
function(numpy_plugin_share_precompiled target owner)
  if(NOT NPP_SANITIZE)
    target_precompile_headers(${target} REUSE_FROM ${owner})
  endif()
endfunction()

# cuda.h: types and constants only, nothing of CUDA is linked. From the pip package of the Python that
# builds, else from a toolkit.
function(numpy_plugin_find_cuda_headers)
  find_package(Python 3.11 REQUIRED COMPONENTS Interpreter)
  execute_process(
    COMMAND "${Python_EXECUTABLE}" -c "import sysconfig; print(sysconfig.get_paths()['purelib'])"
    OUTPUT_VARIABLE site_packages OUTPUT_STRIP_TRAILING_WHITESPACE)
  find_path(NPP_CUDA_INCLUDE_DIR cuda.h
    HINTS "${site_packages}/nvidia/cu13/include" ENV PYTHONPATH
    PATHS "$ENV{CUDA_HOME}/include" "$ENV{CUDA_PATH}/include" /usr/local/cuda/include
    PATH_SUFFIXES nvidia/cu13/include)
  if(NOT NPP_CUDA_INCLUDE_DIR)
    message(FATAL_ERROR "cuda.h was not found; pip install nvidia-cuda-runtime brings it")
  endif()
endfunction()

# templates/*.hpp become one generated source file of the emit layer.
function(numpy_plugin_embed_templates output)
  file(GLOB templates CONFIGURE_DEPENDS "${CMAKE_SOURCE_DIR}/templates/numpy_plugin/*.hpp")
  add_custom_command(
    OUTPUT "${output}"
    COMMAND "${CMAKE_COMMAND}" "-DOUTPUT=${output}" "-DTEMPLATES=${templates}"
            -P "${CMAKE_SOURCE_DIR}/cmake/embed_templates.cmake"
    DEPENDS ${templates} "${CMAKE_SOURCE_DIR}/cmake/embed_templates.cmake"
    VERBATIM)
endfunction()

# The simulator's folders; its handlers once for each instruction set, in a namespace of its own.
function(numpy_plugin_simulator_sources output)
  set(root "${CMAKE_SOURCE_DIR}/src/sim")
  file(GLOB sources CONFIGURE_DEPENDS "${root}/assembly/*.cpp" "${root}/decode/*.cpp"
       "${root}/device/*.cpp" "${root}/execute/*.cpp")
  file(GLOB handlers CONFIGURE_DEPENDS "${root}/handlers/*.cpp")
  file(GLOB choice CONFIGURE_DEPENDS "${root}/handlers/handlers.cpp")
  list(FILTER handlers EXCLUDE REGEX "/handlers/handlers.cpp$")
  list(APPEND sources ${choice})
  set(isas baseline)
  if(CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|AMD64")
    list(APPEND isas avx2 avx512)
  endif()
  numpy_plugin_find_cuda_headers()
  foreach(isa IN LISTS isas)
    add_library(numpy_plugin_handlers_${isa} OBJECT ${handlers})
    target_link_libraries(numpy_plugin_handlers_${isa} PRIVATE numpy_plugin_options)
    target_include_directories(numpy_plugin_handlers_${isa} SYSTEM PRIVATE
                               "${NPP_CUDA_INCLUDE_DIR}")
    target_compile_definitions(numpy_plugin_handlers_${isa} PRIVATE NPP_ISA=${isa})
    target_compile_options(numpy_plugin_handlers_${isa} PRIVATE
                           -O3 -ffp-contract=off -fno-math-errno -fno-trapping-math -fwrapv)
    list(APPEND sources $<TARGET_OBJECTS:numpy_plugin_handlers_${isa}>)
  endforeach()
  if(TARGET numpy_plugin_handlers_avx2)
    target_compile_options(numpy_plugin_handlers_avx2 PRIVATE -march=x86-64-v3)
    target_compile_options(numpy_plugin_handlers_avx512 PRIVATE
                           -march=x86-64-v4 -mprefer-vector-width=512)
  endif()
  set(${output} ${sources} PARENT_SCOPE)
endfunction()

# The driver's C interface over the simulator, as the library that is opened in libcuda's place.
function(numpy_plugin_add_simulator)
  file(GLOB sources CONFIGURE_DEPENDS "${CMAKE_SOURCE_DIR}/src/sim/interface/*.cpp")
  add_library(numpy_plugin_simulator SHARED ${sources})
  set_target_properties(numpy_plugin_simulator PROPERTIES LINKER_LANGUAGE CXX)
  numpy_plugin_join_sources(numpy_plugin_simulator)
  target_link_libraries(numpy_plugin_simulator PRIVATE numpy_plugin_sim)
  # A driver that is in the process already has functions of the same names: ours call ours.
  set(exports "${CMAKE_SOURCE_DIR}/src/sim/interface/exports.map")
  target_link_options(numpy_plugin_simulator PRIVATE
                      "LINKER:--version-script=${exports}" "LINKER:-Bsymbolic-functions")
  set_target_properties(numpy_plugin_simulator PROPERTIES LINK_DEPENDS "${exports}")
  install(TARGETS numpy_plugin_simulator LIBRARY DESTINATION . COMPONENT python)
endfunction()

# Sources are compiled eight at a time: most of a source's cost is what it includes. So names of one
# layer's unnamed namespaces differ. -DCMAKE_UNITY_BUILD=OFF compiles them one by one.
function(numpy_plugin_join_sources target)
  if(NOT DEFINED CMAKE_UNITY_BUILD OR CMAKE_UNITY_BUILD)
    set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_BATCH_SIZE 8)
  endif()
endfunction()

function(numpy_plugin_add_layer layer)
  file(GLOB sources CONFIGURE_DEPENDS "${CMAKE_SOURCE_DIR}/src/${layer}/*.cpp")
  if(layer STREQUAL "sim")
    numpy_plugin_simulator_sources(sources)
  endif()
  if(layer STREQUAL "emit")
    set(embedded "${CMAKE_BINARY_DIR}/template_files.cpp")
    numpy_plugin_embed_templates("${embedded}")
    list(APPEND sources "${embedded}")
  endif()
  if(NOT sources)
    file(WRITE "${CMAKE_BINARY_DIR}/empty_${layer}.cpp" "")
    set(sources "${CMAKE_BINARY_DIR}/empty_${layer}.cpp")
  endif()
  add_library(numpy_plugin_${layer} STATIC ${sources})
  set_target_properties(numpy_plugin_${layer} PROPERTIES LINKER_LANGUAGE CXX)
  if(NOT layer STREQUAL "sim")
    numpy_plugin_join_sources(numpy_plugin_${layer})
  endif()
  target_link_libraries(numpy_plugin_${layer} PUBLIC numpy_plugin_options)
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
  if(layer STREQUAL "load")
    # The contract with compiled loops is a template; found after src/.
    target_include_directories(numpy_plugin_${layer} PUBLIC "${CMAKE_SOURCE_DIR}/templates")
  endif()
  if(layer MATCHES "^(load|run|sim)$")
    numpy_plugin_find_cuda_headers()
    target_include_directories(numpy_plugin_${layer} SYSTEM PUBLIC "${NPP_CUDA_INCLUDE_DIR}")
  endif()
endfunction()
