# cmake -DPROGRAM=... -DEXPECTED=... -P run_example.cmake: the program ends with status 0 and prints exactly what is expected.
execute_process(COMMAND ${PROGRAM} RESULT_VARIABLE result OUTPUT_VARIABLE printed)
if(NOT result EQUAL 0)
  message(FATAL_ERROR "ended with ${result}, after\n${printed}")
endif()
file(READ ${EXPECTED} expected)
if(NOT printed STREQUAL expected)
  message(FATAL_ERROR "printed\n${printed}and not, as ${EXPECTED} has it,\n${expected}")
endif()
