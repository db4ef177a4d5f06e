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

/* Builds a crank r about the origin, rod l, slider on x, driven at the crank or at the slider. q0 of the crank: a; of
 * the slider: x. */
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

/* At a stretched start the slider cannot be driven outwards or inwards at a given speed. */
static void a_motion_that_starts_in_a_dead_centre_is_named(void **state)
{
    (void)state;
    trm_model *model = slider_crank(0.2, 0.5, 0, "way", "0.7 - 0.1*t");
    trm_kinematics *k = kinematics_of(model);
    trm_singular_pose pose;
    assert_int_equal(trm_kinematics_undriven(k), 0);
    const trm_outcome outcome = trm_kinematics_go(k, 1);
    assert_false(outcome.ok);
    assert_non_null(strstr(outcome.why, "starts at t = 0 s in a dead centre"));
    assert_true(trm_kinematics_singular(k, 0, &pose) && pose.locks && pose.time == 0);
    assert_int_equal(pose.joint, trm_find_joint(model, "B"));
    trm_kinematics_destroy(k);
    trm_model_destroy(model);
}

/* ---- Four-bar, Stewart platform, cams ------------------------------------------------------- */

static trm_model *four_bar(double a, double b, double c, double d, double angle, const char *motion);

/* Solves a 2 x 2 system: the angular velocities, or accelerations, of coupler and follower for which the loop stays
 * closed. */
static void solve_loop(const double b[2], const double c[2], const double right[2], double *of_b, double *of_c)
{
    /* w_b x b - w_c x c = right, with x the rotation by 90 degrees (x, y) -> (-y, x) */
    const double m[4] = {-b[1], c[1], b[0], -c[0]}, det = m[0] * m[3] - m[1] * m[2];
    *of_b = (right[0] * m[3] - m[1] * right[1]) / det;
    *of_c = (m[0] * right[1] - right[0] * m[2]) / det;
}

static void a_driven_four_bar_moves_as_its_closed_form(void **state)
{
    (void)state;
    static const double bars[3][4] = {{1, 3, 2.5, 2.5}, {0.3, 0.9, 0.8, 1.1}, {2, 5, 4.5, 4}};
    double worst[3] = {0, 0, 0};
    for (int n = 0; n < 3; n++) {
        const double a = bars[n][0], b = bars[n][1], c = bars[n][2], d = bars[n][3], w = 3 + n;
        char motion[60];
        snprintf(motion, sizeof motion, "1 + %.17g*t", w);
        trm_model *model = four_bar(a, b, c, d, 1, motion);
        trm_kinematics *k = kinematics_of(model);
        const int follower = trm_find_body(model, "c");
        for (int i = 1; i <= 25; i++) {
            const double t = 0.1 * i, angle = 1 + w * t, ax = a * cos(angle), ay = a * sin(angle);
            const double ex = d - ax, ey = -ay, e = sqrt(ex * ex + ey * ey);
            const double along = (e * e + b * b - c * c) / (2 * e), across = sqrt(b * b - along * along);
            const double C[2] = {ax + (along * ex - across * ey) / e, ay + (along * ey + across * ex) / e};
            const double vb[2] = {C[0] - ax, C[1] - ay}, vc[2] = {C[0] - d, C[1]};
            double wb, wc, ab, ac;
            solve_loop(vb, vc, (double[]){w * ay, -w * ax}, &wb, &wc);
            const double right[2] = {w * w * ax + wb * wb * vb[0] - wc * wc * vc[0],
                                     w * w * ay + wb * wb * vb[1] - wc * wc * vc[1]};
            solve_loop(vb, vc, right, &ab, &ac);
            assert_true(trm_kinematics_go(k, t).ok);
            const trm_state *now = trm_kinematics_state(k);
            worst[0] = fmax(worst[0], fabs(trm_body_pose(now, follower).p.x - 0.5 * (C[0] + d)));
            worst[0] = fmax(worst[0], fabs(trm_body_pose(now, follower).p.y - 0.5 * C[1]));
            worst[1] = fmax(worst[1], fabs(trm_body_velocity(now, follower).ang.z - wc));
            worst[2] = fmax(worst[2], fabs(trm_body_acceleration(now, follower).ang.z - ac));
        }
        trm_kinematics_destroy(k);
        trm_model_destroy(model);
    }
    printf("four-bars: %.2g m, %.2g rad/s, %.2g rad/s^2\n", worst[0], worst[1], worst[2]);
    assert_near(worst[0], 0, 1e-12);
    assert_near(worst[1], 0, 1e-10);
    assert_near(worst[2], 0, 1e-10);
}

