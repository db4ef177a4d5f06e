/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* Bullet (bulletphysics.org) in double precision, twice:
 *
 * MultiBody   joint coordinates by Featherstone's recursion, semi-implicit Euler; with RK4 for scenes without loops
 *             (its constraints know one stage only). Loops are point to point constraints, solved by an MLCP.
 * maximal     rigid bodies in world coordinates with joint constraints, semi-implicit Euler; by sequential impulses
 *             or by an MLCP, which is exact and dense.
 *
 * Nothing collides. Multibodies get colliders (of an empty shape) only where there are loops, because Bullet finds
 * the constraints to solve by the islands of the colliders. */

#include "common/peers/bullet.hpp"

#include <BulletDynamics/Featherstone/btMultiBody.h>
#include <BulletDynamics/Featherstone/btMultiBodyDynamicsWorld.h>
#include <BulletDynamics/Featherstone/btMultiBodyLinkCollider.h>
#include <BulletDynamics/Featherstone/btMultiBodyMLCPConstraintSolver.h>
#include <BulletDynamics/Featherstone/btMultiBodyPoint2Point.h>
#include <BulletDynamics/MLCPSolvers/btDantzigSolver.h>
#include <BulletDynamics/MLCPSolvers/btMLCPSolver.h>
#include <algorithm>

#include "tree.hpp"

using namespace bench_bullet;

namespace
{

/* Fraction of a gap that a step removes. Bullet's own 0.2 leaves the gaps 4 times wider, at no less energy error. */
constexpr double error_reduction = 0.8;

/* Added to the diagonal of the MLCP, 1/kg: redundant rows, as a ball has in a plane loop, would divide by zero. */
constexpr double diagonal_softness = 1e-10;

constexpr int sequential_iterations = 50; /* more changed nothing in chains of 10 bodies */
constexpr int dense_rows_limit = 1000;    /* beyond, a step of the MLCP takes seconds */

btVector3 in_body(const scene &scene, int body, const double point[3])
{
    return body == bench::ground ? vec(point) : pose(scene.bodies[body]).invXform(vec(point));
}

/* The objects of every world of Bullet; members are destroyed before those above them. */
struct parts {
    btDefaultCollisionConfiguration configuration;
    btCollisionDispatcher dispatcher{&configuration};
    btDbvtBroadphase broadphase;
    btEmptyShape shape;
    btDantzigSolver dantzig;
    double h = 0;
};

void set_solver(btDynamicsWorld &world, double h, bool exact)
{
    btContactSolverInfo &info = world.getSolverInfo();
    info.m_timeStep = h;
    info.m_erp = error_reduction;
    if (exact)
        info.m_globalCfm = diagonal_softness * h;
    else
        info.m_numIterations = sequential_iterations;
}

/* ------------------------------------------------------------------------------------------------ MultiBody */

/* A ball that closes a loop within one multibody, as a constraint of this body alone: row J_a - J_b. Given as a pair
 * the body twice, btMultiBodyMLCPConstraintSolver leaves the products of J_a and J_b out of its matrix. */
class inner_ball : public btMultiBodyConstraint
{
  public:
    inner_ball(btMultiBody *body, int a, int b, const btVector3 &in_a, const btVector3 &in_b)
        : btMultiBodyConstraint(body, nullptr, a, -1, 3, false, MULTIBODY_CONSTRAINT_POINT_TO_POINT), link_b(b),
          pivot_a(in_a), pivot_b(in_b)
    {
        m_data.resize(3); /* the solver leaves the impulses here */
    }

    void finalizeMultiDof() override
    {
    }

    int getIslandIdA() const override
    {
        return m_linkA < 0 ? m_bodyA->getBaseCollider()->getIslandTag()
                           : m_bodyA->getLink(m_linkA).m_collider->getIslandTag();
    }

    int getIslandIdB() const override
    {
        return -1;
    }

    void createConstraintRows(btMultiBodyConstraintArray &rows, btMultiBodyJacobianData &data,
                              const btContactSolverInfo &info) override
    {
        const btVector3 a = m_bodyA->localPosToWorld(m_linkA, pivot_a), b = m_bodyA->localPosToWorld(link_b, pivot_b);
        for (int i = 0; i < 3; i++) {
            btVector3 direction(0, 0, 0);
            direction[i] = 1;
            set_jacobian(a, b, direction, data);
            btMultiBodySolverConstraint &row = rows.expandNonInitializing();
            row = btMultiBodySolverConstraint();
            row.m_orgConstraint = this;
            row.m_orgDofIndex = i;
            row.m_solverBodyIdA = row.m_solverBodyIdB = data.m_fixedBodyId;
            fillMultiBodyConstraint(row, data, jacobian_a.data(), nullptr, btVector3(0, 0, 0), direction, a, b,
                                    direction.dot(a - b), info, -SIMD_INFINITY, SIMD_INFINITY);
        }
    }

