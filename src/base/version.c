/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

#include "trammel/base.h"

const char *trm_version(void)
{
    return TRM_VERSION;
}

int trm_abi_version(void)
{
    return TRM_ABI_VERSION;
}
