/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* The friction cone; Newton's method, the dense matrix and sweeps on the same contact problems. */

#include "methods/contact/problem.h"

#include <float.h>
#include <stdio.h>
#include <string.h>

#include "check.h"
#include "failing_allocator.h"
#include "methods/contact/cone.h"
#include "random_bodies.h"
#include "trammel/elementary.h"

static const uint64_t seed = 11;

/* m/s: tolerance of the contact laws; speeds are about one. */
static const double obeyed = 1e-9;
/* The same for the dense matrix, whose joints yield by 1e-11 of their impulses. */
static const double obeyed_by_dense = 1e-8;
/* Relative to the largest impulse: rounding of up to 1e5 sums in sweeps. */
static const double rounding = 1e-10;
/* m/s, rad/s: Newton's method solves g = 0 to a tenth of the tolerance, or to the rounding of rho u, 4 eps R u with R
 * up to 1e8, which is larger. */
static const double newton_momentum = 3e-8;
/* Velocities of two methods, each within `obeyed` of the laws: random rows are nearly parallel in some problems. */
static const double agreed = 1e-5;
/* Sweeps measure the last change; later holds may have changed results by about that size. */
static const double swept_left = 100;
/* mu with which velocities are unique, as are impulses of rows with angles as here. */
static const double small_mu = 0.1;

/* ---- The cone ----------------------------------------------------------------------------- */

enum { CONES = 20000 };

static double dot3(const double a[3], const double b[3])
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

static void random_cone(trm_random *random, double *mu, double y[3])
{
    *mu = trm_random_uniform(random, 0, 2);
    if (trm_random_uniform(random, 0, 1) < 0.1) *mu = 0;
    for (int k = 0; k < 3; k++) y[k] = trm_random_uniform(random, -1, 1);
    if (trm_random_uniform(random, 0, 1) < 0.1) y[1] = y[2] = 0;
}

/* Conditions of the nearest point: p is in the cone, y - p in the polar cone, n <= -mu |t|, and both are
 * orthogonal. */
static void the_projection_is_the_nearest_point(void **state)
{
    (void)state;
    trm_random random = trm_random_seed(seed);
    int places[3] = {0, 0, 0};
    for (int i = 0; i < CONES; i++) {
        double mu, y[3], p[3];
        random_cone(&random, &mu, y);
        places[trm_cone_project(mu, y, p)]++;
        const double rest[3] = {y[0] - p[0], y[1] - p[1], y[2] - p[2]};
        assert_true(p[0] >= 0);
        assert_true(sqrt(p[1] * p[1] + p[2] * p[2]) <= mu * p[0] + 4 * DBL_EPSILON);
        assert_true(rest[0] <= -mu * sqrt(rest[1] * rest[1] + rest[2] * rest[2]) + 8 * DBL_EPSILON);
        assert_near(dot3(p, rest), 0, 8 * DBL_EPSILON);
    }
    for (int k = 0; k < 3; k++) assert_true(places[k] > CONES / 20);
}

static void the_result_names_the_part_of_the_cone_projected_on(void **state)
{
    (void)state;
    trm_random random = trm_random_seed(seed + 1);
    for (int i = 0; i < CONES; i++) {
        double mu, y[3], p[3];
        random_cone(&random, &mu, y);
        const trm_cone_place place = trm_cone_project(mu, y, p);
        assert_int_equal(place == TRM_CONE_INSIDE, memcmp(p, y, sizeof p) == 0);
        assert_int_equal(place == TRM_CONE_OPEN, dot3(p, p) == 0);
        if (place == TRM_CONE_MANTLE) assert_near(sqrt(p[1] * p[1] + p[2] * p[2]), mu * p[0], 4 * DBL_EPSILON);
    }
}

/* Central differences of width d: errors of about d^2/|t|^2 and eps/d. */
static void the_slope_is_that_of_differences(void **state)
{
    (void)state;
    const double d = 1e-6, close = 1e-7;
    trm_random random = trm_random_seed(seed + 2);
    int compared = 0;
    for (int i = 0; i < CONES; i++) {
        double mu, y[3], p[3], P[3][3], D[3][3];
        random_cone(&random, &mu, y);
        const trm_cone_place place = trm_cone_project(mu, y, p);
        bool smooth = sqrt(y[1] * y[1] + y[2] * y[2]) > 0.05;
        for (int c = 0; c < 3; c++) {
            double low[3], high[3], at_low[3], at_high[3];
            memcpy(low, y, sizeof low), memcpy(high, y, sizeof high);
            low[c] -= d, high[c] += d;
            smooth = trm_cone_project(mu, low, at_low) == place && smooth;
            smooth = trm_cone_project(mu, high, at_high) == place && smooth;
            for (int r = 0; r < 3; r++) D[r][c] = (at_high[r] - at_low[r]) / (2 * d);
        }
        trm_cone_slope(mu, y, place, P);
        for (int r = 0; smooth && r < 3; r++)
            for (int c = 0; c < 3; c++) assert_near(P[r][c], D[r][c], close);
        compared += smooth;
    }
    assert_true(compared > CONES / 2);
}

static void the_slope_is_symmetric_and_between_0_and_1(void **state)
{
    (void)state;
    trm_random random = trm_random_seed(seed + 3);
    for (int i = 0; i < CONES; i++) {
        double mu, y[3], p[3], P[3][3], x[3], Px[3];
        random_cone(&random, &mu, y);
        trm_cone_slope(mu, y, trm_cone_project(mu, y, p), P);
        for (int k = 0; k < 3; k++) x[k] = trm_random_uniform(&random, -1, 1);
        for (int r = 0; r < 3; r++) {
            Px[r] = dot3(P[r], x);
            for (int c = 0; c < r; c++) assert_near(P[r][c], P[c][r], DBL_EPSILON);
        }
        assert_true(dot3(x, Px) >= -8 * DBL_EPSILON);
        assert_true(dot3(x, Px) <= dot3(x, x) + 8 * DBL_EPSILON);
    }
}

