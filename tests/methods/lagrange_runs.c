/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* Runs with the method of Lagrange multipliers: interrupting and resuming, counts, refused options, and machines that
 * lead to difficult matrices. */

#include "lagrange_models.h"
#include "resuming.h"

/* ---- Resuming ----------------------------------------------------------------------------- */

static void check_resuming(const char *model, way how)
{
    assert_resumes_bit_identically(run_chosen(model_of(model), how), run_chosen(model_of(model), how));
}

static void a_resumed_run_is_bit_identical(void **state)
{
    (void)state;
    static const char *const choices[] = {"lagrange",
                                          "lagrange:integrator=euler:stabilise=none",
                                          "lagrange:integrator=fehlberg8",
                                          "lagrange:integrator=dopri5:stabilise=baumgarte:beta=20",
                                          "lagrange:stabilise=penalty",
                                          "lagrange:integrator=dopri5:stabilise=cfm"};
    static const char *const models[] = {DAMPED, "four-bar", MOVED};
    for (int m = 0; m < 3; m++)
        for (int i = 0; i < 6; i++) {
            check_resuming(models[m], (way){.choice = choices[i], .step = 0.01});
            if (i != 1) check_resuming(models[m], (way){.choice = choices[i], .step = 0.01, .error = 1e-7});
        }
}

static void a_checkpoint_wants_the_same_options_of_the_method(void **state)
{
    (void)state;
    static const char *const others[] = {"lagrange",
                                         "impulse",
                                         "lagrange:integrator=heun:stabilise=baumgarte:beta=20",
                                         "lagrange:stabilise=baumgarte:beta=20.000000000000004",
                                         "lagrange:stabilise=baumgarte:gamma=20",
                                         "lagrange:stabilise=none:beta=20"};
    const way how = {.choice = "lagrange:stabilise=baumgarte:beta=20", .step = 0.01};
    running r = run_chosen(model_of_text(DRIVEN), how), same = run_chosen(model_of_text(DRIVEN), how);
    trm_text *saved = trm_text_create(NULL);
    go(&r, 0.1);
    assert_int_equal(trm_sim_save(r.sim, 1, trm_text_sink(saved)), TRM_OK);
    for (int i = 0; i < 6; i++) {
        running other = run_chosen(model_of_text(DRIVEN), (way){.choice = others[i], .step = 0.01});
        assert_int_equal(load_saved(&other, saved), TRM_BAD_INPUT);
        stop(&other);
    }
    assert_int_equal(load_saved(&same, saved), TRM_OK);
    trm_text_destroy(saved);
    stop(&r);
    stop(&same);
}

/* ---- Error control ------------------------------------------------------------------------ */

static bool count_step(void *context, trm_sim *sim)
{
    (void)sim;
    ++*(long long *)context;
    return true;
}

static bool count_calls(void *context)
{
    ++*(long long *)context;
    return true;
}

/* may_continue is asked after each attempted step, accepted or rejected. */
static void kept_steps_are_counted_once_and_others_as_rejected(void **state)
{
    (void)state;
    static const char *const rules[] = {"lagrange:integrator=dopri5", "lagrange:integrator=fehlberg8"};
    for (int i = 0; i < 2; i++) {
        running r = run_chosen(example("double-pendulum"), (way){.choice = rules[i], .step = 0.01, .error = 1e-8});
        long long tries = 0;
        const trm_run_def run = {.until = 2, .every = 0.5, .may_continue = count_calls, .context = &tries};
        assert_good(trm_sim_run(r.sim, &run));
        const trm_counters *c = trm_sim_counters(r.sim);
        print_message("%s: %lld steps, %lld rejected, %lld tries\n", rules[i], c->steps, c->rejections, tries);
        assert_int_equal(c->steps + c->rejections + c->halvings, tries);
        assert_true(c->rejections > 0 && c->rejections < c->steps / 3);
        stop(&r);
    }
}

/* An integrator without an error estimate makes each step as a whole and as two halves; both halves count as
 * steps. */
