/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* Looking ahead for many bodies: trm_look_ahead (free.c), four bodies side by side where they are alike.
 *
 * Each lane does the operations of trm_look_ahead in their order, and none is fused or left out: its bits do not depend
 * on which bodies are beside it. Four go together if all have an axis of symmetry and none turns farther than the series
 * of math/rotation.h hold; all others go one after the other. */

#include "math/rotation.h"
#include "motion/free.h"

enum { LANES = 4 };
typedef double four __attribute__((vector_size(LANES * sizeof(double))));
/* What a comparison gives: in each lane all bits, or none. */
typedef long long four_flags __attribute__((vector_size(LANES * sizeof(long long))));

typedef struct four_vec3 {
    four x, y, z;
} four_vec3;

typedef struct four_quat {
    four w, x, y, z;
} four_quat;

#define FOUR_KERNEL static inline __attribute__((always_inline))

/* ---- Arithmetic: vecmath.h and rotation.h, four at a time ------------------------------------ */

/* A member of array[i[0]] to array[i[3]]. */
#define GATHER(array, i, member)                                                                                     \
    ((four){(array)[(i)[0]].member, (array)[(i)[1]].member, (array)[(i)[2]].member, (array)[(i)[3]].member})
#define GATHER_VEC3(array, i, member)                                                                                \
    ((four_vec3){GATHER(array, i, member.x), GATHER(array, i, member.y), GATHER(array, i, member.z)})
#define GATHER_QUAT(array, i, member)                                                                                \
    ((four_quat){GATHER(array, i, member.w), GATHER(array, i, member.x), GATHER(array, i, member.y),                 \
                 GATHER(array, i, member.z)})

FOUR_KERNEL bool in_all(four_flags flags)
{
    return (flags[0] & flags[1] & flags[2] & flags[3]) != 0;
}

/* In each lane a or b. */
FOUR_KERNEL four choose(four_flags first, four a, four b)
{
    return (four)((first & (four_flags)a) | (~first & (four_flags)b));
}

FOUR_KERNEL four dot(four_vec3 a, four_vec3 b)
{
    return a.x * b.x + a.y * b.y + a.z * b.z;
}

FOUR_KERNEL four_vec3 scale(four s, four_vec3 a)
{
    return (four_vec3){s * a.x, s * a.y, s * a.z};
}

FOUR_KERNEL four_vec3 add_scaled(four_vec3 a, four s, four_vec3 b)
{
    return (four_vec3){a.x + s * b.x, a.y + s * b.y, a.z + s * b.z};
}

FOUR_KERNEL four_quat quat_mul(four_quat a, four_quat b)
{
    return (four_quat){a.w * b.w - a.x * b.x - a.y * b.y - a.z * b.z, a.w * b.x + a.x * b.w + a.y * b.z - a.z * b.y,
                       a.w * b.y - a.x * b.z + a.y * b.w + a.z * b.x, a.w * b.z + a.x * b.y - a.y * b.x + a.z * b.w};
}

/* False: in some lane the series do not hold. */
FOUR_KERNEL bool quat_exp_half(four_vec3 half, four_quat *q)
{
    const four x = dot(half, half), xx = x * x, s = TRM_SINC_SERIES(x, xx);
    *q = (four_quat){TRM_COS_SERIES(x, xx), s * half.x, s * half.y, s * half.z};
    return in_all(TRM_SERIES_HOLD(x));
}

/* ---- Looking ahead ------------------------------------------------------------------------ */

static bool are_symmetric(const trm_outlook *from, const int *i)
{
    return from[i[0]].symmetry_axis >= 0 && from[i[1]].symmetry_axis >= 0 && from[i[2]].symmetry_axis >= 0 &&
           from[i[3]].symmetry_axis >= 0;
}

/* The turn by their own spin, in the lanes where it counts; false: one turns too far. */
FOUR_KERNEL bool spin_four(const trm_outlook *from, const int *i, four spun, four_quat *q)
{
    const four_flags still = (spun < TRM_NO_LONGER_COUNTS) & (-spun < TRM_NO_LONGER_COUNTS);
    if (in_all(still)) return true;
    four_vec3 axis;
    for (int k = 0; k < LANES; k++) {
        const trm_vec3 of_one = trm_axis(from[i[k]].symmetry_axis);
        axis.x[k] = of_one.x, axis.y[k] = of_one.y, axis.z[k] = of_one.z;
    }
    four_quat turn;
    if (!quat_exp_half(scale(spun, axis), &turn)) return false;
    turn = quat_mul(*q, turn);
    *q = (four_quat){choose(still, q->w, turn.w), choose(still, q->x, turn.x), choose(still, q->y, turn.y),
                     choose(still, q->z, turn.z)};
    return true;
}

/* Four with an axis of symmetry; false: one turns too far, and nothing is written. */
static bool look_ahead_four(const trm_outlook *from, const trm_spatial *V, trm_pose *ahead, const int *i)
{
    const four h = GATHER(from, i, h), half = 0.5 * h;
    const four_vec3 omega = GATHER_VEC3(V, i, ang), a = GATHER_VEC3(from, i, a);
    const four own_spin = GATHER(from, i, spin_share) * dot(omega, a);
    four_quat q;
    if (!quat_exp_half(scale(half, add_scaled(omega, -own_spin, a)), &q)) return false;
    q = quat_mul(q, GATHER_QUAT(from, i, q));
    if (!spin_four(from, i, half * own_spin, &q)) return false;
    const four_vec3 p = add_scaled(GATHER_VEC3(from, i, fallen), h, GATHER_VEC3(V, i, lin));
    for (int k = 0; k < LANES; k++)
        ahead[i[k]] = (trm_pose){{q.w[k], q.x[k], q.y[k], q.z[k]}, {p.x[k], p.y[k], p.z[k]}};
    return true;
}

void trm_look_ahead_all(const trm_outlook *from, const trm_spatial *V, trm_pose *ahead, const int *bodies, int count)
{
    for (int done = 0; done < count; done += LANES) {
        const int *i = bodies + done, n = count - done < LANES ? count - done : LANES;
        if (n == LANES && are_symmetric(from, i) && look_ahead_four(from, V, ahead, i)) continue;
        for (int k = 0; k < n; k++) trm_look_ahead(&from[i[k]], &V[i[k]], &ahead[i[k]]);
    }
}