/* ---- Problems ----------------------------------------------------------------------------- */

enum { MOST_BODIES = 6, ROOM = 16, MOST_CONSTRAINTS = 32, PROBLEMS = 300 };

/* A constraint with the data that it points to. */
typedef struct grip {
    int body[2];
    trm_contact_frame frame;
    trm_spatial J[6], W[6];
    double b[3], lambda[3];
    trm_force_row row;
    int contact; /* contact of a disc */
} grip;

/* Body 0 is the ground. */
typedef struct rig {
    trm_body bodies[ROOM];
    trm_pose poses[ROOM];
    trm_mat3 inverse_inertia[ROOM];
    trm_spatial V[ROOM], V_free[ROOM];
    grip grips[MOST_CONSTRAINTS];
    trm_constraint constraints[MOST_CONSTRAINTS];
    int body_count, constraint_count;
    int body_numbers[ROOM], hold_numbers[MOST_CONSTRAINTS];
} rig;

static trm_mat3 inverse_inertia(const rig *r, int body)
{
    const trm_mat3 R = trm_quat_matrix(r->poses[body].q);
    return trm_mat_mul(R, trm_mat_mul(trm_diag(r->bodies[body].inverse_inertia), trm_transpose(R)));
}

static trm_spatial response(const rig *r, int body, trm_spatial F)
{
    return trm_sp(trm_mat_vec(inverse_inertia(r, body), F.ang), trm_v3_scale(r->bodies[body].inverse_mass, F.lin));
}

static void start_rig(rig *r)
{
    memset(r, 0, sizeof *r);
    r->bodies[0] = (trm_body){.name = "ground", .kind = TRM_BODY_FIXED};
    r->poses[0] = (trm_pose){trm_quat_exp(trm_v3(0, 0, 0)), trm_v3(0, 0, 0)};
    r->body_count = 1;
}

static int add_rigid(rig *r, double mass, trm_vec3 moments, trm_pose pose, trm_spatial V_free)
{
    const int i = r->body_count++;
    assert_true(i < ROOM);
    r->bodies[i] = (trm_body){.name = "body",
                              .kind = TRM_BODY_RIGID,
                              .mass = mass,
                              .inverse_mass = 1 / mass,
                              .inertia = moments,
                              .inverse_inertia = trm_v3(1 / moments.x, 1 / moments.y, 1 / moments.z)};
    r->poses[i] = pose;
    r->V[i] = r->V_free[i] = V_free;
    r->body_numbers[i - 1] = i;
    return i;
}

static int add_point_mass(rig *r, double mass, trm_vec3 place, trm_vec3 velocity)
{
    const int i = add_rigid(r, mass, trm_v3(1, 1, 1), (trm_pose){trm_quat_exp(trm_v3(0, 0, 0)), place},
                            trm_sp(trm_v3(0, 0, 0), velocity));
    r->bodies[i].kind = TRM_BODY_POINT;
    r->bodies[i].inertia = r->bodies[i].inverse_inertia = trm_v3(0, 0, 0);
    return i;
}

static trm_constraint *add_constraint(rig *r, trm_constraint_law law, int rows, int a, int b)
{
    const int i = r->constraint_count++;
    assert_true(i < MOST_CONSTRAINTS);
    grip *g = &r->grips[i];
    g->body[0] = a, g->body[1] = b;
    r->hold_numbers[i] = i;
    r->constraints[i] = (trm_constraint){.law = law,
                                         .rows = rows,
                                         .bodies = 2,
                                         .body = g->body,
                                         .frame = &g->frame,
                                         .J = g->J,
                                         .W = g->W,
                                         .b = law == TRM_PULL ? NULL : g->b,
                                         .lambda = g->lambda};
    return &r->constraints[i];
}

/* Sets rows along three directions at a point, of b relative to a. */
static void set_rows(rig *r, const trm_constraint *constraint, trm_vec3 place, const trm_vec3 *along)
{
    grip *g = &r->grips[constraint - r->constraints];
    for (int row = 0; row < constraint->rows; row++)
        for (int k = 0; k < 2; k++) {
            const bool turns = r->bodies[g->body[k]].kind != TRM_BODY_POINT;
            const trm_vec3 d = trm_v3_scale(k ? -1 : 1, along[row]);
            g->frame.d[row] = along[row];
            g->frame.arm[k] = turns ? trm_v3_sub(place, r->poses[g->body[k]].p) : trm_v3(0, 0, 0);
            g->J[2 * row + k] = trm_sp(trm_v3_cross(g->frame.arm[k], d), d);
            g->W[2 * row + k] = response(r, g->body[k], g->J[2 * row + k]);
        }
}

static void add_contact(rig *r, int a, int b, trm_vec3 place, trm_vec3 n, double mu)
{
    trm_constraint *constraint = add_constraint(r, TRM_CONE, 3, a, b);
    const trm_vec3 other = fabs(n.x) < 0.5 ? trm_v3(1, 0, 0) : trm_v3(0, 1, 0),
                   t = trm_v3_unit(trm_v3_cross(n, other));
    constraint->friction = mu;
    set_rows(r, constraint, place, (trm_vec3[]){n, t, trm_v3_cross(n, t)});
}

static void add_ball_joint(rig *r, int a, int b, trm_vec3 place)
{
    set_rows(r, add_constraint(r, TRM_CLOSED, 3, a, b), place,
             (trm_vec3[]){trm_v3(1, 0, 0), trm_v3(0, 1, 0), trm_v3(0, 0, 1)});
}

