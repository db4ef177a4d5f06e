/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* Articulated machines in time-stepping ("impact": "window"): limits, motors and friction in joints are rows with
 * bounds in the contact problem. Ragdolls that are dropped in any pose reach their end in the planned steps and never
 * have more energy than at their start; motors grip and lift; a drive that presses a body into the floor ends the run
 * with any step. */

#include <stdlib.h>

#include "random_bodies.h"
#include "sanitized.h"
#include "scenes.h"

static const uint64_t SEED = 27;
/* Fraction of the initial energy that the ends of a step may lend each other. */
static const double LENT = 1e-3;

/* ---- Ragdolls ------------------------------------------------------------------------------- */

/* One limb: its position, and its parent. */
typedef struct limb {
    double x, z, length, radius, mass;
    int on;                    /* parent; -1: none */
    double joint_z, low, high; /* m, rad */
} limb;

static const limb LIMBS[] = {{0, 0, 0.4, 0.12, 20, -1, 0, 0, 0},
                             {0, 0.45, 0.05, 0.1, 4, 0, 0.33, -0.5, 0.5},
                             {0.3, 0.1, 0.2, 0.05, 2, 0, 0.25, -1.5, 1},
                             {0.3, -0.2, 0.2, 0.04, 1, 2, -0.05, 0, 2},
                             {-0.3, 0.1, 0.2, 0.05, 2, 0, 0.25, -1.5, 1},
                             {-0.3, -0.2, 0.2, 0.04, 1, 4, -0.05, 0, 2},
                             {0.15, -0.55, 0.25, 0.07, 6, 0, -0.35, -1, 0.4},
                             {0.15, -0.95, 0.25, 0.06, 3, 6, -0.75, -2, 0},
                             {-0.15, -0.55, 0.25, 0.07, 6, 0, -0.35, -1, 0.4},
                             {-0.15, -0.95, 0.25, 0.06, 3, 8, -0.75, -2, 0}};
enum { LIMB_COUNT = sizeof LIMBS / sizeof *LIMBS };

static running ragdoll(trm_random *random, double step)
{
    scene s;
    const trm_quat q = random_rotation(random);
    const trm_vec3 at = trm_v3(0, 0, trm_random_uniform(random, 1.5, 2));
    scene_init(&s, trm_random_uniform(random, 0, 1), 0);
    for (int i = 0; i < LIMB_COUNT; i++) {
        const limb *l = &LIMBS[i];
        const trm_vec3 place = trm_v3_add(at, trm_rotate(q, trm_v3(l->x, 0, l->z)));
        trm_body_def *body = add_solid(&s, round_of("capsule", l->radius, l->length), l->mass, place);
        body->orientation = q;
        if (l->on < 0) continue;
        const trm_vec3 anchor = trm_v3(l->x, 0, l->joint_z);
        trm_joint_def *joint = add_joint(&s.m, "hinge", l->on + 1, i + 1);
        joint->anchor = trm_v3_add(at, trm_rotate(q, anchor));
        joint->axis = trm_rotate(q, trm_v3(i == 1, i != 1, 0));
        joint->limits[0] = l->low;
        joint->limits[1] = l->high;
        if (i % 3 == 0) joint->friction = 0.5;
    }
    add_floor(&s);
    s.m.def->simulation.impact = "window";
    return run_scene(&s, step);
}

typedef struct fall {
    bool ok;
    double above; /* largest excess over the initial energy, as a fraction of it */
    long long steps, dissipative;
} fall;

static fall let_fall(running *r, double until, double step)
{
    fall f = {.ok = true};
    double start = 0;
    for (int i = 0; f.ok && i * step < until; i++) {
        if (i > 0) f.ok = trm_sim_run(r->sim, &(trm_run_def){.until = i * step, .every = NAN}).ok;
        const trm_energy now = trm_state_energy(trm_sim_state(r->sim));
        if (i == 0) start = now.kinetic + now.potential;
        f.above = fmax(f.above, (now.kinetic + now.potential - start) / start);
    }
    f.steps = trm_sim_counters(r->sim)->steps;
    f.dissipative = trm_sim_counters(r->sim)->dissipative;
    return f;
}

