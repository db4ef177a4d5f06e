/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* Quantities and outputs: values of columns compared with closed forms. */

#include "choosing.h"
#include "running.h"

/* Returns the value of a column in the current state, after reactions have been computed. */
static double column(running *r, const char *name)
{
    trm_messages *messages = trm_messages_create(NULL);
    trm_results *results = NULL;
    if (trm_results_create(r->model, name, NULL, messages, &results) != TRM_OK) {
        print_messages(messages);
        fail_msg("no column %s", name);
    }
    assert_int_equal(trm_result_count(results), 1);
    trm_sim_enable_reactions(r->sim, true);
    assert_good(trm_sim_observe(r->sim));
    const double value = trm_result_value(results, 0, trm_sim_state(r->sim));
    trm_results_destroy(results);
    trm_messages_destroy(messages);
    return value;
}

/* ---- The suspension ----------------------------------------------------------------------- */

typedef struct flat {
    double y, z;
} flat;

static double distance_of(flat a, flat b)
{
    return hypot(b.y - a.y, b.z - a.z);
}

/* The four-bar linkage of the wishbones: b on a circle about a, c on circles about b and d. */
typedef struct wishbones {
    flat b, c, seat;
    double camber, coil;
} wishbones;

static wishbones wishbones_at(double q)
{
    const flat a = {0.3, 0.2}, d = {0.35, 0.5}, top = {0.4, 0.65};
    const double upright = 0.3, upper = 0.25, lower = 0.3, to_seat = 0.2;
    wishbones w = {.b = {a.y + lower * cos(q), a.z + lower * sin(q)},
                   .seat = {a.y + to_seat * cos(q), a.z + to_seat * sin(q)}};
    const double L = distance_of(w.b, d), along = (L * L + upright * upright - upper * upper) / (2 * L);
    const double across = sqrt(upright * upright - along * along);
    const flat n = {(d.y - w.b.y) / L, (d.z - w.b.z) / L};
    w.c = (flat){w.b.y + along * n.y + across * n.z, w.b.z + along * n.z - across * n.y};
    w.camber = atan2(w.c.y - w.b.y, w.c.z - w.b.z);
    w.coil = distance_of(top, w.seat);
    return w;
}

static void camber_and_coil_force_of_a_suspension_match_its_geometry(void **state)
{
    (void)state;
    const double exact = 1e-12; /* rad, m; also N: forces are about 10^3 N, with 30 kN/m */
    const double pi = 3.14159265358979323846, k = 30e3, c = 1.5e3;
    running r = run_file(TRM_EXAMPLES "/suspension.json", 0.005, 1e-13);
    double worst_camber = 0, worst_force = 0;
    for (int i = 1; i <= 8; i++) {
        const double t = i * 0.115, turn = 6 * pi / 180, q = turn * (1 - cos(2 * pi * t)),
                     qd = turn * 2 * pi * sin(2 * pi * t);
        go(&r, t);
        const wishbones w = wishbones_at(q);
        const flat arm = {w.seat.y - 0.3, w.seat.z - 0.2}, line = {w.seat.y - 0.4, w.seat.z - 0.65};
        const double rate = qd * (line.z * arm.y - line.y * arm.z) / w.coil;
        const double force = k * (w.coil - 0.45) + c * rate;
        worst_camber = fmax(worst_camber, fabs(column(&r, "camber") + w.camber));
        worst_force = fmax(worst_force, fabs(column(&r, "coil.force") / force - 1));
        assert_near(column(&r, "coil.length"), w.coil, exact);
        assert_near(column(&r, "coil.rate"), rate, exact);
        assert_near(column(&r, "coil.power"), -force * rate, 1e3 * exact);
        assert_near(column(&r, "coil.energy"), 0.5 * k * (w.coil - 0.45) * (w.coil - 0.45), 1e3 * exact);
        assert_near(column(&r, "seat.y"),
                    (w.seat.y - 0.5 * (w.b.y + w.c.y)) * cos(w.camber) -
                        (w.seat.z - 0.5 * (w.b.z + w.c.z)) * sin(w.camber),
                    exact);
    }
    print_message("    camber to %.1e rad, coil force to %.1e of it\n", worst_camber, worst_force);
    assert_true(worst_camber <= exact && worst_force <= exact);
    stop(&r);
}

