/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* Bullet: rigid bodies in world coordinates, sequential impulses with warm starts, semi-implicit Euler, with its defaults (10
 * iterations, ERP 0.2, penetration by split impulses) and with 50 iterations.
 *
 * The ground is a large box if boxes stand on it: against a plane Bullet finds one point of a box at a time, against a
 * box all of them. Restitution and friction multiply: the ground has 1 and the body the value of the pair. Sleep is off. */

#include "common/peers/bullet.hpp"

using namespace bench_bullet;

namespace
{

constexpr double ground_size = 200; /* m */

struct engine {
    btDefaultCollisionConfiguration configuration;
    btCollisionDispatcher dispatcher{&configuration};
    btDbvtBroadphase broadphase;
    btSequentialImpulseConstraintSolver solver;
    btDiscreteDynamicsWorld world{&dispatcher, &broadphase, &solver, &configuration};
    std::vector<std::unique_ptr<btCollisionShape>> shapes;
    std::vector<std::unique_ptr<btRigidBody>> bodies; /* bodies of the scene, then the ground */
    int count = 0;
    double h = 0;

    ~engine()
    {
        for (auto &body : bodies) world.removeRigidBody(body.get());
    }
};

btRigidBody &add(engine &e, btCollisionShape *shape, double mass, const btVector3 &inertia, const btTransform &at)
{
    e.shapes.emplace_back(shape);
    btRigidBody::btRigidBodyConstructionInfo info(mass, nullptr, shape, inertia);
    info.m_startWorldTransform = at;
    e.bodies.push_back(std::make_unique<btRigidBody>(info));
    e.bodies.back()->setActivationState(DISABLE_DEACTIVATION);
    e.world.addRigidBody(e.bodies.back().get());
    return *e.bodies.back();
}

void add_body(engine &e, const scene &s, const scene_body &from)
{
    btCollisionShape *shape = from.shape == SCENE_BOX
                                  ? static_cast<btCollisionShape *>(new btBoxShape(0.5 * vec(from.size)))
                                  : new btSphereShape(0.5 * from.size[0]);
    btRigidBody &body = add(e, shape, from.mass, vec(from.inertia), pose(from));
    body.setFriction(std::sqrt(s.friction));
    body.setRestitution(s.restitution);
}

void add_ground(engine &e, const scene &s)
{
    const bool boxes = s.bodies[0].shape == SCENE_BOX;
    const btVector3 half(0.5 * ground_size, 0.5 * ground_size, 0.5), up(0, 0, 1), none(0, 0, 0);
    btCollisionShape *shape =
        boxes ? static_cast<btCollisionShape *>(new btBoxShape(half)) : new btStaticPlaneShape(up, 0);
    const btTransform at(btQuaternion::getIdentity(), boxes ? btVector3(0, 0, -0.5) : none);
    btRigidBody &ground = add(e, shape, 0, none, at);
    ground.setFriction(std::sqrt(s.friction));
    ground.setRestitution(1);
}

void *create(const scene *s, double h, int iterations)
{
    auto made = std::make_unique<engine>();
    made->h = h;
    made->count = s->body_count;
    made->world.setGravity(vec(s->gravity));
    made->world.getSolverInfo().m_numIterations = iterations;
    for (int i = 0; i < s->body_count; i++) add_body(*made, *s, s->bodies[i]);
    add_ground(*made, *s);
    return made.release();
}

void *create_default(const scene *s, double h, const char **)
{
    return create(s, h, 10);
}

void *create_more(const scene *s, double h, const char **)
{
    return create(s, h, 50);
}

bool step(void *context, int count)
{
    engine *e = static_cast<engine *>(context);
    for (int i = 0; i < count; i++) e->world.stepSimulation(e->h, 0);
    return true;
}

void read(void *context, body_state *states)
{
    const engine *e = static_cast<engine *>(context);
    for (int i = 0; i < e->count; i++) {
        const btRigidBody &body = *e->bodies[static_cast<size_t>(i)];
        put(states[i], body.getWorldTransform(), body.getLinearVelocity(), body.getAngularVelocity());
    }
}

void destroy(void *context)
{
    delete static_cast<engine *>(context);
}

} // namespace

const peer bullet_peers[] = {
    {"Bullet", "default", "double, sequential impulses, 10 iterations", version, create_default, step, read, destroy},
    {"Bullet", "50 iterations", "the same with 50", version, create_more, step, read, destroy},
    {},
};
