/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* Accelerations by hierarchical reduction equal those of the whole machine solved at once, for every division, and
 * printed values that were computed elsewhere (docs/subsystem.md); rows that follow from others are dropped, and no
 * other rows.
 *
 * Bars of planar machines are rods in space here, which their hinges keep in the plane: around a loop of n bars, the
 * 3 rows of the last hinge that act out of the plane repeat others. Where only rows of the plane shall be counted,
 * the last hinge is replaced by a rail across the plane, which has two rows. */

#include <stdlib.h>

#include "base/random.h"
#include "choosing.h"
#include "linalg/min_norm.h"
#include "machines.h"
#include "math/rotation.h"
#include "methods/subsystem/subsystem.h"
#include "sim/sim.h"

static const double GRAVITY = 9.81; /* m/s^2 */
static const double AGREE =
    1e-12; /* relative to the largest acceleration; the next one for flat or nearly flat nets */
static const double AGREE_FLAT = 1e-11;
static const double PRINTED = 6e-12; /* relative: one unit of the last of 12 printed digits */

/* ---- Machines ------------------------------------------------------------------------------- */

/* Adds a slender bar of 1 m and 1 kg in the plane, which begins at a moving point (x, v), without inertia about its
 * axis. */
static int add_slender(machine *m, double *x, double *v, double phi, double omega)
{
    trm_body_def bar = trm_default_body_def();
    const double inertia[6] = {0.001, 1.0 / 12, 1.0 / 12, 0, 0, 0};
    const double c = cos(phi), s = sin(phi);
    bar.mass = 1;
    memcpy(bar.inertia, inertia, sizeof inertia);
    bar.position = trm_v3(x[0] + 0.5 * c, x[1] + 0.5 * s, 0);
    bar.orientation = trm_quat_from_axis_angle(trm_axis(2), phi);
    bar.velocity = trm_v3(v[0] - 0.5 * omega * s, v[1] + 0.5 * omega * c, 0);
    bar.angular_velocity = trm_v3(0, 0, omega);
    x[0] += c, x[1] += s;
    v[0] -= omega * s, v[1] += omega * c;
    return add_body(m, bar);
}

static void add_rail_across(machine *m, int a, int b)
{
    trm_joint_def *joint = add_joint_at(m, "rail", a, b, 0, 0, 0);
    joint->axis = trm_v3(0, 0, 1);
}

typedef enum closing { BY_RAIL, BY_HINGE, TWICE_BY_RAIL, TWICE_BY_HINGE } closing;

static trm_model *four_bars(const double *phi, const double *omega, closing how)
{
    machine m;
    machine_init(&m);
    double x[2] = {0, 0}, v[2] = {0, 0};
    for (int i = 0; i < 4; i++) {
        const double at[2] = {x[0], x[1]};
        const int bar = add_slender(&m, x, v, phi[i], omega[i]);
        add_hinge(&m, bar - 1, bar, at[0], at[1], 0);
    }
    for (int i = 0; i < (how >= TWICE_BY_RAIL ? 2 : 1); i++)
        if (how % 2 == BY_RAIL)
            add_rail_across(&m, i, 4);
        else
            add_hinge(&m, i, 4, 0, 0, 0);
    m.def->gravity = trm_v3(GRAVITY, 0, 0);
    return machine_finish(&m);
}

static trm_model *bent_bars(closing how)
{
    const double phi[] = {-0.5, 0.9, TRM_PI - 0.5, TRM_PI + 0.9}, omega[] = {0.7, -1.1, 0.7, -1.1};
    return four_bars(phi, omega, how);
}

static trm_model *stretched_bars(closing how)
{
    const double phi[] = {0, 0, TRM_PI, TRM_PI}, omega[] = {1.3, -1.3, 1.3, -1.3};
    return four_bars(phi, omega, how);
}