static void ragdolls_fall_in_the_planned_steps_and_gain_nothing(void **state)
{
    (void)state;
    const double step = 0.005, until = 1.2;
    const int count = SANITIZED ? 4 : 25, planned = 239;
    trm_random random = trm_random_seed(SEED);
    fall worst = {.ok = true};
    for (int i = 0; i < count; i++) {
        running r = ragdoll(&random, step);
        const fall f = let_fall(&r, until, step);
        if (!f.ok || f.above > LENT || f.steps != planned)
            print_error("ragdoll %d: above %.1e, %lld steps\n", i, f.above, f.steps);
        assert_true(f.ok);
        assert_int_equal(f.steps, planned);
        worst.above = fmax(worst.above, f.above);
        worst.steps += f.steps;
        worst.dissipative += f.dissipative;
        stop(&r);
    }
    print_message(
        "    %d ragdolls: at most %.0e of the energy at the start above it; %lld of %lld steps dissipative\n", count,
        worst.above, worst.dissipative, worst.steps);
    assert_true(worst.above <= LENT);
    assert_true(worst.dissipative <= worst.steps / 4); /* most steps are ordinary ones */
}

static void limits_hold_in_time_stepping_steps(void **state)
{
    (void)state;
    /* rad: error of a step by the curvature of rotations */
    const double beyond = 1e-3;
    trm_random random = trm_random_seed(SEED + 1);
    running r = ragdoll(&random, 0.005);
    assert_true(let_fall(&r, 1.2, 0.005).ok);
    assert_true(trm_sim_accuracy(r.sim).gap.angle <= beyond);
    stop(&r);
}

/* ---- A drive against the floor -------------------------------------------------------------- */

static running press(double step)
{
    static const char *const MODEL =
        "{ \"trammel\": 1, \"gravity\": [0, 0, -9.81], \"bodies\": [{ \"name\": \"post\", \"fixed\": true },"
        "{ \"name\": \"floor\", \"fixed\": true, \"shapes\": [{ \"type\": \"plane\", \"normal\": [0, 0, 1] }] },"
        "{ \"name\": \"arm\", \"position\": [0, 0, 0.15], \"shapes\": [{ \"type\": \"box\", \"size\": [0.2, 0.2, "
        "0.2],"
        "\"density\": 1000 }] }], \"joints\": [{ \"name\": \"slide\", \"type\": \"slider\", \"bodies\": [\"post\", "
        "\"arm\"], \"anchor\": [0, 0, 0.15], \"axis\": [0, 0, 1] }], \"forces\": [{ \"name\": \"down\", \"type\": "
        "\"drive\", \"joint\": \"slide\", \"motion\": \"-0.5*t\" }], \"simulation\": { \"impact\": \"window\" } }";
    trm_model *model = model_of_text(MODEL);
    trm_simulation_def options = *trm_model_simulation(model);
    options.step = step;
    return run_model(model, &options);
}

static void a_drive_into_the_floor_ends_the_run_at_every_step(void **state)
{
    (void)state;
    for (double step = 0.01; step > 1e-5; step /= 10) {
        running r = press(step);
        const trm_outcome outcome = trm_sim_run(r.sim, &(trm_run_def){.until = 0.2, .every = NAN});
        assert_false(outcome.ok);
        assert_non_null(strstr(outcome.why, "between 'arm' and 'floor'"));
        assert_true(fabs(outcome.time - 0.1) < 2 * step);
        /* the residual is reported in tolerances, as for joints */
        const char *held = strstr(outcome.why, "solved: ");
        assert_non_null(held);
        const double left = strtod(held + strlen("solved: "), NULL);
        assert_near(outcome.residual * trm_sim_options(r.sim)->velocity_tolerance, left, 0.01 * left);
        stop(&r);
    }
}

/* Where drives contradict contacts, sweeps do not converge: 47163 of them until 20 halvings of the step have shown it. */
static void a_driven_arm_on_the_floor_is_given_up_soon(void **state)
{
    (void)state;
    static const long long MOST_ROUNDS = 1000;
    static const char *const MODEL =
        "{\"trammel\": 1, \"gravity\": [0, 0, -9.81], \"bodies\": ["
        "{\"name\": \"floor\", \"fixed\": true, \"shapes\": [{\"type\": \"plane\", \"normal\": [0, 0, 1]}]},"
        "{\"name\": \"arm\", \"position\": [0.15, 0, 0.1], \"mass\": 2, \"inertia\": [0.01, 0.01, 0.01]},"
        "{\"name\": \"hand\", \"position\": [0.45, 0, 0.05], \"shapes\": [{\"type\": \"box\", \"size\": [0.06, 0.06, "
        "0.1], \"density\": 1000}]}], \"joints\": ["
        "{\"name\": \"j0\", \"type\": \"hinge\", \"bodies\": [\"ground\", \"arm\"], \"anchor\": [0, 0, 0.1], "
        "\"axis\": [0, 0, 1]}, {\"name\": \"j1\", \"type\": \"hinge\", \"bodies\": [\"arm\", \"hand\"], "
        "\"anchor\": [0.3, 0, 0.1], \"axis\": [0, 1, 0]}], \"forces\": ["
        "{\"type\": \"drive\", \"joint\": \"j0\", \"motion\": \"max(t - 0.05, 0)^2\"},"
        "{\"type\": \"drive\", \"joint\": \"j1\", \"motion\": \"max(t - 0.05, 0)^2\"}],"
        "\"simulation\": {\"step\": 0.005}}";
    running r = run_model(model_of_text(MODEL), NULL);
    const trm_outcome outcome = trm_sim_run(r.sim, &(trm_run_def){.until = 0.2, .every = NAN});
    assert_false(outcome.ok);
    assert_non_null(strstr(outcome.why, "drives cannot yield"));
    assert_true(trm_sim_counters(r.sim)->rounds < MOST_ROUNDS);
    stop(&r);
}

