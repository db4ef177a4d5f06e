/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

#include "linalg/moving_factor.h"

#include <math.h>
#include <string.h>

#include "linalg/vectors.h"

bool trm_moving_factor_create(trm_moving_factor *factor, int room, trm_arena *arena)
{
    *factor = (trm_moving_factor){.room = room,
                                  .U = TRM_NEW_ROOM(arena, double, (size_t)room *(size_t)room),
                                  .inverse = TRM_NEW_ROOM(arena, double, room)};
    return factor->U && factor->inverse;
}

static double *row_of(const trm_moving_factor *factor, int row)
{
    return factor->U + (size_t)row * (size_t)factor->room;
}

/* ---- Factorisation of a whole matrix -------------------------------------------------------- */

/* Computes row k of U from the remainder of row k of the matrix. Fails if the pivot is not larger than the least. */
static bool finish_row(trm_moving_factor *factor, int k, int n, double least_pivot)
{
    double *U = row_of(factor, k);
    if (!(U[k] > least_pivot)) return false;
    U[k] = sqrt(U[k]);
    const double inverse = factor->inverse[k] = 1 / U[k];
    for (int c = k + 1; c < n; c++) U[c] *= inverse;
    return true;
}

/* Subtracts the contributions of four finished rows from row i. */
static void subtract_four(trm_moving_factor *factor, int i, int k, int n)
{
    const double *U[4], *after[4];
    double minus[4];
    for (int j = 0; j < 4; j++) {
        U[j] = row_of(factor, k + j);
        after[j] = U[j] + i;
        minus[j] = -U[j][i];
    }
    vectors_add_four(row_of(factor, i) + i, minus, after, n - i);
}

bool trm_moving_factor_set(trm_moving_factor *factor, const double *const *rows, int n, double least_pivot)
{
    factor->n = 0;
    for (int k = 0; k < n; k++) memcpy(row_of(factor, k) + k, rows[k] + k, (size_t)(n - k) * sizeof(double));
    for (int k = 0; k < n; k += 4) {
        const int end = k + 4 < n ? k + 4 : n;
        for (int j = k; j < end; j++) {
            if (!finish_row(factor, j, n, least_pivot)) return false;
            const double *U = row_of(factor, j);
            for (int i = j + 1; i < end; i++) vectors_add(row_of(factor, i) + i, -U[i], U + i, n - i);
        }
        for (int i = end; i < n; i++) subtract_four(factor, i, k, n);
    }
    factor->n = n;
    return true;
}

/* ---- Solves --------------------------------------------------------------------------------- */

/* Processes four rows at a time: first their own diagonal block, then all columns after it at once. */
void trm_moving_factor_forward(const trm_moving_factor *factor, double *v)
{
    const int n = factor->n;
    int k = 0;
    for (; k + 4 <= n; k += 4) {
        const double *U[4], *after[4];
        double minus[4];
        for (int i = 0; i < 4; i++) {
            U[i] = row_of(factor, k + i);
            after[i] = U[i] + k + 4;
            v[k + i] *= factor->inverse[k + i];
            minus[i] = -v[k + i];
            for (int j = i + 1; j < 4; j++) v[k + j] += minus[i] * U[i][k + j];
        }
        vectors_add_four(v + k + 4, minus, after, n - k - 4);
    }
    for (; k < n; k++) {
        v[k] *= factor->inverse[k];
        vectors_add(v + k + 1, -v[k], row_of(factor, k) + k + 1, n - k - 1);
    }
}

/* Processes four rows at a time: first all columns after their diagonal block, then the block. */
void trm_moving_factor_backward(const trm_moving_factor *factor, double *v)
{
    const int n = factor->n;
    int k = n;
    for (; k >= 4; k -= 4) {
        const double *U[4], *after[4];
        double dots[4];
        for (int i = 0; i < 4; i++) {
            U[i] = row_of(factor, k - 4 + i);
            after[i] = U[i] + k;
        }
        vectors_dot_four(dots, after, v + k, n - k);
        for (int i = 3; i >= 0; i--) {
            double rest = v[k - 4 + i] - dots[i];
            for (int j = i + 1; j < 4; j++) rest -= U[i][k - 4 + j] * v[k - 4 + j];
            v[k - 4 + i] = rest * factor->inverse[k - 4 + i];
        }
    }
    for (k--; k >= 0; k--) {
        const double *U = row_of(factor, k);
        v[k] = (v[k] - vectors_dot(U + k + 1, v + k + 1, n - k - 1)) * factor->inverse[k];
    }
}

/* ---- Adding and removing a row -------------------------------------------------------------- */

void trm_moving_factor_append(trm_moving_factor *factor, const double *forward, double pivot)
{
    const int n = factor->n++;
    for (int k = 0; k < n; k++) row_of(factor, k)[n] = forward[k];
    row_of(factor, n)[n] = sqrt(pivot);
    factor->inverse[n] = 1 / row_of(factor, n)[n];
}

/* Rotates (p, q) <- (c p + s q, c q - s p), so that the first entry of q vanishes and that of p becomes the length of
 * both. */
static void rotate(double *restrict p, double *restrict q, int count)
{
    const double length = sqrt(p[0] * p[0] + q[0] * q[0]);
    const double c = p[0] / length, s = q[0] / length;
    p[0] = length;
    for (int i = 1; i < count; i++) {
        const double kept = p[i];
        p[i] = c * kept + s * q[i];
        q[i] = c * q[i] - s * kept;
    }
}

/* Without column `row` the rows above `row` are still part of the factor; row `row` itself is rotated into the rows
 * below it. */
void trm_moving_factor_remove(trm_moving_factor *factor, int row)
{
    const int n = factor->n--;
    double *lost = row_of(factor, row);
    for (int k = 0; k < row; k++)
        memmove(row_of(factor, k) + row, row_of(factor, k) + row + 1, (size_t)(n - row - 1) * sizeof *lost);
    for (int k = row + 1; k < n; k++) rotate(row_of(factor, k) + k, lost + k, n - k);
    for (int k = row + 1; k < n; k++)
        memcpy(row_of(factor, k - 1) + k - 1, row_of(factor, k) + k, (size_t)(n - k) * sizeof *lost);
    for (int k = row; k < n - 1; k++) factor->inverse[k] = 1 / row_of(factor, k)[k];
}
