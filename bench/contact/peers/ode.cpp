/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* ODE: dWorldStep, the direct solver, and dWorldQuickStep, 20 iterations. ERP 0.2, the default; CFM 1e-5 as its demonstrations
 * have it: with the default 1e-10 the direct solver breaks off on stacks ("LCP internal error") and they fall. Friction in
 * proportion to the normal force (dContactApprox1): without it mu would be a force. */

#include "common/peers/ode.hpp"

#include <memory>

using namespace bench_ode;

namespace
{

constexpr double softness = 1e-5;
constexpr int most_contacts = 8; /* of a pair: a face on a face has as many */

struct contact_engine : engine {
    dSpaceID space; /* the joints are contacts, made again in every step */
    dSurfaceParameters surface;
};

void add_geom(const contact_engine &e, dBodyID body, const scene_body &from)
{
    const dGeomID geom = from.shape == SCENE_BOX ? dCreateBox(e.space, from.size[0], from.size[1], from.size[2])
                                                 : dCreateSphere(e.space, 0.5 * from.size[0]);
    dGeomSetBody(geom, body);
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
    auto e = std::make_unique<contact_engine>();
    if (!start(*e, *s, h)) return nullptr;
    dWorldSetCFM(e->world, softness);
    e->surface = make_surface(s);
    e->space = dSweepAndPruneSpaceCreate(nullptr, dSAP_AXES_XYZ);
    for (int i = 0; i < s->body_count; i++) add_geom(*e, e->bodies[static_cast<size_t>(i)], s->bodies[i]);
    dCreatePlane(e->space, 0, 0, 1, 0);
    return e.release();
}

void collide(void *context, dGeomID a, dGeomID b)
{
    const contact_engine *e = static_cast<contact_engine *>(context);
    dContact found[most_contacts];
    const int count = dCollide(a, b, most_contacts, &found[0].geom, sizeof found[0]);
    for (int i = 0; i < count; i++) {
        found[i].surface = e->surface;
        dJointAttach(dJointCreateContact(e->world, e->joints, &found[i]), dGeomGetBody(a), dGeomGetBody(b));
    }
}

bool step_by(void *context, int count, int (*step)(dWorldID, dReal))
{
    contact_engine *e = static_cast<contact_engine *>(context);
    for (int i = 0; i < count; i++) {
        dSpaceCollide(e->space, e, collide);
        if (!step(e->world, e->h)) return false;
        dJointGroupEmpty(e->joints);
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

void read_bodies(void *context, body_state *states)
{
    read(static_cast<engine *>(static_cast<contact_engine *>(context)), states);
}

void destroy(void *context)
{
    contact_engine *e = static_cast<contact_engine *>(context);
    dSpaceDestroy(e->space);
    end(*e);
    delete e;
}

} // namespace

const peer ode_peers[] = {
    {"ODE", "dWorldStep", "double, direct solver, ERP 0.2, CFM 1e-5", version, create, step, read_bodies, destroy},
    {"ODE", "dWorldQuickStep", "the same by 20 iterations", version, create, quick_step, read_bodies, destroy},
    {},
};
