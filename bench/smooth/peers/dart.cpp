/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* DART (dartsim.github.io): joint coordinates by Featherstone's recursion, semi-implicit Euler, loops by velocity
 * constraints in a boxed LCP (Dantzig). World::step is the only integrator it has.
 *
 * Every tree of the scene is a skeleton. Body frames lie in the centres of mass along the principal axes, the frames
 * of ball and free joints along those of the child: their velocities are in its axes. */

/* Memory passes between this file and the library, which was built for plain x86-64 without sanitizers: Eigen must
 * align as it does there, with -mavx and under the address sanitizer too. */
#define EIGEN_MAX_ALIGN_BYTES        16
#define EIGEN_MALLOC_ALREADY_ALIGNED 1

/* Its headers, and Eigen in them, check much unless told not to. */
#ifndef NDEBUG
#define NDEBUG
#endif

#include "../peer.h"
#include "tree.hpp"
#include <dart/constraint/BallJointConstraint.hpp>
#include <dart/constraint/ConstraintSolver.hpp>
#include <dart/dynamics/BallJoint.hpp>
#include <dart/dynamics/BodyNode.hpp>
#include <dart/dynamics/FreeJoint.hpp>
#include <dart/dynamics/RevoluteJoint.hpp>
#include <dart/dynamics/Skeleton.hpp>
#include <dart/simulation/World.hpp>
#include <limits>
#include <memory>

using namespace dart::dynamics;
using Eigen::Isometry3d;
using Eigen::Vector3d;

extern "C" {
extern const peer dart_peers[];
}

