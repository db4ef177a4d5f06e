/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* DART (dartsim.github.io): what all benches need of it. To be included before anything else of DART or Eigen. */

#ifndef TRM_BENCH_PEERS_DART_HPP
#define TRM_BENCH_PEERS_DART_HPP

/* Memory passes between these files and the library, which was built for plain x86-64 without sanitizers: Eigen must
 * align as it does there, with -mavx and under the address sanitizer too. */
#define EIGEN_MAX_ALIGN_BYTES        16
#define EIGEN_MALLOC_ALREADY_ALIGNED 1

/* Its headers, and Eigen in them, check much unless told not to. */
#ifndef NDEBUG
#define NDEBUG
#endif

#include <dart/constraint/ConstraintSolver.hpp>
#include <dart/dynamics/BodyNode.hpp>
#include <dart/dynamics/FreeJoint.hpp>
#include <dart/dynamics/Skeleton.hpp>
#include <dart/simulation/World.hpp>

#include <limits>
#include <memory>
#include <string>
#include <vector>

#include "common/peers/peers.h"

namespace bench_dart
{

using dart::dynamics::BodyNode;
using dart::dynamics::SkeletonPtr;
using Eigen::Isometry3d;
using Eigen::Vector3d;

constexpr double hopeless_velocity = 1e6; /* of any joint, rad/s or m/s */

struct engine {
    dart::simulation::WorldPtr world;
    std::vector<BodyNode *> bodies; /* owned by their skeletons */
    bool is_sound = true;
};

inline Vector3d vec(const double v[3])
{
    return Vector3d(v[0], v[1], v[2]);
}

inline Isometry3d pose(const scene_body &body)
{
    Isometry3d pose = Isometry3d::Identity();
    pose.linear() = Eigen::Quaterniond(body.q[0], body.q[1], body.q[2], body.q[3]).toRotationMatrix();
    pose.translation() = vec(body.p);
    return pose;
}

/* Names because DART prints a line for every one that it has to invent. */
inline BodyNode::Properties body_properties(const scene_body &body, int index)
{
    const Eigen::Matrix3d moments = vec(body.inertia).asDiagonal();
    BodyNode::AspectProperties properties("body " + std::to_string(index));
    properties.mInertia = dart::dynamics::Inertia(body.mass, Vector3d::Zero(), moments);
    return BodyNode::Properties(properties);
}

inline BodyNode *add_free(const SkeletonPtr &skeleton, const scene &scene, int index)
{
    using dart::dynamics::FreeJoint;
    const scene_body &body = scene.bodies[index];
    auto pair = skeleton->createJointAndBodyNodePair<FreeJoint>(nullptr, FreeJoint::Properties(),
                                                                body_properties(body, index));
    pair.first->setRelativeTransform(pose(body));
    Eigen::Vector6d velocity;
    velocity << pose(body).linear().transpose() * vec(body.w), pose(body).linear().transpose() * vec(body.v);
    pair.first->setRelativeSpatialVelocity(velocity);
    return pair.second;
}

/* Still empty. */
inline std::unique_ptr<engine> make_world(const scene &scene, double h)
{
    auto made = std::make_unique<engine>();
    made->world = dart::simulation::World::create();
    made->world->setTimeStep(h);
    made->world->setGravity(vec(scene.gravity));
    made->bodies.resize(static_cast<size_t>(scene.body_count));
    return made;
}

/* Debian's library ends the program by an assertion when it meets a state that is no number: so look before. */
inline bool is_sound(const dart::simulation::World &world)
{
    for (size_t i = 0; i < world.getNumSkeletons(); i++) {
        const SkeletonPtr skeleton = world.getSkeleton(i);
        if (skeleton->getNumDofs() == 0) continue;
        if (!(skeleton->getVelocities().cwiseAbs().maxCoeff() < hopeless_velocity)) return false;
        if (!skeleton->getPositions().allFinite()) return false;
    }
    return true;
}

inline bool step(void *context, int count)
{
    engine &e = *static_cast<engine *>(context);
    for (int i = 0; i < count && e.is_sound; i++) {
        e.world->step();
        e.is_sound = is_sound(*e.world);
    }
    return e.is_sound;
}

inline void read_body(const BodyNode &body, body_state &out)
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

inline void read(void *context, body_state *states)
{
    const engine &e = *static_cast<engine *>(context);
    const double none = std::numeric_limits<double>::quiet_NaN();
    const body_state nowhere = {{none, none, none}, {none, none, none, none}, {none, none, none}, {none, none, none}};
    for (const BodyNode *body : e.bodies) {
        body_state &out = *states++;
        if (e.is_sound)
            read_body(*body, out);
        else
            out = nowhere;
    }
}

inline void destroy(void *context)
{
    delete static_cast<engine *>(context);
}

inline const char *version()
{
    return DART_VERSION;
}

} // namespace bench_dart

#endif
