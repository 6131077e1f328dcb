# The page of the animated report: built from viewer/ by Node.js, carried by the library zwang_page, tested in Chromium.
#
# ZWANG_VIEWER = AUTO builds it where node and npm are found, ON insists, OFF takes the plain stand-in. All that npm and
# esbuild write lies in the build folder; the source tree stays as it is.
set(ZWANG_VIEWER_DEFAULT OFF)
if(PROJECT_IS_TOP_LEVEL)
  set(ZWANG_VIEWER_DEFAULT AUTO)
endif()
set(ZWANG_VIEWER ${ZWANG_VIEWER_DEFAULT} CACHE STRING "build the animated report's page: AUTO (with Node.js and npm), ON or OFF")
set_property(CACHE ZWANG_VIEWER PROPERTY STRINGS AUTO ON OFF)

set(viewer_source ${PROJECT_SOURCE_DIR}/viewer)
set(viewer_build ${PROJECT_BINARY_DIR}/viewer)
set(ZWANG_VIEWER_BUILT OFF)
if(ZWANG_VIEWER)
  find_program(ZWANG_NODE NAMES node nodejs)
  find_program(ZWANG_NPM npm)
  if(ZWANG_NODE AND ZWANG_NPM)
    set(ZWANG_VIEWER_BUILT ON)
  elseif(ZWANG_VIEWER STREQUAL "AUTO")
    message(STATUS "zwang: no Node.js and npm found; reports will list events without the animation")
  else()
    message(FATAL_ERROR "zwang: ZWANG_VIEWER is ON, but node or npm was not found (Debian: apt-get install nodejs npm)")
  endif()
endif()

if(ZWANG_VIEWER_BUILT)
  # Packages once per lock file; what only the tests use is left out where there are none.
  set(npm_options --ignore-scripts --no-audit --no-fund --loglevel=error)
  if(NOT ZWANG_TESTS)
    list(APPEND npm_options --omit=dev)
  endif()
  add_custom_command(
    OUTPUT ${viewer_build}/packages.stamp
    COMMAND ${CMAKE_COMMAND} -DSOURCE=${viewer_source} -DBUILD=${viewer_build} -DNPM=${ZWANG_NPM} "-DOPTIONS=${npm_options}" -P
            ${PROJECT_SOURCE_DIR}/cmake/zwang_viewer_packages.cmake
    DEPENDS ${viewer_source}/package.json ${viewer_source}/package-lock.json
            ${PROJECT_SOURCE_DIR}/cmake/zwang_viewer_packages.cmake
    COMMENT "Fetching the packages of the viewer"
    VERBATIM)

  # A copy of the sources beside the packages, so that every tool finds both.
  file(GLOB_RECURSE viewer_files CONFIGURE_DEPENDS ${viewer_source}/src/* ${viewer_source}/tests/*)
  string(SHA1 viewer_listing "${viewer_files}")  # part of the command, so that a file taken away is noticed too
  add_custom_command(
    OUTPUT ${viewer_build}/page.html ${viewer_build}/sweep.html ${viewer_build}/page_shell.cpp
    COMMAND ${CMAKE_COMMAND} -E rm -rf ${viewer_build}/src ${viewer_build}/tests
    COMMAND ${CMAKE_COMMAND} -E copy_directory ${viewer_source}/src ${viewer_build}/src
    COMMAND ${CMAKE_COMMAND} -E copy_directory ${viewer_source}/tests ${viewer_build}/tests
    COMMAND ${CMAKE_COMMAND} -E copy ${viewer_source}/build.mjs ${viewer_source}/embed.mjs ${viewer_source}/tsconfig.json
            ${viewer_source}/shell_without_node.cpp ${viewer_build}
    COMMAND ${CMAKE_COMMAND} -E env LISTING=${viewer_listing} ${ZWANG_NODE} ${viewer_build}/build.mjs ${viewer_build}/page.html
    COMMAND ${ZWANG_NODE} ${viewer_build}/embed.mjs ${viewer_build}/page.html ${viewer_build}/sweep.html ${viewer_build}/page_shell.cpp
    DEPENDS ${viewer_files} ${viewer_build}/packages.stamp ${viewer_source}/build.mjs ${viewer_source}/embed.mjs
            ${viewer_source}/tsconfig.json ${viewer_source}/shell_without_node.cpp
    COMMENT "Building the page of the viewer"
    VERBATIM)
  add_library(zwang_page STATIC ${viewer_build}/page_shell.cpp)
else()
  add_library(zwang_page STATIC ${viewer_source}/shell_without_node.cpp)
endif()
set_target_properties(zwang_page PROPERTIES EXPORT_NAME page CXX_STANDARD 20 CXX_STANDARD_REQUIRED ON CXX_EXTENSIONS OFF
                                            POSITION_INDEPENDENT_CODE ON)
add_library(zwang::page ALIAS zwang_page)
target_include_directories(zwang_page PUBLIC $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/src>)
target_compile_features(zwang_page PUBLIC cxx_std_20)

# The room `report` writes pages, so it stands on this library; first in the list, for what is listed later is linked earlier.
target_link_libraries(zwang_report PUBLIC zwang_page)
list(PREPEND ZWANG_ROOM_TARGETS zwang_page)

# zwang_viewer_tests(): the page in Chromium, with pages of the command built here; called where tests are added.
function(zwang_viewer_tests)
  if(NOT ZWANG_VIEWER_BUILT)
    message(STATUS "zwang: the viewer is not built, so its tests are left out")
    return()
  endif()
  set(environment ZWANG_PAGE=${PROJECT_BINARY_DIR}/viewer/page.html)
  if(TARGET zwang_cli)
    list(APPEND environment ZWANG_COMMAND=$<TARGET_FILE:zwang_cli>)
  endif()
  foreach(part IN ITEMS data page engine accessibility sweep)
    set(title_data "data and polynomials are read as they were written")
    set(title_page "the page works in Chromium, with and without WebGL")
    set(title_engine "pages of the engine show its places and events")
    set(title_accessibility "the page can be used without a mouse and read aloud")
    set(title_sweep "the pages of a sweep and of a fit work in Chromium")
    set(name "viewer: ${title_${part}}")
    add_test(NAME ${name} COMMAND ${ZWANG_NODE} --test ${PROJECT_BINARY_DIR}/viewer/tests/${part}.test.mjs)
    set_tests_properties(${name} PROPERTIES LABELS project TIMEOUT 1500 ENVIRONMENT "${environment}")
  endforeach()
endfunction()
