/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* Random overconstrained machines: rows depend on others, in many cases only weakly. All methods in maximal
 * coordinates give the motion of `minimal`, which cuts loops and has no such rows, and their energy errors are as
 * small as their orders imply. */

#include "check.h"
#include "choosing.h"
#include "machines.h"
#include "random_bodies.h"

enum { LINKS = 24, FRAMES = 12, CRANKS = 12, MOST_BODIES = 16 };
/* Seeds whose rows carry less than 1e-3 of their self-stress in some order of elimination. */
static const int WEAK_LINKS[] = {45, 66, 217}, WEAK_FRAMES[] = {67, 75, 93, 149, 291}, WEAK_CRANKS[] = {31, 46};
#define COUNT(list) (int)(sizeof(list) / sizeof *(list))

static const double STEP = 0.005, TIME = 0.4; /* s */
/* Relative to m g times 1 m of all bodies: energy errors that do not decrease with half the step are due to the
 * tolerance of joints. */
static const double FLOOR = 3e-9;
/* The observed order, between steps that are not very small, may be less than the nominal one by this. */
static const double ORDER_SLACK = 0.8;
/* m and rad: errors of order 2 at h = 0.002, and of the other methods; masses differ by 1e3. */
static const double NEAR_ORDER_2 = 3e-3, NEAR = 1e-5;

/* m, rad: gap of open joints; and the factor by which energy errors may then exceed those with closed joints. */
static const double LOOSE = 1e-5, LOOSE_FACTOR = 2;
enum { LOOSE_LINKS = 24 };

/* ---- Random machines ------------------------------------------------------------------------ */

typedef struct maker {
    machine machine;
    trm_random random;
    trm_vec3 place[MOST_BODIES]; /* of each body */
} maker;

static double between(maker *m, double lo, double hi)
{
    return trm_random_uniform(&m->random, lo, hi);
}

static int one_of(maker *m, int count)
{
    return (int)between(m, 0, count);
}

/* Returns a random size between lo and hi, uniform on a logarithmic scale. */
static double size_between(maker *m, double lo, double hi)
{
    return pow(10, between(m, log10(lo), log10(hi)));
}

static void begin(maker *m, uint64_t seed)
{
    machine_init(&m->machine);
    m->random = trm_random_seed(seed);
    m->place[0] = trm_v3(0, 0, 0);
    m->machine.def->gravity = trm_v3(2, -9.81, 1);
}

static int add_block(maker *m, trm_vec3 place, double spread)
{
    trm_body_def body = trm_default_body_def();
    body.mass = size_between(m, 1 / spread, spread);
    turned_inertia(random_moments(&m->random, body.mass), random_rotation(&m->random), body.inertia);
    body.position = place;
    const int index = add_body(&m->machine, body);
    assert_true(index < MOST_BODIES);
    m->place[index] = place;
    return index;
}

static trm_joint_def *join(maker *m, const char *type, int a, int b, trm_vec3 at)
{
    return add_joint_at(&m->machine, type, a, b, at.x, at.y, at.z);
}

static void join_by_hinge(maker *m, int a, int b, trm_vec3 at, trm_vec3 axis)
{
    join(m, "hinge", a, b, at)->axis = axis;
}

static void join_by_universal(maker *m, int a, int b, trm_vec3 at, trm_vec3 axis)
{
    trm_joint_def *joint = join(m, "universal", a, b, at);
    joint->axis = axis;
    joint->axis2 = trm_v3_unit(trm_v3_cross(axis, random_direction(&m->random)));
}

/* Adds a bar from a point of one body to a point of the other. */
static void join_by_bar(maker *m, int a, trm_vec3 from, int b, trm_vec3 to)
{
    trm_joint_def *bar = add_joint(&m->machine, "distance", a, b);
    bar->anchors[0] = trm_v3_sub(from, m->place[a]);
    bar->anchors[1] = trm_v3_sub(to, m->place[b]);
}

