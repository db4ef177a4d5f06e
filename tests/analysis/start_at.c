/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* A state written as a model starts there and continues as the first run does. */

#include <math.h>

#include "running.h"

/* Runs to t, writes the state as a model, reads it, and runs both to 2 t. Returns the distance of bodies and
 * coordinates. */
static double continue_both(const char *file, double t)
{
    trm_model_def *def = read_model_file(file);
    running first = run_model_at(build_model(def), 0.001, 1e-12);
    go(&first, t);
    assert_true(trm_sim_observe(first.sim).ok);
    trm_messages *messages = trm_messages_create(NULL);
    trm_text *text = trm_text_create(NULL);
    assert_int_equal(trm_start_at(def, trm_sim_state(first.sim), messages), TRM_OK);
    assert_int_equal(trm_write_model(def, trm_text_sink(text)), TRM_OK);
    running second = run_text(trm_text_get(text), 0.001, 1e-12);
    go(&first, 2 * t);
    go(&second, t);
    const trm_state *a = trm_sim_state(first.sim), *b = trm_sim_state(second.sim);
    double off = 0;
    for (int i = 1; i < trm_body_count(first.model); i++)
        off = fmax(off, trm_v3_length(trm_v3_sub(trm_body_pose(a, i).p, trm_body_pose(b, i).p)));
    for (int j = 0; j < trm_joint_count(first.model); j++) {
        double p[TRM_JOINT_COORDINATES], q[TRM_JOINT_COORDINATES];
        const int count = trm_joint_values(a, j, p, NULL);
        trm_joint_values(b, j, q, NULL);
        for (int k = 0; count == 1 && k < count; k++) off = fmax(off, fabs(p[k] - q[k]));
    }
    trm_text_destroy(text);
    trm_messages_destroy(messages);
    trm_model_def_destroy(def);
    stop(&first);
    stop(&second);
    return off;
}

/* Rods, springs with rest lengths of the start, drives, motors, gears, events, curves, screws: all functions of time
 * are shifted. */
static void the_written_model_continues_the_run(void **state)
{
    (void)state;
    static const char *const files[] = {"8-loop",
                                        "four-bar",
                                        "slider-crank",
                                        "engine",
                                        "cardan",
                                        "trammel",
                                        "arm",
                                        "crane",
                                        "spring-mass",
                                        "roller-coaster",
                                        "problems/r15b-screw",
                                        "problems/r15e-hooke-joint",
                                        "problems/r07-spatial-slider-crank"};
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        char path[300];
        snprintf(path, sizeof path, "%s/%s.json", TRM_EXAMPLES, files[i]);
        const double off = continue_both(path, 0.2);
        if (off > 1e-8) print_error("%s: %g\n", files[i], off);
        assert_near(off, 0, 1e-8);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(the_written_model_continues_the_run)};
    return RUN_TESTS(tests);
}
