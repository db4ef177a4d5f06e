/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* "repeat": n in an item of a list stands for n items, i = 0, 1, ... n - 1. In all of its texts {i}, and an
 * expression of i in braces such as {i+1}, is replaced by its value: "link{i}", "0.25*{i}". An item within that is
 * repeated itself counts on its own: its texts keep their braces. */

#ifndef TRM_IO_REPEAT_H
#define TRM_IO_REPEAT_H

#include "io/form.h"

/* Returns the list with repeated items expanded, or the list itself if there are none. Returns NULL if out of memory.
 * Items with errors are reported and omitted. label: name of an item in messages: "joint". */
const trm_json *trm_repeat_items(trm_reader *reader, const char *label, const trm_json *list);

#endif
