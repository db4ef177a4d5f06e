/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* The Open Dynamics Engine, in double precision as Debian builds it: what all benches need of it. No damping, no automatic
 * sleep. */

#ifndef TRM_BENCH_PEERS_ODE_HPP
#define TRM_BENCH_PEERS_ODE_HPP

#include <ode/ode.h>

#include <vector>

#include "common/peers/peers.h"

namespace bench_ode
{

struct engine {
    dWorldID world;
    dJointGroupID joints;
    std::vector<dBodyID> bodies;
    double h;
};

inline dBodyID add_body(dWorldID world, const scene_body &from)
{
    dBodyID body = dBodyCreate(world);
    dMass mass;
    dMassSetParameters(&mass, from.mass, 0, 0, 0, from.inertia[0], from.inertia[1], from.inertia[2], 0, 0, 0);
    dBodySetMass(body, &mass);
    dBodySetPosition(body, from.p[0], from.p[1], from.p[2]);
    const dQuaternion q = {from.q[0], from.q[1], from.q[2], from.q[3]};
    dBodySetQuaternion(body, q);
    dBodySetLinearVel(body, from.v[0], from.v[1], from.v[2]);
    dBodySetAngularVel(body, from.w[0], from.w[1], from.w[2]);
    dBodySetGyroscopicMode(body, 1);
    return body;
}

/* A world with the bodies in it, without joints. false: ODE does not start. */
inline bool start(engine &e, const scene &s, double h)
{
    static const bool initialised = dInitODE2(0) != 0;
    if (!initialised) return false;
    e.h = h;
    e.world = dWorldCreate();
    e.joints = dJointGroupCreate(0);
    dWorldSetGravity(e.world, s.gravity[0], s.gravity[1], s.gravity[2]);
    for (int i = 0; i < s.body_count; i++) e.bodies.push_back(add_body(e.world, s.bodies[i]));
    return true;
}

inline void add_joint(engine &e, const scene_joint &from)
{
    const bool hinge = from.type == SCENE_HINGE;
    dJointID joint = hinge ? dJointCreateHinge(e.world, e.joints) : dJointCreateBall(e.world, e.joints);
    dBodyID a = from.a < 0 ? nullptr : e.bodies[static_cast<size_t>(from.a)];
    dBodyID b = from.b < 0 ? nullptr : e.bodies[static_cast<size_t>(from.b)];
    dJointAttach(joint, a, b);
    if (!hinge) {
        dJointSetBallAnchor(joint, from.anchor[0], from.anchor[1], from.anchor[2]);
        return;
    }
    dJointSetHingeAnchor(joint, from.anchor[0], from.anchor[1], from.anchor[2]);
    dJointSetHingeAxis(joint, from.axis[0], from.axis[1], from.axis[2]);
}

inline void end(engine &e)
{
    dJointGroupDestroy(e.joints);
    dWorldDestroy(e.world);
}

inline void read(void *context, body_state *states)
{
    const engine *e = static_cast<engine *>(context);
    for (size_t i = 0; i < e->bodies.size(); i++) {
        const dReal *p = dBodyGetPosition(e->bodies[i]), *q = dBodyGetQuaternion(e->bodies[i]);
        const dReal *v = dBodyGetLinearVel(e->bodies[i]), *w = dBodyGetAngularVel(e->bodies[i]);
        for (int k = 0; k < 3; k++) states[i].p[k] = p[k], states[i].v[k] = v[k], states[i].w[k] = w[k];
        for (int k = 0; k < 4; k++) states[i].q[k] = q[k];
    }
}

inline const char *version()
{
    return BENCH_ODE_VERSION;
}

} // namespace bench_ode

#endif
