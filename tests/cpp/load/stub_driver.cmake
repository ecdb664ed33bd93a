# The stub CUDA driver of the tests, and one that lacks an entry point.
foreach(stub stub_driver stub_driver_without_launch)
  add_library(${stub} SHARED "${CMAKE_CURRENT_LIST_DIR}/stub_driver.cpp"
                             "${CMAKE_CURRENT_LIST_DIR}/stub_driver_streams.cpp"
                             "${CMAKE_CURRENT_LIST_DIR}/stub_driver_rest.cpp")
  set_target_properties(${stub} PROPERTIES CXX_VISIBILITY_PRESET default)
  target_link_libraries(${stub} PRIVATE numpy_plugin_options)
  target_include_directories(${stub} PRIVATE "${CMAKE_SOURCE_DIR}/tests/cpp")
  target_include_directories(${stub} SYSTEM PRIVATE "${NPP_CUDA_INCLUDE_DIR}")
endforeach()
target_compile_definitions(stub_driver_without_launch PRIVATE NPP_STUB_WITHOUT_LAUNCH)

foreach(tests load_tests run_tests)
  target_compile_definitions(${tests} PRIVATE
    NPP_STUB_DRIVER="$<TARGET_FILE:stub_driver>"
    NPP_STUB_DRIVER_WITHOUT_LAUNCH="$<TARGET_FILE:stub_driver_without_launch>")
  add_dependencies(${tests} stub_driver stub_driver_without_launch)
endforeach()
# The launch arguments as the device kernels see them.
target_include_directories(run_tests SYSTEM PRIVATE "${CMAKE_SOURCE_DIR}/templates")

# The simulated driver, for the tests that open it.
foreach(tests load_tests run_tests simulator_tests)
  target_compile_definitions(${tests} PRIVATE NPP_SIMULATOR="$<TARGET_FILE:numpy_plugin_simulator>")
  add_dependencies(${tests} numpy_plugin_simulator)
endforeach()