static void add_pull(rig *r, trm_random *random, int a, int b)
{
    trm_constraint *constraint = add_constraint(r, TRM_PULL, 1, a, b);
    grip *g = &r->grips[constraint - r->constraints];
    set_rows(r, constraint, random_vector(random, 1), (trm_vec3[]){random_direction(random)});
    g->row = (trm_force_row){.J = {g->J[0], g->J[1]},
                             .c = trm_random_uniform(random, -1, 1),
                             .stiffness = trm_random_uniform(random, 0, 10),
                             .damping = trm_random_uniform(random, 0, 10),
                             .most = trm_random_uniform(random, 0, 1) < 0.5 ? INFINITY : 1,
                             .brake = trm_random_uniform(random, 0, 1)};
    constraint->pull = &g->row;
    constraint->dt = 0.01;
}

/* Adds rotation about the normal of a contact (first 0, one row), or about its tangents (first 1, two rows). */
static void add_disc(rig *r, int of, int first, double arm)
{
    const grip *contact = &r->grips[of];
    trm_constraint *constraint = add_constraint(r, TRM_DISC, first == 0 ? 1 : 2, contact->body[0], contact->body[1]);
    grip *g = &r->grips[constraint - r->constraints];
    g->contact = of;
    constraint->normal = contact->lambda;
    constraint->friction = arm;
    for (int i = 0; i < 2 * constraint->rows; i++) {
        g->J[i] = trm_sp(trm_v3_scale(i % 2 ? -1 : 1, contact->frame.d[first + i / 2]), trm_v3(0, 0, 0));
        g->W[i] = response(r, g->body[i % 2], g->J[i]);
    }
}

/* Sets initial impulses, and adds them to V. */
static void begin_with_impulses(rig *r, trm_random *random, double size)
{
    for (int i = 0; i < r->constraint_count; i++) {
        double push[3];
        for (int k = 0; k < r->constraints[i].rows; k++) push[k] = trm_random_uniform(random, -size, size);
        trm_constraint_apply_impulse(&r->constraints[i], push, r->V);
    }
}

/* Copies a rig; pointers refer to the copy. */
static rig *copy_rig(const rig *from, rig *to)
{
    *to = *from;
    for (int i = 0; i < to->constraint_count; i++) {
        grip *g = &to->grips[i];
        trm_constraint *constraint = &to->constraints[i];
        constraint->body = g->body, constraint->frame = &g->frame, constraint->J = g->J, constraint->W = g->W,
        constraint->lambda = g->lambda;
        if (constraint->b) constraint->b = g->b;
        if (constraint->pull) constraint->pull = &g->row;
        if (constraint->normal) constraint->normal = to->grips[g->contact].lambda;
    }
    return to;
}

static void choose_offsets(rig *r, trm_random *random, double size)
{
    for (int i = 0; i < r->constraint_count; i++)
        for (int k = 0; k < r->constraints[i].rows; k++) r->grips[i].b[k] = trm_random_uniform(random, -size, size);
}

static trm_pose random_place(trm_random *random)
{
    const trm_quat q = random_rotation(random);
    return (trm_pose){q, random_vector(random, 3)};
}

/* A tree of bodies, each joined to an earlier one by a contact or a joint, with dampers, and some bodies that also
 * touch the ground: never more rows than degrees of freedom, so that there is a solution. */
static void random_rig(rig *r, trm_random *random, double most_mu, bool pulls)
{
    start_rig(r);
    const int bodies = 1 + (int)trm_random_uniform(random, 1, MOST_BODIES);
    while (r->body_count < bodies) {
        const double mass = trm_random_uniform(random, 0.5, 2);
        const trm_vec3 moments = random_moments(random, mass);
        const trm_pose pose = random_place(random);
        const int i = add_rigid(r, mass, moments, pose, random_spatial(random));
        const int other = (int)trm_random_uniform(random, 0, i);
        const trm_vec3 place = trm_v3_add(pose.p, random_vector(random, 0.5));
        const double which = trm_random_uniform(random, 0, 1), mu = trm_random_uniform(random, 0, most_mu);
        if (which < 0.3)
            add_ball_joint(r, i, other, place);
        else
            add_contact(r, i, other, place, random_direction(random), mu);
        if (which > 0.6) add_contact(r, i, 0, trm_v3_add(pose.p, random_vector(random, 0.5)), trm_v3(0, 0, 1), mu);
        if (pulls && which > 0.2 && which < 0.5) add_pull(r, random, i, other);
    }
    if (bodies < MOST_BODIES) {
        const trm_vec3 place = random_vector(random, 1);
        const int point = add_point_mass(r, 0.3, place, random_vector(random, 1));
        add_contact(r, point, bodies - 1, place, random_direction(random), most_mu);
    }
    choose_offsets(r, random, 1);
    begin_with_impulses(r, random, 0.5);
}

/* ---- Methods of solution ------------------------------------------------------------------ */

typedef enum how { NEWTON, DENSE, SWEPT, REDUCED, WAYS } how;

static trm_problem problem_of(rig *r, how way, trm_arena *arena)
{
    for (int i = 0; i < r->body_count; i++) r->inverse_inertia[i] = inverse_inertia(r, i);
    return (trm_problem){.constraints = r->constraints,
                         .constraint_count = r->constraint_count,
                         .body_count = r->body_count,
                         .bodies = r->bodies,
                         .poses = r->poses,
                         .inverse_inertia = r->inverse_inertia,
                         .V = r->V,
                         .tolerance = obeyed,
                         .enough = way == DENSE ? obeyed_by_dense : obeyed,
                         .enough_closed = way == DENSE ? obeyed_by_dense : obeyed,
                         .arena = arena};
}

