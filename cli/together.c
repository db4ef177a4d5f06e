/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

#include "together.h"

#include <stdlib.h>

bool is_first_rank(void)
{
    return !ranks() || ranks()->rank == 0;
}

/* Sends bytes from the first rank to all others, which receive them here. Returns false if a rank is lost. */
static bool to_all(void *bytes, size_t count)
{
    trm_exchange *x = ranks();
    bool arrived = true;
    if (x->rank > 0) return x->receive(x, 0, bytes, count);
    for (int r = 1; r < x->count && arrived; r++) arrived = x->send(x, r, bytes, count);
    return arrived;
}

bool all_ranks_agree(bool yes)
{
    trm_exchange *x = ranks();
    char mine = yes, all = yes;
    if (!x) return yes;
    if (x->rank > 0) return x->send(x, 0, &mine, 1) && to_all(&all, 1) && all;
    for (int r = 1; r < x->count; r++) all = x->receive(x, r, &mine, 1) && mine && all;
    return to_all(&all, 1) && all;
}

char *spread_bytes(char *bytes, size_t *count)
{
    uint64_t size = bytes ? *count : UINT64_MAX;
    if (!ranks()) return bytes;
    if (!to_all(&size, sizeof size)) size = UINT64_MAX;
    if (size != UINT64_MAX && !bytes) bytes = malloc((size_t)size + 1);
    if (!all_ranks_agree(bytes != NULL) || !to_all(bytes, (size_t)size)) {
        free(bytes);
        return NULL;
    }
    *count = (size_t)size;
    return bytes;
}
