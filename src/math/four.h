/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* Numbers, vectors and quaternions in four lanes: the arithmetic of vecmath.h, each lane by itself. No operation
 * is fused or omitted, so the bits of a lane do not depend on the other lanes. */

#ifndef TRM_MATH_FOUR_H
#define TRM_MATH_FOUR_H

#include <limits.h>

#include "math/rotation.h"
#include "trammel/vecmath.h"

enum { TRM_LANES = 4 };

typedef double trm_four __attribute__((vector_size(TRM_LANES * sizeof(double))));
/* Result of a comparison: in each lane all bits set, or none. */
typedef long long trm_four_flags __attribute__((vector_size(TRM_LANES * sizeof(long long))));

typedef struct trm_four_vec3 {
    trm_four x, y, z;
} trm_four_vec3;

typedef struct trm_four_quat {
    trm_four w, x, y, z;
} trm_four_quat;

#define TRM_FOUR_KERNEL static inline __attribute__((always_inline))

/* Gathers a member of array[i[0]] to array[i[3]]. */
#define TRM_GATHER(array, i, member)                                                                                 \
    ((trm_four){(array)[(i)[0]].member, (array)[(i)[1]].member, (array)[(i)[2]].member, (array)[(i)[3]].member})
#define TRM_GATHER_VEC3(array, i, member)                                                                            \
    ((trm_four_vec3){TRM_GATHER(array, i, member.x), TRM_GATHER(array, i, member.y), TRM_GATHER(array, i, member.z)})
#define TRM_GATHER_QUAT(array, i, member)                                                                            \
    ((trm_four_quat){TRM_GATHER(array, i, member.w), TRM_GATHER(array, i, member.x), TRM_GATHER(array, i, member.y), \
                     TRM_GATHER(array, i, member.z)})

TRM_FOUR_KERNEL bool trm_four_all(trm_four_flags flags)
{
    return (flags[0] & flags[1] & flags[2] & flags[3]) != 0;
}

/* Returns whether a flag is set in any lane. */
TRM_FOUR_KERNEL bool trm_four_any(trm_four_flags flags)
{
    return (flags[0] | flags[1] | flags[2] | flags[3]) != 0;
}

/* Returns a in lanes whose flag is set, else b. */
TRM_FOUR_KERNEL trm_four trm_four_choose(trm_four_flags first, trm_four a, trm_four b)
{
    return (trm_four)((first & (trm_four_flags)a) | (~first & (trm_four_flags)b));
}

TRM_FOUR_KERNEL trm_four trm_four_max(trm_four a, trm_four b)
{
    return trm_four_choose(a > b, a, b);
}

TRM_FOUR_KERNEL trm_four trm_four_abs(trm_four a)
{
    return (trm_four)((trm_four_flags)a & LLONG_MAX);
}

TRM_FOUR_KERNEL trm_four trm_four_sqrt(trm_four a)
{
    return (trm_four){sqrt(a[0]), sqrt(a[1]), sqrt(a[2]), sqrt(a[3])};
}

TRM_FOUR_KERNEL trm_four trm_four_dot(trm_four_vec3 a, trm_four_vec3 b)
{
    return a.x * b.x + a.y * b.y + a.z * b.z;
}

TRM_FOUR_KERNEL trm_four_vec3 trm_four_cross(trm_four_vec3 a, trm_four_vec3 b)
{
    return (trm_four_vec3){a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}

TRM_FOUR_KERNEL trm_four_vec3 trm_four_add(trm_four_vec3 a, trm_four_vec3 b)
{
    return (trm_four_vec3){a.x + b.x, a.y + b.y, a.z + b.z};
}

TRM_FOUR_KERNEL trm_four_vec3 trm_four_sub(trm_four_vec3 a, trm_four_vec3 b)
{
    return (trm_four_vec3){a.x - b.x, a.y - b.y, a.z - b.z};
}

TRM_FOUR_KERNEL trm_four_vec3 trm_four_scale(trm_four s, trm_four_vec3 a)
{
    return (trm_four_vec3){s * a.x, s * a.y, s * a.z};
}

TRM_FOUR_KERNEL trm_four_vec3 trm_four_add_scaled(trm_four_vec3 a, trm_four s, trm_four_vec3 b)
{
    return (trm_four_vec3){a.x + s * b.x, a.y + s * b.y, a.z + s * b.z};
}

TRM_FOUR_KERNEL trm_four_quat trm_four_quat_mul(trm_four_quat a, trm_four_quat b)
{
    return (trm_four_quat){
        a.w * b.w - a.x * b.x - a.y * b.y - a.z * b.z, a.w * b.x + a.x * b.w + a.y * b.z - a.z * b.y,
        a.w * b.y - a.x * b.z + a.y * b.w + a.z * b.x, a.w * b.z + a.x * b.y - a.y * b.x + a.z * b.w};
}

/* Computes exp of twice `half` in every lane, bit-identical to trm_quat_exp_half. Returns false if the angle of a
 * lane is too large for the series. */
TRM_FOUR_KERNEL bool trm_four_quat_exp_half(trm_four_vec3 half, trm_four_quat *q)
{
    const trm_four x = trm_four_dot(half, half), xx = x * x, s = TRM_SINC_SERIES(x, xx);
    *q = (trm_four_quat){TRM_COS_SERIES(x, xx), s * half.x, s * half.y, s * half.z};
    return trm_four_all(TRM_SERIES_HOLD(x));
}

#endif