/* The platform moves along p(t) and turns by phi(t) about z: the length of each leg is |p + R b_i - a_i|. */
static const char STEWART_X[] = "0.1*sin(2*t)", STEWART_Y[] = "0.05*t", STEWART_Z[] = "(1 + 0.08*cos(3*t))",
                  STEWART_PHI[] = "(0.3*sin(t))";

/* Computes the ends of leg i on the ground and at the platform. Feet and heads are arranged in pairs, not in two
 * similar hexagons, which would be singular. */
static void place_leg(int i, double low[2], double high[2])
{
    const double middle = 2 * TRM_PI / 3 * (i / 2), side = i % 2 ? 1 : -1;
    low[0] = cos(middle + 0.9 * side), low[1] = sin(middle + 0.9 * side);
    high[0] = 0.5 * cos(middle + 0.2 * side), high[1] = 0.5 * sin(middle + 0.2 * side);
}

static void put_leg(written *w, int i)
{
    double low[2], high[2];
    place_leg(i, low, high);
    put(w, "%s{ \"name\": \"cylinder%d\", \"mass\": 1, \"inertia\": [1, 1, 1], \"position\": [%.17g, %.17g, 0] },",
        i ? "," : "", i, low[0], low[1]);
    put(w, "{ \"name\": \"piston%d\", \"mass\": 1, \"inertia\": [1, 1, 1], \"position\": [%.17g, %.17g, 1.08] }", i,
        high[0], high[1]);
}

static void put_leg_joints(written *w, int i)
{
    double low[2], high[2];
    place_leg(i, low, high);
    const double dir[3] = {high[0] - low[0], high[1] - low[1], 1.08};
    const double length = sqrt(dir[0] * dir[0] + dir[1] * dir[1] + dir[2] * dir[2]);
    /* two axes of the universal joint, orthogonal to the leg and to each other */
    const double across = sqrt(dir[0] * dir[0] + dir[1] * dir[1]), u[3] = {-dir[1] / across, dir[0] / across, 0};
    const double v[3] = {dir[1] * u[2] - dir[2] * u[1], dir[2] * u[0] - dir[0] * u[2], dir[0] * u[1] - dir[1] * u[0]};
    put(w,
        "%s{ \"name\": \"foot%d\", \"type\": \"universal\", \"bodies\": [\"ground\", \"cylinder%d\"], \"anchor\": "
        "[%.17g, %.17g, 0], "
        "\"axis\": [%.17g, %.17g, 0], \"axis2\": [%.17g, %.17g, %.17g] },",
        i ? "," : "", i, i, low[0], low[1], u[0], u[1], v[0], v[1], v[2]);
    put(w,
        "{ \"name\": \"leg%d\", \"type\": \"slider\", \"bodies\": [\"cylinder%d\", \"piston%d\"], \"anchor\": "
        "[%.17g, %.17g, 1.08], "
        "\"axis\": [%.17g, %.17g, %.17g], \"q0\": %.17g },",
        i, i, i, high[0], high[1], dir[0], dir[1], dir[2], length);
    put(w,
        "{ \"name\": \"head%d\", \"type\": \"ball\", \"bodies\": [\"piston%d\", \"platform\"], \"anchor\": [%.17g, "
        "%.17g, 1.08] }",
        i, i, high[0], high[1]);
}

static void put_leg_drive(written *w, int i)
{
    double low[2], high[2];
    place_leg(i, low, high);
    put(w,
        "%s{ \"name\": \"d%d\", \"type\": \"drive\", \"joint\": \"leg%d\", \"motion\": \"sqrt("
        "(%s + %.17g*cos%s - %.17g*sin%s - %.17g)^2 + (%s + %.17g*sin%s + %.17g*cos%s - %.17g)^2 + %s^2)\" }",
        i ? "," : "", i, i, STEWART_X, high[0], STEWART_PHI, high[1], STEWART_PHI, low[0], STEWART_Y, high[0],
        STEWART_PHI, high[1], STEWART_PHI, low[1], STEWART_Z);
}

