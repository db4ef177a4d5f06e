/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* Ends programs built for AVX2 with a message on processors without it, instead of an illegal instruction. This file
 * is compiled for any x86-64, and runs before main. */

#ifdef TRM_NEEDS_AVX2

#include <stdio.h>
#include <unistd.h>

__attribute__((constructor)) static void check_processor(void)
{
    __builtin_cpu_init();
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi") && __builtin_cpu_supports("bmi2")) return;
    fputs(
        "trammel: this program was built for processors with AVX2 (x86-64-v3), which this one lacks. Build it with\n"
        "cmake -DTRAMMEL_ARCH=; results are bit-identical.\n",
        stderr);
    _exit(2);
}

#else

typedef int nothing_to_check;

#endif
