/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* Simbody (simtk.org): what all benches need of it. */

#ifndef TRM_BENCH_PEERS_SIMBODY_HPP
#define TRM_BENCH_PEERS_SIMBODY_HPP

/* Simbody's headers check much unless told not to, and their inline functions replace those of the library. */
#ifndef NDEBUG
#define NDEBUG
#endif

#include <Simbody.h>

#include <memory>
#include <string>

#include "common/peers/peers.h"

namespace bench_simbody
{

inline SimTK::Vec3 vec(const double v[3])
{
    return SimTK::Vec3(v[0], v[1], v[2]);
}

inline SimTK::Transform pose(const scene_body &body)
{
    using namespace SimTK;
    return Transform(Rotation(Quaternion(body.q[0], body.q[1], body.q[2], body.q[3])), vec(body.p));
}

inline SimTK::Body::Rigid rigid(const scene_body &body)
{
    using namespace SimTK;
    return Body::Rigid(MassProperties(body.mass, Vec3(0), Inertia(vec(body.inertia))));
}

inline void read_body(const SimTK::MobilizedBody &body, const SimTK::State &state, body_state &out)
{
    const SimTK::Quaternion q = body.getBodyRotation(state).convertRotationToQuaternion();
    for (int i = 0; i < 3; i++) {
        out.p[i] = body.getBodyOriginLocation(state)[i];
        out.v[i] = body.getBodyOriginVelocity(state)[i];
        out.w[i] = body.getBodyAngularVelocity(state)[i];
    }
    for (int i = 0; i < 4; i++) out.q[i] = q[i];
}

inline const char *version()
{
    static const std::string text = [] {
        int major = 0, minor = 0, build = 0;
        SimTK_version_simbody(&major, &minor, &build);
        return std::to_string(major) + "." + std::to_string(minor) + "." + std::to_string(build);
    }();
    return text.c_str();
}

} // namespace bench_simbody

#endif