static trm_solved solve_in(rig *r, how way, trm_arena *arena)
{
    enum { MOST_SWEEPS = 100000 };
    const trm_problem problem = problem_of(r, way, arena);
    const trm_problem_island island = {r->body_numbers, r->body_count - 1, r->hold_numbers, r->constraint_count,
                                       NULL};
    const trm_arena_mark before = trm_arena_get_mark(arena);
    int steps = 0;
    const trm_solved solved =
        way == NEWTON    ? trm_problem_newton(&problem, &island, &steps)
        : way == REDUCED ? trm_problem_reduced(&problem, &island, false, &steps)
        : way == DENSE
            ? trm_problem_dense(&problem, &island)
            : (trm_problem_sweeps(&problem, &island, MOST_SWEEPS, MOST_SWEEPS, 0) <= obeyed ? TRM_SOLVED
                                                                                            : TRM_NOT_SOLVED);
    assert_true(arena->bytes_used == before.bytes_used);
    return solved;
}

static trm_solved solve(rig *r, how way)
{
    trm_arena arena;
    trm_arena_init(&arena, NULL);
    const trm_solved solved = solve_in(r, way, &arena);
    trm_arena_destroy(&arena);
    return solved;
}

static double residual_of(const rig *r)
{
    double worst = 0;
    for (int i = 0; i < r->constraint_count; i++) {
        const double here = trm_constraint_residual(&r->constraints[i], r->V);
        if (!(here <= worst)) worst = here;
    }
    return worst;
}

/* Returns the largest entry of V - V_free - sum W lambda. */
static double missing_momentum(const rig *r)
{
    trm_spatial V[ROOM];
    double worst = 0;
    memcpy(V, r->V_free, sizeof V);
    for (int i = 0; i < r->constraint_count; i++)
        for (int row = 0; row < r->constraints[i].rows; row++)
            for (int k = 0; k < 2; k++)
                V[r->grips[i].body[k]] =
                    trm_sp_add_scaled(V[r->grips[i].body[k]], r->grips[i].lambda[row], r->grips[i].W[2 * row + k]);
    for (int i = 0; i < r->body_count; i++)
        worst = fmax(worst, fmax(trm_v3_length(trm_v3_sub(V[i].lin, r->V[i].lin)),
                                 trm_v3_length(trm_v3_sub(V[i].ang, r->V[i].ang))));
    return worst;
}

static double apart(const rig *a, const rig *b)
{
    double worst = 0;
    for (int i = 0; i < a->body_count; i++)
        worst = fmax(worst, fmax(trm_v3_length(trm_v3_sub(a->V[i].lin, b->V[i].lin)),
                                 trm_v3_length(trm_v3_sub(a->V[i].ang, b->V[i].ang))));
    return worst;
}

static bool same_bits(const rig *a, const rig *b)
{
    bool same = memcmp(a->V, b->V, sizeof a->V) == 0;
    for (int i = 0; i < a->constraint_count; i++)
        same = same && memcmp(a->grips[i].lambda, b->grips[i].lambda, sizeof a->grips[i].lambda) == 0;
    return same;
}

static double largest_impulse(const rig *r)
{
    double most = 1;
    for (int i = 0; i < r->constraint_count; i++)
        for (int k = 0; k < r->constraints[i].rows; k++) most = fmax(most, fabs(r->grips[i].lambda[k]));
    return most;
}

static void assert_momentum(const rig *r, how way)
{
    assert_near(missing_momentum(r), 0, way == NEWTON ? newton_momentum : rounding * largest_impulse(r));
}

static void assert_laws(const rig *r, how way)
{
    const double most[WAYS] = {obeyed, obeyed_by_dense, swept_left * obeyed, obeyed};
    assert_near(residual_of(r), 0, most[way]);
    assert_momentum(r, way);
}

/* Solves by each method; asserts that all methods that succeed agree. */
static int solve_by_all(const rig *start, bool unique, bool solved[WAYS])
{
    rig by[WAYS];
    int count = 0;
    for (how way = NEWTON; way < WAYS; way++) {
        solved[way] = solve(copy_rig(start, &by[way]), way) == TRM_SOLVED;
        if (solved[way]) assert_laws(&by[way], way);
        if (!solved[way]) assert_momentum(&by[way], way);
        count += solved[way];
        for (how other = NEWTON; unique && other < way; other++)
            if (solved[way] && solved[other]) assert_near(apart(&by[way], &by[other]), 0, agreed);
    }
    return count;
}

/* Solves a hundred random problems; least: how many of them each method must solve. */
static void solve_random_rigs(uint64_t from, double most_mu, bool pulls, const int least[WAYS])
{
    trm_random random = trm_random_seed(from);
    int count[WAYS] = {0}, with_contacts = 0;
    print_message("seed %llu\n", (unsigned long long)from);
    for (int i = 0; i < PROBLEMS; i++) {
        rig r;
        bool solved[WAYS], contact = false;
        random_rig(&r, &random, most_mu, pulls);
        for (int k = 0; k < r.constraint_count; k++) contact = contact || r.constraints[k].law == TRM_CONE;
        assert_true(residual_of(&r) > obeyed); /* the start is not the solution */
        if (solve_by_all(&r, most_mu <= small_mu, solved) == 0) print_message("problem %d was solved by none\n", i);
        for (how way = NEWTON; way < WAYS; way++) count[way] += solved[way] && (contact || way != DENSE);
        with_contacts += contact;
    }
    print_message("Newton %d, reduced %d, dense %d of %d, sweeps %d of %d\n", count[NEWTON], count[REDUCED],
                  count[DENSE], with_contacts, count[SWEPT], PROBLEMS);
    for (how way = NEWTON; way < WAYS; way++)
        assert_true(100 * count[way] >= least[way] * (way == DENSE ? with_contacts : PROBLEMS));
}

/* A hub with twelve arms on ball joints, each with a contact to the ground: more joints than a body may have without
 * being cut into slices. */
