/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* "repeat": n in an item of a list stands for n items, i = 0, 1, ... n - 1. In all of its texts {i}, and an
 * expression of i in braces such as {i+1}, is replaced by its value: "link{i}", "0.25*{i}". An item within that is
 * repeated itself counts on its own: its texts keep their braces. */

#ifndef TRM_IO_REPEAT_H
#define TRM_IO_REPEAT_H

#include "io/form.h"

/* The list with repeated items written out; the list itself where there are none. Returns NULL if out of memory.
 * What is wrong with an item is reported, and the item left out. label: "joint", of items in messages. */
const trm_json *trm_repeat_items(trm_reader *reader, const char *label, const trm_json *list);

#endif
