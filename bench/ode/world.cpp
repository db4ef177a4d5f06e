/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

#include "world.h"

#include <cmath>
#include <memory>

#include "common/peers/ode.hpp"

using namespace bench_ode;

namespace
{

constexpr int corners = 8;

struct stage : engine {
    const scene *from;
    dJointGroupID contacts; /* made again in every step */
    double friction;        /* along each of two directions */
    double across[2];       /* the first of them */
};

/* Adds a contact. The normal points into the first body. fdir1 is the first direction of friction, the other is
 * orthogonal to it. */
void touch(const stage &w, dBodyID body, const dVector3 place)
{
    dContact contact = {};
    contact.surface.mode = dContactApprox1 | dContactFDir1;
    contact.surface.mu = w.friction;
    for (int k = 0; k < 2; k++) contact.fdir1[k] = w.across[k];
    contact.geom.normal[2] = 1;
    contact.geom.depth = -place[2]; /* ODE treats negative values as 0 */
    for (int k = 0; k < 3; k++) contact.geom.pos[k] = place[k];
    dJointAttach(dJointCreateContact(w.world, w.contacts, &contact), body, nullptr);
}

/* Adds contacts at the four corners of the box below its middle. */
void touch_floor(const stage &w, dBodyID body, const scene_body &box)
{
    const dReal *p = dBodyGetPosition(body);
    for (int i = 0; i < corners; i++) {
        dVector3 place;
        dBodyGetRelPointPos(body, (i & 1 ? 0.5 : -0.5) * box.size[0], (i & 2 ? 0.5 : -0.5) * box.size[1],
                            (i & 4 ? 0.5 : -0.5) * box.size[2], place);
        if (place[2] < p[2]) touch(w, body, place);
    }
}

bool step_by(void *context, int count, int (*step)(dWorldID, dReal))
{
    const stage *w = static_cast<stage *>(context);
    for (int i = 0; i < count; i++) {
        for (int k = 0; w->from->floor && k < w->from->body_count; k++)
            touch_floor(*w, w->bodies[static_cast<size_t>(k)], w->from->bodies[k]);
        if (!step(w->world, w->h)) return false;
        dJointGroupEmpty(w->contacts);
    }
    return true;
}

void set_friction(stage &w, double mu, bool pyramid)
{
    w.friction = pyramid ? M_SQRT1_2 * mu : mu;
    w.across[0] = pyramid ? M_SQRT1_2 : 1;
    w.across[1] = pyramid ? M_SQRT1_2 : 0;
}

void move_down(dBodyID body, double shift)
{
    const dReal *p = dBodyGetPosition(body);
    dBodySetPosition(body, p[0], p[1] - shift, p[2]);
}

} // namespace

void *world_create(const scene *s, const parameters *p)
{
    auto w = std::make_unique<stage>();
    if (!start(*w, *s, p->h)) return nullptr;
    w->from = s;
    w->contacts = dJointGroupCreate(0);
    dWorldSetERP(w->world, p->erp);
    dWorldSetCFM(w->world, p->cfm);
    for (dBodyID body : w->bodies) {
        dBodySetGyroscopicMode(body, p->gyroscopic);
        dBodySetFiniteRotationMode(body, p->finite);
    }
    set_friction(*w, s->friction, p->pyramid);
    for (int j = 0; j < s->joint_count; j++) add_joint(*w, s->joints[j]);
    for (dBodyID body : w->bodies) move_down(body, p->shift);
    return w.release();
}

void world_destroy(void *context)
{
    stage *w = static_cast<stage *>(context);
    dJointGroupDestroy(w->contacts);
    end(*w);
    delete w;
}

bool world_step(void *context, int count)
{
    return step_by(context, count, dWorldStep);
}

bool world_quick_step(void *context, int count)
{
    return step_by(context, count, dWorldQuickStep);
}

void world_read(void *context, body_state *states)
{
    read(static_cast<engine *>(static_cast<stage *>(context)), states);
}

const char *world_version(void)
{
    return version();
}
