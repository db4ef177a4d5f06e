/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* Kinematics and dynamics of trees in joint coordinates: random trees of every joint that can carry a body, in both
 * directions, of free bodies, of points, on the ground and on moving bodies. Velocities and accelerations are
 * compared with finite differences of poses; mass matrix, loads and accelerations with sums over all bodies. */

#include "differences.h"
#include "linalg/dense.h"
#include "methods/minimal/compiled.h"
#include "methods/minimal/dynamics.h"
#include "random_trees.h"

static const double ROUNDING = 1e-11; /* for numbers up to 100 after sums over ten bodies */

enum { SEEDS = 12, MOST_Y = 80, BODIES = RANDOM_TREE_BODIES };

/* ---- A tree at a moment ------------------------------------------------------------------- */

typedef struct moment {
    trm_model *model;
    trm_state *state;
    trm_arena arena;
    trm_tree *tree;
    trm_dynamics *dynamics;
    double t, y[MOST_Y], yd[MOST_Y], ydd[MOST_Y];
    trm_spatial wrench[BODIES + 3];
    int body; /* the body under test */
} moment;

/* Takes ownership of the model. */
static void begin(moment *m, trm_model *model, unsigned seed, bool absolute)
{
    trm_random random = trm_random_seed(seed + 1000);
    char why[300];
    m->model = model;
    m->state = start_of(model);
    trm_arena_init(&m->arena, NULL);
    m->tree = trm_tree_create(m->state, (trm_tree_options){0}, &m->arena, why, sizeof why);
    assert_non_null(m->tree);
    assert_true(m->tree->coordinates <= MOST_Y && m->tree->cut_count == 0);
    if (absolute) assert_true(trm_tree_take_absolute_angles(m->tree, m->state, why, sizeof why));
    m->dynamics = trm_dynamics_create(m->tree, &m->arena);
    assert_non_null(m->dynamics);
    m->t = 0.3;
    for (int i = 0; i < m->tree->coordinates; i++) {
        m->y[i] = trm_random_uniform(&random, -1, 1);
        m->yd[i] = trm_random_uniform(&random, -1, 1);
        m->ydd[i] = trm_random_uniform(&random, -1, 1);
    }
    for (int b = 0; b < trm_body_count(model); b++) m->wrench[b] = random_spatial(&random);
}

static void end(moment *m)
{
    trm_arena_destroy(&m->arena);
    trm_state_destroy(m->state);
    trm_model_destroy(m->model);
}

static void place(const moment *m, double t, const double *y)
{
    trm_tree_set_time(m->tree, t);
    for (int b = 0; b < m->tree->branch_count; b++) trm_tree_place(m->tree, &m->tree->branches[b], y);
}

static void move(const moment *m, const double *yd)
{
    place(m, m->t, m->y);
    for (int b = 0; b < m->tree->branch_count; b++) trm_tree_move(m->tree, &m->tree->branches[b], m->y, yd);
}

static void accelerate(const moment *m, const double *ydd)
{
    for (int b = 0; b < m->tree->branch_count; b++) trm_tree_accelerate(m->tree, &m->tree->branches[b], ydd);
}

/* ---- Kinematics --------------------------------------------------------------------------- */

/* Returns position and rotation of a body along y + s dy/dt + s^2/2 d2y/dt2. */
static void path(const void *context, double s, double *values)
{
    const moment *m = context;
    double y[MOST_Y];
    place(m, m->t, m->y);
    const trm_quat q = m->tree->pose[m->body].q;
    for (int i = 0; i < m->tree->coordinates; i++) y[i] = m->y[i] + s * (m->yd[i] + 0.5 * s * m->ydd[i]);
    place(m, m->t + s, y);
    const trm_pose X = m->tree->pose[m->body];
    const trm_vec3 turn = trm_quat_log(trm_quat_mul(X.q, trm_quat_conj(q)));
    const double six[6] = {turn.x, turn.y, turn.z, X.p.x, X.p.y, X.p.z};
    memcpy(values, six, sizeof six);
}

