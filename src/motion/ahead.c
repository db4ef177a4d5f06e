/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* Look-ahead of many bodies: trm_look_ahead (free.c), for four bodies at once where possible.
 *
 * Each lane does the operations of trm_look_ahead in their order, and none is fused or left out. So its bits do
 * not depend on the bodies in the other lanes. Four bodies are computed together if all have an axis of symmetry
 * and none turns farther than the series of math/rotation.h allow. All others are computed one after the other. */

#include "math/four.h"
#include "math/rotation.h"
#include "motion/free.h"

/* Returns false if some lane turns farther than the series allow. */
TRM_FOUR_KERNEL bool quat_exp_half(trm_four_vec3 half, trm_four_quat *q)
{
    const trm_four x = trm_four_dot(half, half), xx = x * x, s = TRM_SINC_SERIES(x, xx);
    *q = (trm_four_quat){TRM_COS_SERIES(x, xx), s * half.x, s * half.y, s * half.z};
    return trm_four_all(TRM_SERIES_HOLD(x));
}

/* ---- Look-ahead --------------------------------------------------------------------------- */

static bool are_symmetric(const trm_flight *from, const int *i)
{
    return from[i[0]].symmetry_axis >= 0 && from[i[1]].symmetry_axis >= 0 && from[i[2]].symmetry_axis >= 0 &&
           from[i[3]].symmetry_axis >= 0;
}

/* Turns the lanes about their own axes, where that counts. Returns false if one turns too far. */
TRM_FOUR_KERNEL bool spin_four(const trm_flight *from, const int *i, trm_four spun, trm_four_quat *q)
{
    const trm_four_flags still = (spun < TRM_NO_LONGER_COUNTS) & (-spun < TRM_NO_LONGER_COUNTS);
    if (trm_four_all(still)) return true;
    trm_four_vec3 axis;
    for (int k = 0; k < TRM_LANES; k++) {
        const trm_vec3 of_one = trm_axis(from[i[k]].symmetry_axis);
        axis.x[k] = of_one.x, axis.y[k] = of_one.y, axis.z[k] = of_one.z;
    }
    trm_four_quat turn;
    if (!quat_exp_half(trm_four_scale(spun, axis), &turn)) return false;
    turn = trm_four_quat_mul(*q, turn);
    *q = (trm_four_quat){trm_four_choose(still, q->w, turn.w), trm_four_choose(still, q->x, turn.x),
                         trm_four_choose(still, q->y, turn.y), trm_four_choose(still, q->z, turn.z)};
    return true;
}

/* Computes four bodies with an axis of symmetry. Returns false, and writes nothing, if one turns too far. */
static bool look_ahead_four(const trm_flight *from, const trm_spatial *V, trm_pose *ahead, const int *i)
{
    const trm_four h = TRM_GATHER(from, i, h), half = 0.5 * h;
    const trm_four_vec3 omega = TRM_GATHER_VEC3(V, i, ang), a = TRM_GATHER_VEC3(from, i, a);
    const trm_four own_spin = TRM_GATHER(from, i, spin_share) * trm_four_dot(omega, a);
    trm_four_quat q;
    if (!quat_exp_half(trm_four_scale(half, trm_four_add_scaled(omega, -own_spin, a)), &q)) return false;
    q = trm_four_quat_mul(q, TRM_GATHER_QUAT(from, i, q));
    if (!spin_four(from, i, half * own_spin, &q)) return false;
    const trm_four_vec3 p = trm_four_add_scaled(TRM_GATHER_VEC3(from, i, fallen), h, TRM_GATHER_VEC3(V, i, lin));
    for (int k = 0; k < TRM_LANES; k++)
        ahead[i[k]] = (trm_pose){{q.w[k], q.x[k], q.y[k], q.z[k]}, {p.x[k], p.y[k], p.z[k]}};
    return true;
}

void trm_look_ahead_all(const trm_flight *from, const trm_spatial *V, trm_pose *ahead, const int *bodies, int count)
{
    for (int done = 0; done < count; done += TRM_LANES) {
        const int *i = bodies + done, n = count - done < TRM_LANES ? count - done : TRM_LANES;
        if (n == TRM_LANES && are_symmetric(from, i) && look_ahead_four(from, V, ahead, i)) continue;
        for (int k = 0; k < n; k++) trm_look_ahead(&from[i[k]], &V[i[k]], &ahead[i[k]]);
    }
}