static trm_model *planar_chain(void)
{
    machine m;
    machine_init(&m);
    double x[2] = {0, 0}, v[2] = {0, 0};
    for (int i = 1; i <= 64; i++) {
        const double at[2] = {x[0], x[1]};
        const int bar = add_slender(&m, x, v, -TRM_PI / 2 + 0.5 * sin(i), 0.3 * cos(i));
        add_hinge(&m, bar - 1, bar, at[0], at[1], 0);
    }
    m.def->gravity = trm_v3(0, -GRAVITY, 0);
    return machine_finish(&m);
}

/* Each body spins about the point by which it hangs on the body before it. */
static trm_model *spatial_chain(void)
{
    machine m;
    machine_init(&m);
    trm_vec3 at = {0, 0, 0}, v = {0, 0, 0};
    for (int i = 1; i <= 64; i++) {
        trm_body_def body = trm_default_body_def();
        const trm_vec3 half = {0.4 * sin(i), 0.3 * cos(2 * i), -0.5}, omega = {cos(i), sin(3 * i), 0.5 * cos(2 * i)};
        const double inertia[6] = {0.1, 0.12, 0.15, 0.01, 0, -0.02};
        body.mass = 1 + 0.5 * sin(5 * i);
        memcpy(body.inertia, inertia, sizeof inertia);
        body.position = trm_v3_add(at, half);
        body.angular_velocity = omega;
        body.velocity = trm_v3_add(v, trm_v3_cross(omega, half));
        const int here = add_body(&m, body);
        add_joint_at(&m, "ball", here - 1, here, at.x, at.y, at.z);
        at = trm_v3_add_scaled(at, 2, half);
        v = trm_v3_add_scaled(v, 2, trm_v3_cross(omega, half));
    }
    m.def->gravity = trm_v3(0, 0, -GRAVITY);
    return machine_finish(&m);
}

static trm_vec3 knot(int i, int j, double ripple)
{
    return trm_v3(i + ripple * sin(1.3 * i + 2.1 * j), ripple * sin(0.7 * i - 1.9 * j),
                  -j + ripple * sin(2.3 * i + 0.5 * j));
}

enum { SIDE = 16 };

static int knot_number(int side, int i, int j)
{
    return 1 + i * side + j;
}

static trm_model *knot_net(void)
{
    machine m;
    machine_init(&m);
    for (int i = 0; i < SIDE; i++)
        for (int j = 0; j < SIDE; j++) {
            const trm_vec3 p = knot(i, j, 0.15);
            add_point(&m, p.x, p.y, p.z);
        }
    for (int i = 0; i < SIDE; i++)
        for (int j = 0; j < SIDE; j++) {
            if (i + 1 < SIDE) add_bar(&m, knot_number(SIDE, i, j), knot_number(SIDE, i + 1, j));
            if (j + 1 < SIDE) add_bar(&m, knot_number(SIDE, i, j), knot_number(SIDE, i, j + 1));
        }
    for (int i = 0; i < SIDE; i += SIDE - 1) {
        const trm_vec3 p = knot(i, 0, 0.15);
        add_joint_at(&m, "ball", 0, knot_number(SIDE, i, 0), p.x, p.y, p.z);
    }
    m.def->gravity = trm_v3(0, 0, -GRAVITY);
    return machine_finish(&m);
}

static void add_ball_between(machine *m, int side, double ripple, const int *a, const int *b)
{
    const trm_vec3 p = trm_v3_scale(0.5, trm_v3_add(knot(a[0], a[1], ripple), knot(b[0], b[1], ripple)));
    add_joint_at(m, "ball", knot_number(side, a[0], a[1]), knot_number(side, b[0], b[1]), p.x, p.y, p.z);
}

