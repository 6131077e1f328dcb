# Other people's headers, compiled once for many sources, where clang++ compiles (the sanitizers): it reads of them only what a source
# uses. g++ takes in all of it each time, which costs what it saves (measured: 1.5 s for an empty test), and the ordinary objects of the
# library serve the wheel and the foreign project of the tests through the compiler's cache, which knows a precompiled header by its path.
# Our own sources include what they use.
set(ZWANG_PRECOMPILED_HERE OFF)
if(PROJECT_IS_TOP_LEVEL AND CMAKE_CXX_COMPILER_ID MATCHES "Clang")
  set(ZWANG_PRECOMPILED_HERE ON)
endif()
option(ZWANG_PRECOMPILED "precompile the headers of others" ${ZWANG_PRECOMPILED_HERE})
set(ZWANG_STANDARD_HEADERS
    <algorithm>
    <array>
    <cassert>
    <cmath>
    <cstdint>
    <fmt/format.h>
    <functional>
    <limits>
    <map>
    <memory>
    <numeric>
    <optional>
    <set>
    <span>
    <string>
    <string_view>
    <utility>
    <vector>)

# zwang_precompiled_headers(NAME HEADERS...): a target with no code of its own, whose precompiled headers others use. Its flags are the
# caller's affair: they must be those of its users.
function(zwang_precompiled_headers name)
  if(NOT ZWANG_PRECOMPILED)
    return()
  endif()
  file(GENERATE OUTPUT ${CMAKE_CURRENT_BINARY_DIR}/${name}.cpp CONTENT "// There is nothing here: the headers are what counts.\n")
  add_library(${name} OBJECT ${CMAKE_CURRENT_BINARY_DIR}/${name}.cpp)
  set_target_properties(${name} PROPERTIES CXX_STANDARD 20 CXX_STANDARD_REQUIRED ON CXX_EXTENSIONS OFF)
  target_link_libraries(${name} PRIVATE zwang_flags fmt::fmt)
  target_precompile_headers(${name} PRIVATE ${ARGN})
  # The compiler's cache knows a file by its bytes: no time of day in them.
  if(CMAKE_CXX_COMPILER_ID MATCHES "Clang")
    target_compile_options(${name} PRIVATE "SHELL:-Xclang -fno-pch-timestamp")
  endif()
endfunction()

# zwang_use_precompiled(TARGET NAME): the sources of TARGET begin with the headers of NAME.
function(zwang_use_precompiled target name)
  if(TARGET ${name})
    target_precompile_headers(${target} REUSE_FROM ${name})
  endif()
endfunction()

# Several sources of a target in one go of the compiler, which then reads the headers that they share once: half of the time of a bare build.
# Where clang++ compiles (the address sanitizer, lint) each source of the library stands alone, so that it includes what it uses; there too it is seen
# whether a local name hides one of its own file, which together it may do by chance.
option(ZWANG_TOGETHER "compile several sources in one go" ON)
set(ZWANG_ROOMS_TOGETHER_HERE OFF)
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  set(ZWANG_ROOMS_TOGETHER_HERE ON)
endif()
option(ZWANG_ROOMS_TOGETHER "compile several sources of the library in one go" ${ZWANG_ROOMS_TOGETHER_HERE})
function(zwang_compile_together target)
  if(NOT ZWANG_TOGETHER)
    return()
  endif()
  set(size 8)
  if(ARGC GREATER 1)
    set(size ${ARGV1})
  endif()
  set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_MODE BATCH UNITY_BUILD_BATCH_SIZE ${size})
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    target_compile_options(${target} PRIVATE -Wno-subobject-linkage)
  endif()
endfunction()