    void debugDraw(btIDebugDraw *) override
    {
    }

  private:
    void set_jacobian(const btVector3 &a, const btVector3 &b, const btVector3 &direction,
                      btMultiBodyJacobianData &data)
    {
        const btVector3 none(0, 0, 0);
        const size_t size = static_cast<size_t>(m_bodyA->getNumDofs() + 6);
        jacobian_a.resize(size);
        jacobian_b.resize(size);
        m_bodyA->fillConstraintJacobianMultiDof(m_linkA, a, none, direction, jacobian_a.data(), data.scratch_r,
                                                data.scratch_v, data.scratch_m);
        m_bodyA->fillConstraintJacobianMultiDof(link_b, b, none, direction, jacobian_b.data(), data.scratch_r,
                                                data.scratch_v, data.scratch_m);
        for (size_t i = 0; i < size; i++) jacobian_a[i] -= jacobian_b[i];
    }

    int link_b;
    btVector3 pivot_a, pivot_b;
    std::vector<btScalar> jacobian_a, jacobian_b;
};

/* The place of a body of the scene: a link of a multibody, or its base (-1). */
struct place {
    btMultiBody *multibody;
    int link;
};

struct multibody_engine {
    parts common;
    std::unique_ptr<btMultiBodyConstraintSolver> solver;
    std::unique_ptr<btMultiBodyDynamicsWorld> world;
    std::vector<std::unique_ptr<btMultiBody>> multibodies;
    std::vector<std::unique_ptr<btMultiBodyLinkCollider>> colliders;
    std::vector<std::unique_ptr<btMultiBodyConstraint>> loops;
    std::vector<place> places;
    btAlignedObjectArray<btQuaternion> rotations; /* scratch of the kinematics */
    btAlignedObjectArray<btVector3> origins, w, v;

