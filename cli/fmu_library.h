/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* The library that is inside every FMU, as bytes; it was built with this program. */

#ifndef TRM_CLI_FMU_LIBRARY_H
#define TRM_CLI_FMU_LIBRARY_H

#include <stddef.h>

const void *fmu_library(size_t *count);

/* The folder of an FMU in which its libraries are, of version 2 or 3. */
const char *fmu_library_folder(int version);

#endif