namespace
{

struct engine {
    dart::simulation::WorldPtr world;
    std::vector<BodyNode *> bodies; /* owned by their skeletons */
    bool is_sound = true;
};

/* Part of a gap that a step removes. DART's own 0.01 leaves the gaps 30 times wider, at the same energy error. */
constexpr double error_reduction = 0.5;

constexpr double hopeless_velocity = 1e6; /* of any joint, rad/s or m/s */

Vector3d vec(const double v[3])
{
    return Vector3d(v[0], v[1], v[2]);
}

Isometry3d pose(const scene_body &body)
{
    Isometry3d pose = Isometry3d::Identity();
    pose.linear() = Eigen::Quaterniond(body.q[0], body.q[1], body.q[2], body.q[3]).toRotationMatrix();
    pose.translation() = vec(body.p);
    return pose;
}

Isometry3d pose_of(const scene &scene, int body)
{
    return body == bench::ground ? Isometry3d::Identity() : pose(scene.bodies[body]);
}

/* The frame of a joint in the world at the start: at the anchor, with the axes of the child. */
Isometry3d joint_frame(const scene_joint &joint, const scene_body &child)
{
    Isometry3d frame = pose(child);
    frame.translation() = vec(joint.anchor);
    return frame;
}

/* Names because DART prints a line for every one that it has to invent. */
BodyNode::Properties body_properties(const scene_body &body, int index)
{
    const Eigen::Matrix3d moments = vec(body.inertia).asDiagonal();
    BodyNode::AspectProperties properties("body " + std::to_string(index));
    properties.mInertia = Inertia(body.mass, Vector3d::Zero(), moments);
    return BodyNode::Properties(properties);
}

/* A body below `parent`, nullptr for a root, at the place it has at the start. */
template <typename Joint>
BodyNode *add_body(const SkeletonPtr &skeleton, BodyNode *parent, typename Joint::Properties joint,
                   const scene &scene, const scene_joint &held, int index)
{
    const scene_body &body = scene.bodies[index];
    const Isometry3d frame = joint_frame(held, body);
    joint.mName = "joint " + std::to_string(index);
    joint.mT_ParentBodyToJoint = pose_of(scene, held.a).inverse() * frame;
    joint.mT_ChildBodyToJoint = pose(body).inverse() * frame;
    return skeleton->createJointAndBodyNodePair<Joint>(parent, joint, body_properties(body, index)).second;
}

BodyNode *add_free(const SkeletonPtr &skeleton, const scene &scene, int index)
{
    const scene_body &body = scene.bodies[index];
    auto pair = skeleton->createJointAndBodyNodePair<FreeJoint>(nullptr, FreeJoint::Properties(),
                                                                body_properties(body, index));
    pair.first->setRelativeTransform(pose(body));
    Eigen::Vector6d velocity;
    velocity << pose(body).linear().transpose() * vec(body.w), pose(body).linear().transpose() * vec(body.v);
    pair.first->setRelativeSpatialVelocity(velocity);
    return pair.second;
}

BodyNode *add_held(const SkeletonPtr &skeleton, BodyNode *parent, const scene &scene, const scene_joint &held,
                   int index)
{
    const scene_body &body = scene.bodies[index];
    const Eigen::Matrix3d to_child = pose(body).linear().transpose();
    const Vector3d parent_w = held.a == bench::ground ? Vector3d(Vector3d::Zero()) : vec(scene.bodies[held.a].w);
    const Vector3d w = to_child * (vec(body.w) - parent_w);
    if (held.type == SCENE_BALL) {
        BodyNode *node = add_body<BallJoint>(skeleton, parent, BallJoint::Properties(), scene, held, index);
        node->getParentJoint()->setVelocities(w);
        return node;
    }
    RevoluteJoint::Properties hinge;
    hinge.mAxis = (to_child * vec(held.axis)).normalized();
    BodyNode *node = add_body<RevoluteJoint>(skeleton, parent, hinge, scene, held, index);
    node->getParentJoint()->setVelocity(0, hinge.mAxis.dot(w));
    return node;
}

BodyNode *node(const engine &engine, int body)
{
    return body == bench::ground ? nullptr : engine.bodies[static_cast<size_t>(body)];
}

void add_tree_body(engine &engine, const scene &scene, const bench::trees &trees, int index)
{
    BodyNode *parent = node(engine, bench::parent(trees, index));
    const SkeletonPtr skeleton = parent ? parent->getSkeleton() : Skeleton::create("tree " + std::to_string(index));
    const scene_joint *held = trees.joint[static_cast<size_t>(index)];
    engine.bodies[static_cast<size_t>(index)] =
        held ? add_held(skeleton, parent, scene, *held, index) : add_free(skeleton, scene, index);
    if (!parent) engine.world->addSkeleton(skeleton);
}

void close_loop(engine &engine, const scene_joint &joint)
{
    using dart::constraint::BallJointConstraint;
    BallJointConstraint::setErrorReductionParameter(error_reduction);
    BodyNode *a = node(engine, joint.a), *b = node(engine, joint.b);
    const Vector3d anchor = vec(joint.anchor);
    const auto constraint = a && b ? std::make_shared<BallJointConstraint>(a, b, anchor)
                                   : std::make_shared<BallJointConstraint>(a ? a : b, anchor);
    engine.world->getConstraintSolver()->addConstraint(constraint);
}

void *create(const scene *scene, double h, const char **why)
{
    bench::trees trees;
    if (!bench::find_trees(*scene, trees)) return *why = "the joints of the scene form no trees", nullptr;
    auto made = std::make_unique<engine>();
    made->world = dart::simulation::World::create();
    made->world->setTimeStep(h);
    made->world->setGravity(vec(scene->gravity));
    made->bodies.resize(static_cast<size_t>(scene->body_count));
    for (int body : trees.order) add_tree_body(*made, *scene, trees, body);
    for (int i = 0; i < scene->joint_count; i++)
        if (scene->joints[i].closes_loop) close_loop(*made, scene->joints[i]);
    return made.release();
}

/* Debian's library ends the program by an assertion when it meets a state that is no number: so look before. */
bool is_sound(const dart::simulation::World &world)
{
    for (size_t i = 0; i < world.getNumSkeletons(); i++) {
        const SkeletonPtr skeleton = world.getSkeleton(i);
        if (!(skeleton->getVelocities().cwiseAbs().maxCoeff() < hopeless_velocity)) return false;
        if (!skeleton->getPositions().allFinite()) return false;
    }
    return true;
}

bool step(void *handle, int count)
{
    engine &engine = *static_cast<struct engine *>(handle);
    for (int i = 0; i < count && engine.is_sound; i++) {
        engine.world->step();
        engine.is_sound = is_sound(*engine.world);
    }
    return engine.is_sound;
}

void read_body(const BodyNode &body, body_state &out)
{
    const Eigen::Quaterniond q(body.getWorldTransform().linear());
    const Vector3d p = body.getWorldTransform().translation(), v = body.getLinearVelocity(),
                   w = body.getAngularVelocity();
    for (int i = 0; i < 3; i++) {
        out.p[i] = p[i];
        out.v[i] = v[i];
        out.w[i] = w[i];
    }
    out.q[0] = q.w(), out.q[1] = q.x(), out.q[2] = q.y(), out.q[3] = q.z();
}

void read(void *handle, body_state *states)
{
    const engine &engine = *static_cast<struct engine *>(handle);
    const double none = std::numeric_limits<double>::quiet_NaN();
    const body_state nowhere = {{none, none, none}, {none, none, none, none}, {none, none, none}, {none, none, none}};
    for (const BodyNode *body : engine.bodies) {
        body_state &out = *states++;
        if (engine.is_sound)
            read_body(*body, out);
        else
            out = nowhere;
    }
}

void destroy(void *handle)
{
    delete static_cast<engine *>(handle);
}

const char *version()
{
    return DART_VERSION;
}

} // namespace

const peer dart_peers[] = {
    {"DART", "World", "semi-implicit Euler; loops, hinges too, by BallJointConstraint (ERP 0.5) and Dantzig's LCP",
     version, create, step, read, destroy},
    {},
};