static trm_vec3 anywhere(maker *m)
{
    return random_vector(&m->random, 1);
}

/* Adds a redundant joint at a hinge: a point on its axis, another hinge there, or the distance of such a point from
 * any other. */
static void hold_hinge_again(maker *m, int a, int b, trm_vec3 at, trm_vec3 axis)
{
    const double far = size_between(m, 0.03, 2);
    const trm_vec3 there = trm_v3_add_scaled(at, far, axis);
    const int how = one_of(m, 4);
    if (how == 0) join(m, "ball", a, b, there);
    if (how == 1) join_by_hinge(m, a, b, there, axis);
    if (how == 2) join_by_bar(m, a, there, b, anywhere(m));
    if (how == 3) join_by_bar(m, a, anywhere(m), b, there);
}

/* Removes all freedom by a weld, by balls that are nearly on a line, or by two hinges; and adds redundant bars. */
static void join_rigidly(maker *m, int a, int b, trm_vec3 at, trm_vec3 axis)
{
    const int how = one_of(m, 3), balls = 3 + one_of(m, 2), bars = one_of(m, 3);
    const double aside = size_between(m, 0.03, 1);
    if (how == 0) join(m, "fixed", a, b, at);
    for (int i = 0; how == 1 && i < balls; i++) {
        const trm_vec3 along = trm_v3_add_scaled(at, between(m, -1, 1), axis);
        join(m, "ball", a, b, trm_v3_add_scaled(along, aside, anywhere(m)));
    }
    if (how == 2) {
        join_by_hinge(m, a, b, at, axis);
        join_by_hinge(m, a, b, anywhere(m), random_direction(&m->random));
    }
    for (int i = 0; i < bars; i++) {
        const trm_vec3 from = anywhere(m);
        join_by_bar(m, a, from, b, anywhere(m));
    }
}

/* Joins a body to an earlier body or the ground by more joints than necessary. */
static void add_link(maker *m, int a, int b)
{
    const int how = b == 1 ? 2 * one_of(m, 2) : one_of(m, 5), again = one_of(m, 3);
    const trm_vec3 at = anywhere(m), axis = random_direction(&m->random);
    if (how <= 1) join_by_hinge(m, a, b, at, axis);
    if (how == 2) join(m, "ball", a, b, at);
    if (how == 3) join_by_universal(m, a, b, at, axis);
    if (how == 4) join_rigidly(m, a, b, at, axis);
    for (int i = 0; i < again && how <= 3; i++)
        if (how <= 1)
            hold_hinge_again(m, a, b, at, axis);
        else
            join_by_bar(m, a, at, b, trm_v3_add_scaled(at, size_between(m, 0.03, 2), random_direction(&m->random)));
}

static trm_model *links(uint64_t seed)
{
    static maker m;
    begin(&m, seed);
    const int count = 2 + one_of(&m, 5);
    for (int i = 1; i <= count; i++) {
        const trm_vec3 place = anywhere(&m);
        add_block(&m, place, 10);
        add_link(&m, one_of(&m, i), i);
    }
    return machine_finish(&m.machine);
}

/* Every body of a frame is joined to every other; all of them swing about one axis, and another body hangs from the
 * frame. */
static trm_model *frame(uint64_t seed)
{
    static maker m;
    begin(&m, seed);
    const int count = 3 + one_of(&m, 3);
    for (int i = 1; i <= count; i++) {
        const trm_vec3 place = anywhere(&m);
        add_block(&m, place, 30);
    }
    const trm_vec3 hung = anywhere(&m);
    join_by_hinge(&m, 0, 1, hung, random_direction(&m.random));
    for (int b = 2; b <= count; b++)
        for (int a = 1; a < b; a++) {
            const int how = one_of(&m, 4), twice = count < 5 ? one_of(&m, 2) : 0;
            const trm_vec3 at = anywhere(&m);
            if (how == 0) join_by_hinge(&m, a, b, at, random_direction(&m.random));
            if (how == 1) join_by_universal(&m, a, b, at, random_direction(&m.random));
            if (how > 1 || twice) join(&m, "ball", a, b, how > 1 ? at : anywhere(&m));
        }
    const int last = add_block(&m, anywhere(&m), 10);
    join(&m, "ball", count, last, anywhere(&m));
    return machine_finish(&m.machine);
}

