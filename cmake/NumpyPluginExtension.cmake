# The Python extension numpy_plugin._core: src/numpy_plugin/ufunc, the only layer with Python's and NumPy's
# headers.
find_package(Python 3.11 REQUIRED COMPONENTS Interpreter Development.Module NumPy)
execute_process(COMMAND "${Python_EXECUTABLE}" -m nanobind --cmake_dir
                OUTPUT_VARIABLE nanobind_ROOT OUTPUT_STRIP_TRAILING_WHITESPACE)
find_package(nanobind CONFIG REQUIRED)

numpy_plugin_room_sources(sources numpy_plugin/ufunc)
# NOMINSIZE: nanobind compiles bindings with -Os by default, but every call runs through these sources.
nanobind_add_module(_core NB_STATIC NB_SUPPRESS_WARNINGS NOMINSIZE ${sources})
target_link_libraries(_core PRIVATE numpy_plugin_run)
target_include_directories(_core SYSTEM PRIVATE ${Python_NumPy_INCLUDE_DIRS})
# NumPy 2.2's headers have no name for 2.2: 2.1 is the newest target known to all supported versions.
target_compile_definitions(_core PRIVATE NPY_TARGET_VERSION=NPY_2_1_API_VERSION
                                         NPY_NO_DEPRECATED_API=NPY_2_0_API_VERSION)
# Bindings are not joined: they take the addresses of functions with equal names.
set(joined api arrays selection loops arguments refusals device_calls device_methods offload
    threads object)
list(TRANSFORM joined PREPEND "numpy_plugin/ufunc/")
numpy_plugin_join_rooms(_core ${joined})
# No call of a ufunc runs through the bindings.
foreach(source IN LISTS sources)
  if(source MATCHES "/ufunc/bindings/")
    set_source_files_properties("${source}" PROPERTIES COMPILE_OPTIONS $<$<CONFIG:Release>:-O1>)
  endif()
endforeach()
if(TARGET nanobind-static)  # the same headers in each of its eleven sources
  numpy_plugin_join_sources(nanobind-static)
endif()
numpy_plugin_precompile(_core <nanobind/nanobind.h> <nanobind/stl/vector.h>)
install(TARGETS _core LIBRARY DESTINATION . COMPONENT python)

if(NOT NPP_SANITIZE)
  nanobind_add_stub(_core_stub MODULE _core OUTPUT "${CMAKE_BINARY_DIR}/_core.pyi"
                    PYTHON_PATH "$<TARGET_FILE_DIR:_core>" DEPENDS _core)
  install(FILES "${CMAKE_BINARY_DIR}/_core.pyi" DESTINATION . COMPONENT python)
endif()
