/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* Closed forms of loops compared with Newton's method, on rings of random shape, position and orientation. A ring is
 * named by its joints, one letter each, in their order: R hinge, P slider, S ball, U universal, D distance, F
 * fixed. */

#include <time.h>

#include "base/arena.h"
#include "choosing.h"
#include "machines.h"
#include "methods/minimal/closed_form.h"
#include "random_bodies.h"

/* rad, m: difference of two solutions of the same equations by different methods. */
static const double SAME = 1e-12;
/* Limit of dy_D/dy_I: beyond it the equations lose digits with either method. */
static const double STEEP = 5;
/* rad, m: error of predictions. */
static const double OFF = 1e-3;

/* m: beyond all positions of sliders of random rings. */
static const double FAR = 20;

enum { MOST_COORDINATES = 10, MOST_SETS = 64 };

/* ---- Rings -------------------------------------------------------------------------------- */

typedef struct ring_kind {
    const char *joints;
    bool planar;
    int freedoms; /* without the pendulum */
    const char *form;
} ring_kind;

static const ring_kind KINDS[] = {
    {"RRRR", true, 1, "rrrr"},  {"RRRP", true, 1, "rrrp"},  {"RFRRR", true, 1, "rrrr"}, {"RRFRP", true, 1, "rrrp"},
    {"RSUR", false, 1, "rssr"}, {"RUSR", false, 1, "rssr"}, {"RSUP", false, 1, "rssr"}, {"PSUP", false, 1, "rssr"},
    {"RSSR", false, 2, "rssr"}, {"RSSP", false, 2, "rssr"}, {"RDR", false, 1, "rssr"},  {"RDP", false, 1, "rssr"},
};
enum { KINDS_COUNT = sizeof KINDS / sizeof *KINDS };

/* Whether the machine is spatial, or lies in a plane of random orientation. */
typedef struct surroundings {
    trm_random *random;
    bool planar;
    trm_quat plane;
} surroundings;

static trm_vec3 point_in(const surroundings *s)
{
    return trm_rotate(s->plane, random_vector(s->random, 1));
}

static trm_vec3 axis_in(const surroundings *s, bool slides)
{
    if (!s->planar) return random_direction(s->random);
    const double angle = trm_random_uniform(s->random, 0, 2 * TRM_PI),
                 sign = trm_random_uniform(s->random, 0, 1) < 0.5 ? -1 : 1;
    return trm_rotate(s->plane, slides ? trm_v3(cos(angle), sin(angle), 0) : trm_v3(0, 0, sign));
}

static void add_ring_joint(machine *m, const surroundings *s, char letter, int before, int behind)
{
    static const char *const names[] = {
        ['R'] = "hinge", ['P'] = "slider", ['S'] = "ball", ['U'] = "universal", ['F'] = "fixed"};
    const bool forward = trm_random_uniform(s->random, 0, 1) < 0.5;
    const int a = forward ? before : behind, b = forward ? behind : before;
    if (letter == 'D') {
        add_bar(m, a, b);
        return;
    }
    const trm_vec3 at = point_in(s);
    trm_joint_def *joint = add_joint_at(m, names[(unsigned char)letter], a, b, at.x, at.y, at.z);
    if (letter == 'S' || letter == 'F') return;
    joint->axis = axis_in(s, letter == 'P');
    if (letter == 'U') joint->axis2 = trm_v3_unit(trm_v3_cross(joint->axis, random_direction(s->random)));
    for (int k = 0; k < (letter == 'U' ? 2 : 1); k++) joint->q0[k] = trm_random_uniform(s->random, -4, 4);
}

/* Returns the ring with one of its bodies as the ground; hangs: with a pendulum on one of the other bodies. */
static trm_model *random_ring(trm_random *random, const ring_kind *kind, int ground, bool hangs)
{
    machine m;
    const int count = (int)strlen(kind->joints);
    const surroundings s = {random, kind->planar, random_rotation(random)};
    int bodies[TRM_RING_JOINTS + 1];
    machine_init(&m);
    for (int i = 0; i < count; i++) {
        const trm_vec3 at = random_vector(random, 1);
        bodies[i] = i == ground ? 0 : add_ball(&m, at.x, at.y, at.z);
    }
    for (int i = 0; i < count; i++) add_ring_joint(&m, &s, kind->joints[i], bodies[i], bodies[(i + 1) % count]);
    if (hangs) {
        const int pendulum = add_ball(&m, 2, 0, 0);
        add_ring_joint(&m, &s, 'R', bodies[(ground + 1) % count], pendulum);
    }
    return machine_finish(&m);
}