/* Rigid crosses whose arms meet half-way, with two corners held; on request named by their quarter of the net. */
static trm_model *cross_net(int side, double ripple, bool named)
{
    static const char *const quarters[] = {"a", "b", "c", "d"};
    machine m;
    machine_init(&m);
    for (int i = 0; i < side; i++)
        for (int j = 0; j < side; j++) {
            const trm_vec3 p = knot(i, j, ripple);
            const int here = add_ball(&m, p.x, p.y, p.z);
            if (named) m.def->bodies[here - 1].subsystem = quarters[2 * (2 * i / side) + (2 * j / side)];
        }
    for (int i = 0; i < side; i++)
        for (int j = 0; j < side; j++) {
            if (i + 1 < side) add_ball_between(&m, side, ripple, (int[]){i, j}, (int[]){i + 1, j});
            if (j + 1 < side) add_ball_between(&m, side, ripple, (int[]){i, j}, (int[]){i, j + 1});
        }
    for (int i = 0; i < side; i += side - 1) {
        const trm_vec3 p = knot(i, 0, ripple);
        add_joint_at(&m, "ball", 0, knot_number(side, i, 0), p.x, p.y, p.z + 0.5);
    }
    m.def->gravity = trm_v3(0.5, -6, -7.7); /* not in the plane of a flat net, which would otherwise hang at rest */
    return machine_finish(&m);
}

/* A crank about z, a rod between two balls, a rocker about x (minimal-and-subsystems 2.4, RS). */
static int add_rod(machine *m, double mass, trm_vec3 from, trm_vec3 to, trm_vec3 v_from, trm_vec3 omega)
{
    trm_body_def rod = trm_default_body_def();
    const trm_vec3 d = trm_v3_sub(to, from);
    const double I = mass * trm_v3_dot(d, d) / 12, inertia[6] = {0.02, I, I, 0, 0, 0};
    rod.mass = mass;
    memcpy(rod.inertia, inertia, sizeof inertia);
    rod.position = trm_v3_scale(0.5, trm_v3_add(from, to));
    rod.orientation = trm_quat_between(trm_axis(0), trm_v3_unit(d));
    rod.velocity = trm_v3_add(v_from, trm_v3_cross(omega, trm_v3_scale(0.5, d)));
    rod.angular_velocity = omega;
    return add_body(m, rod);
}

static trm_model *crank_and_rocker_in_space(void)
{
    const double phi = 0.5, w = 8, psi = 5.16254665558103;
    const trm_vec3 B = {cos(phi), sin(phi), 0}, C = {2, 3 + 2 * cos(psi), 2 * sin(psi)}, D = {2, 3, 0}, O = {0, 0, 0};
    const trm_vec3 d = trm_v3_sub(C, B), vB = {-w * B.y, w * B.x, 0}, along = {0, -2 * sin(psi), 2 * cos(psi)};
    const double n = trm_v3_dot(d, vB) / trm_v3_dot(d, along); /* (C - B) . (C' - B') = 0 */
    const trm_vec3 vC = trm_v3_scale(n, along);
    const trm_vec3 omega = trm_v3_scale(1 / trm_v3_dot(d, d), trm_v3_cross(d, trm_v3_sub(vC, vB)));
    machine m;
    machine_init(&m);
    add_rod(&m, 1, O, B, O, trm_v3(0, 0, w));
    add_rod(&m, 4, B, C, vB, omega);
    add_rod(&m, 2, D, C, O, trm_v3(n, 0, 0));
    add_hinge(&m, 0, 1, 0, 0, 0);
    add_joint_at(&m, "ball", 1, 2, B.x, B.y, B.z);
    add_joint_at(&m, "ball", 2, 3, C.x, C.y, C.z);
    add_joint_at(&m, "hinge", 0, 3, 2, 3, 0)->axis = trm_v3(1, 0, 0);
    m.def->gravity = trm_v3(0, 0, -GRAVITY);
    return machine_finish(&m);
}

/* ---- Hierarchical and direct solution ---------------------------------------------------------- */

/* Accelerations of all bodies. */
typedef struct answer {
    trm_spatial *a;
    int bodies, dropped;
} answer;

