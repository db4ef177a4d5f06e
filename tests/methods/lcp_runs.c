/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* Runs with the method lcp: reactions of joints, resuming, failing steps, refused options. */

#include "lcp_runs.h"

#include "resuming.h"
#include "scenes.h"

static const char *const SOLVERS[] = {"lcp", "lcp:solver=lemke", "lcp:solver=pgs",
                                      "lcp:solver=lemke:friction=pyramid"};
enum { SOLVER_COUNT = sizeof SOLVERS / sizeof *SOLVERS };

/* Returns whether all poses are bit-identical. */
static bool same_poses(const running *r, const running *s)
{
    for (int i = 0; i < trm_body_count(r->model); i++) {
        const trm_pose a = trm_body_pose(trm_sim_state(r->sim), i), b = trm_body_pose(trm_sim_state(s->sim), i);
        if (memcmp(&a, &b, sizeof a) != 0) return false;
    }
    return true;
}

/* ---- Reactions ---------------------------------------------------------------------------- */

static void a_pendulum_at_rest_hangs_by_its_weight_from_the_start_on(void **state)
{
    (void)state;
    static const char hanging[] =
        "{ \"trammel\": 1, \"gravity\": [0, -9.81, 0], \"bodies\": [{ \"name\": \"rod\", \"rod\": { \"from\": [0, 0, "
        "0],"
        "    \"to\": [0, -1, 0], \"mass\": 3 } }], \"joints\": [{ \"name\": \"j\", \"type\": \"hinge\","
        "    \"bodies\": [\"ground\", \"rod\"], \"anchor\": [0, 0, 0], \"axis\": [0, 0, 1] }] }";
    static const char *const choices[] = {"lcp", "lcp:solver=lemke", "lcp:solver=pgs:iterations=2000:sor=1"};
    for (int i = 0; i < 3; i++) {
        running r = run_lcp(model_of(hanging), choices[i], 0.01);
        trm_sim_enable_reactions(r.sim, true);
        for (int k = 0; k < 5; k++) {
            if (k > 0) make_steps(&r, 3, 0.01);
            assert_good(trm_sim_observe(r.sim));
            const trm_spatial F = trm_joint_reaction(trm_sim_state(r.sim), 0);
            assert_near(F.lin.y, 3 * 9.81, 1e-9);
            assert_near(F.lin.x, 0, 1e-9);
            assert_near(trm_v3_length(F.ang), 0, 1e-9);
            assert_near(trm_v3_length(trm_body_acceleration(trm_sim_state(r.sim), 1).lin), 0, 1e-9);
        }
        stop(&r);
    }
}

/* A sliding box, another box on it, a ball that falls on both; a hinged flap that lies on the floor, with a stop and
 * a motor. */
static trm_model *rubbing(void)
{
    scene s;
    scene_init(&s, 0.3, 0.5);
    add_floor(&s);
    add_solid(&s, box_of(1, 1, 0.5), 2, trm_v3(0, 0, 0.25))->velocity = trm_v3(1, 0.4, 0);
    add_solid(&s, box_of(0.5, 0.5, 0.5), 1, trm_v3(0, 0, 0.75));
    add_solid(&s, sphere_of(0.2), 1, trm_v3(0.1, 0, 1.22))->velocity = trm_v3(0, 0, -1);
    add_solid(&s, box_of(1, 0.2, 0.2), 1, trm_v3(5, 0, 0.6));
    trm_joint_def *hinge = add_joint_at(&s.m, "hinge", 0, 5, 4.5, 0, 0.6);
    hinge->axis = trm_v3(0, 1, 0);
    hinge->limits[0] = -1, hinge->limits[1] = 0.3;
    hinge->friction = 0.2;
    return machine_finish(&s.m);
}