/* ---- Loops -------------------------------------------------------------------------------- */

/* The same loop twice: solved by its closed form, and by Newton's method. */
typedef struct pair {
    trm_model *model;
    trm_state *state;
    trm_arena arena;
    trm_tree *tree;
    trm_loop *form, *newton;
    double y[MOST_COORDINATES], yd[MOST_COORDINATES];
} pair;

/* Takes ownership of the model. */
static pair make_pair(trm_model *model, const char *cut)
{
    pair p = {.model = model, .state = trm_state_create(model, NULL)};
    char why[200];
    trm_arena_init(&p.arena, NULL);
    p.tree = trm_tree_create(p.state, (trm_tree_options){.cut = cut}, &p.arena, why, sizeof why);
    assert_non_null(p.tree);
    assert_true(p.tree->branch_count == 1 && p.tree->coordinates <= MOST_COORDINATES);
    p.form = trm_loop_create(p.tree, &p.tree->branches[0], NULL, &p.arena);
    p.newton = trm_loop_create(p.tree, &p.tree->branches[0], NULL, &p.arena);
    assert_true(p.form && p.newton && trm_closed_form_recognise(p.form, p.tree, &p.arena));
    trm_tree_read(p.tree, p.state, p.y, p.yd);
    return p;
}

static void drop_pair(pair *p)
{
    trm_arena_destroy(&p->arena);
    trm_state_destroy(p->state);
    trm_model_destroy(p->model);
}

static bool close_at(pair *p, trm_loop *loop, double *y, const double *predicted)
{
    return trm_loop_close(loop, p->tree, p->state->memory, y, predicted);
}

/* Lists the sets of f coordinates, with f = 1, 2 or 3. */
static int list_sets(int n, int f, int sets[MOST_SETS][3])
{
    int count = 0;
    for (int a = 0; a < n; a++)
        for (int b = f > 1 ? a + 1 : n - 1; b < n; b++)
            for (int c = f > 2 ? b + 1 : n - 1; c < n; c++) {
                assert_true(count < MOST_SETS);
                sets[count][0] = a, sets[count][1] = b, sets[count++][2] = c;
            }
    return count;
}

/* Returns the largest element of dy_D/dy_I at y; infinity if y_D is not determined by y_I. */
static double steepness(pair *p, int f, const int *set, const double *y)
{
    double most = 0;
    trm_loop_choose(p->newton, f, set);
    trm_loop_place(p->newton, p->tree, y);
    if (!trm_loop_factorise_rows(p->newton, p->tree, p->state->memory)) return INFINITY;
    for (int i = 0; i < f * (p->newton->n - f); i++) most = fmax(most, fabs(p->newton->X[i]));
    return isfinite(most) ? most : INFINITY;
}

/* ---- Random motions ----------------------------------------------------------------------- */

typedef struct tally {
    long closed;   /* number of poses, far from dead points; */
    long in_reach; /* of these, those in which one joint of the ring with one coordinate is independent; */
    long by_form;  /* of these, those solved without Newton's method */
    double worst;  /* difference from Newton's solution */
} tally;

/* Returns how many joints of the ring with one coordinate are independent. */
static int known_arms(const trm_loop *loop)
{
    const trm_ring *ring = &loop->place->ring;
    int count = 0;
    for (int i = 0; i < ring->count; i++)
        if (ring->joints[i].count == 1 && trm_loop_is_independent(loop, ring->joints[i].at)) count++;
    return count;
}

