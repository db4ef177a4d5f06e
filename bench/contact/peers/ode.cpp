/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* The Open Dynamics Engine, in double precision as Debian builds it: dWorldStep, the direct solver, and dWorldQuickStep, 20
 * iterations. ERP 0.2, the default; CFM 1e-5 as its demonstrations have it: with the default 1e-10 the direct solver breaks off
 * on stacks ("LCP internal error") and they fall. Friction in proportion to the normal force (dContactApprox1): without it mu
 * would be a force. Nothing sleeps, no damping. */

#include <ode/ode.h>

#include <vector>

#include "peers.h"

namespace
{

constexpr double softness = 1e-5;
constexpr int most_contacts = 8; /* of a pair: a face on a face has as many */

struct engine {
    dWorldID world;
    dSpaceID space;
    dJointGroupID contacts;
    std::vector<dBodyID> bodies;
    dSurfaceParameters surface;
    double h;
};

void add_body(engine *e, const scene_body &from)
{
    dBodyID body = dBodyCreate(e->world);
    dMass mass;
    dMassSetParameters(&mass, from.mass, 0, 0, 0, from.inertia[0], from.inertia[1], from.inertia[2], 0, 0, 0);
    dBodySetMass(body, &mass);
    dBodySetPosition(body, from.p[0], from.p[1], from.p[2]);
    const dQuaternion q = {from.q[0], from.q[1], from.q[2], from.q[3]};
    dBodySetQuaternion(body, q);
    const dGeomID geom = from.shape == SCENE_BOX ? dCreateBox(e->space, from.size[0], from.size[1], from.size[2])
                                                 : dCreateSphere(e->space, 0.5 * from.size[0]);
    dGeomSetBody(geom, body);
    e->bodies.push_back(body);
}

dSurfaceParameters make_surface(const scene *s)
{
    dSurfaceParameters surface = {};
    surface.mode = dContactApprox1;
    surface.mu = s->friction;
    if (s->restitution > 0) {
        surface.mode |= dContactBounce;
        surface.bounce = s->restitution;
    }
    return surface;
}

void *create(const scene *s, double h, const char **)
{
    static const bool initialised = dInitODE2(0) != 0;
    if (!initialised) return nullptr;
    engine *e = new engine{dWorldCreate(),       dSweepAndPruneSpaceCreate(nullptr, dSAP_AXES_XYZ),
                           dJointGroupCreate(0), {},
                           make_surface(s),      h};
    dWorldSetGravity(e->world, s->gravity[0], s->gravity[1], s->gravity[2]);
    dWorldSetCFM(e->world, softness);
    for (int i = 0; i < s->body_count; i++) add_body(e, s->bodies[i]);
    dCreatePlane(e->space, 0, 0, 1, 0);
    return e;
}

void collide(void *context, dGeomID a, dGeomID b)
{
    const engine *e = static_cast<engine *>(context);
    dContact found[most_contacts];
    const int count = dCollide(a, b, most_contacts, &found[0].geom, sizeof found[0]);
    for (int i = 0; i < count; i++) {
        found[i].surface = e->surface;
        dJointAttach(dJointCreateContact(e->world, e->contacts, &found[i]), dGeomGetBody(a), dGeomGetBody(b));
    }
}

bool step_by(void *context, int count, int (*step)(dWorldID, dReal))
{
    engine *e = static_cast<engine *>(context);
    for (int i = 0; i < count; i++) {
        dSpaceCollide(e->space, e, collide);
        if (!step(e->world, e->h)) return false;
        dJointGroupEmpty(e->contacts);
    }
    return true;
}

bool step(void *context, int count)
{
    return step_by(context, count, dWorldStep);
}

bool quick_step(void *context, int count)
{
    return step_by(context, count, dWorldQuickStep);
}

void read(void *context, body_state *states)
{
    const engine *e = static_cast<engine *>(context);
    for (size_t i = 0; i < e->bodies.size(); i++) {
        const dReal *p = dBodyGetPosition(e->bodies[i]), *q = dBodyGetQuaternion(e->bodies[i]);
        const dReal *v = dBodyGetLinearVel(e->bodies[i]);
        for (int k = 0; k < 3; k++) states[i].p[k] = p[k], states[i].v[k] = v[k];
        for (int k = 0; k < 4; k++) states[i].q[k] = q[k];
    }
}

void destroy(void *context)
{
    engine *e = static_cast<engine *>(context);
    dJointGroupDestroy(e->contacts);
    dSpaceDestroy(e->space);
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
    {"ODE", "dWorldStep", "double, direct solver, ERP 0.2, CFM 1e-5", 100, version, create, step, read, destroy},
    {"ODE", "dWorldQuickStep", "the same by 20 iterations", 0, version, create, quick_step, read, destroy},
    {},
};
}
