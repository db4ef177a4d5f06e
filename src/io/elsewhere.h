/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

#ifndef TRM_IO_ELSEWHERE_H
#define TRM_IO_ELSEWHERE_H

#include "io/form.h"

enum { TRM_MOST_OWNERS = 8 };

/* Lists the forms of list elements below a form that have a key. If nested lists have it, only the outermost is
 * listed. Returns their number, at most TRM_MOST_OWNERS. */
int trm_owners_of_key(const trm_form *form, const char *key, const trm_form *owners[TRM_MOST_OWNERS]);

/* Returns the key of the list, at any depth below a form, whose elements may have a type; NULL if there is none. */
const char *trm_list_of_type(const trm_form *form, const char *type);

#endif