static void a_stewart_platform_follows_its_six_legs(void **state)
{
    (void)state;
    static written w;
    w.length = 0;
    put(&w, "{ \"trammel\": 1, \"bodies\": [{ \"name\": \"platform\", \"mass\": 1, \"inertia\": [1, 1, 1], "
            "\"position\": [0, 0, 1.08] },");
    for (int i = 0; i < 6; i++) put_leg(&w, i);
    put(&w, "], \"joints\": [");
    for (int i = 0; i < 6; i++) put_leg_joints(&w, i);
    put(&w, "], \"forces\": [");
    for (int i = 0; i < 6; i++) put_leg_drive(&w, i);
    put(&w, "] }");
    trm_model *model = model_of_text(w.text);
    trm_kinematics *k = kinematics_of(model);
    const int platform = trm_find_body(model, "platform");
    double worst[3] = {0, 0, 0};
    assert_int_equal(trm_kinematics_undriven(k), 0);
    for (int i = 1; i <= 30; i++) {
        const double t = 0.1 * i, phi = 0.3 * sin(t);
        assert_true(trm_kinematics_go(k, t).ok);
        const trm_state *now = trm_kinematics_state(k);
        const trm_pose pose = trm_body_pose(now, platform);
        const trm_spatial v = trm_body_velocity(now, platform), a = trm_body_acceleration(now, platform);
        worst[0] = fmax(worst[0], fabs(pose.p.x - 0.1 * sin(2 * t)) + fabs(pose.p.y - 0.05 * t));
        worst[0] = fmax(worst[0], fabs(pose.p.z - 1 - 0.08 * cos(3 * t)) + fabs(pose.q.z - sin(0.5 * phi)));
        worst[1] = fmax(worst[1], fabs(v.lin.x - 0.2 * cos(2 * t)) + fabs(v.lin.z + 0.24 * sin(3 * t)));
        worst[1] = fmax(worst[1], fabs(v.lin.y - 0.05) + fabs(v.ang.z - 0.3 * cos(t)));
        worst[2] = fmax(worst[2], fabs(a.lin.x + 0.4 * sin(2 * t)) + fabs(a.lin.z + 0.72 * cos(3 * t)));
        worst[2] = fmax(worst[2], fabs(a.lin.y) + fabs(a.ang.z + 0.3 * sin(t)));
    }
    printf("Stewart platform: %.2g m, %.2g m/s, %.2g m/s^2\n", worst[0], worst[1], worst[2]);
    assert_near(worst[0], 0, 1e-12);
    assert_near(worst[1], 0, 1e-10);
    assert_near(worst[2], 0, 1e-10);
    trm_kinematics_destroy(k);
    trm_model_destroy(model);
}

/* A pin of the follower runs in a round groove of the cam, whose centre is at the distance e from its axle: y = e sin
 * a + sqrt(R^2 - e^2 cos^2 a). A second follower is driven by a polynomial of the angle. */
static void cams_lead_their_followers_by_closed_forms(void **state)
{
    (void)state;
    const double e = 0.02, R = 0.05, w = 4;
    trm_model *model = model_of_text(
        "{ \"trammel\": 1, \"bodies\": [{ \"name\": \"cam\", \"mass\": 1, \"inertia\": [1, 1, 1] }, { \"name\": "
        "\"follower\", \"mass\": 1, \"inertia\": [1, 1, 1], \"position\": [0, 0.05, 0] }, "
        "{ \"name\": \"other\", \"mass\": 1, \"inertia\": [1, 1, 1], \"position\": [1, 0, 0] }], \"joints\": ["
        "{ \"name\": \"axle\", \"type\": \"hinge\", \"bodies\": [\"ground\", \"cam\"], \"anchor\": [0, 0, 0], "
        "\"axis\": [0, 0, 1] },"
        "{ \"name\": \"way\", \"type\": \"slider\", \"bodies\": [\"ground\", \"follower\"], \"anchor\": [0, 0, 0], "
        "\"axis\": [0, 1, 0] },"
        "{ \"name\": \"groove\", \"type\": \"curve\", \"bodies\": [\"cam\", \"follower\"], \"anchor\": [0, "
        "0.045825756949558400, 0], "
        "\"curve\": { \"circle\": { \"origin\": [0.02, 0, 0], \"axis\": [0, 0, 1], \"radius\": 0.05 } } },"
        "{ \"name\": \"guide\", \"type\": \"slider\", \"bodies\": [\"ground\", \"other\"], \"anchor\": [1, 0, 0], "
        "\"axis\": [0, 1, 0] },"
        "{ \"name\": \"lift\", \"type\": \"coupling\", \"offset\": 0, \"terms\": [{ \"joint\": \"guide\" }, { "
        "\"joint\": \"axle\", "
        "\"polynomial\": [0, -0.5, 0.125] }] }], "
        "\"forces\": [{ \"name\": \"d\", \"type\": \"drive\", \"joint\": \"axle\", \"motion\": \"4*t\" }] }");
    trm_kinematics *k = kinematics_of(model);
    double worst[3] = {0, 0, 0};
    for (int i = 1; i <= 40; i++) {
        const double t = 0.05 * i, a = w * t, s = sin(a), c = cos(a), root = sqrt(R * R - e * e * c * c);
        const double y = e * s + root, v = w * (e * c + e * e * c * s / root);
        const double acc =
            w * w * (-e * s + e * e * (c * c - s * s) / root - e * e * e * e * c * c * s * s / (root * root * root));
        const double lift = 0.5 * a * a - 0.125 * a * a * a, lift_v = w * (a - 0.375 * a * a),
                     lift_a = w * w * (1 - 0.75 * a);
        assert_true(trm_kinematics_go(k, t).ok);
        const trm_state *now = trm_kinematics_state(k);
        const int follower = trm_find_body(model, "follower"), other = trm_find_body(model, "other");
        /* the pin is 0.05 - y(0) below the origin of the follower */
        const double y0 = sqrt(R * R - e * e);
        worst[0] = fmax(worst[0], fabs(trm_body_pose(now, follower).p.y - (y + 0.05 - y0)) +
                                      fabs(trm_body_pose(now, other).p.y - lift));
        worst[1] = fmax(worst[1], fabs(trm_body_velocity(now, follower).lin.y - v) +
                                      fabs(trm_body_velocity(now, other).lin.y - lift_v));
        worst[2] = fmax(worst[2], fabs(trm_body_acceleration(now, follower).lin.y - acc) +
                                      fabs(trm_body_acceleration(now, other).lin.y - lift_a));
    }
    printf("cams: %.2g m, %.2g m/s, %.2g m/s^2\n", worst[0], worst[1], worst[2]);
    assert_near(worst[0], 0, 1e-12);
    assert_near(worst[1], 0, 1e-10);
    assert_near(worst[2], 0, 1e-10);
    trm_kinematics_destroy(k);
    trm_model_destroy(model);
}