/* Solves by both methods from inaccurate predictions, and compares the results with the pose y. */
static void compare_at(pair *p, trm_random *random, int f, const int *set, tally *t)
{
    double predicted[MOST_COORDINATES], y[MOST_COORDINATES], exact[MOST_COORDINATES];
    for (int i = 0; i < p->form->n; i++) {
        predicted[i] = p->y[i] + trm_random_uniform(random, -OFF, OFF);
        y[i] = exact[i] = p->y[i];
    }
    trm_loop_choose(p->form, f, set);
    trm_loop_choose(p->newton, f, set);
    assert_true(close_at(p, p->newton, exact, predicted));
    assert_true(close_at(p, p->form, y, predicted));
    for (int i = 0; i < p->form->n; i++) t->worst = fmax(t->worst, fabs(y[i] - exact[i]));
    t->closed++;
    if (known_arms(p->form) == 1) t->in_reach++;
    if (p->form->newton == 0) t->by_form++;
}

/* Moves from y in the direction of yd by the coordinates of least steepness. Returns false if the motion cannot
 * continue. */
static bool walk_on(pair *p, int f, const int *set, double length)
{
    const int n = p->newton->n;
    double predicted[MOST_COORDINATES], y[MOST_COORDINATES], most = 0;
    if (!(steepness(p, f, set, p->y) < INFINITY)) return false;
    trm_loop_dependent_rates(p->newton, p->tree, p->state->memory, p->y, p->yd);
    for (int i = 0; i < n; i++) most = fmax(most, fabs(p->yd[i]));
    for (int i = 0; i < n; i++) {
        p->yd[i] /= most;
        predicted[i] = y[i] = p->y[i] + length * p->yd[i];
    }
    if (!close_at(p, p->newton, y, predicted)) return false;
    memcpy(p->y, y, sizeof y);
    return true;
}

static tally walk(pair *p, trm_random *random, int f, int steps)
{
    tally t = {0, 0, 0, 0};
    int sets[MOST_SETS][3];
    const int count = list_sets(p->form->n, f, sets);
    for (int i = 0; i < p->form->n; i++) p->yd[i] = trm_random_uniform(random, -1, 1);
    for (int step = 0; step < steps; step++) {
        int best = 0;
        double least = INFINITY;
        for (int s = 0; s < count; s++) {
            const double steep = steepness(p, f, sets[s], p->y);
            if (steep < STEEP) compare_at(p, random, f, sets[s], &t);
            if (steep < least) best = s, least = steep;
        }
        if (!walk_on(p, f, sets[best], 0.05)) break;
    }
    return t;
}

/* ---- Forms equal Newton's method ---------------------------------------------------------- */

/* Cuts each joint in turn and holds each body in turn, with and without a pendulum. */
static tally walk_rings(const ring_kind *kind, trm_random *random, int rounds)
{
    tally all = {0, 0, 0, 0};
    const int count = (int)strlen(kind->joints);
    for (int i = 0; i < rounds * count * count; i++) {
        const int ground = i % count, cut = i / count % count;
        const bool hangs = i % 3 == 0;
        char name[16];
        snprintf(name, sizeof name, "j%d", cut);
        pair p = make_pair(random_ring(random, kind, ground, hangs), kind->joints[1] == 'D' ? NULL : name);
        assert_non_null(p.form->form);
        assert_string_equal(p.form->form->name, kind->form);
        const tally t = walk(&p, random, kind->freedoms + (hangs ? 1 : 0), 60);
        all.closed += t.closed;
        all.in_reach += t.in_reach;
        all.by_form += t.by_form;
        all.worst = fmax(all.worst, t.worst);
        drop_pair(&p);
    }
    print_message("%s: %ld closures, %ld without iterating, off by %.2g\n", kind->joints, all.closed, all.by_form,
                  all.worst);
    return all;
}

static void forms_equal_newtons_solution_for_all_cuts_and_coordinates(void **state)
{
    trm_random random = trm_random_seed(1);
    (void)state;
    for (int k = 0; k < KINDS_COUNT; k++) {
        const tally t = walk_rings(&KINDS[k], &random, k < 2 ? 4 : 1);
        assert_true(t.by_form > 500);
        assert_int_equal(t.by_form, t.in_reach);
        if (KINDS[k].planar) assert_int_equal(t.by_form, t.closed);
        assert_true(t.worst <= SAME);
    }
}

/* ---- Branches ----------------------------------------------------------------------------- */

static double largest_residual(pair *p, const double *y)
{
    double most = 0;
    trm_tree_place(p->tree, p->form->branch, y);
    trm_tree_move(p->tree, p->form->branch, y, NULL);
    trm_loop_rows(p->form, p->tree, p->state->memory);
    for (int r = 0; r < p->form->m; r++) most = fmax(most, fabs(p->form->phi[r]));
    return most;
}