static void assert_spatial(trm_spatial V, const double *wanted, double tolerance)
{
    assert_near(V.ang.x, wanted[0], tolerance);
    assert_near(V.ang.y, wanted[1], tolerance);
    assert_near(V.ang.z, wanted[2], tolerance);
    assert_near(V.lin.x, wanted[3], tolerance);
    assert_near(V.lin.y, wanted[4], tolerance);
    assert_near(V.lin.z, wanted[5], tolerance);
}

/* Trees are ten links deep: derivatives are up to a thousand times those assumed in differences.h. */
static const double DEEP = 10;

static void check_kinematics(moment *m)
{
    for (m->body = 1; m->body < trm_body_count(m->model); m->body++) {
        double slope[6], curvature[6];
        slope_of(path, m, 6, slope);
        curvature_of(path, m, 6, curvature);
        move(m, m->yd);
        accelerate(m, m->ydd);
        assert_spatial(m->tree->velocity[m->body], slope, DEEP * slope_tolerance);
        assert_spatial(m->tree->acceleration[m->body], curvature, DEEP * curvature_tolerance);
    }
}

static void velocities_and_accelerations_are_derivatives_of_poses(void **state)
{
    (void)state;
    for (unsigned seed = 0; seed < SEEDS; seed++)
        for (int moved = 0; moved < 2; moved++) {
            moment m;
            begin(&m, random_tree(seed, moved == 1), seed, false);
            check_kinematics(&m);
            end(&m);
        }
}

/* ---- Dynamics ----------------------------------------------------------------------------- */

/* Computes J: the velocities of a body at unit rates of each coordinate, without driven bodies. */
static void find_jacobians(const moment *m, trm_spatial *J)
{
    double unit[MOST_Y] = {0};
    const int n = m->tree->coordinates;
    for (int k = 0; k < n; k++) {
        unit[k] = 1;
        move(m, unit);
        unit[k] = 0;
        for (int b = 0; b < trm_body_count(m->model); b++) J[b * n + k] = m->tree->velocity[b];
    }
}

static trm_vec3 turned_moments(const moment *m, int body, trm_vec3 w)
{
    const trm_body *b = &m->model->bodies[body];
    const trm_vec3 own = trm_rotate_back(m->tree->pose[body].q, w);
    const trm_vec3 L = {b->inertia.x * own.x, b->inertia.y * own.y, b->inertia.z * own.z};
    return b->kind == TRM_BODY_POINT ? trm_v3(0, 0, 0) : trm_rotate(m->tree->pose[body].q, L);
}

static trm_spatial momentum(const moment *m, int body, trm_spatial V)
{
    return trm_sp(turned_moments(m, body, V.ang), trm_v3_scale(m->model->bodies[body].mass, V.lin));
}

static bool is_carried(const moment *m, int body)
{
    return m->tree->link_of[body] >= 0;
}

/* sum of J^T (I A + (omega x I omega, 0) - F) over all bodies, along coordinate k */
static double summed_load(const moment *m, const trm_spatial *J, int k)
{
    const int n = m->tree->coordinates;
    double sum = 0;
    for (int b = 0; b < trm_body_count(m->model); b++) {
        if (!is_carried(m, b)) continue;
        const trm_vec3 w = m->tree->velocity[b].ang;
        trm_spatial F = momentum(m, b, m->tree->acceleration[b]);
        F.ang = trm_v3_add(F.ang, trm_v3_cross(w, turned_moments(m, b, w)));
        F = trm_sp_add_scaled(F, -1, m->wrench[b]);
        if (m->model->bodies[b].kind == TRM_BODY_POINT) F.ang = trm_v3(0, 0, 0);
        sum += trm_sp_dot(J[b * n + k], F);
    }
    return sum;
}

