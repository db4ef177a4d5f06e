/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* ODE: dWorldStep, the direct solver, with the defaults (ERP 0.2, CFM 1e-10) and with the highest ERP that the manual
 * recommends, 0.8, which closes joints faster and here keeps energy better; dWorldQuickStep with that and more iterations
 * than by default. CFM 0 is not taken: redundant joints then end the program. Finite rotations changed nothing. */

#include "common/peers/ode.hpp"

#include <memory>

using namespace bench_ode;

namespace
{

void *create(const scene *s, double h, double erp)
{
    auto made = std::make_unique<engine>();
    if (!start(*made, *s, h)) return nullptr;
    engine *e = made.release();
    dWorldSetERP(e->world, erp);
    dWorldSetCFM(e->world, 1e-10);
    dWorldSetQuickStepNumIterations(e->world, 50);
    for (int j = 0; j < s->joint_count; j++) add_joint(*e, s->joints[j]);
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

void destroy(void *context)
{
    engine *e = static_cast<engine *>(context);
    end(*e);
    delete e;
}

} // namespace

const peer ode_peers[] = {
    {"ODE", "dWorldStep", "direct solver; double, ERP 0.2, CFM 1e-10: the defaults", version, create_default, step,
     read, destroy},
    {"ODE", "dWorldStep ERP 0.8", "the same with ERP 0.8", version, create_closing, step, read, destroy},
    {"ODE", "dWorldQuickStep", "50 iterations instead of 20, ERP 0.8", version, create_closing, quick_step, read,
     destroy},
    {},
};
