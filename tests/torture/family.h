/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* A family of machines: one file in families/, one line in families/list.h.
 *
* draw fills an empty machine from its random numbers. Machines are about 1 m, 1 kg and 1 s large, assembled, with step and time. */

#ifndef TORTURE_FAMILY_H
#define TORTURE_FAMILY_H

#include "machine.h"

typedef struct family {
    const char *name;
    const char *about; /* description for users */
    void (*draw)(machine *m);
    bool one_scale; /* it is run at its own scale only */
} family;

#define TORTURE_FAMILY(name) extern const family family_##name;
#include "families/list.h"
#undef TORTURE_FAMILY

#endif