static void a_hub_with_many_joints_moves_as_one_body(void **state)
{
    enum { ARMS = 12 };
    (void)state;
    trm_random random = trm_random_seed(seed + 20);
    for (int i = 0; i < PROBLEMS / 10; i++) {
        rig r;
        bool solved[WAYS];
        start_rig(&r);
        const trm_pose middle = random_place(&random);
        const int hub = add_rigid(&r, 1, random_moments(&random, 1), middle, random_spatial(&random));
        for (int k = 0; k < ARMS; k++) {
            const trm_pose pose = random_place(&random);
            const int arm = add_rigid(&r, 0.5, random_moments(&random, 0.5), pose, random_spatial(&random));
            add_ball_joint(&r, hub, arm, trm_v3_add(middle.p, random_vector(&random, 0.5)));
            add_contact(&r, arm, 0, trm_v3_add(pose.p, random_vector(&random, 0.5)), trm_v3(0, 0, 1), small_mu);
        }
        choose_offsets(&r, &random, 1);
        begin_with_impulses(&r, &random, 0.5);
        solve_by_all(&r, true, solved);
        assert_true(solved[NEWTON] && solved[REDUCED]);
    }
}

static void all_ways_agree_where_friction_is_small(void **state)
{
    (void)state;
    solve_random_rigs(seed + 4, small_mu, false, (int[]){100, 100, 100, 100});
}

static void all_ways_agree_without_friction(void **state)
{
    (void)state;
    solve_random_rigs(seed + 5, 0, false, (int[]){100, 100, 100, 100});
}

/* The dense matrix keeps the pulls of the rate before; it does not solve problems in which they change. */
static void all_ways_agree_with_pulls(void **state)
{
    (void)state;
    solve_random_rigs(seed + 6, small_mu, true, (int[]){100, 50, 100, 100});
}

/* Each problem has a solution, but rounds converge to it more slowly, or not at all. */
static void what_is_solved_obeys_all_laws_with_much_friction(void **state)
{
    (void)state;
    solve_random_rigs(seed + 7, 1.5, true, (int[]){80, 50, 90, 90});
}

/* ---- Rolling friction --------------------------------------------------------------------- */

/* Projects on the nearest point of the disc, and checks the slope by central differences of width d, with errors of
 * about d^2/|t|^2. */
static void a_disc_projects_as_its_slope_says(void **state)
{
    (void)state;
    const double d = 1e-6, close = 1e-7;
    trm_random random = trm_random_seed(seed + 11);
    int places[3] = {0, 0, 0};
    for (int i = 0; i < CONES; i++) {
        const double radius = trm_random_uniform(&random, -0.2, 1);
        const double y[2] = {trm_random_uniform(&random, -1, 1), trm_random_uniform(&random, -1, 1)};
        const double size = sqrt(y[0] * y[0] + y[1] * y[1]);
        double p[2], P[2][2];
        const trm_cone_place place = trm_disc_project(fmax(radius, 0), y, p);
        places[place]++;
        assert_near(sqrt(p[0] * p[0] + p[1] * p[1]), fmin(size, fmax(radius, 0)), 4 * DBL_EPSILON);
        assert_near(p[0] * y[1] - p[1] * y[0], 0, 4 * DBL_EPSILON);
        assert_true(p[0] * y[0] >= 0 && p[1] * y[1] >= 0);
        trm_disc_slope(radius, y, place, P);
        for (int c = 0; c < 2 && size > 0.05 && fabs(size - radius) > d; c++) {
            double low[2] = {y[0], y[1]}, high[2] = {y[0], y[1]}, at_low[2], at_high[2];
            low[c] -= d, high[c] += d;
            trm_disc_project(fmax(radius, 0), low, at_low);
            trm_disc_project(fmax(radius, 0), high, at_high);
            for (int r = 0; r < 2; r++) assert_near(P[r][c], (at_high[r] - at_low[r]) / (2 * d), close);
        }
    }
    for (int k = 0; k < 3; k++) assert_true(places[k] > CONES / 20);
}

/* Returns the number of discs whose moment is at its limit. */
static int turning_discs(const rig *r)
{
    int count = 0;
    for (int k = 0; k < r->constraint_count; k++) {
        const trm_constraint *constraint = &r->constraints[k];
        if (constraint->law != TRM_DISC || !(*constraint->normal > 0)) continue;
        double square = 0;
        for (int row = 0; row < constraint->rows; row++) square += constraint->lambda[row] * constraint->lambda[row];
        count += sqrt(square) > 0.999 * trm_disc_radius(constraint);
    }
    return count;
}

/* Returns the largest response of a constraint to its own impulses while joints stay closed. */
static double response_through_joints(const rig *r, int of)
{
    double most = 0;
    for (int row = 0; row < r->constraints[of].rows; row++) {
        rig closed = *r, joints;
        const grip *g = &r->grips[of];
        closed.constraint_count = 0;
        for (int i = 0; i < r->constraint_count; i++) {
            if (r->constraints[i].law != TRM_CLOSED) continue;
            grip *joint = &closed.grips[closed.constraint_count];
            *joint = r->grips[i];
            memset(joint->lambda, 0, sizeof joint->lambda), memset(joint->b, 0, sizeof joint->b);
            closed.constraints[closed.constraint_count++] = r->constraints[i];
        }
        memset(closed.V, 0, sizeof closed.V);
        for (int k = 0; k < 2; k++)
            closed.V[g->body[k]] = trm_sp_add_scaled(closed.V[g->body[k]], 1, g->W[2 * row + k]);
        copy_rig(&closed, &joints);
        if (joints.constraint_count > 0) assert_int_equal(solve(&joints, NEWTON), TRM_SOLVED);
        most = fmax(most, trm_sp_dot(g->J[2 * row], joints.V[g->body[0]]) +
                              trm_sp_dot(g->J[2 * row + 1], joints.V[g->body[1]]));
    }
    return most;
}

/* The reduced solver judges by responses through joints. In those of free bodies the same error of the impulse of a
 * disc is a residual as much larger. */
