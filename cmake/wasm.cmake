# SPDX-FileCopyrightText: The Trammel authors
# SPDX-License-Identifier: MIT

# Toolchain for WebAssembly: clang with the WASI libc of Debian (cmake --preset wasm). 128-bit vectors, no threads.
set(CMAKE_SYSTEM_NAME Generic)
set(CMAKE_SYSTEM_PROCESSOR wasm32)
set(CMAKE_C_COMPILER clang-19)
set(CMAKE_C_COMPILER_TARGET wasm32-wasi)
set(CMAKE_C_FLAGS_INIT "-msimd128 -mbulk-memory -mnontrapping-fptoint -msign-ext")
set(CMAKE_TRY_COMPILE_TARGET_TYPE STATIC_LIBRARY)