static void a_rule_that_cannot_tell_its_error_is_halved(void **state)
{
    (void)state;
    running r = run_chosen(example("double-pendulum"), (way){.choice = "lagrange", .step = 0.01, .error = 1e-7});
    long long tries = 0;
    const trm_run_def run = {.until = 1, .every = 0.5, .may_continue = count_calls, .context = &tries};
    assert_good(trm_sim_run(r.sim, &run));
    const trm_counters *c = trm_sim_counters(r.sim);
    assert_int_equal(c->steps + 2 * c->rejections, 2 * tries);
    stop(&r);
}

/* The requested error is per second; the machine may enlarge it, and the estimate is of leading order. */
static void the_error_asked_for_is_kept(void **state)
{
    (void)state;
    static const char *const rules[] = {"rk4", "dopri5", "fehlberg8"};
    running fine = run_chosen(model_of_text(DAMPED),
                              (way){.choice = "lagrange:integrator=fehlberg8", .step = 0.0025, .tolerance = TIGHT});
    go_every(&fine, 2, 0.5);
    for (int i = 0; i < 3; i++) {
        long long before = 0;
        for (double error = 1e-4; error > 5e-11; error *= 1e-2) {
            char choice[100];
            snprintf(choice, sizeof choice, "lagrange:integrator=%s", rules[i]);
            running r = run_chosen(model_of_text(DAMPED), (way){.choice = choice, .step = 0.01, .error = error});
            go_every(&r, 2, 0.5);
            const long long steps = trm_sim_counters(r.sim)->steps;
            print_message("%s: requested %.0e per s, off by %.1e after 2 s, %lld steps\n", rules[i], error,
                          apart(&r, &fine), steps);
            assert_true(apart(&r, &fine) < 10 * 2 * error);
            /* the error is not much smaller than requested either, as long as it exceeds rounding */
            if (error > 5e-9) assert_true(apart(&r, &fine) > 1e-3 * error);
            assert_true(steps > before);
            before = steps;
            stop(&r);
        }
    }
    stop(&fine);
}

static void hooks_are_called_once_a_step(void **state)
{
    (void)state;
    long long count = 0;
    running r = run_chosen(model_of_text(DAMPED), (way){.choice = "lagrange:integrator=fehlberg8", .step = 0.01});
    trm_sim_set_hooks(r.sim, NULL, count_step, &count);
    go(&r, 0.5);
    assert_int_equal(count, 50);
    assert_int_equal(trm_sim_counters(r.sim)->steps, 50);
    stop(&r);
}

/* ---- Refusals ----------------------------------------------------------------------------- */

typedef struct refusal {
    trm_option option;
    const char *said;
} refusal;

static trm_status try_options(trm_simulation_def *options, char *said, size_t size)
{
    trm_model *model = model_of_text(UNDRIVEN);
    trm_messages *messages = trm_messages_create(NULL);
    trm_sim *sim = NULL;
    const trm_status status = trm_sim_create(model, options, NULL, messages, &sim);
    snprintf(said, size, "%s", trm_message_count(messages) > 0 ? trm_message_at(messages, 0)->text : "");
    assert_int_equal(status == TRM_OK, sim != NULL);
    trm_sim_destroy(sim);
    trm_messages_destroy(messages);
    trm_model_destroy(model);
    return status;
}

static void expect_refused(trm_simulation_def *options, const char *expected)
{
    char said[500];
    assert_int_equal(try_options(options, said, sizeof said), TRM_BAD_INPUT);
    if (!strstr(said, expected)) print_error("said: %s\n", said);
    assert_non_null(strstr(said, expected));
}