static trm_maximal *machine_of(const running *r)
{
    trm_outcome outcome = trm_sim_observe(r->sim);
    assert_good(outcome);
    return ((trm_subsystems *)r->sim->workspace)->machine;
}

static running run_subsystem(trm_model *model, const char *choice)
{
    return run_chosen(model, (way){.choice = choice, .tolerance = 1e-12});
}

static answer keep(const trm_spatial *a, int bodies, int dropped)
{
    answer kept = {malloc((size_t)bodies * sizeof *a), bodies, dropped};
    assert_non_null(kept.a);
    memcpy(kept.a, a, (size_t)bodies * sizeof *a);
    return kept;
}

/* Solves by passes up and down the tree, repeated as often as the method refines. */
static answer by_passes(trm_model *model, const char *choice, int passes)
{
    running r = run_subsystem(model, choice);
    trm_outcome outcome = {.ok = true};
    trm_maximal *m = machine_of(&r);
    assert_true(trm_maximal_begin_accelerations(m, &outcome));
    for (int pass = 0; pass < passes; pass++) m->solver->acceleration_round(m);
    const answer found = keep(m->accelerations.a, model->body_count, trm_sim_dropped_rows(r.sim, NULL, 0));
    stop(&r);
    return found;
}

/* Solves by one pass without refinement. */
static answer by_hierarchy(trm_model *model, const char *choice)
{
    return by_passes(model, choice, 1);
}

/* The rows of all joints as one list. */
typedef struct row {
    const trm_maximal_joint *joint;
    int r;
    double root; /* of the row's value with free bodies */
} row;

static double product(const row *a, const row *b)
{
    const int na = a->joint->joint->body_count, nb = b->joint->joint->body_count;
    double sum = 0;
    for (int k = 0; k < na; k++)
        for (int l = 0; l < nb; l++)
            if (a->joint->joint->body[k] == b->joint->joint->body[l])
                sum += trm_sp_dot(a->joint->J[a->r * na + k], b->joint->W[b->r * nb + l]);
    return sum;
}

static int list_rows(const trm_maximal *m, row *rows)
{
    int count = 0;
    for (int j = 0; j < m->joint_count; j++)
        for (int r = 0; r < m->joints[j].joint->rows; r++) {
            row *here = &rows[count++];
            *here = (row){&m->joints[j], r, 1};
            here->root = sqrt(product(here, here));
        }
    return count;
}

/* Applies the least forces that make the free accelerations stored in the machine fit gamma. Returns the rank. */
static int fit_densely(trm_maximal *m)
{
    row *rows = malloc((size_t)m->stepper->model->row_count * sizeof *rows);
    assert_non_null(rows);
    const int n = list_rows(m, rows);
    double *A = calloc((size_t)n * (size_t)n, sizeof *A), *b = calloc((size_t)(5 * n), sizeof *b), *x = b + n;
    int *permutation = calloc((size_t)n, sizeof *permutation);
    assert_true(A && b && permutation);
    for (int j = 0, first = 0; j < m->joint_count; first += m->joints[j++].joint->rows)
        trm_maximal_acceleration_gap(m, &m->joints[j], b + first);
    for (int c = 0; c < n; c++) {
        b[c] /= -rows[c].root;
        for (int r = 0; r < n; r++) A[c * n + r] = product(&rows[r], &rows[c]) / (rows[r].root * rows[c].root);
    }
    const int rank = trm_min_norm_solve(A, n, n, b, 1e-11, x, b + 2 * n, permutation);
    for (int i = 0; i < n; i++) x[i] /= rows[i].root;
    for (int j = 0, first = 0; j < m->joint_count; first += m->joints[j++].joint->rows)
        trm_maximal_apply_joint_force(m, &m->joints[j], x + first);
    free(rows), free(A), free(b), free(permutation);
    return rank;
}

