/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* Affine maps of mesh files: rotation, scale and shear in three columns, translation in the fourth. */

#ifndef TRM_IO_AFFINE_H
#define TRM_IO_AFFINE_H

typedef struct trm_affine {
    double m[3][4];
} trm_affine;

static const trm_affine TRM_AFFINE_IDENTITY = {{{1, 0, 0, 0}, {0, 1, 0, 0}, {0, 0, 1, 0}}};

/* Returns the map that applies b, then a. */
static inline trm_affine trm_affine_product(const trm_affine *a, const trm_affine *b)
{
    trm_affine c;
    for (int i = 0; i < 3; i++)
        for (int k = 0; k < 4; k++) {
            c.m[i][k] = k == 3 ? a->m[i][3] : 0;
            for (int n = 0; n < 3; n++) c.m[i][k] += a->m[i][n] * b->m[n][k];
        }
    return c;
}

/* Computes r = X v. */
static inline void trm_affine_apply(const trm_affine *X, const double v[3], double r[3])
{
    for (int i = 0; i < 3; i++) r[i] = X->m[i][0] * v[0] + X->m[i][1] * v[1] + X->m[i][2] * v[2] + X->m[i][3];
}

/* Returns the determinant of the columns without the translation; negative: X mirrors. */
static inline double trm_affine_determinant(const trm_affine *X)
{
    const double(*m)[4] = X->m;
    return m[0][0] * (m[1][1] * m[2][2] - m[1][2] * m[2][1]) - m[0][1] * (m[1][0] * m[2][2] - m[1][2] * m[2][0]) +
           m[0][2] * (m[1][0] * m[2][1] - m[1][1] * m[2][0]);
}

#endif