/* Impossible options are refused with every method. */
static void options_that_cannot_be_are_refused_by_name(void **state)
{
    (void)state;
    static const refusal refusals[] = {
        {{"lagrange", "betta", NULL, 1},
         "the method \"lagrange\" has no option \"betta\"; it has integrator, stabilise, beta, gamma, alpha, cfm, "
         "omega, mu"},
        {{"impulse", "beta", NULL, 1}, "the method \"impulse\" has no option \"beta\""},
        {{"lagrange", "integrator", "rk5", 0},
         "lagrange.integrator is \"rk5\"; it can be euler, heun, midpoint, rk4, dopri5, fehlberg8"},
        {{"lagrange", "integrator", "", 0}, "lagrange.integrator is \"\"; it can be"},
        {{"lagrange", "stabilise", NULL, 3}, "it can be none, baumgarte, penalty, projection, cfm"},
        {{"lagrange", "beta", "much", 0}, "lagrange.beta is \"much\"; it must be a finite number"},
        {{"lagrange", "beta", NULL, -1}, "lagrange.beta is -1; it must be"},
        {{"lagrange", "gamma", NULL, -1e-300}, "lagrange.gamma is -1e-300; it must be"},
        {{"lagrange", "omega", NULL, INFINITY}, "lagrange.omega is inf; it must be"},
        {{"lagrange", "mu", NULL, NAN}, "lagrange.mu is "},
        {{"lagrange", "alpha", NULL, 0}, "lagrange.alpha is 0; it must be"},
        {{"lagrange", "alpha", NULL, INFINITY}, "lagrange.alpha is inf; it must be"},
        {{"lagrange", "cfm", NULL, -1e-9}, "lagrange.cfm is -1e-09; it must be"},
        {{"lagrang", "cfm", NULL, 1}, "there is no method \"lagrang\" that could have an option \"cfm\""},
    };
    static const char *const methods[] = {"lagrange", "impulse"};
    for (int m = 0; m < 2; m++)
        for (size_t i = 0; i < sizeof refusals / sizeof *refusals; i++) {
            trm_simulation_def options = trm_default_simulation_def();
            options.method = methods[m];
            options.options = &refusals[i].option;
            options.option_count = 1;
            expect_refused(&options, refusals[i].said);
        }
}

static void numbers_at_their_bounds_are_taken(void **state)
{
    (void)state;
    static const char *const choices[] = {"lagrange:stabilise=baumgarte:beta=0:gamma=0",
                                          "lagrange:stabilise=cfm:cfm=0", "lagrange:stabilise=penalty:omega=0:mu=0"};
    for (int i = 0; i < 3; i++) {
        running r = run_chosen(model_of_text(UNDRIVEN), (way){.choice = choices[i], .step = 0.01});
        go(&r, 0.1);
        stop(&r);
    }
}

static void solvers_and_schemes_of_other_methods_are_refused(void **state)
{
    (void)state;
    trm_simulation_def options = trm_default_simulation_def();
    options.method = "lagrange";
    options.solver = "iterative";
    expect_refused(&options, "the method \"lagrange\" has no solver \"iterative\"; it has direct");
    options.solver = "direct";
    options.scheme = "extrapolation";
    expect_refused(&options, "the method \"lagrange\" has an order of its own; the scheme extrapolation belongs to");
}

/* The order is that of the integrator, even if another one is requested. */
static void the_order_is_that_of_the_rule(void **state)
{
    (void)state;
    running r = run_chosen(model_of_text(UNDRIVEN), (way){.choice = "lagrange:integrator=dopri5", .order = 8});
    assert_near(trm_sim_options(r.sim)->order, 5, 0);
    stop(&r);
}

static void the_last_of_two_equal_options_wins(void **state)
{
    (void)state;
    running twice = run_chosen(model_of_text(UNDRIVEN), (way){.choice = "lagrange:integrator=euler:integrator=rk4:"
                                                                        "stabilise=none:stabilise=baumgarte:"
                                                                        "beta=3:beta=20",
                                                              .step = 0.01});
    running once = run_chosen(model_of_text(UNDRIVEN),
                              (way){.choice = "lagrange:integrator=rk4:stabilise=baumgarte:beta=20", .step = 0.01});
    go(&twice, 0.2);
    go(&once, 0.2);
    assert_true(trm_state_hash(trm_sim_state(twice.sim)) == trm_state_hash(trm_sim_state(once.sim)));
    trm_option o;
    assert_true(trm_sim_method_option(twice.sim, 0, &o));
    assert_string_equal(o.text, "rk4");
    assert_true(trm_sim_method_option(twice.sim, 1, &o));
    assert_string_equal(o.text, "baumgarte");
    assert_true(trm_sim_method_option(twice.sim, 2, &o));
    assert_string_equal(o.name, "beta");
    assert_near(o.number, 20, 0);
    assert_false(trm_sim_method_option(twice.sim, 3, &o)); /* options that were not given are not reported */
    stop(&twice);
    stop(&once);
}

