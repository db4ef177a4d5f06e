/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* Simbody: rigid contacts by its SemiExplicitEulerTimeStepper with its default options (Poisson's restitution, the
 * solver PLUS) and with projected Gauss-Seidel.
 *
 * Its rigid contacts are points and spheres on planes, named in advance: the corners of a single block or a ball on the ground.
 * Boxes on boxes would be elastic foundations, which are another model. */

#include "common/peers/simbody.hpp"

using namespace SimTK;
using namespace bench_simbody;

namespace
{

struct engine {
    MultibodySystem system;
    SimbodyMatterSubsystem matter{system};
    GeneralForceSubsystem forces{system};
    MobilizedBody body;
    std::unique_ptr<SemiExplicitEulerTimeStepper> stepper;
    double h = 0;
    long done = 0;
};

void add_corners(engine &e, const scene &s)
{
    const double *size = s.bodies[0].size;
    for (int corner = 0; corner < 8; corner++) {
        const Vec3 at(corner & 1 ? 0.5 : -0.5, corner & 2 ? 0.5 : -0.5, corner & 4 ? 0.5 : -0.5);
        e.matter.adoptUnilateralContact(new PointPlaneContact(e.matter.updGround(), ZAxis, 0, e.body,
                                                              at.elementwiseMultiply(vec(size)), s.restitution,
                                                              s.friction, s.friction, 0));
    }
}

void add_sphere(engine &e, const scene &s)
{
    e.matter.adoptUnilateralContact(new SpherePlaneContact(e.matter.updGround(), ZAxis, 0, e.body, Vec3(0),
                                                           0.5 * s.bodies[0].size[0], s.restitution, s.friction,
                                                           s.friction, 0));
}

void build(engine &e, const scene &s)
{
    const scene_body &from = s.bodies[0];
    Force::Gravity(e.forces, e.matter, vec(s.gravity));
    e.body = MobilizedBody::Free(e.matter.updGround(), rigid(from));
    if (from.shape == SCENE_BOX)
        add_corners(e, s);
    else
        add_sphere(e, s);
}

void start(engine &e, const scene &s, SemiExplicitEulerTimeStepper::ImpulseSolverType solver)
{
    State state = e.system.realizeTopology();
    e.body.setQToFitTransform(state, pose(s.bodies[0]));
    e.stepper = std::make_unique<SemiExplicitEulerTimeStepper>(e.system);
    e.stepper->setImpulseSolverType(solver);
    e.stepper->initialize(state);
}

void *create(const scene *s, double h, const char **why, SemiExplicitEulerTimeStepper::ImpulseSolverType solver)
{
    if (s->body_count > 1) return *why = "no rigid contact of boxes with each other", nullptr;
    try {
        auto made = std::make_unique<engine>();
        made->h = h;
        build(*made, *s);
        start(*made, *s, solver);
        return made.release();
    } catch (const std::exception &) {
        return *why = "Simbody refuses the scene", nullptr;
    }
}

void *create_plus(const scene *s, double h, const char **why)
{
    return create(s, h, why, SemiExplicitEulerTimeStepper::PLUS);
}

void *create_pgs(const scene *s, double h, const char **why)
{
    return create(s, h, why, SemiExplicitEulerTimeStepper::PGS);
}

bool step(void *context, int count)
{
    engine &e = *static_cast<engine *>(context);
    try {
        for (int i = 0; i < count; i++) e.stepper->stepTo(static_cast<double>(++e.done) * e.h);
    } catch (const std::exception &) {
        return false;
    }
    return true;
}

void read(void *context, body_state *states)
{
    engine &e = *static_cast<engine *>(context);
    const State &state = e.stepper->getState();
    e.system.realize(state, Stage::Velocity);
    read_body(e.body, state, *states);
}

void destroy(void *context)
{
    delete static_cast<engine *>(context);
}

} // namespace

const peer simbody_peers[] = {
    {"Simbody", "PLUS", "SemiExplicitEulerTimeStepper with its default options", version, create_plus, step, read,
     destroy},
    {"Simbody", "PGS", "the same by projected Gauss-Seidel", version, create_pgs, step, read, destroy},
    {},
};