static void check_branch(const moment *m, const trm_branch *branch, const trm_spatial *J)
{
    static double M[MOST_Y * MOST_Y];
    double load[MOST_Y], still[MOST_Y], ydd[MOST_Y];
    const int n = m->tree->coordinates, c = branch->count;
    move(m, m->yd);
    trm_dynamics_mass(m->dynamics, m->tree, branch, M, branch->count);
    for (int i = 0; i < c; i++)
        for (int k = 0; k < c; k++) {
            double sum = 0;
            for (int b = 0; b < trm_body_count(m->model); b++)
                if (is_carried(m, b))
                    sum += trm_sp_dot(J[b * n + branch->first + i], momentum(m, b, J[b * n + branch->first + k]));
            assert_near(M[i * c + k], sum, ROUNDING * (1 + fabs(sum)));
            assert_near(M[i * c + k], M[k * c + i], ROUNDING * (1 + fabs(sum)));
        }

    /* Newton-Euler equations with and without accelerations differ by M d2y/dt2 */
    trm_dynamics_load(m->dynamics, m->tree, branch, NULL, m->wrench, still);
    trm_dynamics_load(m->dynamics, m->tree, branch, m->ydd, m->wrench, load);
    for (int i = 0; i < c; i++) {
        double sum = still[branch->first + i];
        for (int k = 0; k < c; k++) sum += M[i * c + k] * m->ydd[branch->first + k];
        assert_near(load[branch->first + i], sum, ROUNDING * (1 + fabs(sum)));
        const double wanted = summed_load(m, J, branch->first + i);
        assert_near(load[branch->first + i], wanted, ROUNDING * (1 + fabs(wanted)));
    }

    /* articulated bodies: M d2y/dt2 + k - q = 0 */
    for (int i = 0; i < c; i++)
        if (M[i * c + i] == 0) return; /* a coordinate without mass: the rotation of a point */
    trm_dynamics_articulate(m->dynamics, m->tree, branch, m->wrench, NULL, ydd);
    for (int i = 0; i < c; i++) {
        double sum = still[branch->first + i], size = fabs(sum);
        for (int k = 0; k < c; k++) {
            sum += M[i * c + k] * ydd[branch->first + k];
            size = fmax(size, fabs(M[i * c + k] * ydd[branch->first + k]));
        }
        assert_near(sum, 0, 100 * ROUNDING * (1 + size));
    }
}

static void check_projection(const moment *m, const trm_spatial *J)
{
    const int n = m->tree->coordinates;
    for (int b = 0; b < trm_body_count(m->model); b++) {
        double q[MOST_Y] = {0};
        if (!is_carried(m, b)) continue;
        trm_tree_project(m->tree, b, m->wrench[b], 0, q);
        for (int k = 0; k < n; k++) {
            trm_spatial F = m->wrench[b];
            const double wanted = trm_sp_dot(J[b * n + k], F);
            assert_near(q[k], wanted, ROUNDING * (1 + fabs(wanted)));
        }
    }
}

static void check_dynamics(const moment *m)
{
    static trm_spatial J[(BODIES + 3) * MOST_Y];
    find_jacobians(m, J);
    move(m, m->yd);
    check_projection(m, J);
    for (int b = 0; b < m->tree->branch_count; b++) check_branch(m, &m->tree->branches[b], J);
}

static void loads_and_masses_are_sums_over_all_bodies(void **state)
{
    (void)state;
    for (unsigned seed = 0; seed < SEEDS; seed++) {
        moment m;
        begin(&m, random_tree(seed, false), seed, false);
        check_dynamics(&m);
        end(&m);
    }
}

/* ---- Absolute angles ---------------------------------------------------------------------- */

/* Hinges about z and -z, in both directions, and sliders between them. */
static trm_model *planar_tree(unsigned seed)
{
    machine m;
    trm_random random = trm_random_seed(seed);
    machine_init(&m);
    for (int i = 1; i <= BODIES; i++) {
        add_body(&m, random_body(&random, ""));
        const int parent = (int)trm_random_uniform(&random, 0, i);
        const bool slides = trm_random_uniform(&random, 0, 1) < 0.3;
        hang(&m, &random, slides ? "slider" : "hinge", parent, i);
        trm_joint_def *joint = &m.def->joints[m.def->joint_count - 1];
        if (!slides) joint->axis = trm_v3(0, 0, trm_random_uniform(&random, 0, 1) < 0.5 ? 1 : -1);
    }
    return machine_finish(&m);
}

static void absolute_angles_have_the_same_kinematics_and_dynamics(void **state)
{
    (void)state;
    for (unsigned seed = 0; seed < SEEDS; seed++) {
        moment m;
        begin(&m, planar_tree(seed), seed, true);
        check_kinematics(&m);
        check_dynamics(&m);
        end(&m);
    }
}