/* Each option changes the run: none is ignored. */
static void every_option_does_something(void **state)
{
    (void)state;
    static const char *const pairs[][2] = {
        {"lagrange:stabilise=none", "lagrange:stabilise=none:integrator=heun"},
        {"lagrange:integrator=heun", "lagrange:integrator=heun:stabilise=none"},
        {"lagrange:integrator=heun:stabilise=baumgarte", "lagrange:integrator=heun:stabilise=baumgarte:beta=11"},
        {"lagrange:integrator=heun:stabilise=baumgarte", "lagrange:integrator=heun:stabilise=baumgarte:gamma=11"},
        {"lagrange:stabilise=penalty", "lagrange:stabilise=penalty:alpha=1e6"},
        {"lagrange:stabilise=penalty", "lagrange:stabilise=penalty:omega=11"},
        {"lagrange:stabilise=penalty", "lagrange:stabilise=penalty:mu=2"},
        {"lagrange:stabilise=cfm", "lagrange:stabilise=cfm:cfm=1e-6"},
    };
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++) {
        running a = run_chosen(model_of_text(UNDRIVEN), (way){.choice = pairs[i][0], .step = 0.01}),
                b = run_chosen(model_of_text(UNDRIVEN), (way){.choice = pairs[i][1], .step = 0.01});
        go(&a, 0.2);
        go(&b, 0.2);
        assert_true(apart(&a, &b) > 1e-12);
        stop(&a);
        stop(&b);
    }
}

/* Options in the form of the model file. */
static void options_are_read_from_the_model(void **state)
{
    (void)state;
    running r =
        run_model(model_of_text("{ \"trammel\": 1, \"bodies\": [{ \"name\": \"b\", \"point\": true, \"mass\": 1 }],"
                                "  \"simulation\": { \"method\": \"lagrange\", \"lagrange\": {"
                                "    \"integrator\": \"heun\", \"stabilise\": \"baumgarte\", \"beta\": 20 } } }"),
                  NULL);
    assert_near(trm_sim_options(r.sim)->order, 2, 0);
    trm_option o;
    assert_true(trm_sim_method_option(r.sim, 2, &o));
    assert_near(o.number, 20, 0);
    stop(&r);
}

/* In a file, "3*4" is 12 for options, too. */
static void numbers_may_be_expressions(void **state)
{
    (void)state;
    const trm_option sum = {"lagrange", "beta", "4*5", 0}, word = {"lagrange", "stabilise", "baumgarte", 0};
    const trm_option options[] = {word, sum};
    trm_simulation_def with = trm_default_simulation_def();
    with.method = "lagrange";
    with.options = options;
    with.option_count = 2;
    running r = run_model(model_of_text(UNDRIVEN), &with);
    trm_option o;
    assert_true(trm_sim_method_option(r.sim, 2, &o));
    assert_near(o.number, 20, 0);
    stop(&r);
}

static void gamma_is_beta_unless_given(void **state)
{
    (void)state;
    running a = run_chosen(model_of_text(UNDRIVEN), (way){.choice = "lagrange:stabilise=baumgarte:beta=20"}),
            b = run_chosen(model_of_text(UNDRIVEN), (way){.choice = "lagrange:stabilise=baumgarte:beta=20:gamma=20"});
    go(&a, 0.2);
    go(&b, 0.2);
    assert_true(apart(&a, &b) == 0);
    stop(&a);
    stop(&b);
}

static void options_without_effect_are_warned_of(void **state)
{
    (void)state;
    trm_model *model = model_of_text(UNDRIVEN);
    trm_messages *messages = trm_messages_create(NULL);
    trm_simulation_def options = trm_default_simulation_def();
    const trm_option beta = {"lagrange", "beta", NULL, 20};
    trm_sim *sim = NULL;
    options.method = "lagrange";
    options.options = &beta;
    options.option_count = 1;
    assert_int_equal(trm_sim_create(model, &options, NULL, messages, &sim), TRM_OK);
    assert_int_equal(trm_message_count(messages), 1);
    assert_string_equal(trm_message_at(messages, 0)->text, "lagrange.beta has no effect: stabilise is projection");
    assert_int_equal(trm_message_at(messages, 0)->code, TRM_MESSAGE_NO_EFFECT);
    assert_string_equal(trm_message_at(messages, 0)->subject, "beta");
    trm_sim_destroy(sim);
    trm_messages_destroy(messages);
    trm_model_destroy(model);
}