static answer at_once(trm_model *model)
{
    running r = run_subsystem(model, "subsystem");
    trm_outcome outcome = {.ok = true};
    trm_maximal *m = machine_of(&r);
    assert_true(trm_maximal_begin_accelerations(m, &outcome));
    const int rank = fit_densely(m), rows = m->stepper->model->row_count;
    fit_densely(m); /* refines the reference, so that it has little rounding error */
    const answer found = keep(m->accelerations.a, model->body_count, rows - rank);
    stop(&r);
    return found;
}

/* Solves by another method: sparse factorization of the whole machine. */
static answer by_lagrange(trm_model *model)
{
    running r = run_subsystem(model, "lagrange");
    trm_sim_enable_reactions(r.sim, true);
    assert_good(trm_sim_observe(r.sim));
    const answer found = keep(r.sim->state->acceleration, model->body_count, trm_sim_dropped_rows(r.sim, NULL, 0));
    stop(&r);
    return found;
}

/* The largest difference, in units of the largest acceleration, or of 1 m/s^2 and rad/s^2. */
static double difference(const answer *p, const answer *q)
{
    double most = 0, size = 1; /* not less than 1: some machines cannot move */
    assert_int_equal(p->bodies, q->bodies);
    for (int i = 0; i < p->bodies; i++) {
        const trm_spatial d = trm_sp_add_scaled(p->a[i], -1, q->a[i]);
        most = fmax(most, fmax(trm_v3_length(d.ang), trm_v3_length(d.lin)));
        size = fmax(size, fmax(trm_v3_length(q->a[i].ang), trm_v3_length(q->a[i].lin)));
        assert_true(isfinite(most));
    }
    return most / size;
}

/* ---- Trees ---------------------------------------------------------------------------------- */

static const char *const TREES[] = {
    "subsystem",
    "subsystem:tree=dissection:leaf=1",
    "subsystem:tree=dissection:leaf=3",
    "subsystem:tree=dissection:leaf=8",
    "subsystem:tree=halves:leaf=1",
    "subsystem:tree=halves:leaf=2",
    "subsystem:tree=halves:leaf=5",
    "subsystem:tree=ladder:leaf=1",
    "subsystem:tree=ladder:leaf=4",
    "subsystem:tree=ladder:leaf=1000",
};

typedef trm_model *(*maker)(void);

/* Returns the largest difference between the expected accelerations and those of all divisions of a machine, and how
 * many rows each division drops. */
static double worst_of_trees(maker make, const answer *expected, int dropped)
{
    double worst = 0;
    for (size_t i = 0; i < sizeof TREES / sizeof *TREES; i++) {
        answer found = by_hierarchy(make(), TREES[i]);
        worst = fmax(worst, difference(&found, expected));
        assert_int_equal(found.dropped, dropped);
        free(found.a);
    }
    return worst;
}

/* Compares with the direct solution, and with that of another method. */
static void check_machine(const char *name, maker make, int dropped, double tolerance)
{
    answer whole = at_once(make()), other = by_lagrange(make());
    const double worst = worst_of_trees(make, &whole, dropped), between = difference(&other, &whole);
    print_message("%s: %.1e of dense, lagrange %.1e; %d dropped\n", name, worst, between, dropped);
    assert_int_equal(whole.dropped, dropped);
    assert_true(worst <= tolerance);
    assert_true(between <= tolerance);
    free(whole.a), free(other.a);
}

static trm_model *bent(void)
{
    return bent_bars(BY_RAIL);
}

static trm_model *bent_in_space(void)
{
    return bent_bars(BY_HINGE);
}

static trm_model *bent_with_corner(void)
{
    return bent_bars(TWICE_BY_RAIL);
}

static trm_model *bent_with_corner_in_space(void)
{
    return bent_bars(TWICE_BY_HINGE);
}

static trm_model *stretched(void)
{
    return stretched_bars(BY_RAIL);
}

