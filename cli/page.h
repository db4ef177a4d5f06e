/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* The pages that viewer/build.mjs built, embedded in the program. */

#ifndef TRM_CLI_PAGE_H
#define TRM_CLI_PAGE_H

/* Return a page, or NULL if the program was built without it. */
const char *report_page(void);
const char *compare_page(void);
const char *view_page(void);

#endif