enum { MOST_POSES = 8, MOST_BODIES = 6 };

/* m, rad: poses at a smaller distance are equal. */
static const double NEAR = 1e-6;

static bool stands_as(const pair *p, const trm_pose *pose)
{
    double most = 0;
    for (int i = 0; i < p->model->body_count; i++) {
        const trm_quat turn = trm_quat_mul(trm_quat_conj(pose[i].q), p->tree->pose[i].q);
        most = fmax(most, trm_v3_length(trm_v3_sub(pose[i].p, p->tree->pose[i].p)));
        most = fmax(most, 2 * trm_v3_length(trm_v3(turn.x, turn.y, turn.z)));
    }
    return most < NEAR;
}

/* Returns how many different poses the form finds from random predictions; asserts that all of them are closed. */
static int count_poses(pair *p, trm_random *random, int known, double value)
{
    trm_pose found[MOST_POSES][MOST_BODIES];
    int count = 0;
    assert_true(p->model->body_count <= MOST_BODIES);
    for (int i = 0; i < 300; i++) {
        double y[MOST_COORDINATES];
        int same = 0;
        for (int k = 0; k < p->form->n; k++) y[k] = trm_random_uniform(random, -FAR, FAR);
        y[known] = value;
        const trm_closure closure = trm_closed_form_solve(p->form, y);
        assert_int_not_equal(closure, TRM_CLOSURE_OPEN);
        if (closure == TRM_CLOSURE_NONE) return 0;
        assert_true(largest_residual(p, y) <= SAME);
        while (same < count && !stands_as(p, found[same])) same++;
        assert_true(count < MOST_POSES);
        if (same == count) memcpy(found[count++], p->tree->pose, (size_t)p->model->body_count * sizeof **found);
    }
    return count;
}

/* Returns whether the pose of the cut joint agrees with its coordinates: rows of parallel axes hold for antiparallel
 * axes as well. */
static bool is_upright(const pair *p)
{
    const trm_joint *joint = p->newton->joints[0];
    double q[TRM_JOINT_COORDINATES] = {0};
    if (!joint->type->place) return true;
    const trm_joint_at at = trm_joint_at_poses(joint, p->tree->pose, p->tree->velocity, p->tree->t, NULL);
    const trm_pose X = trm_joint_relative_pose(&at);
    joint->type->coordinates_from(joint, X, q);
    const trm_quat turn = trm_quat_mul(trm_quat_conj(joint->type->place(joint, q).q), X.q);
    return trm_v3_length(trm_v3(turn.x, turn.y, turn.z)) < NEAR;
}

/* Returns whether Newton's method closes the loop from any of many predictions. */
static bool newton_finds(pair *p, trm_random *random, int known, double value)
{
    for (int i = 0; i < 60; i++) {
        double predicted[MOST_COORDINATES], y[MOST_COORDINATES];
        for (int k = 0; k < p->newton->n; k++) predicted[k] = y[k] = trm_random_uniform(random, -3, 3);
        y[known] = value;
        if (close_at(p, p->newton, y, predicted) && is_upright(p)) return true;
    }
    return false;
}

/* Numbers of poses that a form finds at random values of the coordinates it begins with. */
typedef struct branches {
    int none, two, four; /* how often a form finds none, two or four poses */
    int confirmed;       /* how often Newton's method found one of the poses */
} branches;

static void count_branches(pair *p, trm_random *random, branches *b)
{
    for (int known = 0; known < p->form->n; known++) {
        trm_loop_choose(p->form, 1, &known);
        trm_loop_choose(p->newton, 1, &known);
        for (int k = 0; k < 12 && known_arms(p->form) == 1; k++) {
            const double value = trm_random_uniform(random, -3, 3);
            const int poses = count_poses(p, random, known, value);
            const bool newton = newton_finds(p, random, known, value);
            assert_true(poses == 0 || poses == 2 || poses == 4);
            if (poses == 0) assert_false(newton);
            *(poses == 0 ? &b->none : poses == 2 ? &b->two : &b->four) += 1;
            b->confirmed += newton;
        }
    }
}

