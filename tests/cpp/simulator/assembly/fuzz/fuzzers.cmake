# The fuzzer of the simulator's parser and decoder. Their sources are compiled into it once more, so
# that it sees which of their branches a text takes.
option(NPP_BUILD_FUZZERS "build the fuzzer of the simulator (clang only)" OFF)
if(NOT NPP_BUILD_FUZZERS)
  return()
endif()
if(NOT CMAKE_CXX_COMPILER_ID MATCHES "Clang")
  message(FATAL_ERROR "NPP_BUILD_FUZZERS needs clang, found ${CMAKE_CXX_COMPILER_ID}: "
                      "configure with -DCMAKE_CXX_COMPILER=clang++")
endif()

numpy_plugin_room_sources(sources simulator/assembly simulator/program simulator/decode)
add_executable(parse_fuzzer "${CMAKE_CURRENT_LIST_DIR}/parse_fuzzer.cpp" ${sources})
target_link_libraries(parse_fuzzer PRIVATE numpy_plugin_system)
target_include_directories(parse_fuzzer PRIVATE "${CMAKE_SOURCE_DIR}/tests/cpp")
set(sanitizers -fsanitize=fuzzer,address,undefined -fno-sanitize-recover=undefined)
target_compile_options(parse_fuzzer PRIVATE ${sanitizers} -g)
target_link_options(parse_fuzzer PRIVATE ${sanitizers})