static void wanting_reactions_changes_no_bit_of_the_motion(void **state)
{
    (void)state;
    for (int i = 0; i < SOLVER_COUNT; i++) {
        running with = run_lcp(rubbing(), SOLVERS[i], 0.01), without = run_lcp(rubbing(), SOLVERS[i], 0.01);
        trm_sim_enable_reactions(with.sim, true);
        assert_good(trm_sim_observe(with.sim));
        for (int k = 0; k < 30; k++) {
            make_steps(&with, 1, 0.01);
            make_steps(&without, 1, 0.01);
            assert_good(trm_sim_observe(with.sim));
        }
        print_message("    %s: apart by %.1e\n", SOLVERS[i], apart(&with, &without));
        assert_true(same_poses(&with, &without));
        stop(&with);
        stop(&without);
    }
}

/* ---- Resuming ----------------------------------------------------------------------------- */

static void a_run_resumes_bit_identically(void **state)
{
    (void)state;
    static const char *const models[] = {DRIVEN, "four-bar", "crane", "spring-mass"};
    for (int i = 0; i < SOLVER_COUNT; i++) {
        for (int m = 0; m < 4; m++)
            assert_resumes_bit_identically(run_lcp(model_of(models[m]), SOLVERS[i], 0.01),
                                           run_lcp(model_of(models[m]), SOLVERS[i], 0.01));
        assert_resumes_bit_identically(run_lcp(rubbing(), SOLVERS[i], 0.01), run_lcp(rubbing(), SOLVERS[i], 0.01));
        assert_resumes_bit_identically(run_lcp(rubbing(), SOLVERS[i], 0.013), run_lcp(rubbing(), SOLVERS[i], 0.013));
    }
}

/* ---- Failing steps ------------------------------------------------------------------------ */

static trm_spatial gone_after_a_while(void *context, const trm_state *state)
{
    (void)context;
    return trm_sp(trm_v3(0, 0, 0), trm_v3(trm_state_time(state) > 0.105 ? NAN : 1, 0, 0));
}

typedef struct rows_seen {
    int count;
    double last; /* s */
} rows_seen;

static bool see_row(void *context, const trm_state *state)
{
    rows_seen *seen = context;
    seen->count++;
    seen->last = trm_state_time(state);
    return true;
}

static void a_step_that_fails_leaves_the_last_good_state(void **state)
{
    (void)state;
    for (int i = 0; i < SOLVER_COUNT; i++) {
        running r = run_lcp(rubbing(), SOLVERS[i], 0.01), good = run_lcp(rubbing(), SOLVERS[i], 0.01);
        rows_seen seen = {0, 0};
        assert_int_equal(trm_sim_add_force(r.sim, "gone", 2, gone_after_a_while, NULL), TRM_OK);
        assert_int_equal(trm_sim_add_force(good.sim, "gone", 2, gone_after_a_while, NULL), TRM_OK);
        const trm_run_def run = {.until = 1, .every = 0.01, .row = see_row, .context = &seen};
        const trm_outcome outcome = trm_sim_run(r.sim, &run);
        print_message("    %s: t = %.3f, %s: %s; %d rows until %.3f s\n", SOLVERS[i], outcome.time, outcome.element,
                      outcome.why, seen.count, seen.last);
        assert_false(outcome.ok);
        assert_non_null(strstr(outcome.element, "gone"));
        assert_int_equal(seen.count, 12); /* rows at 0, 0.01 .. 0.11 s */
        assert_near(seen.last, 0.11, 1e-12);
        const trm_run_def until = {.until = trm_state_time(trm_sim_state(r.sim)), .every = 0.01};
        assert_good(trm_sim_run(good.sim, &until));
        assert_near(trm_state_time(trm_sim_state(r.sim)), 0.11, 1e-12);
        assert_true(trm_state_hash(trm_sim_state(r.sim)) == trm_state_hash(trm_sim_state(good.sim)));
        stop(&r);
        stop(&good);
    }
}

/* ---- Refusals ----------------------------------------------------------------------------- */

static void refuse(const char *choice, const char *solver, const char *said)
{
    trm_model *model = example("pendulum");
    chosen c;
    trm_simulation_def options;
    const way how = {.choice = choice};
    options_of(model, &how, &c, &options);
    if (solver) options.solver = solver;
    assert_refused(model, &options, said);
}

