# Fetches the packages of the viewer into BUILD with `npm ci`, and says what to do where that fails.
file(MAKE_DIRECTORY ${BUILD})
file(COPY ${SOURCE}/package.json ${SOURCE}/package-lock.json DESTINATION ${BUILD})
execute_process(COMMAND ${NPM} ci ${OPTIONS} WORKING_DIRECTORY ${BUILD} RESULT_VARIABLE result OUTPUT_VARIABLE output
                ERROR_VARIABLE output)
if(NOT result EQUAL 0)
  message("${output}")
  message(FATAL_ERROR "npm could not fetch the packages of the viewer (${BUILD}). Is there a network, and does "
                      "`npm ping` answer? Without either, configure with -DZWANG_VIEWER=OFF: everything else works, and "
                      "reports list their events without the animation.")
endif()
file(TOUCH ${BUILD}/packages.stamp)
