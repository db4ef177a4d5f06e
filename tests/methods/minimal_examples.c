/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* Two methods that share forces and little else give the same motion: minimal coordinates with error-controlled
 * steps, and Lagrange multipliers of all rows, on every smooth example; on some examples impulses composed to order 8
 * as well. */

#include "lagrange_models.h"
#include "walking.h"

static const double AGREE = 1e-6;      /* m, rad: largest difference after 1 s with the tolerance below */
static const double ASKED = 1e-10;     /* tolerance of Adams' method per step */
static const double REFERENCE = 1e-11; /* m, rad per s: tolerance of the reference method */
static const double GAP = 1e-12;       /* m, rad: gap of a loop due to rounding */

/* Examples that are not compared in this way, and the reason. */
static const struct {
    const char *name, *why;
} LEFT_OUT[] = {
    {"parallelogram", "passes through singular poses: it is compared below"},
    {"problems/s05-parallelogram", "passes through singular poses: it is compared below"},
    {"problems/r02-four-bars-2", "passes through a singular pose: it is compared below"},
    {"problems/r05-flyball-governor", "is stiff, and slow for multipliers: it is compared below"},
    {"problems/r03-andrews-squeezer", "spins up to thousands of rad/s long before 1 s: it is compared below"},
    {"problems/r03b-andrews-squeezer-iftomm", "spins up to thousands of rad/s long before 1 s: it is compared below"},
};

static const char *why_not(const char *name)
{
    for (size_t i = 0; i < sizeof LEFT_OUT / sizeof *LEFT_OUT; i++)
        if (strcmp(LEFT_OUT[i].name, name) == 0) return LEFT_OUT[i].why;
    return NULL;
}

/* Returns whether an example that is not smooth is refused when a simulation is created, and the reason. */
static bool is_refused(const char *name, char *why, size_t size)
{
    static const char *const words[] = {"may collide", "contact", "rope",  "limits",
                                        "friction",    "breaks",  "event", "a singular pose"};
    trm_model *model = example(name);
    trm_messages *messages = trm_messages_create(NULL);
    trm_simulation_def options = *trm_model_simulation(model);
    trm_sim *sim = NULL;
    bool known = false;
    options.method = "minimal";
    options.scheme = trm_default_simulation_def().scheme;
    const bool refused = trm_sim_create(model, &options, NULL, messages, &sim) != TRM_OK;
    for (int i = 0; i < trm_message_count(messages); i++)
        if (trm_message_at(messages, i)->severity == TRM_ERROR)
            snprintf(why, size, "%s", trm_message_at(messages, i)->text);
    for (size_t i = 0; refused && i < sizeof words / sizeof *words; i++) known = known || strstr(why, words[i]);
    if (refused && !known) print_error("%s: %s\n", name, why);
    assert_true(!refused || known);
    trm_sim_destroy(sim);
    trm_messages_destroy(messages);
    trm_model_destroy(model);
    return refused;
}

static void check_gap(const running *r)
{
    assert_true(trm_sim_accuracy(r->sim).gap.position <= GAP);
    assert_true(trm_sim_accuracy(r->sim).gap.angle <= GAP);
}

/* Starts an example without the scheme of its file, which belongs to impulse. */
static running start(const char *name, way how)
{
    chosen c;
    trm_model *model = model_of(name);
    trm_simulation_def options;
    options_of(model, &how, &c, &options);
    options.scheme = trm_default_simulation_def().scheme;
    return run_model(model, &options);
}

static double distance_at(const char *name, double until, way how, way other)
{
    running one = start(name, how), two = start(name, other);
    go_every(&one, until, until / 4);
    go_every(&two, until, until / 4);
    const double distance = apart(&one, &two);
    check_gap(&one);
    stop(&one);
    stop(&two);
    return distance;
}

static const way BY_MULTIPLIERS = {
    .choice = "lagrange:integrator=fehlberg8", .step = 0.01, .tolerance = 1e-13, .error = REFERENCE};

static void check_example(const char *name)
{
    const double distance =
        distance_at(name, 1, (way){.choice = "minimal", .step = 0.01, .error = ASKED}, BY_MULTIPLIERS);
    print_message("%s: %.1e\n", name, distance);
    assert_true(distance < AGREE);
}

static bool check_unless_refused(const char *name)
{
    char why[1000];
    if (why_not(name)) {
        print_message("%s: left out, it %s\n", name, why_not(name));
        return false;
    }
    if (is_refused(name, why, sizeof why)) {
        print_message("%s: %s\n", name, why);
        return false;
    }
    check_example(name);
    return true;
}

static void minimal_agrees_with_multipliers_on_every_smooth_example(void **state)
{
    (void)state;
    assert_true(walk_examples("", check_unless_refused) >= 16);
    assert_true(walk_examples("problems/", check_unless_refused) >= 28);
}

/* Steps cross poses at which all rods lie on one line, on the branch that the motion predicts. */
static void singular_poses_are_passed(void **state)
{
    (void)state;
    static const char *const list[] = {"parallelogram", "problems/r02-four-bars-2", "problems/s05-parallelogram"};
    for (int i = 0; i < 3; i++) {
        const double distance =
            distance_at(list[i], 2, (way){.choice = "minimal", .step = 0.01, .error = ASKED},
                        (way){.choice = "impulse", .step = 0.0025, .order = 8, .tolerance = TIGHT});
        print_message("%s: %.1e\n", list[i], distance);
        assert_true(distance < AGREE);
    }
}

/* Compares at times before 1 s. */
static void fast_and_stiff_machines_agree_for_a_while(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        double until;
    } list[] = {{"problems/r03-andrews-squeezer", 0.03},
                {"problems/r03b-andrews-squeezer-iftomm", 0.03},
                {"problems/r05-flyball-governor", 0.1}};
    for (int i = 0; i < 3; i++) {
        const double distance = distance_at(list[i].name, list[i].until,
                                            (way){.choice = "minimal", .step = 0.01, .error = ASKED}, BY_MULTIPLIERS);
        print_message("%s: %.1e\n", list[i].name, distance);
        assert_true(distance < AGREE);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(minimal_agrees_with_multipliers_on_every_smooth_example),
        cmocka_unit_test(singular_poses_are_passed),
        cmocka_unit_test(fast_and_stiff_machines_agree_for_a_while),
    };
    return RUN_TESTS(tests);
}
