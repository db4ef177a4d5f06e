/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

#include "fmu_library.h"

#include <stdint.h>

/* The assembler reads the file as it is. */
__asm__(".pushsection .rodata\n"
        ".global trammel_fmu_bytes\n"
        "trammel_fmu_bytes:\n"
        ".incbin \"" FMU_LIBRARY "\"\n"
        ".global trammel_fmu_bytes_end\n"
        "trammel_fmu_bytes_end:\n"
        ".popsection\n");
extern const char trammel_fmu_bytes[], trammel_fmu_bytes_end[];

const void *fmu_library(size_t *count)
{
    *count = (size_t)((uintptr_t)trammel_fmu_bytes_end - (uintptr_t)trammel_fmu_bytes);
    return trammel_fmu_bytes;
}

const char *fmu_library_folder(int version)
{
#if defined(__aarch64__)
    return version == 2 ? "binaries/linux64" : "binaries/aarch64-linux";
#else
    return version == 2 ? "binaries/linux64" : "binaries/x86_64-linux";
#endif
}
