# All that needs no Python: the layers and the simulator. A build of the extension in another directory
# links them through NPP_CORE_DIR, so that one build serves every version of Python.
include(NumpyPluginOptions)

foreach(layer IN LISTS NPP_LAYERS)
  numpy_plugin_add_layer(${layer})
endforeach()
list(TRANSFORM NPP_LAYERS PREPEND "numpy_plugin_" OUTPUT_VARIABLE exported)
list(APPEND exported numpy_plugin_options)
if(NPP_BUILD_SIMULATOR)
  add_subdirectory(src/simulator)
  list(APPEND exported numpy_plugin_simulator numpy_plugin_nvjitlink)
endif()
export(TARGETS ${exported} FILE "${CMAKE_BINARY_DIR}/numpy_plugin_core.cmake")
