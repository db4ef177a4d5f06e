/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

#include "base/check.h"

#include <stdatomic.h>
#include <stdlib.h>

#include "trammel/base.h"

static _Atomic(trm_assert_handler) handler;

void trm_set_assert_handler(trm_assert_handler new_handler)
{
    atomic_store(&handler, new_handler);
}

void trm_assertion_failed(const char *condition, const char *file, int line)
{
    const trm_assert_handler user = atomic_load(&handler);
    if (!user) abort();
    user(condition, file, line);
}
