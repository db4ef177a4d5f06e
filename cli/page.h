/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* The page that viewer/build.mjs made, as part of the program. */

#ifndef TRM_CLI_PAGE_H
#define TRM_CLI_PAGE_H

const char *report_page(void); /* NULL: it was not there when the program was built */

#endif
