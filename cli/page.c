/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

#include "page.h"

#include <stddef.h>

#ifdef REPORT_PAGE

/* The assembler reads the file as it is. */
__asm__(".pushsection .rodata\n"
        ".global trammel_report_page\n"
        "trammel_report_page:\n"
        ".incbin \"" REPORT_PAGE "\"\n"
        ".byte 0\n"
        ".popsection\n");

extern const char trammel_report_page[];

const char *report_page(void)
{
    return trammel_report_page;
}

#else

const char *report_page(void)
{
    return NULL;
}

#endif