/* ---- Each kind of element ----------------------------------------------------------------- */

/* A bob of 2 kg on a rod that a drive turns at w = 3 rad/s about z, gravity along -y; a block that a servo holds; a
 * ball at rest on the floor. The drive's torque balances the weight; a reaction in the frame of the joint turns with
 * it. */
#define MACHINE                                                                                                      \
    "{ \"trammel\": 1, \"gravity\": [0, 0, -10], \"bodies\": ["                                                      \
    "{ \"name\": \"bob\", \"mass\": 2, \"inertia\": [0.1, 0.1, 0.1], \"position\": [0.5, 0, 0] },"                   \
    "{ \"name\": \"block\", \"mass\": 1, \"inertia\": [1, 1, 1], \"position\": [3, 0, 0] },"                         \
    "{ \"name\": \"hung\", \"point\": true, \"mass\": 4, \"position\": [0, 5, -1] },"                                \
    "{ \"name\": \"ball\", \"position\": [0, -5, 0.5],"                                                              \
    "  \"shapes\": [{ \"type\": \"sphere\", \"radius\": 0.5, \"density\": 1 }] },"                                   \
    "{ \"name\": \"floor\", \"fixed\": true, \"shapes\": [{ \"type\": \"plane\", \"normal\": [0, 0, 1] }] }],"       \
    "\"joints\": [{ \"name\": \"axle\", \"type\": \"hinge\", \"bodies\": [\"ground\", \"bob\"], \"anchor\": [0, 0, " \
    "0],"                                                                                                            \
    "  \"axis\": [0, 1, 0] },"                                                                                       \
    "{ \"name\": \"way\", \"type\": \"slider\", \"bodies\": [\"ground\", \"block\"], \"anchor\": [3, 0, 0],"         \
    "  \"axis\": [0, 0, 1] },"                                                                                       \
    "{ \"name\": \"wire\", \"type\": \"distance\", \"bodies\": [\"ground\", \"hung\"],"                              \
    "  \"anchors\": [[0, 5, 0], [0, 0, 0]] }], \"forces\": ["                                                        \
    "{ \"name\": \"turn\", \"type\": \"drive\", \"joint\": \"axle\", \"motion\": \"3*t\" },"                         \
    "{ \"name\": \"lift\", \"type\": \"servo\", \"joint\": \"way\", \"kp\": 100, \"max\": 2, \"target\": 0 }] }"

