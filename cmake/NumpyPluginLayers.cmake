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
  # g++ 12 reports `"text" + std::string` as overlapping copies.
  target_compile_options(numpy_plugin_options INTERFACE -Wno-restrict)
endif()
if(NPP_WERROR)
  target_compile_options(numpy_plugin_options INTERFACE -Werror)
endif()
target_link_libraries(numpy_plugin_options INTERFACE Threads::Threads ${CMAKE_DL_LIBS})
if(NPP_SANITIZE)
  add_compile_options(-fsanitize=${NPP_SANITIZE} -fno-omit-frame-pointer -g)
  add_link_options(-fsanitize=${NPP_SANITIZE})
endif()

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

function(numpy_plugin_add_layer layer)
  file(GLOB sources CONFIGURE_DEPENDS "${CMAKE_SOURCE_DIR}/src/${layer}/*.cpp")
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
  target_link_libraries(numpy_plugin_${layer} PUBLIC numpy_plugin_options)
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
  if(layer MATCHES "^(load|run)$")
    numpy_plugin_find_cuda_headers()
    target_include_directories(numpy_plugin_${layer} SYSTEM PUBLIC "${NPP_CUDA_INCLUDE_DIR}")
  endif()
endfunction()
