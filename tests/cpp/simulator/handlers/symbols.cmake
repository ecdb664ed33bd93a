# Builds of the handlers for better instruction sets may define nothing that a build for another one
# could define too: the linker would keep either, and a baseline machine might meet AVX-512 code.
#
# Included: adds the test. Run with -P: is the test, with NM, NAMESPACE and OBJECTS.
if(NOT CMAKE_SCRIPT_MODE_FILE)
  foreach(isa baseline avx2 avx512)
    if(TARGET numpy_plugin_handlers_${isa} AND CMAKE_NM)
      add_test(NAME simulator/handlers_symbols.of_${isa}
        COMMAND "${CMAKE_COMMAND}" "-DNM=${CMAKE_NM}" "-DNAMESPACE=${isa}"
                "-DOBJECTS=$<TARGET_OBJECTS:numpy_plugin_handlers_${isa}>"
                -P "${CMAKE_CURRENT_LIST_FILE}")
    endif()
  endforeach()
  return()
endif()

list(FILTER OBJECTS EXCLUDE REGEX "\\.gch$")  # the precompiled header
string(LENGTH "${NAMESPACE}" length)
set(mangled "12numpy_plugin3sim${length}${NAMESPACE}")
execute_process(COMMAND "${NM}" --defined-only --extern-only ${OBJECTS}
                OUTPUT_VARIABLE output COMMAND_ERROR_IS_FATAL ANY)
string(REGEX MATCHALL "[0-9a-fA-F]+ [A-Za-z] [^\n]+" symbols "${output}")
list(LENGTH symbols n_symbols)
if(n_symbols LESS 20)
  message(FATAL_ERROR "found ${n_symbols} symbols; expected the handlers")
endif()
list(FILTER symbols EXCLUDE REGEX "${mangled}")
# A reference to libstdc++, of which builds with a sanitizer have one each.
list(FILTER symbols EXCLUDE REGEX " DW\\.ref\\.__gxx_personality_v0$")
if(symbols)
  list(JOIN symbols "\n" text)
  message(FATAL_ERROR "defined outside numpy_plugin::sim::${NAMESPACE}:\n${text}")
endif()
