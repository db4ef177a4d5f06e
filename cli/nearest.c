/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

#include "nearest.h"

#include <stdbool.h>
#include <string.h>

enum { LONGEST = 40 };

static int least(int a, int b)
{
    return a < b ? a : b;
}

/* Returns the number of letters to insert, delete, replace (Levenshtein), or swap with the next one. */
static int distance(const char *a, const char *b)
{
    int rows[LONGEST + 1][LONGEST + 1];
    const int n = (int)strlen(a), m = (int)strlen(b);
    if (n > LONGEST || m > LONGEST) return LONGEST;
    for (int j = 0; j <= m; j++) rows[0][j] = j;
    for (int i = 1; i <= n; i++) {
        rows[i][0] = i;
        for (int j = 1; j <= m; j++) {
            const int changed = rows[i - 1][j - 1] + (a[i - 1] != b[j - 1]);
            const bool swapped = i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1];
            rows[i][j] = least(changed, 1 + least(rows[i - 1][j], rows[i][j - 1]));
            if (swapped) rows[i][j] = least(rows[i][j], 1 + rows[i - 2][j - 2]);
        }
    }
    return rows[n][m];
}

void consider(nearest *n, const char *candidate)
{
    const int far = distance(n->word, candidate);
    if (far >= (n->found ? n->far : 1 + ((int)strlen(n->word) + 1) / 3)) return;
    n->far = far;
    n->found = candidate;
}
