/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* Ranks that are threads of the test: `count` of them, each used by one thread. */

#ifndef TRM_TESTS_THREAD_EXCHANGE_H
#define TRM_TESTS_THREAD_EXCHANGE_H

#include "methods/ranks/exchange.h"

typedef struct exchange_group exchange_group;

exchange_group *exchange_group_create(int count); /* returns NULL if out of memory */
trm_exchange *exchange_group_rank(exchange_group *group, int rank);
/* Marks the rank as lost and wakes all that wait for it. */
void exchange_group_leave(exchange_group *group, int rank);
void exchange_group_destroy(exchange_group *group);

#endif