/* One absolute angle turns its own body only, by the same angle about the first hinge's axis. */
static void an_absolute_angle_turns_what_hangs_below_by_hinges_not(void **state)
{
    (void)state;
    for (unsigned seed = 0; seed < SEEDS; seed++) {
        static trm_spatial J[(BODIES + 3) * MOST_Y];
        moment m;
        begin(&m, planar_tree(seed), seed, true);
        const int n = m.tree->coordinates;
        find_jacobians(&m, J);
        double first = 0;
        for (int i = 0; i < m.tree->link_count; i++) {
            const trm_link *link = &m.tree->links[i];
            if (link->sense == 0) continue;
            if (first == 0) first = J[link->body * n + link->first].ang.z;
            assert_near(fabs(first), 1, ROUNDING);
            for (int k = 0; k < n; k++)
                assert_near(J[link->body * n + k].ang.z, k == link->first ? first : 0, ROUNDING);
        }
        end(&m);
    }
}

/* ---- Compiled trees ----------------------------------------------------------------------- */

static const trm_vec3 GRAVITY = {0.7, -1.1, -9.81};

/* Accelerations by the general recursions, with gravity as a wrench. */
static void accelerate_generally(moment *m, const trm_branch *branch, const double *tau, double *ydd)
{
    static trm_spatial wrench[BODIES + 3];
    for (int b = 0; b < trm_body_count(m->model); b++)
        wrench[b] = trm_sp(m->wrench[b].ang, trm_v3_add_scaled(m->wrench[b].lin, m->model->bodies[b].mass, GRAVITY));
    trm_dynamics_articulate(m->dynamics, m->tree, branch, wrench, tau, ydd);
}

static bool check_compiled(moment *m, const trm_branch *branch, const double *tau)
{
    double expected[MOST_Y], ydd[MOST_Y];
    trm_pose pose[BODIES + 3];
    trm_spatial velocity[BODIES + 3];
    trm_compiled *c = trm_compiled_create(m->tree, branch, &m->arena);
    assert_false(m->arena.failed);
    if (!c) return false;
    move(m, m->yd);
    memcpy(pose, m->tree->pose, sizeof *pose * (size_t)trm_body_count(m->model));
    memcpy(velocity, m->tree->velocity, sizeof *velocity * (size_t)trm_body_count(m->model));
    accelerate_generally(m, branch, tau, expected);
    trm_compiled_move(c, m->y, m->yd);
    trm_compiled_write(c, m->tree, false);
    trm_compiled_apply_wrenches(c, m->wrench);
    trm_compiled_accelerate(c, GRAVITY, tau, ydd);
    for (int i = branch->first; i < branch->first + branch->count; i++)
        assert_near(ydd[i], expected[i], 10 * ROUNDING * (1 + fabs(expected[i])));
    for (int b = 0; b < trm_body_count(m->model); b++) {
        const trm_quat turn = trm_quat_mul(trm_quat_conj(pose[b].q), m->tree->pose[b].q);
        assert_near(trm_v3_length(trm_v3_sub(m->tree->pose[b].p, pose[b].p)), 0, ROUNDING);
        assert_near(fabs(turn.w), 1, ROUNDING);
        assert_near(trm_v3_length(trm_v3_sub(m->tree->velocity[b].ang, velocity[b].ang)), 0, ROUNDING);
        assert_near(trm_v3_length(trm_v3_sub(m->tree->velocity[b].lin, velocity[b].lin)), 0, ROUNDING);
    }
    return true;
}

/* Asserts that rows of a wrench, responses, the diagonal of M^-1 and accelerations of bodies are those of dense
 * matrices. */
