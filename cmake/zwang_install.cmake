# What `cmake --install` puts where, and the package that find_package(zwang CONFIG) finds afterwards.
include(CMakePackageConfigHelpers)
set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/zwang)

# Of headers the public ones alone.
install(DIRECTORY include/zwang DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
install(TARGETS zwang ${ZWANG_ROOM_TARGETS} EXPORT zwang)
install(EXPORT zwang NAMESPACE zwang:: FILE zwang-targets.cmake DESTINATION ${package_dir})
install(FILES build/live/live.html DESTINATION ${CMAKE_INSTALL_DATADIR}/zwang OPTIONAL)
install(FILES docs/reference/model.schema.json DESTINATION ${CMAKE_INSTALL_DATADIR}/zwang)
if(TARGET zwang_cli)
  install(TARGETS zwang_cli)
  if(TARGET zwang_mpi)
    install(TARGETS zwang_mpi LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}/zwang)
  endif()
endif()

configure_package_config_file(cmake/zwang-config.cmake.in zwang-config.cmake INSTALL_DESTINATION ${package_dir})
write_basic_package_version_file(zwang-config-version.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/zwang-config.cmake ${CMAKE_CURRENT_BINARY_DIR}/zwang-config-version.cmake
        DESTINATION ${package_dir})