/* ---- What sticks -------------------------------------------------------------------------- */

/* Each step leaves a small part of the speed of a motor, always with the same sign. */
static void a_motor_that_holds_its_speed_does_not_creep(void **state)
{
    (void)state;
    static const char *const MODEL =
        "{\"trammel\": 1, \"name\": \"finger\", \"gravity\": [0, 0, -9.81], "
        "\"bodies\": [{\"name\": \"floor\", \"fixed\": true, \"shapes\": [{\"type\": \"plane\", \"normal\": [0, 0, "
        "1]}]}, "
        "{\"name\": \"palm\", \"mass\": 5, \"inertia\": [1.6e-6, 1.1e-6, 1.7e-6], \"position\": [0, 0, 1.8e-3]}, "
        "{\"name\": \"finger\", \"mass\": 1, \"inertia\": [9e-8, 1e-7, 9e-8, -9e-9, 1e-8, -1e-8], \"position\": "
        "[-1.2e-3, 0, 0.9e-3], "
        "\"shapes\": [{\"type\": \"box\", \"size\": [0.2e-3, 0.5e-3, 1.1e-3]}]}], "
        "\"joints\": [{\"name\": \"base\", \"type\": \"fixed\", \"bodies\": [\"ground\", \"palm\"], \"anchor\": [0, "
        "0, 1.8e-3]}, "
        "{\"name\": \"knuckle\", \"type\": \"hinge\", \"bodies\": [\"palm\", \"finger\"], \"anchor\": [-1.2e-3, 0, "
        "1.6e-3], \"axis\": [0, -1, 0]}], "
        "\"forces\": [{\"name\": \"motor\", \"type\": \"motor\", \"joint\": \"knuckle\", \"velocity\": 6.4, \"max\": "
        "0.029}], "
        "\"simulation\": {\"step\": 3.4e-4, \"time\": 0.068, \"impact\": \"window\"}} ";
    running r = run_model(model_of_text(MODEL), NULL);
    go_every(&r, 0.068, 0.068);
    assert_true(trm_sim_accuracy(r.sim).gap.angle < 0.5 * trm_sim_options(r.sim)->angle_tolerance);
    stop(&r);
}

/* ---- Friction of joints that move by more than their own force ------------------------------- */

/* J: work of friction beyond its force times the way, and of contacts that roll or rest. The first is of order 2 in
 * the step, of 0.02 J at the longest step of the wheel. */
static const double OF_ORDER_2 = 2e-4, NO_WORK = 1e-9;

typedef struct rubbing {
    const char *text;
    double force;     /* N or N m: friction of the joint j */
    double time;      /* s */
    double tolerance; /* J */
} rubbing;

