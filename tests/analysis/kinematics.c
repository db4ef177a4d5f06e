/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* Motion by drives, dead centres and ranges against closed forms. */

#include "resting.h"

static trm_kinematics *kinematics_of(const trm_model *model)
{
    trm_messages *messages = trm_messages_create(NULL);
    trm_kinematics *k = NULL;
    const trm_status status = trm_kinematics_create(model, NULL, messages, &k);
    print_messages(messages);
    trm_messages_destroy(messages);
    assert_int_equal(status, TRM_OK);
    return k;
}

/* Crank r about the origin, rod l, slider on x; driven at the crank or at the slider. q0 of the crank: a; of the slider: x. */
static trm_model *slider_crank(double r, double l, double a, const char *joint, const char *motion)
{
    static written w;
    const double bx = r * cos(a), by = r * sin(a), x = bx + sqrt(l * l - by * by);
    w.length = 0;
    put(&w,
        "{ \"trammel\": 1, \"bodies\": [{ \"name\": \"crank\", \"rod\": { \"from\": [0, 0, 0], \"to\": [%.17g, "
        "%.17g, 0], \"mass\": 1 } },",
        bx, by);
    put(&w, "{ \"name\": \"rod\", \"rod\": { \"from\": [%.17g, %.17g, 0], \"to\": [%.17g, 0, 0], \"mass\": 1 } },",
        bx, by, x);
    put(&w,
        "{ \"name\": \"slider\", \"mass\": 1, \"inertia\": [1, 1, 1], \"position\": [%.17g, 0, 0] }], \"joints\": [",
        x);
    put(&w,
        "{ \"name\": \"O\", \"type\": \"hinge\", \"bodies\": [\"ground\", \"crank\"], \"anchor\": [0, 0, 0], "
        "\"axis\": [0, 0, 1], \"q0\": %.17g },",
        a);
    put(&w,
        "{ \"name\": \"B\", \"type\": \"hinge\", \"bodies\": [\"crank\", \"rod\"], \"anchor\": [%.17g, %.17g, 0], "
        "\"axis\": [0, 0, 1] },",
        bx, by);
    put(&w,
        "{ \"name\": \"C\", \"type\": \"hinge\", \"bodies\": [\"rod\", \"slider\"], \"anchor\": [%.17g, 0, 0], "
        "\"axis\": [0, 0, 1] },",
        x);
    put(&w,
        "{ \"name\": \"way\", \"type\": \"slider\", \"bodies\": [\"ground\", \"slider\"], \"anchor\": [%.17g, 0, 0], "
        "\"axis\": [1, 0, 0], \"q0\": %.17g }]",
        x, x);
    if (joint)
        put(&w, ", \"forces\": [{ \"name\": \"d\", \"type\": \"drive\", \"joint\": \"%s\", \"motion\": \"%s\" }]",
            joint, motion);
    put(&w, " }");
    return model_of_text(w.text);
}

static void a_slider_crank_moves_as_its_closed_form(void **state)
{
    (void)state;
    const double r = 0.2, l = 0.5, w = 7;
    trm_model *model = slider_crank(r, l, 0.3, "O", "0.3 + 7*t");
    trm_kinematics *k = kinematics_of(model);
    assert_int_equal(trm_kinematics_undriven(k), 0);
    double worst[3] = {0, 0, 0};
    const int slider = trm_find_body(model, "slider");
    for (int i = 1; i <= 20; i++) {
        const double t = 0.1 * i, a = 0.3 + w * t, s = sin(a), c = cos(a), root = sqrt(l * l - r * r * s * s);
        assert_true(trm_kinematics_go(k, t).ok);
        const trm_state *now = trm_kinematics_state(k);
        const double x = r * c + root, v = -r * s * w - r * r * s * c * w / root;
        const double acc =
            -r * c * w * w - r * r * w * w * ((c * c - s * s) / root + r * r * s * s * c * c / (root * root * root));
        worst[0] = fmax(worst[0], fabs(trm_body_pose(now, slider).p.x - x));
        worst[1] = fmax(worst[1], fabs(trm_body_velocity(now, slider).lin.x - v));
        worst[2] = fmax(worst[2], fabs(trm_body_acceleration(now, slider).lin.x - acc));
    }
    printf("slider crank: %.2g m, %.2g m/s, %.2g m/s^2\n", worst[0], worst[1], worst[2]);
    assert_near(worst[0], 0, 1e-12);
    assert_near(worst[1], 0, 1e-10);
    assert_near(worst[2], 0, 1e-10);
    const trm_coordinate_name in = {trm_find_joint(model, "O"), 0}, out = {trm_find_joint(model, "way"), 0};
    const trm_state *now = trm_kinematics_state(k);
    assert_near(trm_transmission(k, in, out), trm_body_velocity(now, slider).lin.x / w, 1e-10);
    trm_kinematics_destroy(k);
    trm_model_destroy(model);
}

