/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* Simbody (simtk.org): joint coordinates, order-n recursions, loops by acceleration constraints and projection.
 *
 * Both variants take steps of exactly h: an internal step per call, none interpolated. Simbody makes its accuracy the
 * condition for projecting onto the constraints, so with a fixed step the accuracy is set to the loosest it has and
 * the constraint tolerance alone says how closed the loops are. A step whose projection failed is accepted by Simbody
 * without a message when the step is fixed; here it counts as giving up. */

#include "common/peers/simbody.hpp"

#include <algorithm>

#include "tree.hpp"

using namespace SimTK;
using namespace bench_simbody;

namespace
{

constexpr double loosest_accuracy = 0.99;

/* Returns the constraint tolerance for a step. Simbody projects only errors larger than the root of the tolerance,
 * and a step of order 4 leaves loops further open the larger it is. With one tolerance for all h either large steps
 * fail or small ones stay open. */
double constraint_tolerance(double h)
{
    return std::clamp(h * h * h, 1e-10, 1e-4);
}

struct engine {
    MultibodySystem system;
    SimbodyMatterSubsystem matter{system};
    GeneralForceSubsystem forces{system};
    std::vector<MobilizedBodyIndex> bodies;
    std::unique_ptr<Integrator> integrator;
};

using make_integrator = std::unique_ptr<Integrator> (*)(const System &, double h);

Transform pose_of(const scene &scene, int body)
{
    return body == bench::ground ? Transform() : pose(scene.bodies[body]);
}

MobilizedBody &mobilized(engine &engine, int body)
{
    if (body == bench::ground) return engine.matter.updGround();
    return engine.matter.updMobilizedBody(engine.bodies[static_cast<size_t>(body)]);
}

/* Returns the frame of a joint in the world at the start: z along a hinge, the axes of the world for a ball. */
Transform joint_frame(const scene_joint &joint)
{
    if (joint.type == SCENE_BALL) return Transform(vec(joint.anchor));
    return Transform(Rotation(UnitVec3(vec(joint.axis)), ZAxis), vec(joint.anchor));
}

MobilizedBodyIndex add_body(engine &engine, const scene &scene, const bench::trees &trees, int index)
{
    const scene_body &body = scene.bodies[index];
    const scene_joint *joint = trees.joint[static_cast<size_t>(index)];
    if (!joint) return MobilizedBody::Free(engine.matter.updGround(), rigid(body)).getMobilizedBodyIndex();
    const Transform frame = joint_frame(*joint);
    const Transform in_parent = ~pose_of(scene, joint->a) * frame, in_body = ~pose(body) * frame;
    MobilizedBody &parent = mobilized(engine, joint->a);
    if (joint->type == SCENE_BALL)
        return MobilizedBody::Ball(parent, in_parent, rigid(body), in_body).getMobilizedBodyIndex();
    return MobilizedBody::Pin(parent, in_parent, rigid(body), in_body).getMobilizedBodyIndex();
}

void close_loop(engine &engine, const scene &scene, const scene_joint &joint)
{
    const Vec3 anchor = vec(joint.anchor);
    Constraint::Ball(mobilized(engine, joint.a), ~pose_of(scene, joint.a) * anchor, mobilized(engine, joint.b),
                     ~pose_of(scene, joint.b) * anchor);
}

void build(engine &engine, const scene &scene, const bench::trees &trees)
{
    if (vec(scene.gravity).norm() > 0) Force::Gravity(engine.forces, engine.matter, vec(scene.gravity));
    engine.bodies.resize(static_cast<size_t>(scene.body_count));
    for (int body : trees.order) engine.bodies[static_cast<size_t>(body)] = add_body(engine, scene, trees, body);
    for (int i = 0; i < scene.joint_count; i++)
        if (scene.joints[i].closes_loop) close_loop(engine, scene, scene.joints[i]);
}

void set_velocity(engine &engine, const scene &scene, const bench::trees &trees, int index, State &state)
{
    const scene_body &body = scene.bodies[index];
    const scene_joint *joint = trees.joint[static_cast<size_t>(index)];
    const MobilizedBody &mobod = mobilized(engine, index);
    if (!joint) {
        mobod.setUToFitVelocity(state, SpatialVec(vec(body.w), vec(body.v)));
        return;
    }
    const Vec3 parent_w = joint->a == bench::ground ? Vec3(0) : vec(scene.bodies[joint->a].w);
    mobod.setUToFitAngularVelocity(state, ~joint_frame(*joint).R() * (vec(body.w) - parent_w));
}

State start_state(engine &engine, const scene &scene, const bench::trees &trees)
{
    State state = engine.system.realizeTopology();
    for (int body : trees.order)
        if (!trees.joint[static_cast<size_t>(body)])
            mobilized(engine, body).setQToFitTransform(state, pose(scene.bodies[body]));
    engine.system.realize(state, Stage::Position);
    for (int body : trees.order) set_velocity(engine, scene, trees, body, state);
    return state;
}

void start(engine &engine, const State &state, double h)
{
    engine.integrator->setFixedStepSize(h);
    engine.integrator->setAccuracy(loosest_accuracy);
    engine.integrator->setConstraintTolerance(constraint_tolerance(h));
    engine.integrator->setReturnEveryInternalStep(true);
    engine.integrator->initialize(state);
    engine.integrator->stepTo(Infinity); /* only returns the start */
}

void *create(const scene *scene, double h, const char **why, make_integrator make)
{
    bench::trees trees;
    if (!bench::find_trees(*scene, trees)) return *why = "the joints of the scene form no trees", nullptr;
    try {
        auto made = std::make_unique<engine>();
        build(*made, *scene, trees);
        const State state = start_state(*made, *scene, trees);
        made->integrator = make(made->system, h);
        start(*made, state, h);
        return made.release();
    } catch (const std::exception &) {
        return *why = "Simbody refuses the scene", nullptr;
    }
}

bool step(void *handle, int count)
{
    engine &engine = *static_cast<struct engine *>(handle);
    try {
        for (int i = 0; i < count; i++) {
            engine.integrator->stepTo(Infinity);
            if (engine.integrator->getNumConvergenceTestFailures() > 0) return false;
        }
    } catch (const std::exception &) {
        return false;
    }
    return true;
}

/* Reads the states. A state that Simbody cannot realize, after it gave up, reads as NAN. */
void read(void *handle, body_state *states)
{
    engine &engine = *static_cast<struct engine *>(handle);
    const State &state = engine.integrator->getAdvancedState();
    try {
        engine.system.realize(state, Stage::Velocity);
        body_state *out = states;
        for (MobilizedBodyIndex index : engine.bodies)
            read_body(engine.matter.getMobilizedBody(index), state, *out++);
    } catch (const std::exception &) {
        const body_state nowhere = {{NaN, NaN, NaN}, {NaN, NaN, NaN, NaN}, {NaN, NaN, NaN}, {NaN, NaN, NaN}};
        std::fill_n(states, engine.bodies.size(), nowhere);
    }
}

void destroy(void *handle)
{
    delete static_cast<engine *>(handle);
}

void *create_euler(const scene *scene, double h, const char **why)
{
    return create(scene, h, why, [](const System &system, double step) {
        return std::unique_ptr<Integrator>(new SemiExplicitEulerIntegrator(system, step));
    });
}

void *create_merson(const scene *scene, double h, const char **why)
{
    return create(scene, h, why, [](const System &system, double) {
        return std::unique_ptr<Integrator>(new RungeKuttaMersonIntegrator(system));
    });
}

} // namespace

const peer simbody_peers[] = {
    {"Simbody", "SemiExplicitEuler", "fixed step; loops, hinges too, by Constraint::Ball, projected to h^3", version,
     create_euler, step, read, destroy},
    {"Simbody", "RungeKuttaMerson", "order 4, fixed step; loops, hinges too, by Constraint::Ball, projected to h^3",
     version, create_merson, step, read, destroy},
    {},
};