static const rubbing RUBBING[] = {
    /* a drive overcomes the friction of a lift; its row and that of the friction are the same */
    {"{\"trammel\": 1, \"gravity\": [0, 0, -9.81], \"bodies\": ["
     "{\"name\": \"cab\", \"position\": [0, 0, 0.05], \"shapes\": [{\"type\": \"box\", \"size\": [1, 1, 0.1], "
     "\"density\": 500}]}, "
     "{\"name\": \"load\", \"position\": [0, 0, 0.2], \"shapes\": [{\"type\": \"box\", \"size\": [0.2, 0.2, 0.2], "
     "\"density\": 500}]}], "
     "\"joints\": [{\"name\": \"j\", \"type\": \"slider\", \"bodies\": [\"ground\", \"cab\"], \"anchor\": [0, 0, 0], "
     "\"axis\": [0, 0, 1], \"limits\": [-0.1, 1], \"friction\": 5}], "
     "\"forces\": [{\"type\": \"drive\", \"joint\": \"j\", \"motion\": \"0.5*smooth(t, 0, 1)\"}], "
     "\"simulation\": {\"impact\": \"window\"}}",
     5, 1.5, 1e-3},
    /* a torque overcomes the friction of a wheel that rolls */
    {"{\"trammel\": 1, \"gravity\": [0, 0, -9.81], \"bodies\": ["
     "{\"name\": \"floor\", \"fixed\": true, \"shapes\": [{\"type\": \"plane\", \"normal\": [0, 0, 1]}]}, "
     "{\"name\": \"fork\", \"mass\": 2, \"inertia\": [0.1, 0.1, 0.1], \"position\": [0, 0, 0.2]}, "
     "{\"name\": \"wheel\", \"position\": [0, 0, 0.2], \"shapes\": [{\"type\": \"sphere\", \"radius\": 0.2, "
     "\"density\": 100}]}], "
     "\"joints\": [{\"name\": \"guide\", \"type\": \"slider\", \"bodies\": [\"ground\", \"fork\"], \"anchor\": [0, "
     "0, 0.2], "
     "\"axis\": [1, 0, 0]}, {\"name\": \"j\", \"type\": \"hinge\", \"bodies\": [\"fork\", \"wheel\"], \"anchor\": "
     "[0, 0, 0.2], "
     "\"axis\": [0, 1, 0], \"friction\": 0.2}], "
     "\"forces\": [{\"type\": \"effort\", \"joint\": \"j\", \"value\": 1}], \"simulation\": {\"impact\": "
     "\"window\"}}",
     0.2, 2, OF_ORDER_2}};

/* The work of friction is its force times the way, and contacts that roll or rest have none, at every step. */
static void friction_of_a_moved_joint_has_its_own_work(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof RUBBING / sizeof *RUBBING; i++)
        for (double step = 0.01; step > 0.002; step /= 2) {
            trm_model *model = model_of_text(RUBBING[i].text);
            trm_simulation_def options = *trm_model_simulation(model);
            options.step = step;
            running r = run_model(model, &options);
            go_every(&r, RUBBING[i].time, RUBBING[i].time);
            const double way = coordinate_of(&r, "j");
            const trm_accuracy a = trm_sim_accuracy(r.sim);
            assert_int_equal(trm_sim_counters(r.sim)->dissipative, 0);
            assert_near(a.works.friction, -RUBBING[i].force * way, RUBBING[i].tolerance);
            assert_near(a.gains.contact, 0, NO_WORK);
            stop(&r);
        }
}

/* ---- Fast bodies ---------------------------------------------------------------------------- */

/* m: how far bodies may be in each other, or joints beyond their bounds. */
static const double PASSED = 2e-6;

#define SLIDER_X(name, body)                                                                                         \
    "{\"name\": \"" name "\", \"type\": \"slider\", \"bodies\": [\"ground\", \"" body                                \
    "\"], \"anchor\": [0, 0, 0], \"axis\": [1, 0, 0]"
#define BLOCK(name, x)                                                                                               \
    "{\"name\": \"" name "\", \"position\": [" x ", 0, 0], \"shapes\": [{\"type\": \"box\", \"size\": [0.02, 0.06, " \
    "0.1], \"density\": 4000}]"

/* Runs a machine in which body a moves towards x = 0; body b, where there is one, is in front of it. Stores the
 * positions of a after each step in x, and returns the largest x of the bodies' front faces at 0.01 m before them. */
static double foremost(const char *text, double step, int steps, double *x)
{
    trm_model *model = model_of_text(text);
    trm_simulation_def options = *trm_model_simulation(model);
    options.impact = "window";
    running r = run_model(model, &options);
    double most = -INFINITY;
    for (int i = 0; i < steps; i++) {
        assert_true(trm_sim_step(r.sim, step).ok);
        x[i] = place_of(&r, "a").x;
        most = fmax(most, x[i]);
        if (trm_find_body(r.model, "b") >= 0) most = fmax(most, fmax(place_of(&r, "b").x, x[i] + 0.02));
    }
    stop(&r);
    return most;
}

/* Contacts and limits are sought from the velocities at the start of a step. Forces and other bodies make bodies
 * faster in it: 3 mm deep in the wall, 13 mm beyond the limit, 20 mm behind the second block. */
