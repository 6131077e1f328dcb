# The engine as WebAssembly, by Emscripten (preset `live`): no files, no threads, no SQLite, no zlib.
#
# The headers of others are the system's own, each behind a link of its own: the system's C headers, which lie beside them, belong to
# another machine and must not be seen.
set(wasm_headers ${PROJECT_BINARY_DIR}/headers)
file(MAKE_DIRECTORY ${wasm_headers})
function(zwang_borrow_headers folder)
  find_path(place_${folder} ${folder} PATHS /usr/include /usr/local/include NO_DEFAULT_PATH NO_CMAKE_FIND_ROOT_PATH REQUIRED)
  file(CREATE_LINK ${place_${folder}}/${folder} ${wasm_headers}/${folder} SYMBOLIC)
endfunction()
foreach(folder IN ITEMS fmt toml++ boost eigen3)
  zwang_borrow_headers(${folder})
endforeach()
foreach(target IN ITEMS fmt::fmt tomlplusplus::tomlplusplus Boost::headers Eigen3::Eigen)
  add_library(${target} INTERFACE IMPORTED GLOBAL)
  target_include_directories(${target} SYSTEM INTERFACE ${wasm_headers})
endforeach()
# What of {fmt} others link is compiled once, by live/CMakeLists.txt; of versions that this does not know every source has its own.
file(STRINGS ${wasm_headers}/fmt/core.h fmt_version REGEX "define FMT_VERSION 9[0-9][0-9][0-9][0-9]$")
if(NOT fmt_version)
  target_compile_definitions(fmt::fmt INTERFACE FMT_HEADER_ONLY=1)
endif()
target_include_directories(Eigen3::Eigen SYSTEM INTERFACE ${wasm_headers}/eigen3)
foreach(package IN ITEMS fmt Eigen3 tomlplusplus Boost)
  set(${package}_FOUND TRUE)
endforeach()

# What this library of the language lacks stands in one header of the room `base`; exceptions are those of the machine itself.
add_compile_options(-fwasm-exceptions "SHELL:-include ${PROJECT_SOURCE_DIR}/src/zwang/base/standard.hpp")
add_link_options(-fwasm-exceptions)

# What the page asks for, and nothing that writes files, compresses, draws figures or analyses: what nobody calls would only cost time to compile.
set(ZWANG_ROOMS_LEFT_OUT runs sweeps face)
string(CONCAT ZWANG_LEFT_OUT
       "/report/(chart|compress|energy|exactly|figures|fit|fit_page|fourier|integrability|measure|outlines|stability|velocities|whole_file|write_page)[.]cpp$"
       "|/analysis/(branches|curvature|energy|fourier|integrability|integrals|linearise|measure|reduced|redundant|stability|valley|velocities|with_integrals)[.]cpp$"
       "|/sensitivity/fit[.]cpp$")
set(ZWANG_ROOMS_TOGETHER ON CACHE BOOL "compile several sources of the library in one go")
set(ZWANG_PRECOMPILED OFF CACHE BOOL "precompile the headers of others")