static trm_model *stretched_in_space(void)
{
    return stretched_bars(BY_HINGE);
}

static trm_model *small_cross_net(void)
{
    return cross_net(6, 0.15, false);
}

static trm_model *small_named_net(void)
{
    return cross_net(6, 0.15, true);
}

static trm_model *small_flat_net(void)
{
    return cross_net(6, 0, false);
}

static trm_model *large_cross_net(void)
{
    return cross_net(SIDE, 0.15, false);
}

static trm_model *large_flat_net(void)
{
    return cross_net(SIDE, 0, false);
}

static void every_division_gives_what_the_whole_gives(void **state)
{
    (void)state;
    check_machine("four bars", bent, 0, AGREE);
    check_machine("four bars, hinges in space", bent_in_space, 3, AGREE);
    check_machine("four bars and a corner", bent_with_corner, 2, AGREE);
    check_machine("four bars and a corner, hinges in space", bent_with_corner_in_space, 3 + 2 + 3, AGREE);
    check_machine("stretched", stretched, 1, AGREE);
    check_machine("stretched, hinges in space", stretched_in_space, 1 + 3, AGREE);
    check_machine("planar chain", planar_chain, 0, AGREE);
    check_machine("spatial chain", spatial_chain, 0, AGREE);
    check_machine("RSSR", crank_and_rocker_in_space, 0, AGREE);
}

/* A flat net of n x n crosses may lose one row per inner loop, (n - 2)^2 in all: 196 for 16 x 16. */
static void nets_of_crosses_are_reduced_however_they_are_divided(void **state)
{
    (void)state;
    check_machine("6 x 6 crosses", small_cross_net, 0, AGREE);
    check_machine("6 x 6 crosses, named quarters", small_named_net, 0, AGREE);
    check_machine("6 x 6 crosses, flat", small_flat_net, 16, AGREE_FLAT);
}

static void check_large(const char *name, maker make, int dropped, double tolerance)
{
    answer whole = by_lagrange(make()), once = by_hierarchy(make(), "subsystem"),
           twice = by_passes(make(), "subsystem", 2);
    const double first = difference(&once, &whole), second = difference(&twice, &whole);
    print_message("%s: %.1e of lagrange, refined %.1e; %d dropped\n", name, first, second, once.dropped);
    assert_int_equal(once.dropped, dropped);
    assert_int_equal(whole.dropped, dropped);
    assert_true(first <= AGREE_FLAT);
    assert_true(second <= tolerance);
    if (dropped > 0) assert_true(worst_of_trees(make, &whole, dropped) <= AGREE_FLAT);
    free(whole.a), free(once.a), free(twice.a);
}

static void large_nets_of_crosses_are_reduced(void **state)
{
    (void)state;
    check_large("16 x 16 crosses", large_cross_net, 0, AGREE);
    check_large("16 x 16 crosses, flat", large_flat_net, 196, AGREE_FLAT);
}

/* ---- Random machines --------------------------------------------------------------------------- */

static trm_vec3 somewhere(trm_random *random, double size)
{
    const double x = trm_random_uniform(random, -size, size), y = trm_random_uniform(random, -size, size);
    return trm_v3(x, y, trm_random_uniform(random, -size, size));
}

/* A tree of joints of all kinds with some additional joints, which close loops; most of these are overconstrained.
 * Masses differ by factors up to 10^4. */