static void fast_bodies_pass_neither_walls_nor_limits(void **state)
{
    (void)state;
    enum { STEPS = 100 };
    double x[STEPS];
    static const char *const WALL =
        "{\"trammel\": 1, \"defaults\": {\"restitution\": 0.95}, \"bodies\": [" BLOCK("a", "-0.11") "}," BLOCK(
            "wall", "0.01") ", \"fixed\": true}], \"joints\": [" SLIDER_X("l",
                                                                          "a") "}],"
                                                                               "\"forces\": [{\"type\": \"effort\", "
                                                                               "\"joint\": \"l\", \"value\": 50}]}";
    static const char *const LIMIT =
        "{\"trammel\": 1, \"bodies\": [" BLOCK("a", "-0.11") "}, " BLOCK("far", "9") "}], \"joints\": [" SLIDER_X(
            "l", "a") ", \"limits\": [-1, 0.1], \"limit_restitution\": 0.95}],"
                      "\"forces\": [{\"type\": \"effort\", \"joint\": \"l\", \"value\": 200}]}";
    static const char *const ROW =
        "{\"trammel\": 1, \"bodies\": [" BLOCK("a", "-0.1") ", \"velocity\": [16, 0, 0]}," BLOCK(
            "b", "-0.021") "}," BLOCK("wall", "0.01") ", \"fixed\": true}]}";
    assert_true(foremost(WALL, 0.01, STEPS, x) <= -0.01 + PASSED);
    assert_true(foremost(LIMIT, 0.01, STEPS, x) <= -0.01 + PASSED);
    assert_true(foremost(ROW, 0.01, STEPS, x) <= -0.01 + 1e-3 * 16 * 0.01); /* the accuracy of moving islands */
}

/* A limit that the step reaches exactly returns the body, too: v^2 = 2 a s, so that the second rebound rises to
 * e^4. */
static void a_limit_reached_at_the_end_of_a_step_returns_the_body(void **state)
{
    (void)state;
    enum { STEPS = 150 };
    double x[STEPS], apex = INFINITY;
    static const char *const LIMIT =
        "{\"trammel\": 1, \"bodies\": [" BLOCK("a", "-0.11") "}, " BLOCK("far", "9") "}], \"joints\": [" SLIDER_X(
            "l", "a") ", \"limits\": [-1, 0.1], \"limit_restitution\": 0.5}],"
                      "\"forces\": [{\"type\": \"effort\", \"joint\": \"l\", \"value\": 19.2}]}";
    foremost(LIMIT, 0.002, STEPS, x);
    for (int i = 73; i < 90; i++) apex = fmin(apex, x[i]);
    print_message("    second apex %.2g mm, 6.25 mm exactly\n", -1e3 * (apex + 0.01));
    assert_true(apex < -0.01 - 0.005);
}

/* A rebound begins with the speed at which the gap closes, not with that at the start of the step, which is up to a h
 * slower: the second apex of a finger that 50 N press on a wall was 72.9 mm for 81.5 mm. */
static void a_pressed_finger_rebounds_with_its_speed_at_the_wall(void **state)
{
    (void)state;
    enum { STEPS = 95 };
    const double exact = 0.1 * 0.95 * 0.95 * 0.95 * 0.95;
    double x[STEPS], apex = 0;
    static const char *const WALL =
        "{\"trammel\": 1, \"defaults\": {\"restitution\": 0.95}, \"bodies\": [" BLOCK("a", "-0.11") "}," BLOCK(
            "wall", "0.01") ", \"fixed\": true}], \"joints\": [" SLIDER_X("l",
                                                                          "a") "}],"
                                                                               "\"forces\": [{\"type\": \"effort\", "
                                                                               "\"joint\": \"l\", \"value\": 50}]}";
    foremost(WALL, 0.002, STEPS, x);
    for (int i = 70; i < STEPS; i++) apex = fmax(apex, -0.01 - x[i]);
    print_message("    second apex %.2f mm, %.2f mm exactly\n", 1e3 * apex, 1e3 * exact);
    assert_near(apex / exact, 1, 0.01);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ragdolls_fall_in_the_planned_steps_and_gain_nothing),
        cmocka_unit_test(limits_hold_in_time_stepping_steps),
        cmocka_unit_test(a_drive_into_the_floor_ends_the_run_at_every_step),
        cmocka_unit_test(a_driven_arm_on_the_floor_is_given_up_soon),
        cmocka_unit_test(a_motor_that_holds_its_speed_does_not_creep),
        cmocka_unit_test(friction_of_a_moved_joint_has_its_own_work),
        cmocka_unit_test(fast_bodies_pass_neither_walls_nor_limits),
        cmocka_unit_test(a_limit_reached_at_the_end_of_a_step_returns_the_body),
        cmocka_unit_test(a_pressed_finger_rebounds_with_its_speed_at_the_wall),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
