# Instruction sets that the simulator's handlers are built for, from NPP_SIM_LEVELS.

# numpy_plugin_machine_level(OUTPUT): the best one that this machine executes, found anew each time,
# since build directories travel. When cross-compiling: the least.
function(numpy_plugin_machine_level output)
  set(${output} baseline PARENT_SCOPE)
  if(CMAKE_CROSSCOMPILING)
    return()
  endif()
  set(program "#include <cstdio>\n#include \"simulator/handlers/host_isa.hpp\"\nint main() { \
std::fputs(numpy_plugin::sim::name_of(numpy_plugin::sim::best_host_isa()), stdout); }\n")
  try_run(status is_compiled
    SOURCE_FROM_CONTENT main.cpp "${program}"
    SOURCES "${CMAKE_SOURCE_DIR}/src/simulator/handlers/host_isa.cpp"
    NO_CACHE
    CMAKE_FLAGS "-DINCLUDE_DIRECTORIES=${CMAKE_SOURCE_DIR}/src"
    COMPILE_OUTPUT_VARIABLE messages RUN_OUTPUT_VARIABLE level
    CXX_STANDARD 20 CXX_STANDARD_REQUIRED ON)
  if(NOT is_compiled OR NOT status EQUAL 0)
    message(FATAL_ERROR "the program that finds this machine's instruction set fails:\n${messages}")
  endif()
  set(${output} "${level}" PARENT_SCOPE)
endfunction()

# numpy_plugin_simulator_levels(OUTPUT): "native": this machine's; "all": the library selects at run
# time, as a wheel's must.
function(numpy_plugin_simulator_levels output)
  set(known baseline)
  if(CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|AMD64")
    list(APPEND known avx2 avx512)
  endif()
  set(levels ${NPP_SIM_LEVELS})
  if(levels STREQUAL "all")
    set(levels ${known})
  elseif(levels STREQUAL "native")
    numpy_plugin_machine_level(levels)
  endif()
  set(unknown ${levels})
  list(REMOVE_ITEM unknown ${known})
  if(unknown OR NOT levels)
    list(JOIN known ", " names)
    message(FATAL_ERROR "NPP_SIM_LEVELS is '${NPP_SIM_LEVELS}'; expected native, all, or of ${names}")
  endif()
  set(${output} ${levels} PARENT_SCOPE)
endfunction()