static void both_branches_are_reached_and_none_is_found_where_none_is(void **state)
{
    static const int kinds[] = {0, 1, 4, 10, 11}; /* rings with one degree of freedom */
    trm_random random = trm_random_seed(3);
    (void)state;
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        const ring_kind *kind = &KINDS[kinds[i]];
        const int count = (int)strlen(kind->joints);
        branches b = {0, 0, 0, 0};
        for (int k = 0; k < 3 * count; k++) {
            char name[16];
            snprintf(name, sizeof name, "j%d", k % count);
            pair p = make_pair(random_ring(&random, kind, k / 3 % count, false), count == 3 ? NULL : name);
            count_branches(&p, &random, &b);
            drop_pair(&p);
        }
        print_message("%s: no pose %d times, two poses %d, four %d; Newton's method found one %d times\n",
                      kind->joints, b.none, b.two, b.four, b.confirmed);
        assert_true(b.none > 20 && b.two + b.four > 20);
        assert_true((b.four > 0) == (kinds[i] == 4)); /* a universal joint allows two spins */
        assert_true(5 * b.confirmed > b.two + b.four);
    }
}

/* ---- Unrecognized loops ------------------------------------------------------------------- */

static const trm_closed_form *form_of(trm_model *model)
{
    pair p = make_pair(model, NULL);
    const trm_closed_form *form = p.form->form;
    drop_pair(&p);
    return form;
}

static trm_model *square_of_hinges(double tilt, bool driven)
{
    static const double corner[4][2] = {{0, 0}, {0, 1}, {2, 1.5}, {2, 0}};
    machine m;
    machine_init(&m);
    int bodies[4] = {0};
    for (int i = 1; i < 4; i++) bodies[i] = add_ball(&m, i, 1, 0);
    for (int i = 0; i < 4; i++) {
        trm_joint_def *hinge = add_hinge(&m, bodies[i], bodies[(i + 1) % 4], corner[i][0], corner[i][1], 0);
        hinge->axis = trm_v3(i == 1 ? tilt : 0, 0, 1);
    }
    if (driven) add_drive(&m, 0, 0);
    return machine_finish(&m);
}

static void tilted_and_driven_loops_are_left_to_newton(void **state)
{
    (void)state;
    assert_ptr_equal(form_of(square_of_hinges(0, false)), &trm_closed_form_rrrr);
    assert_null(form_of(square_of_hinges(1e-6, false)));
    assert_null(form_of(square_of_hinges(0, true)));
    assert_null(form_of(model_of_file(TRM_EXAMPLES "/bricard.json")));
}

/* A form that is applied to a loop of another kind. */
static trm_closure solve_wrongly(const trm_loop *loop, const trm_closed_place *place, double *y)
{
    (void)place;
    y[loop->branch->first + loop->dependent[0]] += 1e-3;
    return TRM_CLOSURE_FOUND;
}

static void a_form_that_leaves_a_gap_is_corrected(void **state)
{
    static const trm_closed_form wrong = {"wrong", NULL, solve_wrongly};
    static const int known = 0;
    pair p = make_pair(square_of_hinges(0, false), NULL);
    double y[MOST_COORDINATES];
    (void)state;
    p.form->form = &wrong;
    trm_loop_choose(p.form, 1, &known);
    memcpy(y, p.y, sizeof y);
    assert_true(close_at(&p, p.form, y, p.y));
    assert_true(p.form->newton > 0);
    for (int i = 0; i < p.form->n; i++) assert_near(y[i], p.y[i], SAME);
    drop_pair(&p);
}

/* ---- Runs --------------------------------------------------------------------------------- */