static void assert_laws_through_joints(const rig *r)
{
    for (int i = 0; i < r->constraint_count; i++) {
        const trm_constraint *c = &r->constraints[i];
        const double residual = trm_constraint_residual(c, r->V);
        const bool is_large = c->law == TRM_DISC && residual > 10 * obeyed;
        const double part = is_large ? response_through_joints(r, i) / trm_constraint_largest_response(c) : 1;
        assert_near(part * residual, 0, 10 * obeyed);
    }
}

/* Solves random rigs with contacts and joints. The dense matrix does not support discs and says so before it changes
 * anything. */
static void solve_rigs_with_discs(uint64_t number)
{
    const double most_arm =
        0.05; /* m, a tenth of the lever arms of contacts, by which the radius of a disc depends on itself */
    trm_random random = trm_random_seed(number);
    int rigs = 0, by_newton = 0, by_reduced = 0, by_sweeps = 0, turning = 0;
    for (int i = 0; i < PROBLEMS; i++) {
        rig start, newton, reduced, swept;
        random_rig(&start, &random, small_mu, i % 2);
        for (int k = 0, others = start.constraint_count; k < others; k++)
            if (start.constraints[k].law == TRM_CONE)
                add_disc(&start, k, i / 2 % 2, trm_random_uniform(&random, 0, most_arm));
        if (start.constraints[start.constraint_count - 1].law != TRM_DISC) continue;
        assert_int_equal(solve(copy_rig(&start, &newton), DENSE), TRM_NOT_SOLVED);
        assert_true(same_bits(&start, &newton));
        const bool solved[] = {solve(&newton, NEWTON) == TRM_SOLVED,
                               solve(copy_rig(&start, &reduced), REDUCED) == TRM_SOLVED,
                               solve(copy_rig(&start, &swept), SWEPT) == TRM_SOLVED};
        if (solved[0]) assert_laws(&newton, NEWTON);
        if (solved[1]) assert_laws_through_joints(&reduced);
        if (solved[2]) assert_laws(&swept, SWEPT);
        if (solved[0] && solved[2]) assert_near(apart(&newton, &swept), 0, agreed);
        if (solved[1] && solved[2]) assert_near(apart(&reduced, &swept), 0, agreed);
        turning += turning_discs(&newton);
        assert_true(solved[0] || (i / 2 % 2 == 0 && solved[1])); /* a step tries both methods */
        rigs++, by_newton += solved[0], by_reduced += solved[1], by_sweeps += solved[2];
    }
    print_message("Newton %d, reduced %d, sweeps %d of %d; %d discs turn\n", by_newton, by_reduced, by_sweeps, rigs,
                  turning);
    assert_true(by_sweeps == rigs && by_newton > 0.97 * rigs);
    assert_true(rigs > PROBLEMS / 2 && turning > PROBLEMS / 2);
}

/* In the last two sets a disc responds through its joints with less than a hundredth of its own response. */
static void newton_and_sweeps_agree_on_rolling_and_torsional_friction(void **state)
{
    (void)state;
    solve_rigs_with_discs(seed + 12);
    solve_rigs_with_discs(seed + 21);
    solve_rigs_with_discs(seed + 24);
}

/* ---- Faces -------------------------------------------------------------------------------- */

/* A box with sides 2, 2, 1 that falls on the ground with 4 corners, or also with the middles of their edges. */
static void box_on_ground(rig *r, int points, double mu, trm_spatial V_free)
{
    const double mass = 2;
    start_rig(r);
    const trm_vec3 moments = trm_v3_scale(mass / 12, trm_v3(4 + 1, 4 + 1, 4 + 4));
    const int box = add_rigid(r, mass, moments, (trm_pose){r->poses[0].q, trm_v3(0, 0, 0.5)}, V_free);
    for (int i = 0; i < points; i++) {
        static const double x[8] = {-1, 1, 1, -1, 0, 1, 0, -1}, y[8] = {-1, -1, 1, 1, -1, 0, 1, 0};
        add_contact(r, box, 0, trm_v3(x[i], y[i], 0), trm_v3(0, 0, 1), mu);
    }
}

/* Twelve or 24 rows for six degrees of freedom: impulses are not unique; velocities are unique unless friction
 * depends on the distribution of impulses. */
static void redundant_points_of_a_face_do_no_harm(void **state)
{
    (void)state;
    trm_random random = trm_random_seed(seed + 8);
    print_message("seed %llu\n", (unsigned long long)seed + 8);
    int by_newton = 0, by_reduced = 0, with_friction = 0;
    for (int i = 0; i < PROBLEMS; i++) {
        rig r;
        bool solved[WAYS];
        const bool rough = i % 3 > 0;
        trm_spatial V = random_spatial(&random);
        V.lin.z -= 1;
        box_on_ground(&r, i % 2 ? 4 : 8, rough ? small_mu : 0, V);
        solve_by_all(&r, !rough, solved);
        assert_true(solved[DENSE] && solved[SWEPT] && solved[REDUCED] && (rough || solved[NEWTON]));
        with_friction += rough;
        by_newton += rough && solved[NEWTON];
        by_reduced += rough && solved[REDUCED];
    }
    print_message("Newton %d, reduced %d of %d with friction\n", by_newton, by_reduced, with_friction);
    assert_true(by_reduced == with_friction);
    assert_true(2 * by_newton >= with_friction); /* the dense matrix exists for the others */
}

/* Without friction only the slip remains, and there is no impulse along it. */
static void a_face_that_comes_down_flat_stays_flat(void **state)
{
    (void)state;
    const double down = 1, along = 0.6;
    for (int points = 4; points <= 8; points += 4)
        for (how way = NEWTON; way < WAYS; way++) {
            rig r;
            double sum[3] = {0, 0, 0};
            box_on_ground(&r, points, 0, trm_sp(trm_v3(0, 0, 0), trm_v3(along, 0, -down)));
            assert_int_equal(solve(&r, way), TRM_SOLVED);
            assert_near(trm_v3_length(trm_v3_sub(r.V[1].lin, trm_v3(along, 0, 0))), 0, agreed);
            assert_near(trm_v3_length(r.V[1].ang), 0, agreed);
            for (int i = 0; i < points; i++)
                for (int k = 0; k < 3; k++) sum[k] += r.grips[i].lambda[k];
            assert_near(sum[0], r.bodies[1].mass * down, agreed);
            assert_near(sum[1], 0, 0);
            assert_near(sum[2], 0, 0);
        }
}

