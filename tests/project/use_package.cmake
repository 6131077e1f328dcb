# cmake -DMODE=installed|subfolder -DSOURCE=... -DBUILD=... -DWORK=... -DLAUNCHER=ccache [-DWHOLE=ON] -P use_package.cmake
# Builds and runs the foreign project in an empty folder WORK, with zwang installed there from BUILD, or from SOURCE. From SOURCE, unless WHOLE,
# the foreign sources, the public face and a first room are compiled, and for the rest it is seen that everything is there to be built: the
# same sources are compiled and linked for the tests already.
function(run)
  execute_process(COMMAND ${ARGN} RESULT_VARIABLE result)
  if(NOT result EQUAL 0)
    list(JOIN ARGN " " command)
    message(FATAL_ERROR "failed (${result}): ${command}")
  endif()
endfunction()

file(REMOVE_RECURSE ${WORK})
if(MODE STREQUAL installed)
  run(${CMAKE_COMMAND} --install ${BUILD} --prefix ${WORK}/prefix)
  set(where -DCMAKE_PREFIX_PATH=${WORK}/prefix)
  set(flags -O3)
else()
  set(where -DZWANG_SOURCE=${SOURCE} -DZWANG_HARDENED=OFF)
  set(flags -O0)
endif()
file(COPY ${SOURCE}/tests/project/foreign DESTINATION ${WORK})

# What lies in a folder is compiled unoptimised, for less than half of the time. Always in the same place, so that the compiler's cache has it the
# next time.
cmake_path(GET BUILD PARENT_PATH beside)
set(program ${beside}/foreign-${MODE})
file(REMOVE_RECURSE ${program})
run(${CMAKE_COMMAND} -G Ninja -S ${WORK}/foreign -B ${program} ${where} -DCMAKE_CXX_COMPILER_LAUNCHER=${LAUNCHER}
    -DCMAKE_BUILD_TYPE=Release -DCMAKE_CXX_FLAGS_RELEASE=${flags} -DZWANG_WARNINGS_AS_ERRORS=ON)
if(MODE STREQUAL installed OR WHOLE)
  run(${CMAKE_COMMAND} --build ${program} -j 2)
  run(${program}/falling)
  execute_process(COMMAND ${program}/motion WORKING_DIRECTORY ${WORK} COMMAND_ERROR_IS_FATAL ANY)
else()
  run(${CMAKE_COMMAND} --build ${program} -j 2 --target zwang_base CMakeFiles/falling.dir/falling.cpp.o CMakeFiles/motion.dir/motion.cpp.o)
  execute_process(COMMAND ${CMAKE_COMMAND} --build ${program} -- -t commands all OUTPUT_VARIABLE planned COMMAND_ERROR_IS_FATAL ANY)
  if(NOT planned MATCHES "-o motion " OR NOT planned MATCHES "libzwang_face" OR planned MATCHES "/tests/|/cli/")
    message(FATAL_ERROR "what would be built for a foreign program is not the library and the program:\n${planned}")
  endif()
endif()

# Private headers are out of reach.
execute_process(COMMAND ${CMAKE_COMMAND} --build ${program} --target trespass RESULT_VARIABLE result OUTPUT_VARIABLE said
                ERROR_VARIABLE said)
if(result EQUAL 0 OR NOT said MATCHES "zwang/model/model.hpp")
  message(FATAL_ERROR "a private header could be included:\n${said}")
endif()

# Installed are exactly the public headers, those that rooms.txt lists.
if(MODE STREQUAL installed)
  file(STRINGS ${SOURCE}/rooms.txt listed REGEX "^<")
  list(TRANSFORM listed REPLACE "^<([a-z_.]+)>.*" "zwang/\\1")
  file(GLOB_RECURSE headers RELATIVE ${WORK}/prefix/include ${WORK}/prefix/include/*)
  list(SORT listed)
  list(SORT headers)
  if(NOT headers STREQUAL listed)
    message(FATAL_ERROR "installed are\n  ${headers}\nand not\n  ${listed}")
  endif()
endif()

# The installed package must not lead back to where it was built, nor ask for libraries that only our sources see.
if(MODE STREQUAL installed)
  file(GLOB files ${WORK}/prefix/lib*/cmake/zwang/*.cmake ${WORK}/prefix/lib*/*/cmake/zwang/*.cmake)
  foreach(file IN LISTS files)
    file(READ ${file} text)
    foreach(word ${SOURCE} ${BUILD} tomlplusplus nlohmann CLI11 Eigen)
      string(FIND "${text}" "${word}" place)
      if(NOT place EQUAL -1)
        message(FATAL_ERROR "${file} mentions ${word}")
      endif()
    endforeach()
  endforeach()
  if(NOT files)
    message(FATAL_ERROR "no package files were installed")
  endif()
endif()
