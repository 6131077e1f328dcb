# What holds for every target: build type, places of the products, flags.

# As a subproject everything here but zwang_flags is the caller's choice.
if(PROJECT_IS_TOP_LEVEL)
  if(NOT CMAKE_BUILD_TYPE AND NOT CMAKE_CONFIGURATION_TYPES)
    set(CMAKE_BUILD_TYPE Release CACHE STRING "Release, Debug, Sanitize, Threads or Coverage" FORCE)
  endif()
  set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
  set(CMAKE_RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/bin)

  # A compiler cache, where there is one, makes the second build a matter of seconds.
  find_program(CCACHE_PROGRAM ccache)
  if(CCACHE_PROGRAM AND NOT DEFINED CMAKE_CXX_COMPILER_LAUNCHER)
    set(CMAKE_CXX_COMPILER_LAUNCHER ${CCACHE_PROGRAM})
  endif()

  # Assertions stay on in release builds: CMake's own default would switch them off.
  if(ZWANG_ASSERTIONS)
    string(REPLACE " -DNDEBUG" "" CMAKE_CXX_FLAGS_RELEASE "${CMAKE_CXX_FLAGS_RELEASE}")
  endif()
  # Line numbers are enough for a report; full debug information would double the time to compile.
  set(CMAKE_CXX_FLAGS_SANITIZE "-O1 -g1 -fno-omit-frame-pointer -fsanitize=address,undefined -fno-sanitize-recover=all")
  set(CMAKE_CXX_FLAGS_THREADS "-O1 -g1 -fno-omit-frame-pointer -fsanitize=thread")
  # Without inlining every line has its own count; what threads count at once may be lost, not made up.
  set(CMAKE_CXX_FLAGS_COVERAGE "-O1 -fno-inline --coverage")
endif()

# Packages found here are used by the caller's targets too.
set(CMAKE_FIND_PACKAGE_TARGETS_GLOBAL ON)
if(EMSCRIPTEN)
  include(zwang_wasm)
else()
  find_package(Eigen3 3.4 REQUIRED NO_MODULE)
  find_package(fmt REQUIRED)
endif()

# The flags of our own sources. Results must not depend on whether the compiler fuses products and sums; Eigen's checks of
# every index are for debugging only, our own assertions are not.
add_library(zwang_flags INTERFACE)
target_compile_features(zwang_flags INTERFACE cxx_std_20)
target_compile_options(zwang_flags INTERFACE -ffp-contract=off)
target_compile_definitions(zwang_flags INTERFACE $<$<CONFIG:Release>:EIGEN_NO_DEBUG>)

# What strangers wrote is read here: a write beyond an array ends the program. Fortified calls need optimisation, which tests do without.
add_library(zwang_hardened INTERFACE)
if(ZWANG_HARDENED AND NOT MSVC)
  set(optimised $<CONFIG:Release,RelWithDebInfo,MinSizeRel>)
  target_compile_options(zwang_hardened INTERFACE "$<${optimised}:-fstack-protector-strong;-U_FORTIFY_SOURCE;-D_FORTIFY_SOURCE=2>")
  if(CMAKE_SYSTEM_NAME STREQUAL "Linux")
    target_link_options(zwang_hardened INTERFACE LINKER:-z,relro,-z,now,-z,noexecstack)
  endif()
  include(CheckPIESupported)
  check_pie_supported(LANGUAGES CXX)
endif()

if(ZWANG_WARNINGS_AS_ERRORS)
  target_compile_options(zwang_flags INTERFACE -Wall -Wextra -Wpedantic -Wconversion -Werror
                         $<$<NOT:$<BOOL:$<TARGET_PROPERTY:UNITY_BUILD>>>:-Wshadow>)
  # False alarms of GCC 12: overlaps in "text" + std::string (its bug 105651), overflows in {fmt} once enough of it is inlined,
  # and, in code that the sanitizers have rewritten, uninitialised values and replaced operators new.
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    target_compile_options(zwang_flags INTERFACE -Wno-restrict -Wno-stringop-overflow -Wno-array-bounds)
    target_compile_options(
      zwang_flags INTERFACE $<$<CONFIG:Sanitize>:-Wno-maybe-uninitialized> $<$<CONFIG:Sanitize>:-Wno-mismatched-new-delete>)
  endif()
  # What g++ does not count among conversions: signs.
  if(CMAKE_CXX_COMPILER_ID MATCHES "Clang")
    target_compile_options(zwang_flags INTERFACE -Wno-sign-conversion)
  endif()
endif()
