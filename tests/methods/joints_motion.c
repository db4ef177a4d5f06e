/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* Machines that move on their own, made of one joint type at a time: every type that the test knows how to give.
 *
 * A machine is a random tree of five random bodies on the ground under gravity, each held by the type under test and,
 * so that none flies off along what its joint leaves free, by a spring. The momentum of free pairs is in impulse.c. */

#include "check.h"
#include "model/joint.h"
#include "random_bodies.h"
#include "running.h"

enum { BODIES = 5 };

static const double TIGHT = 1e-13; /* joints are kept so closely that what is left is the error of the step */
static const double OPEN = 1e-10;  /* m, rad: how far joints may open */

/* ---- Machines ----------------------------------------------------------------------------- */

/* What add_random_joint can give. Hosted types drive another joint and are not passive. */
static const unsigned KNOWN = TRM_TAKES_BODIES | TRM_TAKES_ANCHOR | TRM_TAKES_AXIS | TRM_TAKES_AXIS2 |
                              TRM_TAKES_COORDINATE | TRM_TAKES_LIMITS | TRM_TAKES_LENGTH | TRM_TAKES_PITCH;

static const char *const NAMES[BODIES + 1] = {"ground", "a", "b", "c", "d", "e"};
static const char *const JOINTS[BODIES + 1] = {"", "ja", "jb", "jc", "jd", "je"};

static void add_random_joint(trm_model_def *def, const trm_joint_type *type, int a, int b, trm_random *random)
{
    trm_joint_def joint = trm_default_joint_def();
    joint.name = JOINTS[b];
    joint.type = type->name;
    joint.bodies[0] = NAMES[a];
    joint.bodies[1] = NAMES[b];
    const trm_vec3 anchor = random_vector(random, 1), axis = random_direction(random);
    if (type->takes & TRM_TAKES_LENGTH) {
        for (int k = 0; k < 2; k++) joint.anchors[k] = random_vector(random, 0.5);
    } else {
        joint.anchor = anchor;
        joint.axis = axis;
    }
    if (type->takes & TRM_TAKES_AXIS2) joint.axis2 = trm_perpendicular(axis);
    if (type->takes & TRM_TAKES_PITCH) joint.pitch = trm_random_uniform(random, 0.05, 0.2);
    assert_int_equal(trm_add_joint(def, &joint), TRM_OK);
}

static void add_spring(trm_model_def *def, int body, trm_random *random)
{
    trm_force_def spring = trm_default_force_def();
    spring.type = "spring";
    spring.bodies[0] = "ground";
    spring.bodies[1] = NAMES[body];
    spring.anchors[0] = trm_add(random_vector(random, 0.2), trm_v3(0, 3, 0)); /* so far that it keeps a direction */
    spring.anchors[1] = random_vector(random, 0.2);
    spring.stiffness = 10;
    assert_int_equal(trm_add_force(def, &spring), TRM_OK);
}

/* A run of such a machine, and how. */
typedef struct trial {
    const trm_joint_type *type;
    uint64_t seed;
    double order, until, tolerance;
    const char *method, *solver;
} trial;

static trm_model *random_machine(const trial *t)
{
    trm_random random = trm_random_seed(t->seed);
    trm_model_def *def = trm_model_def_create(NULL);
    assert_non_null(def);
    def->gravity = trm_v3(1, -9.81, 2);
    for (int i = 1; i <= BODIES; i++) {
        trm_body_def body = random_body(&random, NAMES[i]);
        body.velocity = body.angular_velocity = trm_v3(0, 0, 0); /* at rest it fits all joints */
        assert_int_equal(trm_add_body(def, &body), TRM_OK);
        add_random_joint(def, t->type, (int)trm_random_uniform(&random, 0, i), i, &random);
        add_spring(def, i, &random);
    }
    trm_model *model = build_model(def);
    trm_model_def_destroy(def);
    return model;
}

static running start(const trial *t, double step)
{
    trm_model *model = random_machine(t);
    trm_simulation_def options = *trm_model_simulation(model);
    if (t->method) options.method = t->method;
    if (t->solver) options.solver = t->solver;
    options.order = t->order;
    options.step = step;
    options.position_tolerance = options.angle_tolerance = options.velocity_tolerance = t->tolerance;
    return run_model(model, &options);
}

typedef void (*trial_check)(const trial *t);