static trm_model *machine_by_chance(uint64_t seed)
{
    static const char *const types[] = {"ball",   "hinge", "universal", "slider",  "cylinder",
                                        "planar", "fixed", "rail",      "distance"};
    trm_random random = trm_random_seed(seed);
    const int bodies = 2 + (int)trm_random_uniform(&random, 0, 12), loops = (int)trm_random_uniform(&random, 0, 6);
    machine m;
    machine_init(&m);
    for (int i = 1; i <= bodies; i++) {
        const trm_vec3 p = somewhere(&random, 2);
        add_ball(&m, p.x, p.y, p.z);
        trm_body_def *body = &m.def->bodies[i - 1];
        body->mass = pow(10, trm_random_uniform(&random, -2, 2));
        for (int k = 0; k < 3; k++) body->inertia[k] = body->mass * trm_random_uniform(&random, 0.2, 0.35);
    }
    for (int i = 1; i <= bodies + loops; i++) {
        const int a = (int)trm_random_uniform(&random, 0, i <= bodies ? i : bodies + 1);
        const int b = i <= bodies ? i : 1 + (a + (int)trm_random_uniform(&random, 0, bodies - 1)) % bodies;
        const char *type = types[(int)trm_random_uniform(&random, 0, sizeof types / sizeof *types)];
        const trm_vec3 at = somewhere(&random, 2);
        if (a == b) continue;
        if (strcmp(type, "distance") == 0) {
            add_bar(&m, a, b);
            continue;
        }
        trm_joint_def *joint = add_joint_at(&m, type, a, b, at.x, at.y, at.z);
        joint->axis = trm_v3(0, 0, 1);
        if (strcmp(type, "universal") == 0) joint->axis2 = trm_v3(1, 0, 0);
    }
    m.def->gravity = somewhere(&random, 10);
    return machine_finish(&m);
}

static void machines_by_chance_are_reduced_however_they_are_divided(void **state)
{
    enum { MACHINES = 150 };
    (void)state;
    double worst = 0;
    int dropped = 0;
    for (uint64_t seed = 1; seed <= MACHINES; seed++) {
        answer whole = at_once(machine_by_chance(seed));
        for (size_t i = 0; i < sizeof TREES / sizeof *TREES; i++) {
            answer found = by_passes(machine_by_chance(seed), TREES[i], 2);
            const double here = difference(&found, &whole);
            if (here > AGREE_FLAT || found.dropped != whole.dropped)
                print_error("%d, %s: %.1e, %d dropped, not %d\n", (int)seed, TREES[i], here, found.dropped,
                            whole.dropped);
            worst = fmax(worst, here);
            assert_int_equal(found.dropped, whole.dropped);
            free(found.a);
        }
        dropped += whole.dropped;
        free(whole.a);
    }
    print_message("%d machines: %.1e of dense; %d rows dropped\n", MACHINES, worst, dropped);
    assert_true(worst <= AGREE_FLAT);
    assert_true(dropped > MACHINES);
}

/* ---- Printed values --------------------------------------------------------------------------- */

static void assert_printed(double actual, double expected)
{
    assert_near(actual, expected, PRINTED * fabs(expected));
}

static void four_bars_turn_as_printed(void **state)
{
    (void)state;
    const closing ways[] = {BY_RAIL, BY_HINGE, TWICE_BY_RAIL, TWICE_BY_HINGE};
    for (size_t i = 0; i < sizeof ways / sizeof *ways; i++) {
        answer found = by_hierarchy(bent_bars(ways[i]), "subsystem:tree=halves");
        for (int bar = 1; bar <= 4; bar++)
            assert_printed(found.a[bar].ang.z, bar % 2 == 1 ? 7.40619749045 : -10.2663327371);
        free(found.a);
    }
}

static void a_chain_of_64_bars_turns_as_printed(void **state)
{
    (void)state;
    const struct {
        int bar;
        double a;
    } printed[] = {{1, -1.7839942816},
                   {2, -10.6919297873},
                   {32, -0.0922057681671},
                   {63, -0.0946586946491},
                   {64, -0.0858132304647}};
    answer found = by_hierarchy(planar_chain(), "subsystem");
    for (size_t i = 0; i < sizeof printed / sizeof *printed; i++)
        assert_near(found.a[printed[i].bar].ang.z, printed[i].a,
                    (i == 0 ? 1e-11 : PRINTED) * fabs(printed[i].a) + 1e-13); /* the first has 11 digits */
    free(found.a);
}

