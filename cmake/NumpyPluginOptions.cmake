# numpy_plugin_options: what the layers, the simulator and the extension are compiled and linked with.

add_library(numpy_plugin_options INTERFACE)
target_include_directories(numpy_plugin_options INTERFACE "${CMAKE_SOURCE_DIR}/src")
target_compile_options(numpy_plugin_options INTERFACE -Wall -Wextra -Wconversion)
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  target_compile_options(numpy_plugin_options INTERFACE -Wshadow=local)
endif()
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13)
  # g++ 12 has false positives inside std::string: `"text" + string` as overlapping, and too long
  # copies from precompiled headers, which it no longer recognizes as system headers.
  target_compile_options(numpy_plugin_options INTERFACE -Wno-restrict -Wno-array-bounds
                                                        -Wno-stringop-overflow -Wno-stringop-overread)
endif()
if(NPP_WERROR)
  target_compile_options(numpy_plugin_options INTERFACE -Werror)
endif()
target_link_libraries(numpy_plugin_options INTERFACE Threads::Threads ${CMAKE_DL_LIBS})
if(NPP_SANITIZE)
  add_compile_options(-fsanitize=${NPP_SANITIZE} -fno-omit-frame-pointer)
  add_link_options(-fsanitize=${NPP_SANITIZE})
endif()
