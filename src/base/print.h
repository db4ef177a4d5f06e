/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* snprintf with a decimal point in numbers, whatever the locale of the calling program or thread. */

#ifndef TRM_BASE_PRINT_H
#define TRM_BASE_PRINT_H

#include <stdarg.h>

#include "trammel/base.h"

/* Format a text. Both return the value that snprintf returns. */
int trm_print(char *buffer, size_t size, const char *format, ...) TRM_PRINTF(3, 4);
int trm_print_list(char *buffer, size_t size, const char *format, va_list arguments) TRM_PRINTF(3, 0);

#endif
