/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

#include "nearest.h"

#include <string.h>

enum { LONGEST = 40 };

static int least(int a, int b)
{
    return a < b ? a : b;
}

/* Letters to insert, delete or replace (Levenshtein). */
static int distance(const char *a, const char *b)
{
    int row[LONGEST + 1];
    const int n = (int)strlen(a), m = (int)strlen(b);
    if (n > LONGEST || m > LONGEST) return LONGEST;
    for (int j = 0; j <= m; j++) row[j] = j;
    for (int i = 1; i <= n; i++) {
        int before = row[0];
        row[0] = i;
        for (int j = 1; j <= m; j++) {
            const int here = row[j];
            row[j] = least(before + (a[i - 1] != b[j - 1]), 1 + least(row[j], row[j - 1]));
            before = here;
        }
    }
    return row[m];
}

void consider(nearest *n, const char *candidate)
{
    const int far = distance(n->word, candidate);
    if (far >= (n->found ? n->far : 1 + ((int)strlen(n->word) + 1) / 3)) return;
    n->far = far;
    n->found = candidate;
}
