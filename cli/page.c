/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

#include "page.h"

#include <stddef.h>

#ifdef PAGES /* the folder where they were built */

/* The assembler reads the files as they are. */
#define EMBED(name)                                                                                                  \
    __asm__(".pushsection .rodata\n"                                                                                 \
            ".global trammel_" #name "_page\n"                                                                       \
            "trammel_" #name "_page:\n"                                                                              \
            ".incbin \"" PAGES "/" #name ".html\"\n"                                                                 \
            ".byte 0\n"                                                                                              \
            ".popsection\n");                                                                                        \
    extern const char trammel_##name##_page[];                                                                       \
    const char *name##_page(void)                                                                                    \
    {                                                                                                                \
        return trammel_##name##_page;                                                                                \
    }

#else

#define EMBED(name)                                                                                                  \
    const char *name##_page(void)                                                                                    \
    {                                                                                                                \
        return NULL;                                                                                                 \
    }

#endif

EMBED(report)
EMBED(compare)
EMBED(view)
