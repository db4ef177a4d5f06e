/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* modelDescription.xml of FMI 2.0 and 3.0. */

#ifndef TRM_FMI_DESCRIPTION_H
#define TRM_FMI_DESCRIPTION_H

#include "machine.h"

typedef struct fmu_description {
    int version; /* 2 or 3 */
    const fmu_machine *machine;
    const char *name;       /* name of the model */
    const char *identifier; /* C identifier: the name of the library */
    const char *token;
    bool has_derivatives; /* all outputs have derivatives with respect to all inputs */
} fmu_description;

bool fmu_write_description(const fmu_description *d, trm_sink sink);

#endif