static void check_responses(moment *m, const trm_branch *branch)
{
    static double M[MOST_Y * MOST_Y], W[MOST_Y * MOST_Y];
    double row[MOST_Y] = {0}, expected[MOST_Y] = {0}, a[MOST_Y], diagonal[MOST_Y], ydd[MOST_Y] = {0};
    trm_compiled *c = trm_compiled_create(m->tree, branch, &m->arena);
    const int n = branch->count, last = branch->first_link + branch->link_count - 1;
    if (!c || n == 0) return;
    move(m, m->yd);
    const trm_spatial F = {{0.3, -0.7, 1.1}, {-0.4, 0.9, 0.2}};
    trm_tree_project(m->tree, m->tree->links[last].body, F, branch->first, expected);
    trm_dynamics_mass(m->dynamics, m->tree, branch, M, n);
    assert_true(trm_dense_inverse_positive(M, n, W));
    trm_compiled_place(c, m->y);
    trm_compiled_pose(c, m->tree);
    trm_compiled_project(c, last - branch->first_link, &F, 1, row);
    assert_true(trm_compiled_articulate(c));
    trm_compiled_respond(c, row, a);
    trm_compiled_diagonal(c, diagonal);
    for (int i = 0; i < n; i++) {
        double sum = 0, size = 0;
        for (int k = 0; k < n; k++) sum += W[i * n + k] * row[k], size += fabs(W[i * n + k] * row[k]);
        assert_near(row[i], expected[i], 10 * ROUNDING);
        assert_near(a[i], sum, 100 * ROUNDING * (1 + size));
        assert_near(diagonal[i], W[i * (n + 1)], 100 * ROUNDING * W[i * (n + 1)]);
    }
    trm_compiled_move(c, m->y, m->yd);
    trm_compiled_write(c, m->tree, false);
    trm_compiled_accelerate(c, GRAVITY, NULL, ydd);
    trm_tree_accelerate(m->tree, branch, ydd);
    const trm_spatial A = m->tree->acceleration[m->tree->links[last].body];
    const trm_spatial B = trm_compiled_acceleration(c, last - branch->first_link, GRAVITY);
    assert_near(trm_v3_length(trm_v3_sub(A.ang, B.ang)), 0, 100 * ROUNDING * (1 + trm_v3_length(A.ang)));
    assert_near(trm_v3_length(trm_v3_sub(A.lin, B.lin)), 0, 100 * ROUNDING * (1 + trm_v3_length(A.lin)));
}

/* Poses, velocities and accelerations are those of the general recursions; counts how many branches can be
 * compiled. */
static void compiled_trees_move_as_others(void **state)
{
    (void)state;
    int compiled = 0;
    for (unsigned seed = 0; seed < 5 * SEEDS; seed++) {
        moment m;
        trm_random random = trm_random_seed(seed + 77);
        double tau[MOST_Y];
        begin(&m, random_tree(seed, seed % 3 == 0), seed, false);
        for (int i = 0; i < m.tree->coordinates; i++) tau[i] = trm_random_uniform(&random, -3, 3);
        for (int b = 0; b < m.tree->branch_count; b++) check_responses(&m, &m.tree->branches[b]);
        for (int b = 0; b < m.tree->branch_count; b++)
            compiled += check_compiled(&m, &m.tree->branches[b], seed % 2 ? tau : NULL);
        end(&m);
    }
    print_message("%d branches compiled\n", compiled);
    assert_true(compiled > 60);
}

/* ---- To and from a state ------------------------------------------------------------------ */

/* Poses and velocities computed from any y, dy/dt give these back. */
static void coordinates_are_read_back(void **state)
{
    (void)state;
    for (unsigned seed = 0; seed < SEEDS; seed++)
        for (int absolute = 0; absolute < 2; absolute++) {
            moment m;
            double y[MOST_Y], yd[MOST_Y];
            begin(&m, absolute ? planar_tree(seed) : random_tree(seed, false), seed, absolute == 1);
            move(&m, m.yd);
            trm_tree_write(m.tree, m.state);
            trm_tree_read(m.tree, m.state, y, yd);
            for (int i = 0; i < m.tree->coordinates; i++) {
                const double turns = absolute ? 2 * TRM_PI * round((y[i] - m.y[i]) / (2 * TRM_PI)) : 0;
                assert_near(y[i] - turns, m.y[i], ROUNDING);
                assert_near(yd[i], m.yd[i], ROUNDING);
            }
            end(&m);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(velocities_and_accelerations_are_derivatives_of_poses),
        cmocka_unit_test(loads_and_masses_are_sums_over_all_bodies),
        cmocka_unit_test(absolute_angles_have_the_same_kinematics_and_dynamics),
        cmocka_unit_test(an_absolute_angle_turns_what_hangs_below_by_hinges_not),
        cmocka_unit_test(compiled_trees_move_as_others),
        cmocka_unit_test(coordinates_are_read_back),
    };
    return RUN_TESTS(tests);
}
