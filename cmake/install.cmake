# SPDX-FileCopyrightText: The Trammel authors
# SPDX-License-Identifier: MIT

# Installs the library, its headers, the program, a pkg-config file and a CMake package:
#   find_package(trammel 0.2 REQUIRED)
#   target_link_libraries(my_program PRIVATE trammel::trammel)      # or trammel::trammel_static
# and, where there is MPI, the program trammel-mpi and its library:
#   find_package(trammel 0.2 REQUIRED COMPONENTS mpi)               # and trammel::trammel_mpi
# The installed tree may be moved: both packages find the prefix from where they lie (tests/install).
include(CMakePackageConfigHelpers)

set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/trammel)

install(TARGETS trammel trammel_static EXPORT trammel-targets
  LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}
  ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(TARGETS trammel_cli trammel_paper RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
if(TARGET trammel_view)
  install(TARGETS trammel_view RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
endif()
if(TARGET trammel_mpi)
  install(TARGETS trammel_mpi EXPORT trammel-mpi-targets ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
  install(TARGETS trammel_cli_mpi RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
  install(EXPORT trammel-mpi-targets NAMESPACE trammel:: DESTINATION ${package_dir})
endif()
install(FILES ${PROJECT_SOURCE_DIR}/LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR})
install(FILES ${PROJECT_BINARY_DIR}/model.schema.json DESTINATION ${CMAKE_INSTALL_DATADIR}/trammel)
install(FILES ${PROJECT_BINARY_DIR}/trammel.1 DESTINATION ${CMAKE_INSTALL_MANDIR}/man1)
install(FILES ${PROJECT_BINARY_DIR}/trammel.bash RENAME trammel
  DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions)
install(DIRECTORY ${PROJECT_SOURCE_DIR}/include/trammel DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}
  FILES_MATCHING PATTERN "*.h")
install(EXPORT trammel-targets NAMESPACE trammel:: DESTINATION ${package_dir})

configure_package_config_file(cmake/trammel-config.cmake.in ${PROJECT_BINARY_DIR}/trammel-config.cmake
  INSTALL_DESTINATION ${package_dir} NO_SET_AND_CHECK_MACRO)
write_basic_package_version_file(${PROJECT_BINARY_DIR}/trammel-config-version.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/trammel-config.cmake ${PROJECT_BINARY_DIR}/trammel-config-version.cmake
  DESTINATION ${package_dir})

# cmake --build BUILD --target uninstall removes what the last install from this folder put in place.
if(NOT TARGET uninstall)
  add_custom_target(uninstall COMMAND ${CMAKE_COMMAND} -DMANIFEST=${PROJECT_BINARY_DIR}/install_manifest.txt
    -P ${PROJECT_SOURCE_DIR}/cmake/uninstall.cmake VERBATIM)
endif()

# The prefix seen from the .pc file. Where a packager gives absolute folders they are kept (appending an
# absolute path replaces what was before it).
set(pc_prefix ${CMAKE_INSTALL_PREFIX})
if(NOT IS_ABSOLUTE ${CMAKE_INSTALL_LIBDIR})
  file(RELATIVE_PATH up /prefix/${CMAKE_INSTALL_LIBDIR}/pkgconfig /prefix)
  string(REGEX REPLACE "/$" "" up "${up}")
  set(pc_prefix "\${pcfiledir}/${up}")
endif()
cmake_path(APPEND pc_libdir "\${prefix}" ${CMAKE_INSTALL_LIBDIR})
cmake_path(APPEND pc_includedir "\${prefix}" ${CMAKE_INSTALL_INCLUDEDIR})
configure_file(cmake/trammel.pc.in ${PROJECT_BINARY_DIR}/trammel.pc @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/trammel.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