/* Platforms, each on two to four parallel cranks of equal length: planar, inclined in space, and with one crank too
 * many. */
static trm_model *cranks(uint64_t seed)
{
    static maker m;
    begin(&m, seed);
    const int levels = 1 + one_of(&m, 2), count = 2 + one_of(&m, 3);
    const trm_vec3 normal = random_direction(&m.random);
    const trm_vec3 x = trm_v3_unit(trm_v3_cross(normal, random_direction(&m.random))), y = trm_v3_cross(normal, x);
    trm_vec3 base = trm_v3(0, 0, 0);
    for (int level = 0, below = 0; level < levels; level++) {
        const double angle = between(&m, 0.3, 2.5), length = between(&m, 0.3, 1);
        const trm_vec3 crank = trm_v3_add_scaled(trm_v3_scale(length * cos(angle), x), length * sin(angle), y);
        const int platform = add_block(&m, trm_v3_add(base, trm_v3_add_scaled(crank, 0.5, x)), 10);
        for (int i = 0; i < count; i++) {
            const trm_vec3 across =
                trm_v3_add_scaled(trm_v3_scale(between(&m, -0.2, 0.2), y), between(&m, -0.3, 0.3), normal);
            const trm_vec3 foot = trm_v3_add(trm_v3_add_scaled(base, i * between(&m, 0.3, 1), x), across);
            const int rod = add_block(&m, trm_v3_add_scaled(foot, 0.5, crank), 10);
            join_by_hinge(&m, below, rod, foot, normal);
            join_by_hinge(&m, rod, platform, trm_v3_add(foot, crank), normal);
        }
        base = trm_v3_add(base, crank);
        below = platform;
    }
    return machine_finish(&m.machine);
}

/* ---- All methods ---------------------------------------------------------------------------- */

typedef trm_model *(*make_model)(uint64_t seed);

static const struct {
    const char *choice, *solver;
    double order, near;
} WAYS[] = {
    {"impulse", "direct", 2, NEAR_ORDER_2}, {"impulse", "hierarchy", 2, NEAR_ORDER_2},
    {"lagrange", "direct", 4, NEAR},        {"lagrange:integrator=dopri5", "direct", 5, NEAR},
    {"subsystem", "hierarchy", 4, NEAR},
};

static double weight_of(const trm_model *model)
{
    double mass = 0;
    for (int i = 1; i < trm_body_count(model); i++) mass += trm_body_info_of(model, i).mass;
    return 10 * mass;
}

/* Simulates up to TIME; returns |E - E0 - W|. */
static double run_to_the_end(running *r)
{
    const trm_run_def run = {.until = TIME, .every = NAN};
    const trm_outcome outcome = trm_sim_run(r->sim, &run);
    if (!outcome.ok) print_error("t = %.17g: %s: %s\n", outcome.time, outcome.element, outcome.why);
    return outcome.ok ? trm_sim_accuracy(r->sim).energy_error_max : (double)INFINITY;
}

/* Returns whether as many rows are left out as the analysis of the pose counts. */
static bool drops_all_redundant(const running *r)
{
    trm_analysis *analysis = trm_analyse(trm_sim_state(r->sim), NULL);
    const int dropped = trm_sim_dropped_rows(r->sim, NULL, 0), redundant = analysis->redundant_count;
    trm_analysis_destroy(analysis);
    if (dropped != redundant) print_error("%d rows dropped, %d redundant\n", dropped, redundant);
    return dropped == redundant;
}