static void for_every_type(trial_check check, trial t)
{
    for (int i = 0; i < trm_joint_type_count(); i++) {
        t.type = trm_joint_type_at(i);
        if (t.type->takes & ~KNOWN) continue;
        for (t.seed = 1; t.seed <= 2; t.seed++) check(&t);
    }
}

/* ---- Gaps --------------------------------------------------------------------------------- */

static void gaps_stay_small(const trial *t)
{
    running r = start(t, 0.005);
    go(&r, t->until);
    const trm_accuracy a = trm_sim_accuracy(r.sim);
    print_message("    %-9s seed %d: open by %.0e m, %.0e rad, energy off by %.0e J\n", t->type->name, (int)t->seed,
                  a.gap.position, a.gap.angle, a.energy_error_max);
    assert_int_equal(a.observed, 1 + (int)round(t->until / 0.005));
    assert_true(a.gap.position <= OPEN);
    assert_true(a.gap.angle <= OPEN);
    stop(&r);
}

static void no_joint_of_a_random_machine_opens_in_10_s(void **unused)
{
    (void)unused;
    for_every_type(gaps_stay_small, (trial){.order = 2, .until = 10, .tolerance = OPEN / 2, .solver = "direct"});
}

/* Over a shorter time: rounds creep where bodies hang on each other by many rows. */
static void none_does_with_the_iterative_solver(void **unused)
{
    (void)unused;
    for_every_type(gaps_stay_small, (trial){.order = 2, .until = 0.1, .tolerance = OPEN / 2, .solver = "iterative"});
}

/* ---- Energy ------------------------------------------------------------------------------- */

static double energy_error(double step, const void *context)
{
    const trial *t = context;
    running r = start(t, step);
    go(&r, t->until);
    const double error = trm_sim_accuracy(r.sim).energy_error_max;
    stop(&r);
    return error;
}

/* Long enough for the bodies to swing, short enough for the step to resolve it. */
static void energy_has_the_order(const trial *t)
{
    static const double SLACK = 0.4;      /* the next term of the series in h */
    static const double ROUNDING = 1e-11; /* J: what has been exact has no order */
    const double step = t->order > 2 ? 0.01 : 0.005;
    const double coarse = energy_error(step, t), fine = energy_error(step / 2, t);
    print_message("    %-9s seed %d: %.1e J, %.1e J: order %.2f\n", t->type->name, (int)t->seed, coarse, fine,
                  log2(coarse / fine));
    if (coarse > ROUNDING) assert_near(log2(coarse / fine), t->order, SLACK);
}

static void the_energy_error_of_a_random_machine_falls_with_order_2(void **unused)
{
    (void)unused;
    for_every_type(energy_has_the_order, (trial){.order = 2, .until = 0.5, .tolerance = TIGHT});
}

static void the_energy_error_of_a_random_machine_falls_with_order_4(void **unused)
{
    (void)unused;
    for_every_type(energy_has_the_order, (trial){.order = 4, .until = 0.5, .tolerance = TIGHT});
}

/* ---- Another method ----------------------------------------------------------------------- */

static void lagrange_agrees(const trial *t)
{
    static const double TOLERANCE = 1e-6; /* m: order 4 at h = 0.002 of either */
    trial other = *t;
    other.method = "lagrange";
    running impulse = start(t, 0.002), lagrange = start(&other, 0.002);
    go(&impulse, t->until);
    go(&lagrange, t->until);
    for (int i = 1; i <= BODIES; i++) {
        const trm_vec3 apart = trm_sub(place_of(&impulse, NAMES[i]), place_of(&lagrange, NAMES[i]));
        assert_near(trm_length(apart), 0, TOLERANCE);
    }
    stop(&impulse);
    stop(&lagrange);
}

static void lagrange_moves_a_random_machine_alike(void **unused)
{
    (void)unused;
    for_every_type(lagrange_agrees, (trial){.order = 4, .until = 0.5, .tolerance = TIGHT});
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(no_joint_of_a_random_machine_opens_in_10_s),
        cmocka_unit_test(none_does_with_the_iterative_solver),
        cmocka_unit_test(the_energy_error_of_a_random_machine_falls_with_order_2),
        cmocka_unit_test(the_energy_error_of_a_random_machine_falls_with_order_4),
        cmocka_unit_test(lagrange_moves_a_random_machine_alike),
    };
    return RUN_TESTS(tests);
}
