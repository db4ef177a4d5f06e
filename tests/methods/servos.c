/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* Machines with many servos, the arm and the walker of the examples with the gains of their files: their errors of
 * tracking, the times at which they reach their limits, their work, which closes the energy balance at the order of
 * the method, and the comparison with another method. */

#include "base/arena.h"
#include "choosing.h"
#include "math/function.h"

enum { MOST_SERVOS = 18 };
static const double STEP = 0.005, ROW = 0.01;

/* A servo of the file, and observations during a run. */
typedef struct servo {
    const trm_force_def *def;
    const trm_function *target;
    int joint;
    double off, most_off; /* rad: distance from the target, at the last row and at most */
    double at_limit;      /* s: how long its torque was at its limit */
} servo;

typedef struct followed {
    running r;
    trm_model_def *def;
    trm_arena arena;
    servo servos[MOST_SERVOS];
    int count;
} followed;

static void path_of(const char *name, char *path, size_t size)
{
    snprintf(path, size, "%s/%s.json", TRM_EXAMPLES, name);
}

static followed begin(const char *name, double step)
{
    followed f = {0};
    char path[1000];
    path_of(name, path, sizeof path);
    f.def = read_model_file(path);
    f.r = run_file(path, step, 1e-10);
    trm_arena_init(&f.arena, NULL);
    for (int i = 0; i < f.def->force_count; i++) {
        const trm_force_def *force = &f.def->forces[i];
        trm_expression_error error;
        assert_string_equal(force->type, "servo");
        assert_true(f.count < MOST_SERVOS);
        f.servos[f.count++] = (servo){
            .def = force,
            .target = trm_function_build(&f.arena, &force->target, f.def->constants, f.def->constant_count, NULL, 0,
                                         &error),
            .joint = trm_find_joint(f.r.model, force->joint),
        };
        assert_non_null(f.servos[i].target);
    }
    return f;
}

static void end(followed *f)
{
    stop(&f->r);
    trm_model_def_destroy(f->def);
    trm_arena_destroy(&f->arena);
}

static void look_at(servo *s, const trm_state *state)
{
    const trm_jet target = trm_function_at(s->target, trm_state_time(state));
    double q[TRM_JOINT_COORDINATES], rate[TRM_JOINT_COORDINATES];
    trm_joint_values(state, s->joint, q, rate);
    s->off = fabs(q[0] - target.v);
    s->most_off = fmax(s->most_off, s->off);
    const double asked = s->def->kp * (target.v - q[0]) + s->def->kd * (target.d - rate[0]);
    if (fabs(asked) >= s->def->max) s->at_limit += ROW;
}

static void follow(followed *f, double from, double until)
{
    for (int row = (int)lround(from / ROW) + 1; row <= (int)lround(until / ROW); row++) {
        go_every(&f->r, row * ROW, ROW);
        for (int i = 0; i < f->count; i++) look_at(&f->servos[i], trm_sim_state(f->r.sim));
    }
}

/* Asserts that no step was halved and that all joints are closed. */
static void assert_ran_well(const followed *f, double time)
{
    const trm_accuracy a = trm_sim_accuracy(f->r.sim);
    assert_int_equal(trm_sim_counters(f->r.sim)->halvings, 0);
    assert_int_equal(trm_sim_counters(f->r.sim)->steps, llround(time / STEP));
    assert_true(a.gap.position <= 1e-10 && a.gap.angle <= 1e-10);
}

/* ---- The arm ------------------------------------------------------------------------------ */

/* rad: servos without an integral part yield under their load, the sixth the most: 3.6 N m on 117 N m/rad. */
static const double SAG = 0.035;

static void the_arm_follows_and_its_second_servo_lags_and_catches_up(void **state)
{
    (void)state;
    followed f = begin("arm", STEP);
    assert_int_equal(f.count, 7);
    follow(&f, 0, 3.45); /* just before the part is released */
    for (int i = 0; i < f.count; i++) assert_true(f.servos[i].off <= 0.025);
    follow(&f, 3.45, 4);
    for (int i = 0; i < f.count; i++) {
        const servo *s = &f.servos[i];
        const bool second = strcmp(s->def->name, "s2") == 0;
        print_message("    %s: at most %.4f rad off its target, %.2f s at its %g N m\n", s->def->name, s->most_off,
                      s->at_limit, s->def->max);
        assert_true(second ? s->most_off > 0.04 && s->most_off < 0.06 : s->most_off <= SAG);
        assert_true(second ? s->at_limit > 0.3 && s->at_limit < 1 : s->at_limit == 0);
    }
    assert_ran_well(&f, 4);
    assert_int_equal(trm_sim_counters(f.r.sim)->impacts, 0);
    end(&f);
}