/* Returns whether the results with the step and with half of it are right. */
static bool is_right(make_model make, uint64_t seed, size_t k, const running *minimal)
{
    double error[2], far = 0;
    bool dropped = true;
    running_solver = WAYS[k].solver;
    for (int half = 0; half < 2; half++) {
        running r = run_chosen(make(seed), (way){.choice = WAYS[k].choice, .step = half ? STEP / 2 : STEP});
        error[half] = run_to_the_end(&r);
        if (half && isfinite(error[half])) far = apart(&r, minimal), dropped = drops_all_redundant(&r);
        stop(&r);
    }
    running_solver = NULL;
    const double floor = FLOOR * weight_of(minimal->model);
    const bool converges = error[1] <= floor || error[0] >= pow(2, WAYS[k].order - ORDER_SLACK) * error[1];
    const bool right = converges && isfinite(error[0]) && far <= WAYS[k].near && dropped;
    if (!right)
        print_error("machine %d, %s, %s: energy off by %.3g J, %.3g J, %.3g from minimal\n", (int)seed,
                    WAYS[k].choice, WAYS[k].solver, error[0], error[1], far);
    return right;
}

/* Returns how many methods are wrong. */
static int check_machine(make_model make, int seed)
{
    int wrong = 0;
    running minimal = run_chosen(make((uint64_t)seed), (way){.choice = "minimal", .step = STEP / 4});
    assert_true(isfinite(run_to_the_end(&minimal)));
    for (size_t k = 0; k < sizeof WAYS / sizeof *WAYS; k++) wrong += !is_right(make, (uint64_t)seed, k, &minimal);
    stop(&minimal);
    return wrong;
}

static void check_machines(make_model make, int count, const int *weak, int weak_count)
{
    int wrong = 0;
    for (int seed = 1; seed <= count; seed++) wrong += check_machine(make, seed);
    for (int i = 0; i < weak_count; i++) wrong += check_machine(make, weak[i]);
    assert_int_equal(wrong, 0);
}

static void links_that_are_held_twice_move_as_if_held_once(void **state)
{
    (void)state;
    check_machines(links, LINKS, WEAK_LINKS, COUNT(WEAK_LINKS));
}

static void frames_with_too_many_joints_swing_as_one_body(void **state)
{
    (void)state;
    check_machines(frame, FRAMES, WEAK_FRAMES, COUNT(WEAK_FRAMES));
}

static void platforms_on_one_crank_too_many_move_as_on_two(void **state)
{
    (void)state;
    check_machines(cranks, CRANKS, WEAK_CRANKS, COUNT(WEAK_CRANKS));
}

/* ---- Open joints ---------------------------------------------------------------------------- */

/* Returns |E - E0 - W| relative to the weight, with joints closed to a tolerance. */
static double energy_with_gaps(uint64_t seed, double tolerance)
{
    running r = run_chosen(links(seed), (way){.choice = "impulse", .step = STEP, .tolerance = tolerance});
    const double error = run_to_the_end(&r) / weight_of(r.model);
    stop(&r);
    return error;
}

/* Gaps change the directions of rows, so that redundant rows look independent. If they were kept, they would lock the
 * machine. */
static void joints_that_are_open_do_not_lock_links_held_twice(void **state)
{
    (void)state;
    int wrong = 0;
    for (uint64_t seed = 1; seed <= LOOSE_LINKS; seed++) {
        const double tight = energy_with_gaps(seed, 1e-10), loose = energy_with_gaps(seed, LOOSE);
        if (!(loose <= LOOSE_FACTOR * tight + LOOSE))
            print_error("machine %d: %.3g, %.3g\n", (int)seed, tight, loose);
        wrong += !(loose <= LOOSE_FACTOR * tight + LOOSE);
    }
    assert_int_equal(wrong, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(joints_that_are_open_do_not_lock_links_held_twice),
        cmocka_unit_test(links_that_are_held_twice_move_as_if_held_once),
        cmocka_unit_test(frames_with_too_many_joints_swing_as_one_body),
        cmocka_unit_test(platforms_on_one_crank_too_many_move_as_on_two),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
