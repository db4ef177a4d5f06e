/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* The verdict about joint forces of machines with redundant rows: only forces that are not unique are reported. */

#include "running.h"

/* A slider crank with hinges: three rows that keep it in its plane are redundant. */
static const char CRANK[] =
    "{ 'trammel': 1, 'bodies': [{ 'name': 'crank', 'rod': { 'from': [0, 0, 0], 'to': [0.1, 0, 0], 'mass': 1 } },"
    "{ 'name': 'rod', 'rod': { 'from': [0.1, 0, 0], 'to': [0.4, 0, 0], 'mass': 1 } },"
    "{ 'name': 'piston', 'mass': 0.5, 'inertia': [1e-3, 1e-3, 1e-3], 'position': [0.4, 0, 0] }], 'joints': ["
    "{ 'name': 'A', 'type': 'hinge', 'bodies': ['ground', 'crank'], 'anchor': [0, 0, 0], 'axis': [0, 1, 0] },"
    "{ 'name': 'B', 'type': 'hinge', 'bodies': ['crank', 'rod'], 'anchor': [0.1, 0, 0], 'axis': [0, 1, 0] },"
    "{ 'name': 'C', 'type': 'hinge', 'bodies': ['rod', 'piston'], 'anchor': [0.4, 0, 0], 'axis': [0, 1, 0] },"
    "{ 'name': 'D', 'type': 'slider', 'bodies': ['ground', 'piston'], 'anchor': [0.4, 0, 0], 'axis': [1, 0, 0] }],"
    "'forces': [{ 'name': 'motor', 'type': 'drive', 'joint': 'A', 'motion': '0.5 + 3*t' }],"
    "'outputs': { 'load': '2*A.fx + piston.ax', 'side': 'abs(B.fy)' } }";

static trm_grade grade_of(const char *columns)
{
    trm_simulation_def o = trm_default_simulation_def();
    o.step = 1e-3;
    running r = run_model(quoted(CRANK), &o);
    trm_results *results = NULL;
    trm_messages *messages = trm_messages_create(NULL);
    assert_int_equal(trm_results_create(r.model, columns, NULL, messages, &results), TRM_OK);
    assert_int_equal(trm_results_enable(results, r.sim), TRM_OK);
    assert_int_equal(trm_results_enable(results, r.sim), TRM_OK);
    go(&r, 0.1);
    assert_true(trm_sim_observe(r.sim).ok);
    trm_verdict verdict;
    trm_sim_verdict(r.sim, &verdict);
    trm_results_destroy(results);
    trm_messages_destroy(messages);
    stop(&r);
    return verdict.grade;
}

static void only_forces_that_are_not_unique_are_reported(void **state)
{
    (void)state;
    static const char *const unique[] = {"piston.ax", "rod.aly",   "motor.force", "motor.power",
                                         "A.fx,A.fz", "C.fx,B.fz", "D.fz,D.ty",   "load"};
    static const char *const shared[] = {"A.fy", "A.tx", "B.jfx,B.jfy,B.jfz", "D.fy", "side", "motor.force,A.tz"};
    for (size_t i = 0; i < sizeof unique / sizeof *unique; i++)
        if (grade_of(unique[i]) != TRM_GOOD) fail_msg("%s", unique[i]);
    for (size_t i = 0; i < sizeof shared / sizeof *shared; i++)
        if (grade_of(shared[i]) != TRM_CHECK) fail_msg("%s", shared[i]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(only_forces_that_are_not_unique_are_reported),
    };
    return RUN_TESTS(tests);
}