static trm_outcome outcome_of(trm_model *model, way how)
{
    running r = run_chosen(model, how);
    const trm_run_def run = {.until = 1, .every = 1};
    const trm_outcome outcome = trm_sim_run(r.sim, &run);
    stop(&r);
    return outcome;
}

static void a_penalty_that_leaves_no_digits_ends_the_run(void **state)
{
    (void)state;
    static const char *const choices[] = {"lagrange:stabilise=penalty:alpha=1e16",
                                          "lagrange:stabilise=penalty:alpha=1e30"};
    for (int i = 0; i < 2; i++) {
        const trm_outcome outcome = outcome_of(model_of_text(UNDRIVEN), (way){.choice = choices[i], .step = 0.001});
        assert_false(outcome.ok);
        assert_string_equal(outcome.element, "option 'lagrange.alpha'");
    }
}

static void a_force_that_is_not_finite_is_named(void **state)
{
    (void)state;
    const trm_outcome outcome =
        outcome_of(model_of_text("{ \"trammel\": 1, \"bodies\": [{ \"name\": \"b\", \"point\": true, \"mass\": 1 }],"
                                 "  \"forces\": [{ \"name\": \"push\", \"type\": \"force\", \"body\": \"b\","
                                 "    \"value\": [\"sqrt(0.5 - t)\", 0, 0] }] }"),
                   (way){.choice = "lagrange", .step = 0.125});
    assert_false(outcome.ok);
    assert_string_equal(outcome.element, "force 'push'");
}

/* Requested reactions keep their values until they are requested again. */
static void steps_leave_reactions_alone(void **state)
{
    (void)state;
    static const char *const choices[] = {"impulse", "lagrange", "taylor"};
    for (int i = 0; i < 3; i++) {
        running r = run_chosen(model_of_file(TRM_EXAMPLES "/problems/r13-chain-8.json"), (way){.choice = choices[i]});
        trm_sim_enable_reactions(r.sim, true);
        assert_good(trm_sim_observe(r.sim));
        const trm_vec3 before = trm_joint_reaction(trm_sim_state(r.sim), 0).lin;
        assert_good(trm_sim_step(r.sim, 0.01));
        const trm_vec3 after = trm_joint_reaction(trm_sim_state(r.sim), 0).lin;
        assert_true(trm_v3_length(trm_v3_sub(before, after)) == 0);
        stop(&r);
    }
}

/* ---- Difficult machines ------------------------------------------------------------------- */

static trm_model *points(void)
{
    return model_of_text(POINTS);
}

static trm_model *cuboid(void)
{
    return example("cuboid");
}

static trm_model *door(void)
{
    return example("two-ball-hinge");
}

static trm_model *four_bar(void)
{
    return example("four-bar");
}

static void hubs_redundant_rows_and_points_run_with_every_stabiliser(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        trm_model *(*make)(void);
    } machines[] = {{"hub", hub}, {"points", points}, {"cuboid", cuboid}, {"door", door}, {"four-bar", four_bar}};
    static const struct {
        const char *choice;
        double off; /* m, rad: error of soft joints */
    } ways[] = {{"lagrange", 1e-7},
                {"lagrange:stabilise=none", 1e-7},
                {"lagrange:stabilise=baumgarte", 1e-7},
                {"lagrange:stabilise=penalty", 1e-5},
                {"lagrange:stabilise=cfm", 1e-5}};
    for (int m = 0; m < 5; m++) {
        running fine =
            run_chosen(machines[m].make(), (way){.choice = "impulse", .step = 0.002, .tolerance = TIGHT, .order = 8});
        go_every(&fine, 0.5, 0.5);
        for (int i = 0; i < 5; i++) {
            running r = run_chosen(machines[m].make(), (way){.choice = ways[i].choice, .step = 0.002});
            go_every(&r, 0.5, 0.5);
            print_message("%s, %s: off by %.1e\n", machines[m].name, ways[i].choice, apart(&r, &fine));
            assert_true(apart(&r, &fine) < ways[i].off);
            stop(&r);
        }
        stop(&fine);
    }
}

