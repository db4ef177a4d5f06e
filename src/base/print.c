/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

#include "base/print.h"

#include <locale.h>
#include <stdio.h>

int trm_print_list(char *buffer, size_t size, const char *format, va_list arguments)
{
    const locale_t plain = newlocale(LC_ALL_MASK, "C", (locale_t)0), before = plain ? uselocale(plain) : (locale_t)0;
    const int length = vsnprintf(buffer, size, format, arguments);
    if (plain) uselocale(before), freelocale(plain);
    return length;
}

int trm_print(char *buffer, size_t size, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    const int length = trm_print_list(buffer, size, format, arguments);
    va_end(arguments);
    return length;
}