static void options_that_cannot_be_are_refused_by_name(void **state)
{
    (void)state;
    refuse("lcp:erp=2", NULL, "lcp.erp is 2; it must be 0 to 1");
    refuse("lcp:erp=-0.1", NULL, "lcp.erp is -0.1; it must be no less than 0");
    refuse("lcp:cfm=-1", NULL, "lcp.cfm is -1; it must be no less than 0");
    refuse("lcp:friction=pyramid", NULL, "lcp.friction is pyramid, which the solver dantzig does not support");
    refuse("lcp:friction=cone", NULL, "lcp.friction is \"cone\"; it can be box, pyramid");
    refuse("lcp:solver=pgs:sor=2.5", NULL, "lcp.sor is 2.5; it must be less than 2");
    refuse("lcp:solver=pgs:sor=2", NULL, "lcp.sor is 2; it must be less than 2");
    refuse("lcp:solver=pgs:warm=1.5", NULL, "lcp.warm is 1.5; it must be 0 to 1");
    refuse("lcp:solver=pgs:iterations=0", NULL, "lcp.iterations is 0; it must be positive");
    refuse("lcp:solver=pgs:iterations=1.5", NULL, "lcp.iterations is 1.5");
    refuse("lcp:solver=lemke:friction=pyramid:directions=2", NULL, "lcp.directions is 2; it must be 3 to 1000");
    refuse("lcp:solver=newton", NULL, "lcp.solver is \"newton\"; it can be dantzig, lemke, pgs");
    refuse("lcp:gyroscopic=half", NULL, "lcp.gyroscopic is \"half\"; it can be implicit, explicit, none");
    refuse("lcp:rotation=none", NULL, "lcp.rotation is \"none\"; it can be infinitesimal, finite");
    refuse("lcp:slop=1", NULL, "the method \"lcp\" has no option \"slop\"; it has solver, erp, cfm");
    refuse("lcp", "iterative", "the method \"lcp\" has no solver \"iterative\"; it has dantzig, lemke, pgs");
    refuse("lcp", "hierarchy", "the method \"lcp\" has no solver \"hierarchy\"; it has dantzig, lemke, pgs");
    refuse("lcp:friction=pyramid", "dantzig", "lcp.friction is pyramid, which the solver dantzig does not support");
}

static running run_with_solver(const char *choice, const char *solver)
{
    trm_model *model = rubbing();
    chosen c;
    trm_simulation_def options;
    const way how = {.choice = choice, .step = 0.01};
    options_of(model, &how, &c, &options);
    options.solver = solver;
    running r = run_model(model, &options);
    make_steps(&r, 30, 0.01);
    return r;
}

/* "lcp:solver=pgs" and --solver pgs have the same effect. */
static void a_solver_of_its_own_is_chosen_either_way(void **state)
{
    (void)state;
    static const char *const solvers[] = {"dantzig", "lemke", "pgs"};
    running all[3];
    for (int i = 0; i < 3; i++) {
        char choice[100];
        snprintf(choice, sizeof choice, "lcp:solver=%s", solvers[i]);
        all[i] = run_with_solver("lcp", solvers[i]);
        running as_option = stepped(rubbing(), choice, 0.01, 30);
        assert_true(same_poses(&all[i], &as_option));
        assert_string_equal(trm_sim_options(all[i].sim)->solver, solvers[i]);
        stop(&as_option);
    }
    assert_true(apart(&all[0], &all[1]) > 1e-9); /* boxes of friction differ, and sweeps leave an error */
    assert_true(apart(&all[0], &all[2]) > 1e-9);
    for (int i = 0; i < 3; i++) stop(&all[i]);
    running pyramid = run_with_solver("lcp:friction=pyramid", "lemke");
    stop(&pyramid);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_pendulum_at_rest_hangs_by_its_weight_from_the_start_on),
        cmocka_unit_test(wanting_reactions_changes_no_bit_of_the_motion),
        cmocka_unit_test(a_run_resumes_bit_identically),
        cmocka_unit_test(a_step_that_fails_leaves_the_last_good_state),
        cmocka_unit_test(options_that_cannot_be_are_refused_by_name),
        cmocka_unit_test(a_solver_of_its_own_is_chosen_either_way),
    };
    return RUN_TESTS(tests);
}