/* Returns |E - E0 - W| after a run of an example. */
static double balance(double step, const void *name)
{
    char path[1000];
    path_of(name, path, sizeof path);
    running r = run_file(path, step, 1e-12);
    go_every(&r, trm_model_simulation(r.model)->time, ROW);
    const double left = trm_sim_accuracy(r.sim).energy_error_max;
    print_message("    %s, h = %g s: %.2e J left of the balance\n", (const char *)name, step, left);
    stop(&r);
    return left;
}

static void work_of_many_servos_closes_the_energy_balance_at_second_order(void **state)
{
    (void)state;
    static const char *const names[] = {"arm", "walker"};
    for (int i = 0; i < 2; i++) {
        const double coarse = balance(STEP, names[i]), fine = balance(STEP / 2, names[i]);
        assert_true(coarse <= 2.5e-3); /* J, of some tens of joules that are exchanged */
        assert_near(log2(coarse / fine), 2, 0.1);
    }
}

/* ---- The walker --------------------------------------------------------------------------- */

static void all_servos_of_the_walker_follow_its_gait(void **state)
{
    (void)state;
    followed f = begin("walker", STEP);
    double most[3] = {0};
    assert_int_equal(f.count, 18);
    follow(&f, 0, 10);
    for (int i = 0; i < f.count; i++) {
        most[i % 3] = fmax(most[i % 3], f.servos[i].most_off);
        assert_true(f.servos[i].at_limit == 0);
    }
    print_message("    off their targets by at most %.4f rad (coxae), %.4f (femurs), %.4f (tibiae)\n", most[0],
                  most[1], most[2]);
    assert_true(most[0] <= 0.006 && most[1] <= 0.015 && most[2] <= 0.004);
    assert_ran_well(&f, 10);
    end(&f);
}

static trm_vec3 foot_of(const running *r, const char *leg)
{
    char tibia[20];
    snprintf(tibia, sizeof tibia, "%s_tibia", leg);
    const trm_pose X = trm_body_pose(trm_sim_state(r->sim), trm_find_body(r->model, tibia));
    return trm_v3_add(X.p, trm_rotate(X.q, trm_v3(0, 0, -0.175)));
}

/* The feet of three legs move back together on straight lines at one height, while the others are lifted and move
 * forward. */
static void feet_go_back_flat_and_forward_high(void **state)
{
    (void)state;
    static const char *const legs[] = {"L1", "R2", "L3", "R1", "L2", "R3"};
    followed f = begin("walker", STEP);
    double low = INFINITY, high = -INFINITY, near = INFINITY, far = 0, top = -INFINITY;
    go_every(&f.r, 3, 3);
    for (int row = 1; row <= 100; row++) {
        const double t = 3 + row * ROW, phase = cos(2 * TRM_PI * t);
        go_every(&f.r, t, ROW);
        for (int i = 0; i < 6; i++) {
            const trm_vec3 foot = foot_of(&f.r, legs[i]);
            top = fmax(top, foot.z);
            if ((i < 3 ? phase : -phase) > 0) continue; /* the foot is lifted */
            low = fmin(low, foot.z), high = fmax(high, foot.z);
            near = fmin(near, fabs(foot.y)), far = fmax(far, fabs(foot.y));
        }
    }
    print_message("    on %.1f mm of height and %.1f mm of width, lifted by %.0f mm\n", 1e3 * (high - low),
                  1e3 * (far - near), 1e3 * (top - low));
    assert_true(high - low <= 0.002 && far - near <= 0.004 && top - low >= 0.05);
    end(&f);
}

/* ---- Another method ------------------------------------------------------------------------ */

/* Returns the distance from a run with Lagrange multipliers at negligible error. */
static double apart_from_multipliers(double step, const void *name)
{
    char path[1000];
    path_of(name, path, sizeof path);
    running r = run_file(path, step, 1e-12);
    running exact = run_chosen(model_of_file(path),
                               (way){.choice = "lagrange:integrator=rk4", .step = 0.00125, .tolerance = 1e-12});
    go_every(&r, 1.5, 0.5);
    go_every(&exact, 1.5, 0.5);
    const double distance = apart(&r, &exact);
    print_message("    %s, h = %g s: %.1e m, rad from multipliers after 1.5 s\n", (const char *)name, step, distance);
    stop(&r);
    stop(&exact);
    return distance;
}

static void multipliers_go_the_same_way_at_second_order(void **state)
{
    (void)state;
    static const char *const names[] = {"arm", "walker"};
    for (int i = 0; i < 2; i++) assert_near(order_between(apart_from_multipliers, names[i], STEP), 2, 0.2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_arm_follows_and_its_second_servo_lags_and_catches_up),
        cmocka_unit_test(work_of_many_servos_closes_the_energy_balance_at_second_order),
        cmocka_unit_test(all_servos_of_the_walker_follow_its_gait),
        cmocka_unit_test(feet_go_back_flat_and_forward_high),
        cmocka_unit_test(multipliers_go_the_same_way_at_second_order),
    };
    return RUN_TESTS(tests);
}
