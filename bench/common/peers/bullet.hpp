/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* Bullet (bulletphysics.org) in double precision: what all benches need of it. */

#ifndef TRM_BENCH_PEERS_BULLET_HPP
#define TRM_BENCH_PEERS_BULLET_HPP

#include <btBulletDynamicsCommon.h>

#include <cmath>
#include <memory>
#include <string>
#include <vector>

#include "common/peers/peers.h"

namespace bench_bullet
{

inline btVector3 vec(const double v[3])
{
    return btVector3(v[0], v[1], v[2]);
}

inline btQuaternion quat(const double q[4])
{
    return btQuaternion(q[1], q[2], q[3], q[0]);
}

inline btTransform pose(const scene_body &body)
{
    return btTransform(quat(body.q), vec(body.p));
}

inline void put(body_state &out, const btTransform &pose, const btVector3 &v, const btVector3 &w)
{
    const btQuaternion q = pose.getRotation();
    for (int i = 0; i < 3; i++) {
        out.p[i] = pose.getOrigin()[i];
        out.v[i] = v[i];
        out.w[i] = w[i];
    }
    out.q[0] = q.w(), out.q[1] = q.x(), out.q[2] = q.y(), out.q[3] = q.z();
}

inline const char *version()
{
    static const std::string text = std::to_string(btGetVersion() / 100) + "." + std::to_string(btGetVersion() % 100);
    return text.c_str();
}

} // namespace bench_bullet

#endif
