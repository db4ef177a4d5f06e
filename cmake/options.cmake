# SPDX-FileCopyrightText: The Trammel authors
# SPDX-License-Identifier: MIT

# Flags of every target: strict warnings, and arithmetic that gives the same bits in the same build
# (no contraction into fused multiply-adds, no fast-math).
add_library(trammel_options INTERFACE)

target_compile_options(trammel_options INTERFACE
  -ffp-contract=off -fno-math-errno
  -Wall -Wextra -Werror -Wshadow -Wconversion -Wmissing-prototypes -Wstrict-prototypes -Wvla -Wpointer-arith
  -Wwrite-strings -Wundef
  -Wno-psabi) # how vectors are passed differs between processors; no interface has any
target_compile_definitions(trammel_options INTERFACE _POSIX_C_SOURCE=200809L)

if(CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|AMD64")
  # gcc 12 makes a fused vfmaddsub of sums beside differences in spite of -ffp-contract=off: there shall be none to use
  target_compile_options(trammel_options INTERFACE -march=${TRAMMEL_ARCH} -mno-fma -mno-avx512f)
endif()

if(TRAMMEL_SANITIZE)
  target_compile_options(trammel_options INTERFACE
    -fsanitize=address,undefined -fno-sanitize-recover=all -fno-omit-frame-pointer)
  target_link_options(trammel_options INTERFACE -fsanitize=address,undefined)
endif()

# Everything is instrumented for libFuzzer; only the fuzz targets link its main program (tests/robustness).
if(TRAMMEL_FUZZ)
  if(NOT CMAKE_C_COMPILER_ID MATCHES "Clang")
    message(FATAL_ERROR "TRAMMEL_FUZZ needs clang: cmake --preset fuzz, or -DCMAKE_C_COMPILER=clang")
  endif()
  target_compile_options(trammel_options INTERFACE
    -fsanitize=fuzzer-no-link,address,undefined -fno-sanitize-recover=all -fno-omit-frame-pointer)
  target_link_options(trammel_options INTERFACE -fsanitize=address,undefined)
endif()
