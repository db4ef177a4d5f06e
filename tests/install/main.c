/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* The smallest program that uses an installed trammel; also compiled as C++. Prints the library's version
 * and the length of a vector, 13, made by the header's own functions. */

#include <stdio.h>

#include "trammel/base.h"
#include "trammel/vecmath.h"

int main(void)
{
    printf("%s %g\n", trm_version(), trm_v3_length(trm_v3(3, 4, 12)));
    return 0;
}