static void every_element_tells_what_it_does(void **state)
{
    (void)state;
    const double near = 1e-9;
    running r =
        run_chosen(model_of_text(MACHINE), (way){.choice = "impulse", .order = 4, .step = 0.005, .tolerance = 1e-12});
    const double t = 0.25, m = 2, g = 10, w = 3, l = 0.5;
    go(&r, t);
    /* about y the bob moves down first: x = l cos(wt), z = -l sin(wt) */
    const double torque = -m * g * l * cos(w * t);
    assert_near(column(&r, "turn.force"), torque, near);
    assert_near(column(&r, "turn.power"), torque * w, near);
    assert_near(column(&r, "bob.E_kin"), 0.5 * (m * l * l + 0.1) * w * w, near);
    assert_near(column(&r, "bob.E_pot"), -m * g * l * sin(w * t), near);
    assert_near(column(&r, "wire.force"), 40, near);
    assert_near(column(&r, "wire.length"), 1, near);
    assert_near(column(&r, "ball on floor.fz"), 10 * TRM_PI / 6, 1e-6);
    assert_near(column(&r, "floor on ball.force"), 10 * TRM_PI / 6, 1e-6);
    /* q = -0.1 (1 - cos 10 t) down to -0.02, where the servo reaches its limit; then the block falls with 8 m/s^2 */
    const double since = t - acos(0.8) / 10, fallen = -0.02 - 0.6 * since - 4 * since * since;
    assert_near(column(&r, "lift.force"), 2, near);
    assert_near(column(&r, "lift.saturated"), 1, 0);
    assert_near(column(&r, "lift.length"), fallen,
                1e-4); /* steps do not end exactly where the force reaches its limit */
    assert_near(column(&r, "lift.power"), 2 * column(&r, "lift.rate"), near);
    const double own = hypot(hypot(column(&r, "axle.jfx"), column(&r, "axle.jfy")), column(&r, "axle.jfz"));
    assert_near(own, hypot(hypot(column(&r, "axle.fx"), column(&r, "axle.fy")), column(&r, "axle.fz")), near);
    assert_near(fabs(column(&r, "axle.jtz")), 0, near); /* z is the axis */
    stop(&r);
}

/* ---- Expressions -------------------------------------------------------------------------- */

static trm_model *model_with_output(const char *value, trm_messages *messages)
{
    char text[600];
    trm_model_def *def = NULL;
    trm_model *model = NULL;
    snprintf(
        text, sizeof text,
        "{\"trammel\": 1, \"constants\": {\"k\": 3}, \"inputs\": {\"u\": {\"start\": 2}}, \"bodies\": [{\"name\": "
        "\"left-hub\", \"mass\": 1, \"inertia\": [1, 1, 1], \"position\": [1, 2, 3], \"axes\": {\"up\": [0, 0, 5]},"
        " \"points\": {\"p\": [1, 0, 0]}}],\n\"outputs\": {\"o\": \"k + u\", \"p\": \"%s\"}}",
        value);
    if (trm_read_model_text(text, strlen(text), "text", NULL, NULL, messages, &def) == TRM_OK)
        trm_model_create(def, NULL, messages, &model);
    trm_model_def_destroy(def);
    return model;
}

static void expressions_see_elements_constants_inputs_and_outputs_before_them(void **state)
{
    (void)state;
    trm_messages *messages = trm_messages_create(NULL);
    trm_model *model = model_with_output("o*10 + 'left-hub'.up.z + 'left-hub'.p.x/m + 'left-hub'.y*mm", messages);
    print_messages(messages);
    assert_non_null(model);
    trm_state *start = trm_state_create(model, NULL);
    trm_results *results = NULL;
    assert_int_equal(trm_results_create(model, "p", NULL, messages, &results), TRM_OK);
    assert_near(trm_result_value(results, 0, start), 50 + 1 + 2 + 2e-3, 1e-15);
    trm_results_destroy(results);
    trm_state_destroy(start);
    trm_model_destroy(model);
    trm_messages_destroy(messages);
}

static void unknown_quantities_are_refused_where_they_stand(void **state)
{
    (void)state;
    trm_messages *messages = trm_messages_create(NULL);
    assert_null(model_with_output("1 + 'left-hub'.down.z", messages));
    const trm_message *said = trm_message_at(messages, 0);
    assert_non_null(strstr(said->text, "unknown name ''left-hub'.down.z'"));
    assert_int_equal(said->place.line, 2);
    assert_int_equal(said->place.column, 37); /* of the quote */
    assert_string_equal(said->element, "output 'p'");
    trm_messages_destroy(messages);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(camber_and_coil_force_of_a_suspension_match_its_geometry),
        cmocka_unit_test(every_element_tells_what_it_does),
        cmocka_unit_test(expressions_see_elements_constants_inputs_and_outputs_before_them),
        cmocka_unit_test(unknown_quantities_are_refused_where_they_stand),
    };
    return RUN_TESTS(tests);
}
