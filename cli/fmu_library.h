/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* The library that every FMU contains, as bytes. It is built together with this program. */

#ifndef TRM_CLI_FMU_LIBRARY_H
#define TRM_CLI_FMU_LIBRARY_H

#include <stddef.h>

const void *fmu_library(size_t *count);

/* Returns the folder of an FMU of version 2 or 3 that contains its libraries. */
const char *fmu_library_folder(int version);

#endif