/* A ball of radius 1 on the ground: an impulse p along the ground reduces its slip by 7/2 p/m; p = mu m v, or the
 * impulse that stops the slip. */
static void a_ball_slips_as_in_closed_form(void **state)
{
    (void)state;
    const double mass = 3, mu = 0.2, down = 1, inertia = 0.4 * mass;
    for (int stops = 0; stops < 2; stops++)
        for (how way = NEWTON; way < WAYS; way++) {
            const double along = stops ? 0.5 : 2, most = along / 3.5, loss = fmin(mu * down, most);
            rig r;
            start_rig(&r);
            add_rigid(&r, mass, trm_v3(inertia, inertia, inertia), (trm_pose){r.poses[0].q, trm_v3(0, 0, 1)},
                      trm_sp(trm_v3(0, 0, 0), trm_v3(along, 0, -down)));
            add_contact(&r, 1, 0, trm_v3(0, 0, 0), trm_v3(0, 0, 1), mu);
            assert_int_equal(solve(&r, way), TRM_SOLVED);
            assert_near(r.V[1].lin.x, along - loss, 10 * obeyed);
            assert_near(r.V[1].lin.y, 0, 10 * obeyed);
            assert_near(r.V[1].lin.z, 0, 10 * obeyed);
            assert_near(r.V[1].ang.y, loss / 0.4, 10 * obeyed);
            assert_int_equal(loss < most, !stops);
        }
}

/* The same ball rolls: rolling friction reduces its speed by c v / (1 + 2/5), where c times the normal impulse
 * opposes its rotation and friction adapts; or to zero, within its disc. */
static void a_ball_rolls_on_as_in_closed_form(void **state)
{
    (void)state;
    const double mass = 3, arm = 0.07, down = 1, inertia = 0.4 * mass;
    for (int stops = 0; stops < 2; stops++)
        for (how way = NEWTON; way < WAYS; way += SWEPT - NEWTON) {
            const double along = stops ? 0.04 : 2, loss = fmin(arm * down / 1.4, along);
            rig r;
            start_rig(&r);
            add_rigid(&r, mass, trm_v3(inertia, inertia, inertia), (trm_pose){r.poses[0].q, trm_v3(0, 0, 1)},
                      trm_sp(trm_v3(0, along, 0), trm_v3(along, 0, -down)));
            add_contact(&r, 1, 0, trm_v3(0, 0, 0), trm_v3(0, 0, 1), 0.5);
            add_disc(&r, 0, 1, arm);
            assert_int_equal(solve(&r, way), TRM_SOLVED);
            assert_near(r.V[1].lin.x, along - loss, swept_left * obeyed);
            assert_near(r.V[1].ang.y, along - loss, swept_left * obeyed);
            assert_near(trm_v3_length(trm_v3(r.V[1].lin.y, r.V[1].ang.x, r.V[1].ang.z)), 0, swept_left * obeyed);
            assert_int_equal(turning_discs(&r), !stops);
        }
}

/* One end of a rod is pushed down, so that the other one rises: its impulse is nonzero at first and zero in the
 * end. */
static void a_contact_that_leaves_has_no_impulse(void **state)
{
    (void)state;
    for (how way = NEWTON; way < WAYS; way++) {
        rig r;
        start_rig(&r);
        add_rigid(&r, 1, trm_v3(1, 0.1, 1), (trm_pose){r.poses[0].q, trm_v3(0, 0, 0)},
                  trm_sp(trm_v3(0, 3, 0), trm_v3(0, 0, 0)));
        add_contact(&r, 1, 0, trm_v3(1, 0, 0), trm_v3(0, 0, 1), 0.1);
        add_contact(&r, 1, 0, trm_v3(-1, 0, 0), trm_v3(0, 0, 1), 0.1);
        trm_constraint_apply_impulse(&r.constraints[1], (double[]){1, 0.05, 0.02}, r.V);
        assert_int_equal(solve(&r, way), TRM_SOLVED);
        assert_laws(&r, way);
        double u[3];
        trm_constraint_speeds(&r.constraints[1], r.V, u);
        assert_true(u[0] > 0.1);
        for (int k = 0; k < 3; k++) assert_near(r.grips[1].lambda[k], 0, 0);
        assert_true(r.grips[0].lambda[0] > 0.1);
    }
}

/* Two feet of a body on ground whose parts move apart: both cannot stick. The load between them moves nothing, and
 * grows until a foot slips. Drives of stiff legs make such problems at any speed. */
static void a_load_between_two_feet_grows_until_one_slips(void **state)
{
    (void)state;
    trm_random random = trm_random_seed(seed + 9);
    int solved = 0;
    print_message("seed %llu\n", (unsigned long long)seed + 9);
    for (int i = 0; i < PROBLEMS; i++) {
        rig r;
        start_rig(&r);
        const trm_vec3 foot = random_vector(&random, 1);
        add_rigid(&r, 1, trm_v3(0.1, 0.1, 0.1), (trm_pose){r.poses[0].q, trm_v3(foot.x, foot.y, 1 + foot.z)},
                  trm_sp(trm_v3(0, 0, 0), trm_v3(0.1 * foot.y, -0.1 * foot.x, -1)));
        add_contact(&r, 1, 0, trm_v3(-1, 0, 0), trm_v3(0, 0, 1), 0.7);
        add_contact(&r, 1, 0, trm_v3(1, 0, 0), trm_v3(0, 0, 1), 0.7);
        r.grips[1].b[2] = trm_pow(10, trm_random_uniform(&random, -8, -2));
        if (solve(&r, REDUCED) != TRM_SOLVED) continue;
        solved++;
        assert_laws(&r, REDUCED);
    }
    print_message("solved %d of %d\n", solved, PROBLEMS);
    assert_int_equal(solved, PROBLEMS);
}

