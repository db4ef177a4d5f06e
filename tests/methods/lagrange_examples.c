/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* Two methods that share constraint rows but no code of their steps give the same motion on every smooth example:
 * Lagrange multipliers with steps controlled to an error of 1e-12, and impulses composed to order 8. */

#include "lagrange_models.h"
#include "walking.h"

static const double AGREE = 1e-8;  /* m, rad: largest difference after 1 s */
static const double ASKED = 1e-12; /* m, rad per s: requested error */

/* Examples that are not compared in this way, and the reason. */
static const struct {
    const char *name, *why;
} LEFT_OUT[] = {
    {"arm", "has servos, which damp, and grips a part: it is compared in servos.c"},
    {"crane", "has a rope that breaks"},
    {"eight-loop-folded", "starts in a singular pose"},
    {"parallelogram", "passes through singular poses"},
    {"problems/s05-parallelogram", "passes through singular poses"},
    {"spring-mass", "is damped, which is not composed: it is compared with extrapolation below"},
    {"walker", "has servos, which damp: it is compared in servos.c"},
    {"ball-in-bowl", "has contacts with friction or rebound, which lagrange does not know"},
    {"bouncing-ball", "has contacts with friction or rebound, which lagrange does not know"},
    {"incline", "has contacts with friction or rebound, which lagrange does not know"},
    {"billiard", "has contacts with friction or rebound, which lagrange does not know"},
    {"newtons-cradle", "has contacts with friction or rebound, which lagrange does not know"},
    {"dominoes", "has contacts with friction or rebound, which lagrange does not know"},
    {"stack", "has contacts with friction or rebound, which lagrange does not know"},
    {"figure-11-1", "has contacts with friction or rebound, which lagrange does not know"},
    {"gripper", "has contacts with friction or rebound, which lagrange does not know"},
    {"painleve-rod", "has contacts with friction or rebound, which lagrange does not know"},
    {"rolling-coin", "has contacts with friction or rebound, which lagrange does not know"},
    {"stimpmeter", "has contacts with friction or rebound, which lagrange does not know"},
    {"walker-on-ground", "has contacts with friction or rebound, which lagrange does not know"},
    {"rattleback", "has contacts with friction or rebound, which lagrange does not know"},
    {"rimless-wheel", "has contacts with friction or rebound, which lagrange does not know"},
    {"problems/r03-andrews-squeezer", "spins up to thousands of rad/s long before 1 s"},
    {"problems/r03b-andrews-squeezer-iftomm", "spins up to thousands of rad/s long before 1 s"},
    {"problems/r05-flyball-governor", "is damped, and stiff"},
    {"problems/r06-spring", "is damped, which is not composed"},
    {"problems/r06-rotation-spring", "is damped, which is not composed"},
    {"problems/r15c-mass-damper-spring", "may be damped, which is not composed"},
    {"problems/s05-parallelogram", "passes through singular poses"},
    {"problems/s09-rssr", "has a slender rod that impulses of order 8 cannot turn about itself"},
    {"problems/r16-block-incline", "has contacts with friction or rebound, which lagrange does not know"},
    {"problems/r16t-topple", "has contacts with friction or rebound, which lagrange does not know"},
    {"problems/r17-rolling-incline", "has contacts with friction or rebound, which lagrange does not know"},
    {"problems/r18-billiard", "has contacts with friction or rebound, which lagrange does not know"},
    {"problems/r19-bouncing-ball", "has contacts with friction or rebound, which lagrange does not know"},
    {"problems/r20-rod-impact", "has contacts with friction or rebound, which lagrange does not know"},
    {"problems/r21-double-pendulum-impact", "has contacts with friction or rebound, which lagrange does not know"},
    {"problems/r22-newtons-cradle", "has contacts with friction or rebound, which lagrange does not know"},
    {"problems/r23-painleve-rod", "has contacts with friction or rebound, which lagrange does not know"},
    {"problems/r24-rolling-coin", "has contacts with friction or rebound, which lagrange does not know"},
    {"problems/r25-rimless-wheel", "has contacts with friction or rebound, which lagrange does not know"},
    {"problems/r27-spring-block", "has contacts with friction or rebound, which lagrange does not know"},
    {"problems/r30-falling-rod", "has contacts with friction or rebound, which lagrange does not know"},
};

static const char *why_not(const char *name)
{
    for (size_t i = 0; i < sizeof LEFT_OUT / sizeof *LEFT_OUT; i++)
        if (strcmp(LEFT_OUT[i].name, name) == 0) return LEFT_OUT[i].why;
    return NULL;
}

static double compare_with(trm_model *one, trm_model *other, const trm_simulation_def *options)
{
    running lagrange = run_chosen(
        one, (way){.choice = "lagrange:integrator=fehlberg8", .step = 0.001, .tolerance = TIGHT, .error = ASKED});
    running impulse = run_model(other, options);
    go_every(&lagrange, 1, 0.25);
    go_every(&impulse, 1, 0.25);
    const double distance = apart(&lagrange, &impulse);
    assert_true(trm_sim_accuracy(lagrange.sim).gap.position <= TIGHT);
    assert_true(trm_sim_accuracy(lagrange.sim).gap.angle <= TIGHT);
    stop(&lagrange);
    stop(&impulse);
    return distance;
}

static void check_example(const char *name)
{
    trm_model *model = example(name);
    trm_simulation_def options = *trm_model_simulation(model);
    options.method = "impulse"; /* overrides the file */
    options.order = 8;
    options.step = 0.001;
    options.position_tolerance = options.angle_tolerance = options.velocity_tolerance = TIGHT;
    const double distance = compare_with(example(name), model, &options);
    print_message("%s: %.1e\n", name, distance);
    assert_true(distance < AGREE);
}

static bool check_or_leave_out(const char *name)
{
    if (why_not(name))
        print_message("%s: left out, it %s\n", name, why_not(name));
    else
        check_example(name);
    return !why_not(name);
}

static void two_methods_agree_on_every_smooth_example(void **state)
{
    (void)state;
    assert_true(walk_examples("", check_or_leave_out) >= 10);
    assert_true(walk_examples("problems/", check_or_leave_out) >= 8);
}

/* The damped example: extrapolation to order 4 reaches this accuracy. */
static void two_methods_agree_on_a_damped_spring(void **state)
{
    (void)state;
    trm_model *model = example("spring-mass");
    trm_simulation_def options = *trm_model_simulation(model);
    options.scheme = "extrapolation";
    options.step = 0.001;
    options.position_tolerance = options.angle_tolerance = options.velocity_tolerance = TIGHT;
    const double distance = compare_with(example("spring-mass"), model, &options);
    print_message("spring-mass: %.1e\n", distance);
    assert_true(distance < AGREE);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(two_methods_agree_on_every_smooth_example),
        cmocka_unit_test(two_methods_agree_on_a_damped_spring),
    };
    return RUN_TESTS(tests);
}
