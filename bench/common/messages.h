/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

#ifndef TRM_BENCH_MESSAGES_H
#define TRM_BENCH_MESSAGES_H

#include "trammel/trammel.h"

/* Prints the first message on stderr, because a large model may have one per element. messages may be NULL. */
void print_messages(const char *about, const trm_messages *messages);

#endif
