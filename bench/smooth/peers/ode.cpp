/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* The Open Dynamics Engine, in double precision as Debian builds it.
 *
 * dWorldStep, the direct solver, with the defaults (ERP 0.2, CFM 1e-10) and with the highest ERP that the manual
 * recommends, 0.8, which closes joints faster and here keeps energy better; dWorldQuickStep with that and more iterations
 * than by default. CFM 0 is not taken: redundant joints then end the program. Finite rotations changed nothing. No
 * damping, no automatic sleep. */

#include <ode/ode.h>

#include <vector>

#include "peers.h"

namespace
{

struct engine {
    dWorldID world;
    dJointGroupID joints;
    std::vector<dBodyID> bodies;
    double h;
};

dBodyID add_body(dWorldID world, const scene_body &from)
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

void add_joint(engine *e, const scene_joint &from)
{
    const bool hinge = from.type == SCENE_HINGE;
    dJointID joint = hinge ? dJointCreateHinge(e->world, e->joints) : dJointCreateBall(e->world, e->joints);
    dBodyID a = from.a < 0 ? nullptr : e->bodies[static_cast<size_t>(from.a)];
    dBodyID b = from.b < 0 ? nullptr : e->bodies[static_cast<size_t>(from.b)];
    dJointAttach(joint, a, b);
    if (!hinge) {
        dJointSetBallAnchor(joint, from.anchor[0], from.anchor[1], from.anchor[2]);
        return;
    }
    dJointSetHingeAnchor(joint, from.anchor[0], from.anchor[1], from.anchor[2]);
    dJointSetHingeAxis(joint, from.axis[0], from.axis[1], from.axis[2]);
}

void *create(const scene *s, double h, double erp)
{
    static const bool initialised = dInitODE2(0) != 0;
    if (!initialised) return nullptr;
    engine *e = new engine;
    e->h = h;
    e->world = dWorldCreate();
    e->joints = dJointGroupCreate(0);
    dWorldSetGravity(e->world, s->gravity[0], s->gravity[1], s->gravity[2]);
    dWorldSetERP(e->world, erp);
    dWorldSetCFM(e->world, 1e-10);
    dWorldSetQuickStepNumIterations(e->world, 50);
    for (int i = 0; i < s->body_count; i++) e->bodies.push_back(add_body(e->world, s->bodies[i]));
    for (int j = 0; j < s->joint_count; j++) add_joint(e, s->joints[j]);
    return e;
}

void *create_default(const scene *s, double h, const char **)
{
    return create(s, h, 0.2);
}

void *create_closing(const scene *s, double h, const char **)
{
    return create(s, h, 0.8);
}

bool step(void *context, int count)
{
    const engine *e = static_cast<engine *>(context);
    for (int i = 0; i < count; i++)
        if (!dWorldStep(e->world, e->h)) return false;
    return true;
}

bool quick_step(void *context, int count)
{
    const engine *e = static_cast<engine *>(context);
    for (int i = 0; i < count; i++)
        if (!dWorldQuickStep(e->world, e->h)) return false;
    return true;
}

void read(void *context, body_state *states)
{
    const engine *e = static_cast<engine *>(context);
    for (size_t i = 0; i < e->bodies.size(); i++) {
        const dReal *p = dBodyGetPosition(e->bodies[i]), *q = dBodyGetQuaternion(e->bodies[i]);
        const dReal *v = dBodyGetLinearVel(e->bodies[i]), *w = dBodyGetAngularVel(e->bodies[i]);
        for (int k = 0; k < 3; k++) states[i].p[k] = p[k], states[i].v[k] = v[k], states[i].w[k] = w[k];
        for (int k = 0; k < 4; k++) states[i].q[k] = q[k];
    }
}

void destroy(void *context)
{
    engine *e = static_cast<engine *>(context);
    dJointGroupDestroy(e->joints);
    dWorldDestroy(e->world);
    delete e;
}

const char *version()
{
    return BENCH_ODE_VERSION;
}

} // namespace

extern "C" {
extern const peer ode_peers[] = {
    {"ODE", "dWorldStep", "direct solver; double, ERP 0.2, CFM 1e-10: the defaults", version, create_default, step,
     read, destroy},
    {"ODE", "dWorldStep ERP 0.8", "the same with ERP 0.8", version, create_closing, step, read, destroy},
    {"ODE", "dWorldQuickStep", "50 iterations instead of 20, ERP 0.8", version, create_closing, quick_step, read,
     destroy},
    {},
};
}