/* Sun and arm are driven: the planet turns by ratio times the rotation of the sun relative to the arm. The bodies
 * have no mass. */
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

static trm_model *four_bar(double a, double b, double c, double d, double angle, const char *motion)
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
        "\"axis\": [0, 0, 1] }]",
        d);
    if (motion)
        put(&w, ", \"forces\": [{ \"name\": \"m\", \"type\": \"drive\", \"joint\": \"A\", \"motion\": \"%s\" }]",
            motion);
    put(&w, " }");
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
    trm_model *grashof = four_bar(1, 3, 2.5, 2.5, 1, NULL); /* 1 + 3 < 2.5 + 2.5: the crank turns */
    trm_motion_range r = range_of(grashof, "A");
    assert_true(r.full_turn);
    trm_model_destroy(grashof);
    /* 2 + 3 > 1.5 + 1.8: the crank locks where coupler and follower are stretched, e = b + c */
    const double a = 2, b = 1.5, c = 1.8, d = 3;
    trm_model *other = four_bar(a, b, c, d, 0.4, NULL);
    r = range_of(other, "A");
    const double most = acos((a * a + d * d - (b + c) * (b + c)) / (2 * a * d));
    printf("range: off by %.2g and %.2g rad\n", r.limits[0] + most, r.limits[1] - most);
    assert_false(r.full_turn);
    assert_near(r.limits[1], most, 1e-10);
    assert_near(r.limits[0], -most, 1e-10);
    for (int i = 0; i < 2; i++) assert_int_equal(r.locked_by[i], trm_find_joint(other, "C"));
    trm_model_destroy(other);
}

/* The slider moves between l - r and l + r from any start, including dead centres. */
static void the_range_of_a_slider_is_found_from_any_start(void **state)
{
    (void)state;
    const double starts[] = {0, 0.4, -2, TRM_PI};
    for (int i = 0; i < 4; i++) {
        trm_model *model = slider_crank(0.2, 0.5, starts[i], NULL, NULL);
        const trm_motion_range r = range_of(model, "way");
        printf("slider: off by %.2g and %.2g m\n", r.limits[0] - 0.3, r.limits[1] - 0.7);
        assert_near(r.limits[0], 0.3, 1e-12);
        assert_near(r.limits[1], 0.7, 1e-12);
        assert_true(r.locked_by[0] >= 0 && r.locked_by[1] >= 0);
        trm_model_destroy(model);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_slider_crank_moves_as_its_closed_form),
        cmocka_unit_test(the_dead_centre_is_named_with_its_time),
        cmocka_unit_test(a_motion_that_starts_in_a_dead_centre_is_named),
        cmocka_unit_test(a_driven_four_bar_moves_as_its_closed_form),
        cmocka_unit_test(a_stewart_platform_follows_its_six_legs),
        cmocka_unit_test(cams_lead_their_followers_by_closed_forms),
        cmocka_unit_test(a_planetary_gear_turns_by_its_ratio),
        cmocka_unit_test(ranges_of_four_bars_match_closed_forms),
        cmocka_unit_test(the_range_of_a_slider_is_found_from_any_start),
    };
    return RUN_TESTS(tests);
}