/* Bars of 1 kg/m: cranks of 1 m, coupler and base of 2 m; the cranks turn at 8 rad/s. */
static const char *const PARALLELOGRAM =
    "{ \"trammel\": 1, \"gravity\": [0, -9.81, 0], \"bodies\": ["
    "{ \"name\": \"left\", \"rod\": { \"from\": [0, 0, 0], \"to\": [0, 1, 0], \"mass\": 1, \"radius\": 0 }, "
    "\"velocity\": [-4, 0, 0],"
    "  \"angular_velocity\": [0, 0, 8] },"
    "{ \"name\": \"coupler\", \"rod\": { \"from\": [0, 1, 0], \"to\": [2, 1, 0], \"mass\": 2, \"radius\": 0 }, "
    "\"velocity\": [-8, 0, 0] },"
    "{ \"name\": \"right\", \"rod\": { \"from\": [2, 0, 0], \"to\": [2, 1, 0], \"mass\": 1, \"radius\": 0 }, "
    "\"velocity\": [-4, 0, 0],"
    "  \"angular_velocity\": [0, 0, 8] } ], \"joints\": ["
    "{ \"name\": \"A\", \"type\": \"hinge\", \"bodies\": [\"ground\", \"left\"], \"anchor\": [0, 0, 0], \"axis\": "
    "[0, 0, 1], \"q0\": \"90*deg\" },"
    "{ \"name\": \"B\", \"type\": \"hinge\", \"bodies\": [\"left\", \"coupler\"], \"anchor\": [0, 1, 0], \"axis\": "
    "[0, 0, 1] },"
    "{ \"name\": \"C\", \"type\": \"hinge\", \"bodies\": [\"coupler\", \"right\"], \"anchor\": [2, 1, 0], \"axis\": "
    "[0, 0, 1] },"
    "{ \"name\": \"D\", \"type\": \"hinge\", \"bodies\": [\"ground\", \"right\"], \"anchor\": [2, 0, 0], \"axis\": "
    "[0, 0, 1] } ] }";

/* rad, J: near a flat pose of a parallelogram the angles of two bars are determined only to the square root of
 * rounding, 1e-8, at each pass; there are 30 passes. */
static const double PASSED = 1e-6;

static void parallelogram_passes_its_flat_poses(void **state)
{
    static const char *const cuts[] = {"A", "B", "C", "D"};
    (void)state;
    for (int i = 0; i < 4; i++) {
        char choice[40];
        snprintf(choice, sizeof choice, "minimal:cut=%s", cuts[i]);
        running r = run_chosen(model_of_text(PARALLELOGRAM), (way){.choice = choice, .step = 0.01, .error = 1e-11});
        go(&r, 10);
        const double phi = coordinate_of(&r, "A"), energy = trm_sim_accuracy(r.sim).energy_error_max;
        print_message("cut at %s: phi = %.10f, energy off by %.2g J, %lld evaluations\n", cuts[i], phi, energy,
                      trm_sim_counters(r.sim)->evaluations);
        assert_near(phi, 93.2382293537, PASSED);
        assert_near(energy, 0, PASSED);
        assert_int_equal(trm_sim_counters(r.sim)->newton, 0);
        stop(&r);
    }
}

static double seconds_of_run(const char *file, const char *choice, long long *evaluations)
{
    running r = run_chosen(model_of_file(file), (way){.choice = choice, .error = 1e-10});
    const clock_t start = clock();
    go_every(&r, 5, 5);
    const double seconds = (double)(clock() - start) / CLOCKS_PER_SEC;
    *evaluations = trm_sim_counters(r.sim)->evaluations;
    stop(&r);
    return seconds;
}

/* Relative difference of evaluations: both methods differ by rounding, which affects the integrator's choice of
 * steps. */
static const double SAME_WORK = 0.1;

static void forms_save_time_and_no_evaluations(void **state)
{
    static const char *const files[] = {TRM_EXAMPLES "/four-bar.json", TRM_EXAMPLES "/slider-crank.json"};
    (void)state;
    for (int i = 0; i < 2; i++) {
        long long form, newton;
        const double fast = seconds_of_run(files[i], "minimal", &form),
                     slow = seconds_of_run(files[i], "minimal:closure=newton", &newton);
        print_message("%s: %lld and %lld evaluations, time by Newton's method / by the form = %.2f\n", files[i], form,
                      newton, slow / fast);
        assert_near((double)form / (double)newton, 1, SAME_WORK);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(forms_equal_newtons_solution_for_all_cuts_and_coordinates),
        cmocka_unit_test(both_branches_are_reached_and_none_is_found_where_none_is),
        cmocka_unit_test(tilted_and_driven_loops_are_left_to_newton),
        cmocka_unit_test(a_form_that_leaves_a_gap_is_corrected),
        cmocka_unit_test(parallelogram_passes_its_flat_poses),
        cmocka_unit_test(forms_save_time_and_no_evaluations),
    };
    return RUN_TESTS(tests);
}