    ~multibody_engine();
};

multibody_engine::~multibody_engine()
{
    for (auto &loop : loops) world->removeMultiBodyConstraint(loop.get());
    for (auto &collider : colliders) world->removeCollisionObject(collider.get());
    for (auto &multibody : multibodies) world->removeMultiBody(multibody.get());
}

/* Returns the end of the bodies of the tree below trees.order[first], which are adjacent in the order. */
size_t tree_end(const bench::trees &trees, size_t first)
{
    size_t end = first + 1;
    while (end < trees.order.size() && bench::parent(trees, trees.order[end]) != bench::ground) end++;
    return end;
}

void add_link(multibody_engine &engine, const scene &scene, const bench::trees &trees, int index, const place &at)
{
    const scene_joint &joint = *trees.joint[static_cast<size_t>(index)];
    const scene_body &body = scene.bodies[index];
    const place parent =
        joint.a == bench::ground ? place{at.multibody, -1} : engine.places[static_cast<size_t>(joint.a)];
    const btQuaternion parent_q =
        joint.a == bench::ground ? btQuaternion::getIdentity() : quat(scene.bodies[joint.a].q);
    const btQuaternion from_parent = quat(body.q).inverse() * parent_q;
    const btVector3 to_pivot = in_body(scene, joint.a, joint.anchor),
                    from_pivot = -in_body(scene, index, joint.anchor);
    if (joint.type == SCENE_BALL)
        at.multibody->setupSpherical(at.link, body.mass, vec(body.inertia), parent.link, from_parent, to_pivot,
                                     from_pivot, true);
    else
        at.multibody->setupRevolute(at.link, body.mass, vec(body.inertia), parent.link, from_parent,
                                    quatRotate(quat(body.q).inverse(), vec(joint.axis)).normalized(), to_pivot,
                                    from_pivot, true);
    engine.places[static_cast<size_t>(index)] = at;
}

void set_joint_velocity(const multibody_engine &engine, const scene &scene, const bench::trees &trees, int index)
{
    const scene_joint &joint = *trees.joint[static_cast<size_t>(index)];
    const place &at = engine.places[static_cast<size_t>(index)];
    const scene_body &body = scene.bodies[index];
    const btVector3 parent_w = joint.a == bench::ground ? btVector3(0, 0, 0) : vec(scene.bodies[joint.a].w);
    const btVector3 w = quatRotate(quat(body.q).inverse(), vec(body.w) - parent_w);
    if (joint.type == SCENE_BALL)
        at.multibody->setJointVelMultiDof(at.link, static_cast<const btScalar *>(w));
    else
        at.multibody->setJointVel(at.link, w.dot(at.multibody->getLink(at.link).getAxisTop(0)));
}

void set_undamped(btMultiBody &multibody)
{
    multibody.setLinearDamping(0);
    multibody.setAngularDamping(0);
    multibody.setUseGyroTerm(true);
    multibody.setHasSelfCollision(false);
    multibody.setMaxCoordinateVelocity(SIMD_INFINITY);
}

/* Adds the tree below trees.order[first]: a free root is the base, a fixed root the first link of a fixed base. */
void add_tree(multibody_engine &engine, const scene &scene, const bench::trees &trees, size_t first, size_t end)
{
    const int root = trees.order[first];
    const scene_body &body = scene.bodies[root];
    const bool free = !trees.joint[static_cast<size_t>(root)];
    const int links = static_cast<int>(end - first) - (free ? 1 : 0);
    engine.multibodies.push_back(std::make_unique<btMultiBody>(
        links, free ? body.mass : 0, free ? vec(body.inertia) : btVector3(0, 0, 0), !free, false));
    btMultiBody &multibody = *engine.multibodies.back();
    if (free) {
        engine.places[static_cast<size_t>(root)] = {&multibody, -1};
        multibody.setBaseWorldTransform(pose(body));
    }
    int link = 0;
    for (size_t i = free ? first + 1 : first; i < end; i++)
        add_link(engine, scene, trees, trees.order[i], {&multibody, link++});
    multibody.finalizeMultiDof();
    multibody.clearVelocities();
    if (free) {
        multibody.setBaseVel(vec(body.v));
        multibody.setBaseOmega(vec(body.w));
    }
    for (size_t i = free ? first + 1 : first; i < end; i++) set_joint_velocity(engine, scene, trees, trees.order[i]);
    set_undamped(multibody);
    engine.world->addMultiBody(&multibody);
}

void add_collider(multibody_engine &engine, const place &at)
{
    engine.colliders.push_back(std::make_unique<btMultiBodyLinkCollider>(at.multibody, at.link));
    btMultiBodyLinkCollider &collider = *engine.colliders.back();
    collider.setCollisionShape(&engine.common.shape);
    collider.setActivationState(DISABLE_DEACTIVATION);
    engine.world->addCollisionObject(&collider, 0, 0);
    if (at.link < 0)
        at.multibody->setBaseCollider(&collider);
    else
        at.multibody->getLink(at.link).m_collider = &collider;
}

void close_loop(multibody_engine &engine, const scene &scene, const scene_joint &joint)
{
    const bool swapped = joint.a == bench::ground;
    const int first = swapped ? joint.b : joint.a, second = swapped ? joint.a : joint.b;
    const place &a = engine.places[static_cast<size_t>(first)];
    const btVector3 in_a = in_body(scene, first, joint.anchor), in_b = in_body(scene, second, joint.anchor);
    std::unique_ptr<btMultiBodyConstraint> loop;
    if (second == bench::ground) {
        loop.reset(new btMultiBodyPoint2Point(a.multibody, a.link, static_cast<btRigidBody *>(nullptr), in_a, in_b));
    } else {
        const place &b = engine.places[static_cast<size_t>(second)];
        if (a.multibody == b.multibody)
            loop.reset(new inner_ball(a.multibody, a.link, b.link, in_a, in_b));
        else
            loop.reset(new btMultiBodyPoint2Point(a.multibody, a.link, b.multibody, b.link, in_a, in_b));
    }
    loop->setMaxAppliedImpulse(SIMD_INFINITY);
    engine.world->addMultiBodyConstraint(loop.get());
    engine.loops.push_back(std::move(loop));
}

void make_multibody_world(multibody_engine &engine, const scene &scene, double h, bool loops)
{
    parts &common = engine.common;
    common.h = h;
    if (loops)
        engine.solver.reset(new btMultiBodyMLCPConstraintSolver(&common.dantzig));
    else
        engine.solver.reset(new btMultiBodyConstraintSolver);
    engine.world.reset(new btMultiBodyDynamicsWorld(&common.dispatcher, &common.broadphase, engine.solver.get(),
                                                    &common.configuration));
    engine.world->setGravity(vec(scene.gravity));
    set_solver(*engine.world, h, loops);
}

void *create_multibody(const scene *scene, double h, const char **why, bool rk4)
{
    bench::trees trees;
    const bool loops = bench::has_loops(*scene);
    if (rk4 && loops) return *why = "Bullet's RK4 takes the forces of loops at one stage only", nullptr;
    if (!bench::find_trees(*scene, trees)) return *why = "the joints of the scene form no trees", nullptr;
    auto made = std::make_unique<multibody_engine>();
    make_multibody_world(*made, *scene, h, loops);
    made->places.resize(static_cast<size_t>(scene->body_count));
    for (size_t first = 0; first < trees.order.size(); first = tree_end(trees, first))
        add_tree(*made, *scene, trees, first, tree_end(trees, first));
    for (auto &multibody : made->multibodies) multibody->useRK4Integration(rk4);
    if (loops)
        for (const place &at : made->places) add_collider(*made, at);
    for (int i = 0; i < scene->joint_count; i++)
        if (scene->joints[i].closes_loop) close_loop(*made, *scene, scene->joints[i]);
    return made.release();
}

bool step_multibody(void *handle, int count)
{
    multibody_engine &engine = *static_cast<multibody_engine *>(handle);
    for (int i = 0; i < count; i++) engine.world->stepSimulation(engine.common.h, 0);
    for (const auto &multibody : engine.multibodies)
        for (int i = 0; i < multibody->getNumDofs() + 6; i++)
            if (!std::isfinite(multibody->getVelocityVector()[i])) return false;
    return true;
}

/* Reads the states; velocities are in the axes of the bodies. */
void read_multibody(void *handle, body_state *states)
{
    multibody_engine &engine = *static_cast<multibody_engine *>(handle);
    const btMultiBody *known = nullptr;
    for (const place &at : engine.places) {
        if (at.multibody != known) {
            engine.w.resize(at.multibody->getNumLinks() + 1);
            engine.v.resize(at.multibody->getNumLinks() + 1);
            at.multibody->forwardKinematics(engine.rotations, engine.origins);
            at.multibody->compTreeLinkVelocities(&engine.w[0], &engine.v[0]);
            known = at.multibody;
        }
        const btTransform pose = at.link < 0 ? at.multibody->getBaseWorldTransform()
                                             : at.multibody->getLink(at.link).m_cachedWorldTransform;
        put(*states++, pose, pose.getBasis() * engine.v[at.link + 1], pose.getBasis() * engine.w[at.link + 1]);
    }
}

void destroy_multibody(void *handle)
{
    delete static_cast<multibody_engine *>(handle);
}

void *create_multibody_euler(const scene *scene, double h, const char **why)
{
    return create_multibody(scene, h, why, false);
}

void *create_multibody_rk4(const scene *scene, double h, const char **why)
{
    return create_multibody(scene, h, why, true);
}

/* -------------------------------------------------------------------------------------------------- maximal */

struct maximal_engine {
    parts common;
    std::unique_ptr<btSequentialImpulseConstraintSolver> solver; /* the MLCP's is derived from it */
    std::unique_ptr<btDiscreteDynamicsWorld> world;
    std::vector<std::unique_ptr<btRigidBody>> bodies;
    std::vector<std::unique_ptr<btTypedConstraint>> joints;