/* Driven at the slider outwards at 0.1 m/s, it locks stretched: x = r + l. */
static void the_dead_centre_is_named_with_its_time(void **state)
{
    (void)state;
    const double r = 0.2, l = 0.5, x0 = r * cos(0.9) + sqrt(l * l - r * r * sin(0.9) * sin(0.9));
    char motion[60];
    snprintf(motion, sizeof motion, "%.17g + 0.1*t", x0);
    trm_model *model = slider_crank(r, l, 0.9, "way", motion);
    trm_kinematics *k = kinematics_of(model);
    const trm_outcome outcome = trm_kinematics_go(k, 5);
    const double expected = (r + l - x0) / 0.1;
    trm_singular_pose pose;
    assert_false(outcome.ok);
    assert_true(trm_kinematics_singular(k, 0, &pose));
    printf("dead centre: off by %.2g s; %s\n", pose.time - expected, pose.text);
    assert_true(pose.locks);
    assert_near(pose.time, expected, 1e-9);
    assert_int_equal(pose.joint, trm_find_joint(model, "B"));
    trm_kinematics_destroy(k);
    trm_model_destroy(model);
}

/* Sun and arm driven: the planet turns by ratio times the sun against the arm. Bodies have no mass of their own to move. */
static void a_planetary_gear_turns_by_its_ratio(void **state)
{
    (void)state;
    trm_model *model = model_of_text("{ \"trammel\": 1, \"bodies\": [{ \"name\": \"sun\", \"mass\": 1, \"inertia\": "
                                     "[1, 1, 1] }, { \"name\": \"arm\", \"mass\": 1, "
                                     "\"inertia\": [1, 1, 1], \"position\": [0.5, 0, 0] }, { \"name\": \"planet\", "
                                     "\"mass\": 1, \"inertia\": [1, 1, 1], \"position\": "
                                     "[1, 0, 0] }], \"joints\": [{ \"name\": \"S\", \"type\": \"hinge\", \"bodies\": "
                                     "[\"ground\", \"sun\"], \"anchor\": [0, 0, 0], "
                                     "\"axis\": [0, 0, 1] }, { \"name\": \"A\", \"type\": \"hinge\", \"bodies\": "
                                     "[\"ground\", \"arm\"], \"anchor\": [0, 0, 0], \"axis\": "
                                     "[0, 0, 1] }, { \"name\": \"SA\", \"type\": \"hinge\", \"bodies\": [\"arm\", "
                                     "\"sun\"], \"anchor\": [0, 0, 0], \"axis\": [0, 0, 1] "
                                     "}, { \"name\": \"P\", \"type\": \"hinge\", \"bodies\": [\"arm\", \"planet\"], "
                                     "\"anchor\": [1, 0, 0], \"axis\": [0, 0, 1] }, { "
                                     "\"name\": \"g\", \"type\": \"gear\", \"joints\": [\"P\", \"SA\"], \"ratio\": "
                                     "-1.5 }], \"forces\": [{ \"name\": \"d1\", "
                                     "\"type\": \"drive\", \"joint\": \"S\", \"motion\": \"2*t\" }, { \"name\": "
                                     "\"d2\", \"type\": \"drive\", \"joint\": \"A\", "
                                     "\"motion\": \"0.7*t\" }] }");
    trm_kinematics *k = kinematics_of(model);
    assert_true(trm_kinematics_go(k, 5).ok);
    double q, qd;
    trm_joint_values(trm_kinematics_state(k), trm_find_joint(model, "P"), &q, &qd);
    assert_near(q, -1.5 * 1.3 * 5, 1e-12);
    assert_near(qd, -1.5 * 1.3, 1e-12);
    const int planet = trm_find_body(model, "planet");
    assert_near(trm_body_pose(trm_kinematics_state(k), planet).p.x, cos(3.5), 1e-12);
    assert_near(trm_body_acceleration(trm_kinematics_state(k), planet).lin.x, -0.49 * cos(3.5), 1e-10);
    trm_kinematics_destroy(k);
    trm_model_destroy(model);
}