/* ---- Memory ------------------------------------------------------------------------------- */

static trm_solved solve_with_memory(rig *r, how way, long fail_at)
{
    failing_allocator memory;
    failing_allocator_reset(&memory, fail_at, false);
    const trm_allocator hooks = failing_allocator_hooks(&memory);
    trm_arena arena;
    trm_arena_init(&arena, &hooks);
    const trm_solved solved = solve_in(r, way, &arena);
    assert_int_equal(solved == TRM_SOLVE_NO_MEMORY, memory.refusals > 0);
    trm_arena_destroy(&arena);
    assert_true(failing_allocator_is_clean(&memory));
    return solved;
}

static void running_out_of_memory_is_reported(void **state)
{
    (void)state;
    for (how way = NEWTON; way <= DENSE; way++) {
        trm_random random = trm_random_seed(seed + 9);
        rig start, r;
        do random_rig(&start, &random, small_mu, false);
        while (start.constraint_count < 6);
        long fail_at = 1;
        while (solve_with_memory(copy_rig(&start, &r), way, fail_at) == TRM_SOLVE_NO_MEMORY) {
            if (way == NEWTON) assert_true(same_bits(&start, &r));
            assert_momentum(&r, DENSE);
            fail_at++;
        }
        assert_true(fail_at > 2);
        assert_laws(&r, way);
    }
}

/* A wedge between two walls that approach each other: no solution satisfies the laws. */
static void what_is_not_solved_by_newton_is_as_it_was(void **state)
{
    (void)state;
    rig start, r;
    start_rig(&start);
    add_rigid(&start, 1, trm_v3(1, 1, 1), (trm_pose){start.poses[0].q, trm_v3(0, 0, 0)},
              trm_sp(trm_v3(0.1, 0, 0), trm_v3(0, 0, 0.2)));
    add_contact(&start, 1, 0, trm_v3(0, 0, -1), trm_v3(0, 0, 1), 0.3);
    add_contact(&start, 1, 0, trm_v3(0, 0, 1), trm_v3(0, 0, -1), 0.3);
    for (int i = 0; i < 2; i++) start.grips[i].b[0] = -1;
    trm_random random = trm_random_seed(seed + 10);
    begin_with_impulses(&start, &random, 0.1);
    assert_int_equal(solve(copy_rig(&start, &r), NEWTON), TRM_NOT_SOLVED);
    assert_true(same_bits(&start, &r));
    assert_int_equal(solve(copy_rig(&start, &r), DENSE), TRM_NOT_SOLVED);
    assert_int_equal(solve(copy_rig(&start, &r), SWEPT), TRM_NOT_SOLVED);
}

/* A sweep transfers the load of a tower by one contact: without extrapolation 0.06 m/s would remain of 1 m/s. */
static void sweeps_carry_the_weight_of_a_tower_to_the_ground_quickly(void **state)
{
    (void)state;
    enum { SWEEPS = 24 };
    rig r;
    trm_arena arena;
    start_rig(&r);
    for (int i = 1; i < MOST_BODIES; i++) add_point_mass(&r, 1, trm_v3(0, 0, i), trm_v3(0, 0, -1));
    for (int i = 1; i < MOST_BODIES; i++) add_contact(&r, i, i - 1, trm_v3(0, 0, i - 0.5), trm_v3(0, 0, 1), 0.5);
    trm_arena_init(&arena, NULL);
    const trm_problem problem = problem_of(&r, SWEPT, &arena);
    const trm_problem_island island = {r.body_numbers, r.body_count - 1, r.hold_numbers, r.constraint_count, NULL};
    trm_problem_sweeps(&problem, &island, SWEEPS, SWEEPS, 0);
    trm_arena_destroy(&arena);
    print_message("    %.1e m/s after %d sweeps\n", residual_of(&r), SWEEPS);
    assert_near(residual_of(&r), 0, 1e-3);
    assert_momentum(&r, SWEPT);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_projection_is_the_nearest_point),
        cmocka_unit_test(the_result_names_the_part_of_the_cone_projected_on),
        cmocka_unit_test(the_slope_is_that_of_differences),
        cmocka_unit_test(the_slope_is_symmetric_and_between_0_and_1),
        cmocka_unit_test(a_hub_with_many_joints_moves_as_one_body),
        cmocka_unit_test(all_ways_agree_where_friction_is_small),
        cmocka_unit_test(all_ways_agree_without_friction),
        cmocka_unit_test(all_ways_agree_with_pulls),
        cmocka_unit_test(what_is_solved_obeys_all_laws_with_much_friction),
        cmocka_unit_test(a_disc_projects_as_its_slope_says),
        cmocka_unit_test(newton_and_sweeps_agree_on_rolling_and_torsional_friction),
        cmocka_unit_test(redundant_points_of_a_face_do_no_harm),
        cmocka_unit_test(a_face_that_comes_down_flat_stays_flat),
        cmocka_unit_test(a_ball_slips_as_in_closed_form),
        cmocka_unit_test(a_ball_rolls_on_as_in_closed_form),
        cmocka_unit_test(a_contact_that_leaves_has_no_impulse),
        cmocka_unit_test(a_load_between_two_feet_grows_until_one_slips),
        cmocka_unit_test(sweeps_carry_the_weight_of_a_tower_to_the_ground_quickly),
        cmocka_unit_test(running_out_of_memory_is_reported),
        cmocka_unit_test(what_is_not_solved_by_newton_is_as_it_was),
    };
    return RUN_TESTS(tests);
}
