/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* DART (dartsim.github.io): semi-implicit Euler, contacts by velocity constraints in a boxed LCP (Dantzig) per island, with
 * its defaults. Collision by its own detector, which knows boxes and spheres exactly (the usual one, FCL, makes one point of a
 * face on a face); the ground is a large box. Friction of a pair is the smaller, restitution the product. */

/* Memory passes between this file and the library, which was built for plain x86-64 without sanitizers: Eigen must
 * align as it does there, with -mavx and under the address sanitizer too. */
#define EIGEN_MAX_ALIGN_BYTES        16
#define EIGEN_MALLOC_ALREADY_ALIGNED 1

/* Its headers, and Eigen in them, check much unless told not to. */
#ifndef NDEBUG
#define NDEBUG
#endif

#include <dart/collision/dart/DARTCollisionDetector.hpp>
#include <dart/constraint/ConstraintSolver.hpp>
#include <dart/dynamics/BodyNode.hpp>
#include <dart/dynamics/BoxShape.hpp>
#include <dart/dynamics/FreeJoint.hpp>
#include <dart/dynamics/ShapeNode.hpp>
#include <dart/dynamics/Skeleton.hpp>
#include <dart/dynamics/SphereShape.hpp>
#include <dart/dynamics/WeldJoint.hpp>
#include <dart/simulation/World.hpp>

#include <limits>
#include <memory>

#include "peers.h"

using namespace dart::dynamics;
using Eigen::Isometry3d;
using Eigen::Vector3d;

namespace
{

constexpr double ground_size = 200, ground_depth = 1; /* m */
constexpr double hopeless_velocity = 1e6;             /* rad/s or m/s */

struct engine {
    dart::simulation::WorldPtr world;
    std::vector<BodyNode *> bodies; /* owned by their skeletons */
    bool is_sound = true;
};

Vector3d vec(const double *v)
{
    return Vector3d(v[0], v[1], v[2]);
}

void add_shape(BodyNode *body, const ShapePtr &shape, double friction, double restitution)
{
    ShapeNode *node = body->createShapeNodeWith<CollisionAspect, DynamicsAspect>(shape);
    node->getDynamicsAspect()->setFrictionCoeff(friction);
    node->getDynamicsAspect()->setRestitutionCoeff(restitution);
}

ShapePtr make_shape(const scene_body &body)
{
    if (body.shape == SCENE_BOX) return std::make_shared<BoxShape>(vec(body.size));
    return std::make_shared<SphereShape>(0.5 * body.size[0]);
}

/* Names because DART prints a line for every one that it has to invent. */
BodyNode *add_body(engine &e, const scene &s, int index)
{
    const scene_body &from = s.bodies[index];
    const Eigen::Matrix3d moments = vec(from.inertia).asDiagonal();
    const SkeletonPtr skeleton = Skeleton::create("skeleton " + std::to_string(index));
    BodyNode::AspectProperties properties("body " + std::to_string(index));
    properties.mInertia = Inertia(from.mass, Vector3d::Zero(), moments);
    const auto pair = skeleton->createJointAndBodyNodePair<FreeJoint>(nullptr, FreeJoint::Properties(),
                                                                      BodyNode::Properties(properties));
    Isometry3d pose = Isometry3d::Identity();
    pose.linear() = Eigen::Quaterniond(from.q[0], from.q[1], from.q[2], from.q[3]).toRotationMatrix();
    pose.translation() = vec(from.p);
    pair.first->setRelativeTransform(pose);
    add_shape(pair.second, make_shape(from), s.friction, s.restitution);
    e.world->addSkeleton(skeleton);
    return pair.second;
}

void add_ground(engine &e, const scene &s)
{
    const SkeletonPtr skeleton = Skeleton::create("ground");
    const auto pair = skeleton->createJointAndBodyNodePair<WeldJoint>();
    Isometry3d pose = Isometry3d::Identity();
    pose.translation() = Vector3d(0, 0, -0.5 * ground_depth);
    pair.first->setTransformFromParentBodyNode(pose);
    add_shape(pair.second, std::make_shared<BoxShape>(Vector3d(ground_size, ground_size, ground_depth)), s.friction,
              1);
    e.world->addSkeleton(skeleton);
}

void *create(const scene *s, double h, const char **)
{
    auto made = std::make_unique<engine>();
    made->world = dart::simulation::World::create();
    made->world->setTimeStep(h);
    made->world->setGravity(vec(s->gravity));
    made->world->getConstraintSolver()->setCollisionDetector(dart::collision::DARTCollisionDetector::create());
    add_ground(*made, *s);
    for (int i = 0; i < s->body_count; i++) made->bodies.push_back(add_body(*made, *s, i));
    return made.release();
}

/* Debian's library ends the program by an assertion when it meets a state that is no number: so look before. */
bool is_sound(const engine &e)
{
    for (const BodyNode *body : e.bodies) {
        if (!(body->getSpatialVelocity().cwiseAbs().maxCoeff() < hopeless_velocity)) return false;
        if (!body->getWorldTransform().translation().allFinite()) return false;
    }
    return true;
}

bool step(void *context, int count)
{
    engine &e = *static_cast<engine *>(context);
    for (int i = 0; i < count && e.is_sound; i++) {
        e.world->step();
        e.is_sound = is_sound(e);
    }
    return e.is_sound;
}

void read(void *context, body_state *states)
{
    const engine &e = *static_cast<engine *>(context);
    for (const BodyNode *body : e.bodies) {
        body_state &out = *states++;
        const Eigen::Quaterniond q(body->getWorldTransform().linear());
        const Vector3d p = body->getWorldTransform().translation(), v = body->getLinearVelocity();
        for (int k = 0; k < 3; k++) out.p[k] = p[k], out.v[k] = v[k];
        out.q[0] = q.w(), out.q[1] = q.x(), out.q[2] = q.y(), out.q[3] = q.z();
    }
}

void destroy(void *context)
{
    delete static_cast<engine *>(context);
}

const char *version()
{
    return DART_VERSION;
}

} // namespace

extern "C" {
extern const peer dart_peers[] = {
    {"DART", "World", "Dantzig's LCP, its own collision detector", 100, version, create, step, read, destroy},
    {},
};
}
