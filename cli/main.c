/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

#include <stdio.h>

#include "trammel/base.h"

int main(void)
{
    printf("trammel %s\n", trm_version());
    return 0;
}