/* ---- Ranges --------------------------------------------------------------------------------- */

static trm_model *four_bar(double a, double b, double c, double d, double angle)
{
    static written w;
    const double ax = a * cos(angle), ay = a * sin(angle), dx = d - ax, dy = -ay, e = sqrt(dx * dx + dy * dy);
    const double along = (e * e + b * b - c * c) / (2 * e), across = sqrt(b * b - along * along);
    const double cx = ax + (along * dx - across * dy) / e, cy = ay + (along * dy + across * dx) / e;
    w.length = 0;
    put(&w,
        "{ \"trammel\": 1, \"bodies\": [{ \"name\": \"a\", \"rod\": { \"from\": [0, 0, 0], \"to\": [%.17g, %.17g, "
        "0], \"mass\": 1 } },",
        ax, ay);
    put(&w, "{ \"name\": \"b\", \"rod\": { \"from\": [%.17g, %.17g, 0], \"to\": [%.17g, %.17g, 0], \"mass\": 1 } },",
        ax, ay, cx, cy);
    put(&w,
        "{ \"name\": \"c\", \"rod\": { \"from\": [%.17g, %.17g, 0], \"to\": [%.17g, 0, 0], \"mass\": 1 } }], "
        "\"joints\": [",
        cx, cy, d);
    put(&w,
        "{ \"name\": \"A\", \"type\": \"hinge\", \"bodies\": [\"ground\", \"a\"], \"anchor\": [0, 0, 0], \"axis\": "
        "[0, 0, 1], \"q0\": %.17g },",
        angle);
    put(&w,
        "{ \"name\": \"B\", \"type\": \"hinge\", \"bodies\": [\"a\", \"b\"], \"anchor\": [%.17g, %.17g, 0], "
        "\"axis\": [0, 0, 1] },",
        ax, ay);
    put(&w,
        "{ \"name\": \"C\", \"type\": \"hinge\", \"bodies\": [\"b\", \"c\"], \"anchor\": [%.17g, %.17g, 0], "
        "\"axis\": [0, 0, 1] },",
        cx, cy);
    put(&w,
        "{ \"name\": \"D\", \"type\": \"hinge\", \"bodies\": [\"c\", \"ground\"], \"anchor\": [%.17g, 0, 0], "
        "\"axis\": [0, 0, 1] }] }",
        d);
    return model_of_text(w.text);
}

static trm_motion_range range_of(const trm_model *model, const char *joint)
{
    trm_messages *messages = trm_messages_create(NULL);
    trm_motion_range range;
    const trm_status status =
        trm_find_range(model, (trm_coordinate_name){trm_find_joint(model, joint), 0}, NULL, messages, &range);
    print_messages(messages);
    trm_messages_destroy(messages);
    assert_int_equal(status, TRM_OK);
    return range;
}

static void ranges_of_four_bars_match_closed_forms(void **state)
{
    (void)state;
    trm_model *grashof = four_bar(1, 3, 2.5, 2.5, 1); /* 1 + 3 < 2.5 + 2.5: the crank turns */
    trm_motion_range r = range_of(grashof, "A");
    assert_true(r.full_turn);
    trm_model_destroy(grashof);
    /* 2 + 3 > 1.5 + 1.8: the crank locks where coupler and follower are stretched: e = b + c */
    const double a = 2, b = 1.5, c = 1.8, d = 3;
    trm_model *other = four_bar(a, b, c, d, 0.4);
    r = range_of(other, "A");
    const double most = acos((a * a + d * d - (b + c) * (b + c)) / (2 * a * d));
    printf("range: off by %.2g and %.2g rad\n", r.limits[0] + most, r.limits[1] - most);
    assert_false(r.full_turn);
    assert_near(r.limits[1], most, 1e-10);
    assert_near(r.limits[0], -most, 1e-10);
    for (int i = 0; i < 2; i++) assert_int_equal(r.locked_by[i], trm_find_joint(other, "C"));
    trm_model_destroy(other);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_slider_crank_moves_as_its_closed_form),
        cmocka_unit_test(the_dead_centre_is_named_with_its_time),
        cmocka_unit_test(a_planetary_gear_turns_by_its_ratio),
        cmocka_unit_test(ranges_of_four_bars_match_closed_forms),
    };
    return RUN_TESTS(tests);
}
