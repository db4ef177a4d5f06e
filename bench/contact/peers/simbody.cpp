/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* Simbody (simtk.org): rigid contacts by its SemiExplicitEulerTimeStepper with its default options (Poisson's restitution, the
 * solver PLUS) and with projected Gauss-Seidel.
 *
 * Its rigid contacts are points and spheres on planes, named in advance: the corners of a single block or a ball on the ground.
 * Boxes on boxes would be elastic foundations, which are another model. */

/* Simbody's headers check much unless told not to, and their inline functions replace those of the library. */
#ifndef NDEBUG
#define NDEBUG
#endif

#include <Simbody.h>

#include <memory>
#include <string>

#include "peers.h"

using namespace SimTK;

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

Vec3 vec(const double *v)
{
    return Vec3(v[0], v[1], v[2]);
}

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
    const Body::Rigid rigid(MassProperties(from.mass, Vec3(0), Inertia(vec(from.inertia))));
    Force::Gravity(e.forces, e.matter, vec(s.gravity));
    e.body = MobilizedBody::Free(e.matter.updGround(), rigid);
    if (from.shape == SCENE_BOX)
        add_corners(e, s);
    else
        add_sphere(e, s);
}

void start(engine &e, const scene &s, SemiExplicitEulerTimeStepper::ImpulseSolverType solver)
{
    const double *q = s.bodies[0].q;
    State state = e.system.realizeTopology();
    e.body.setQToFitTransform(state, Transform(Rotation(Quaternion(q[0], q[1], q[2], q[3])), vec(s.bodies[0].p)));
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
    const Quaternion q = e.body.getBodyRotation(state).convertRotationToQuaternion();
    for (int k = 0; k < 3; k++) {
        states->p[k] = e.body.getBodyOriginLocation(state)[k];
        states->v[k] = e.body.getBodyOriginVelocity(state)[k];
    }
    for (int k = 0; k < 4; k++) states->q[k] = q[k];
}

void destroy(void *context)
{
    delete static_cast<engine *>(context);
}

const char *version()
{
    static const std::string text = [] {
        int major = 0, minor = 0, build = 0;
        SimTK_version_simbody(&major, &minor, &build);
        return std::to_string(major) + "." + std::to_string(minor) + "." + std::to_string(build);
    }();
    return text.c_str();
}

} // namespace

extern "C" {
extern const peer simbody_peers[] = {
    {"Simbody", "PLUS", "SemiExplicitEulerTimeStepper with its default options", 1, version, create_plus, step, read,
     destroy},
    {"Simbody", "PGS", "the same by projected Gauss-Seidel", 1, version, create_pgs, step, read, destroy},
    {},
};
}