static void a_crank_and_a_rocker_in_space_turn_as_printed(void **state)
{
    (void)state;
    answer found = by_hierarchy(crank_and_rocker_in_space(), "subsystem");
    assert_printed(found.a[1].ang.z, 21.9430844499);
    assert_printed(found.a[3].ang.x, -6.27332601266);
    free(found.a);
}

/* The velocities of the printed case violate its rods; so they enter only the right sides, d . (a_b - a_c) = -|v_b -
 * v_c|^2, and are not set in the machine, which would move. */
static trm_vec3 velocity_of_knot(int number)
{
    const int i = (number - 1) / SIDE, j = (number - 1) % SIDE;
    return trm_v3_scale(0.3, trm_v3(sin(i + 2 * j), cos(2 * i - j), sin(3 * i + j)));
}

static void begin_as_printed(trm_maximal *m)
{
    const trm_state *state = m->stepper->state;
    trm_outcome outcome = {.ok = true};
    assert_true(trm_maximal_begin_accelerations(m, &outcome));
    for (int k = 0; k < m->joint_count; k++) {
        const trm_joint *joint = m->joints[k].joint;
        const int a = joint->body[0], b = joint->body[1];
        if (joint->rows > 1) continue;
        const trm_vec3 v = trm_v3_sub(velocity_of_knot(a), velocity_of_knot(b));
        m->accelerations.gamma[joint->row_offset] =
            -trm_v3_dot(v, v) / trm_v3_length(trm_v3_sub(state->pose[a].p, state->pose[b].p));
    }
}

static void assert_vector_printed(trm_vec3 actual, double x, double y, double z)
{
    const double size = trm_v3_length(trm_v3(x, y, z));
    assert_near(actual.x, x, PRINTED * size);
    assert_near(actual.y, y, PRINTED * size);
    assert_near(actual.z, z, PRINTED * size);
}

static void a_net_of_knots_falls_as_printed(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof TREES / sizeof *TREES; i++) {
        running r = run_subsystem(knot_net(), TREES[i]);
        trm_maximal *m = machine_of(&r);
        begin_as_printed(m);
        assert_int_equal(m->stepper->model->row_count, 486);
        m->solver->acceleration_round(m);
        assert_int_equal(trm_sim_dropped_rows(r.sim, NULL, 0), 0);
        assert_vector_printed(m->accelerations.a[knot_number(SIDE, 8, 8)].lin, -0.0807391274649, 0.289274018068,
                              -9.35125637669);
        assert_vector_printed(m->accelerations.a[knot_number(SIDE, 15, 15)].lin, -1.78142661274, -0.131132596251,
                              -9.53489678912);
        if (i == 0) {
            answer found = keep(m->accelerations.a, r.model->body_count, 0), whole;
            begin_as_printed(m);
            assert_int_equal(fit_densely(m), 486);
            whole = keep(m->accelerations.a, r.model->body_count, 0);
            print_message("16 x 16 knots: %.1e of dense\n", difference(&found, &whole));
            assert_true(difference(&found, &whole) <= AGREE);
            free(found.a), free(whole.a);
        }
        stop(&r);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_division_gives_what_the_whole_gives),
        cmocka_unit_test(nets_of_crosses_are_reduced_however_they_are_divided),
        cmocka_unit_test(large_nets_of_crosses_are_reduced),
        cmocka_unit_test(machines_by_chance_are_reduced_however_they_are_divided),
        cmocka_unit_test(four_bars_turn_as_printed),
        cmocka_unit_test(a_chain_of_64_bars_turns_as_printed),
        cmocka_unit_test(a_crank_and_a_rocker_in_space_turn_as_printed),
        cmocka_unit_test(a_net_of_knots_falls_as_printed),
    };
    return RUN_TESTS(tests);
}
