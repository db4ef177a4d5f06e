/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

#include "linalg/qr.h"

#include <math.h>

/* Returns the length of a column from a row on. */
static double length_from(const double *a, int m, int n, int row, int column)
{
    double square = 0;
    for (int i = row; i < m; i++) square += a[i * n + column] * a[i * n + column];
    return sqrt(square);
}

/* Reflects the columns of b from `first` on by the vector in column j of a. */
static void reflect(const double *a, int m, int n, int j, double tau, double *b, int k, int first)
{
    for (int c = first; c < k; c++) {
        double sum = b[j * k + c];
        for (int i = j + 1; i < m; i++) sum += a[i * n + j] * b[i * k + c];
        sum *= tau;
        b[j * k + c] -= sum;
        for (int i = j + 1; i < m; i++) b[i * k + c] -= sum * a[i * n + j];
    }
}

double trm_qr_factor(double *a, int m, int n, double *tau)
{
    double least = 1;
    for (int j = 0; j < n; j++) {
        const double whole = length_from(a, m, n, 0, j), rest = length_from(a, m, n, j, j);
        tau[j] = 0;
        least = fmin(least, whole > 0 ? rest / whole : 0);
        if (!(rest > 0)) continue;
        const double first = a[j * n + j], head = first > 0 ? -rest : rest;
        tau[j] = (head - first) / head;
        for (int i = j + 1; i < m; i++) a[i * n + j] /= first - head;
        a[j * n + j] = head;
        reflect(a, m, n, j, tau[j], a, n, j + 1);
    }
    return least;
}

void trm_qr_solve(const double *a, const double *tau, int m, int n, double *b, int k)
{
    for (int j = 0; j < n; j++) reflect(a, m, n, j, tau[j], b, k, 0);
    for (int c = 0; c < k; c++)
        for (int i = n - 1; i >= 0; i--) {
            double sum = b[i * k + c];
            for (int j = i + 1; j < n; j++) sum -= a[i * n + j] * b[j * k + c];
            b[i * k + c] = sum / a[i * n + i];
        }
}
