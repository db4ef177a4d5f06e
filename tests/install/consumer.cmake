# SPDX-FileCopyrightText: The Trammel authors
# SPDX-License-Identifier: MIT

# A project that finds trammel as any user's would; install.sh uses it as a CMakeLists.txt.
cmake_minimum_required(VERSION 3.25)
project(consumer LANGUAGES C)

find_package(trammel ${wanted_version} EXACT REQUIRED OPTIONAL_COMPONENTS mpi)

add_executable(with_shared main.c)
target_link_libraries(with_shared PRIVATE trammel::trammel)

add_executable(with_static main.c)
target_link_libraries(with_static PRIVATE trammel::trammel_static)

if(trammel_mpi_FOUND)
  add_executable(with_mpi mpi.c)
  target_link_libraries(with_mpi PRIVATE trammel::trammel trammel::trammel_mpi)
endif()
