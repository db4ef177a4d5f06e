/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

#ifndef TRM_IO_ELSEWHERE_H
#define TRM_IO_ELSEWHERE_H

#include "io/form.h"

/* Returns the form of the list elements, at any depth below a form, that have a key; the outermost lists come first.
 * Returns NULL if no element has it. */
const trm_form *trm_owner_of_key(const trm_form *form, const char *key);

/* Returns the key of the list, at any depth below a form, whose elements may have a type; NULL if there is none. */
const char *trm_list_of_type(const trm_form *form, const char *type);

#endif