/* Models without joints, and without bodies. */
static void machines_without_joints_run(void **state)
{
    (void)state;
    static const char *const choices[] = {"lagrange", "lagrange:stabilise=penalty", "lagrange:stabilise=cfm"};
    for (int i = 0; i < 3; i++) {
        running r = run_chosen(example("free-body"), (way){.choice = choices[i], .step = 0.01});
        go(&r, 0.5);
        stop(&r);
        r = run_chosen(model_of_text("{ \"trammel\": 1, \"bodies\": [] }"), (way){.choice = choices[i]});
        go(&r, 0.5);
        stop(&r);
    }
}

/* Bodies without forces stay where they are, bit for bit. */
static void fixed_bodies_stay(void **state)
{
    (void)state;
    static const char *const hung =
        "{ \"trammel\": 1, \"gravity\": [0, -9.81, 0], \"bodies\": [{ \"name\": \"f\", \"fixed\": true,"
        "    \"position\": [0.1, 0.2, 0.3], \"orientation\": { \"axis\": [1, 2, 3], \"angle\": 1.1 } },"
        "  { \"name\": \"c\", \"point\": true, \"mass\": 1, \"position\": [2, 0, 0] }],"
        "  \"joints\": [{ \"name\": \"j\", \"type\": \"distance\", \"bodies\": [\"f\", \"c\"],"
        "    \"anchors\": [[0, 0, 0], [0, 0, 0]] }] }";
    running r = run_chosen(model_of_text(hung), (way){.choice = "lagrange:integrator=fehlberg8", .step = 0.01});
    const trm_pose before = trm_body_pose(trm_sim_state(r.sim), 1);
    go(&r, 2);
    const trm_pose after = trm_body_pose(trm_sim_state(r.sim), 1);
    assert_memory_equal(&before, &after, sizeof before);
    stop(&r);
}

/* A hundred steps forward and back. */
static void time_can_run_back(void **state)
{
    (void)state;
    running r = run_chosen(example("four-bar"), (way){.choice = "lagrange:integrator=fehlberg8", .tolerance = TIGHT}),
            start = run_chosen(example("four-bar"), (way){.choice = "lagrange", .tolerance = TIGHT});
    for (int i = 0; i < 200; i++) assert_good(trm_sim_step(r.sim, i < 100 ? 0.005 : -0.005));
    assert_true(apart(&r, &start) < 1e-11);
    stop(&r);
    stop(&start);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_resumed_run_is_bit_identical),
        cmocka_unit_test(a_checkpoint_wants_the_same_options_of_the_method),
        cmocka_unit_test(kept_steps_are_counted_once_and_others_as_rejected),
        cmocka_unit_test(a_rule_that_cannot_tell_its_error_is_halved),
        cmocka_unit_test(the_error_asked_for_is_kept),
        cmocka_unit_test(hooks_are_called_once_a_step),
        cmocka_unit_test(options_that_cannot_be_are_refused_by_name),
        cmocka_unit_test(numbers_at_their_bounds_are_taken),
        cmocka_unit_test(solvers_and_schemes_of_other_methods_are_refused),
        cmocka_unit_test(the_order_is_that_of_the_rule),
        cmocka_unit_test(the_last_of_two_equal_options_wins),
        cmocka_unit_test(every_option_does_something),
        cmocka_unit_test(options_are_read_from_the_model),
        cmocka_unit_test(numbers_may_be_expressions),
        cmocka_unit_test(gamma_is_beta_unless_given),
        cmocka_unit_test(options_without_effect_are_warned_of),
        cmocka_unit_test(a_penalty_that_leaves_no_digits_ends_the_run),
        cmocka_unit_test(a_force_that_is_not_finite_is_named),
        cmocka_unit_test(steps_leave_reactions_alone),
        cmocka_unit_test(hubs_redundant_rows_and_points_run_with_every_stabiliser),
        cmocka_unit_test(machines_without_joints_run),
        cmocka_unit_test(fixed_bodies_stay),
        cmocka_unit_test(time_can_run_back),
    };
    return RUN_TESTS(tests);
}
