/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* The pages that viewer/build.mjs made, as parts of the program. */

#ifndef TRM_CLI_PAGE_H
#define TRM_CLI_PAGE_H

/* NULL: they were not there when the program was built. */
const char *report_page(void);
const char *compare_page(void);
const char *view_page(void);

#endif
