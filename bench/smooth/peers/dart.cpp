/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* DART (dartsim.github.io): joint coordinates by Featherstone's recursion, semi-implicit Euler, loops by velocity
 * constraints in a boxed LCP (Dantzig). World::step is the only integrator it has.
 *
 * Every tree of the scene is a skeleton. Body frames lie in the centres of mass along the principal axes, the frames
 * of ball and free joints along those of the child: their velocities are in its axes. */

#include "common/peers/dart.hpp"

#include <dart/constraint/BallJointConstraint.hpp>
#include <dart/dynamics/BallJoint.hpp>
#include <dart/dynamics/RevoluteJoint.hpp>

#include "tree.hpp"

using namespace dart::dynamics;
using namespace bench_dart;

namespace
{

/* Fraction of a gap that a step removes. DART's own 0.01 leaves the gaps 30 times wider, at the same energy error. */
constexpr double error_reduction = 0.5;

Isometry3d pose_of(const scene &scene, int body)
{
    return body == bench::ground ? Isometry3d::Identity() : pose(scene.bodies[body]);
}

/* Returns the frame of a joint in the world at the start: at the anchor, with the axes of the child. */
Isometry3d joint_frame(const scene_joint &joint, const scene_body &child)
{
    Isometry3d frame = pose(child);
    frame.translation() = vec(joint.anchor);
    return frame;
}

/* Adds a body below `parent`, nullptr for a root, at its initial pose. */
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
    auto made = make_world(*scene, h);
    for (int body : trees.order) add_tree_body(*made, *scene, trees, body);
    for (int i = 0; i < scene->joint_count; i++)
        if (scene->joints[i].closes_loop) close_loop(*made, scene->joints[i]);
    return made.release();
}

} // namespace

const peer dart_peers[] = {
    {"DART", "World", "semi-implicit Euler; loops, hinges too, by BallJointConstraint (ERP 0.5) and Dantzig's LCP",
     version, create, step, read, destroy},
    {},
};
