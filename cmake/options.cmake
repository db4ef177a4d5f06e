# SPDX-FileCopyrightText: The Trammel authors
# SPDX-License-Identifier: MIT

# Flags of every target: strict warnings, and arithmetic that gives the same bits in the same build
# (no contraction into fused multiply-adds, no fast-math).
add_library(trammel_options INTERFACE)

target_compile_options(trammel_options INTERFACE
  -ffp-contract=off -fno-math-errno
  -Wall -Wextra -Wshadow -Wconversion -Wmissing-prototypes -Wstrict-prototypes -Wvla -Wpointer-arith
  -Wwrite-strings -Wundef
  -Wno-psabi) # how vectors are passed differs between processors; no interface has any
target_compile_definitions(trammel_options INTERFACE _POSIX_C_SOURCE=200809L)

if(CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|AMD64")
  # gcc 12 makes a fused vfmaddsub of sums next to differences in spite of -ffp-contract=off: there shall be none to use
  target_compile_options(trammel_options INTERFACE $<$<BOOL:${TRAMMEL_ARCH}>:-march=${TRAMMEL_ARCH}> -mno-fma -mno-avx512f)
endif()

if(CMAKE_SYSTEM_PROCESSOR STREQUAL "wasm32")
  target_include_directories(trammel_options INTERFACE ${PROJECT_SOURCE_DIR}/wasm/include) # what its C library lacks
  target_compile_options(trammel_options INTERFACE -Wno-enum-float-conversion) # of clang 19; named constants are meant
endif()

# Only those who work on Trammel want to be stopped by a warning of a compiler that we have not tried.
if(TRAMMEL_WERROR)
  target_compile_options(trammel_options INTERFACE -Werror)
endif()
if(TRAMMEL_SANITIZE AND CMAKE_C_COMPILER_ID STREQUAL "GNU")
  # Sanitisers hide from gcc which values a variable can have: what counts is what the build without them says.
  target_compile_options(trammel_options INTERFACE -Wno-format-truncation)
endif()

# Binaries do not say where they were built.
target_compile_options(trammel_options INTERFACE
  -ffile-prefix-map=${PROJECT_BINARY_DIR}=build -ffile-prefix-map=${PROJECT_SOURCE_DIR}=.)

# Programs that a wrong index or a smashed return address ends at once, instead of what an attacker chooses (tests/hardening.sh).
# FORTIFY needs an optimiser, and sanitisers replace what it replaces.
if(TRAMMEL_HARDEN AND NOT TRAMMEL_SANITIZE AND NOT TRAMMEL_FUZZ)
  target_compile_options(trammel_options INTERFACE -fstack-protector-strong
    $<$<NOT:$<CONFIG:Debug,>>:-U_FORTIFY_SOURCE> $<$<NOT:$<CONFIG:Debug,>>:-D_FORTIFY_SOURCE=2>)
  include(CheckCCompilerFlag)
  foreach(flag stack-clash-protection cf-protection)
    string(MAKE_C_IDENTIFIER TRAMMEL_HAS_${flag} has)
    check_c_compiler_flag(-f${flag} ${has})
    if(${has})
      target_compile_options(trammel_options INTERFACE -f${flag})
    endif()
  endforeach()
  target_link_options(trammel_options INTERFACE LINKER:-z,relro,-z,now LINKER:-z,noexecstack)
endif()

if(TRAMMEL_SANITIZE)
  target_compile_options(trammel_options INTERFACE
    -fsanitize=address,undefined -fno-sanitize-recover=all -fno-omit-frame-pointer)
  target_link_options(trammel_options INTERFACE -fsanitize=address,undefined)
  # A sanitised test has 23 MB; lld, which make wasm installs, links it in half the time of ld.
  find_program(TRAMMEL_LLD NAMES ld.lld PATHS /usr/lib/llvm-19/bin)
  if(TRAMMEL_LLD)
    get_filename_component(lld_folder ${TRAMMEL_LLD} DIRECTORY)
    target_link_options(trammel_options INTERFACE -fuse-ld=lld -B${lld_folder})
  endif()
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
