/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* DART: semi-implicit Euler, contacts by velocity constraints in a boxed LCP (Dantzig) per island, with its defaults. Collision
 * by its own detector, which knows boxes and spheres exactly (the usual one, FCL, makes one point of a face on a face); the
 * ground is a large box. Friction of a pair is the smaller, restitution the product. */

#include "common/peers/dart.hpp"

#include <dart/collision/dart/DARTCollisionDetector.hpp>
#include <dart/dynamics/BoxShape.hpp>
#include <dart/dynamics/ShapeNode.hpp>
#include <dart/dynamics/SphereShape.hpp>
#include <dart/dynamics/WeldJoint.hpp>

using namespace dart::dynamics;
using namespace bench_dart;

namespace
{

constexpr double ground_size = 200, ground_depth = 1; /* m */

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

BodyNode *add_body(engine &e, const scene &s, int index)
{
    const SkeletonPtr skeleton = Skeleton::create("skeleton " + std::to_string(index));
    BodyNode *body = add_free(skeleton, s, index);
    add_shape(body, make_shape(s.bodies[index]), s.friction, s.restitution);
    e.world->addSkeleton(skeleton);
    return body;
}

void add_ground(engine &e, const scene &s)
{
    const SkeletonPtr skeleton = Skeleton::create("ground");
    const auto pair = skeleton->createJointAndBodyNodePair<WeldJoint>();
    Isometry3d below = Isometry3d::Identity();
    below.translation() = Vector3d(0, 0, -0.5 * ground_depth);
    pair.first->setTransformFromParentBodyNode(below);
    add_shape(pair.second, std::make_shared<BoxShape>(Vector3d(ground_size, ground_size, ground_depth)), s.friction,
              1);
    e.world->addSkeleton(skeleton);
}

void *create(const scene *s, double h, const char **)
{
    auto made = make_world(*s, h);
    made->world->getConstraintSolver()->setCollisionDetector(dart::collision::DARTCollisionDetector::create());
    add_ground(*made, *s);
    for (int i = 0; i < s->body_count; i++) made->bodies[static_cast<size_t>(i)] = add_body(*made, *s, i);
    return made.release();
}

} // namespace

const peer dart_peers[] = {
    {"DART", "World", "Dantzig's LCP, its own collision detector", version, create, step, read, destroy},
    {},
};