    ~maximal_engine();
};

maximal_engine::~maximal_engine()
{
    for (auto &joint : joints) world->removeConstraint(joint.get());
    for (auto &body : bodies) world->removeRigidBody(body.get());
}

void add_body(maximal_engine &engine, const scene_body &body)
{
    btRigidBody::btRigidBodyConstructionInfo info(body.mass, nullptr, &engine.common.shape, vec(body.inertia));
    info.m_startWorldTransform = pose(body);
    info.m_linearDamping = info.m_angularDamping = 0;
    engine.bodies.push_back(std::make_unique<btRigidBody>(info));
    btRigidBody &rigid = *engine.bodies.back();
    rigid.setLinearVelocity(vec(body.v));
    rigid.setAngularVelocity(vec(body.w));
    rigid.setActivationState(DISABLE_DEACTIVATION);
    engine.world->addRigidBody(&rigid, 0, 0);
}

btVector3 axis_in_body(const scene &scene, int body, const double axis[3])
{
    return quatRotate(quat(scene.bodies[body].q).inverse(), vec(axis).normalized());
}

std::unique_ptr<btTypedConstraint> make_joint(maximal_engine &engine, const scene &scene, const scene_joint &joint)
{
    const bool swapped = joint.a == bench::ground;
    const int first = swapped ? joint.b : joint.a, second = swapped ? joint.a : joint.b;
    btRigidBody &a = *engine.bodies[static_cast<size_t>(first)];
    const btVector3 in_a = in_body(scene, first, joint.anchor), in_b = in_body(scene, second, joint.anchor);
    using made = std::unique_ptr<btTypedConstraint>;
    const bool ball = joint.type == SCENE_BALL;
    if (second == bench::ground)
        return ball ? made(new btPoint2PointConstraint(a, in_a))
                    : made(new btHingeConstraint(a, in_a, axis_in_body(scene, first, joint.axis)));
    btRigidBody &b = *engine.bodies[static_cast<size_t>(second)];
    return ball ? made(new btPoint2PointConstraint(a, b, in_a, in_b))
                : made(new btHingeConstraint(a, b, in_a, in_b, axis_in_body(scene, first, joint.axis),
                                             axis_in_body(scene, second, joint.axis)));
}

int constraint_rows(const scene &scene)
{
    int rows = 0;
    for (int i = 0; i < scene.joint_count; i++) rows += scene.joints[i].type == SCENE_BALL ? 3 : 5;
    return rows;
}

void make_maximal_world(maximal_engine &engine, const scene &scene, double h, bool mlcp)
{
    parts &common = engine.common;
    common.h = h;
    if (mlcp)
        engine.solver.reset(new btMLCPSolver(&common.dantzig));
    else
        engine.solver.reset(new btSequentialImpulseConstraintSolver);
    engine.world.reset(new btDiscreteDynamicsWorld(&common.dispatcher, &common.broadphase, engine.solver.get(),
                                                   &common.configuration));
    engine.world->setGravity(vec(scene.gravity));
    set_solver(*engine.world, h, mlcp);
    if (mlcp) engine.world->getSolverInfo().m_minimumSolverBatchSize = 1; /* an MLCP for every island */
}

void *create_maximal(const scene *scene, double h, const char **why, bool mlcp)
{
    if (mlcp && constraint_rows(*scene) > dense_rows_limit) return *why = "too large for a dense MLCP", nullptr;
    auto made = std::make_unique<maximal_engine>();
    make_maximal_world(*made, *scene, h, mlcp);
    for (int i = 0; i < scene->body_count; i++) add_body(*made, scene->bodies[i]);
    for (int i = 0; i < scene->joint_count; i++) {
        made->joints.push_back(make_joint(*made, *scene, scene->joints[i]));
        made->world->addConstraint(made->joints.back().get(), true);
    }
    return made.release();
}

bool is_finite(const btVector3 &v)
{
    return std::isfinite(v[0]) && std::isfinite(v[1]) && std::isfinite(v[2]);
}

bool step_maximal(void *handle, int count)
{
    maximal_engine &engine = *static_cast<maximal_engine *>(handle);
    for (int i = 0; i < count; i++) engine.world->stepSimulation(engine.common.h, 0);
    return std::all_of(engine.bodies.begin(), engine.bodies.end(), [](const auto &body) {
        return is_finite(body->getLinearVelocity()) && is_finite(body->getAngularVelocity());
    });
}

void read_maximal(void *handle, body_state *states)
{
    for (const auto &body : static_cast<maximal_engine *>(handle)->bodies)
        put(*states++, body->getWorldTransform(), body->getLinearVelocity(), body->getAngularVelocity());
}

void destroy_maximal(void *handle)
{
    delete static_cast<maximal_engine *>(handle);
}

void *create_maximal_sequential(const scene *scene, double h, const char **why)
{
    return create_maximal(scene, h, why, false);
}

void *create_maximal_mlcp(const scene *scene, double h, const char **why)
{
    return create_maximal(scene, h, why, true);
}

} // namespace

const peer bullet_peers[] = {
    {"Bullet", "MultiBody",
     "double; joint coordinates, semi-implicit Euler; loops, hinges too, by Point2Point (ERP 0.8) and Dantzig's MLCP",
     version, create_multibody_euler, step_multibody, read_multibody, destroy_multibody},
    {"Bullet", "MultiBody RK4",
     "double; joint coordinates, useRK4Integration: order 4 with hinges, 2 with balls, 1 with a free base; no loops",
     version, create_multibody_rk4, step_multibody, read_multibody, destroy_multibody},
    {"Bullet", "maximal", "double; joint constraints by 50 sequential impulses, ERP 0.8", version,
     create_maximal_sequential, step_maximal, read_maximal, destroy_maximal},
    {"Bullet", "maximal MLCP", "double; joint constraints by Dantzig's MLCP, dense, ERP 0.8", version,
     create_maximal_mlcp, step_maximal, read_maximal, destroy_maximal},
    {},
};
