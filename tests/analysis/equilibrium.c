/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* Equilibria against closed forms and against scans of the potential. */

#include "resting.h"
#include "sanitized.h"

static const double G = 9.81;

static void a_pendulum_hangs(void **state)
{
    (void)state;
    resting r = rest_example("pendulum");
    assert_true(r.result->found && r.result->unstable == 0 && r.result->freedoms == 2);
    assert_near(r.result->relative, 0, 1e-13);
    end_resting(&r);
}

#define UPRIGHT                                                                                                      \
    "{ \"trammel\": 1, \"gravity\": [0, -9.81, 0], \"bodies\": [{ \"name\": \"rod\", \"rod\": { \"from\": [0, 0, "   \
    "0], "                                                                                                           \
    "\"to\": [0, 1, 0], \"mass\": 1 } }], \"joints\": [{ \"name\": \"p\", \"type\": \"hinge\", \"bodies\": "         \
    "[\"ground\", \"rod\"], \"anchor\": [0, 0, 0], \"axis\": [0, 0, 1] }] }"

static void an_upright_pendulum_is_unstable_and_falls_when_relaxed(void **state)
{
    (void)state;
    resting r = rest_text(UPRIGHT);
    assert_true(r.result->found);
    assert_int_equal(r.result->unstable, 1);
    assert_int_equal(r.result->unstable_count, 1);
    end_resting(&r);
    r = rest_model(model_of_text(UPRIGHT), true);
    assert_true(r.result->found && r.result->unstable == 0);
    assert_near(fabs(angle_of(&r, "p")), TRM_PI, 1e-12);
    assert_near(trm_joint_reaction(r.state, 0).lin.y, G, 1e-12);
    end_resting(&r);
}

/* ---- The chain ----------------------------------------------------------------------------- */

enum { RODS = SANITIZED ? 16 : 50 };

/* Computes the ends of a chain with horizontal force H and vertical force V at its left end. Rod i has the angle tan
 * = (V - (i + 1/2) w)/H, w the weight of a rod. The test finds H and V by Newton's method. */
static void chain_ends(double H, double V, double L, double w, double end[2])
{
    end[0] = end[1] = 0;
    for (int i = 0; i < RODS; i++) {
        const double t = -(V - (i + 0.5) * w) / H, c = 1 / sqrt(1 + t * t);
        end[0] += L * c, end[1] += L * c * t;
    }
}

static void solve_chain(double L, double w, double span, double drop, double *H, double *V)
{
    *H = w * RODS / 2.0, *V = w * RODS / 2.0;
    for (int round = 0; round < 60; round++) {
        double e[2], a[2], b[2];
        const double h = 1e-6;
        chain_ends(*H, *V, L, w, e);
        chain_ends(*H + h, *V, L, w, a);
        chain_ends(*H, *V + h, L, w, b);
        const double J[4] = {(a[0] - e[0]) / h, (b[0] - e[0]) / h, (a[1] - e[1]) / h, (b[1] - e[1]) / h};
        const double d = J[0] * J[3] - J[1] * J[2], x = span - e[0], y = drop - e[1];
        *H += fmax(-0.5 * *H, (x * J[3] - y * J[1]) / d);
        *V += (y * J[0] - x * J[2]) / d;
    }
}

static void a_chain_of_fifty_rods_hangs_as_a_catenary_of_rods(void **state)
{
    (void)state;
    static written w;
    const double L = 0.1, m = 0.3, span = 0.062 * RODS, drop = -0.008 * RODS; /* m, kg */
    const double length = sqrt(span * span + drop * drop) / RODS;
    w.length = 0;
    put(&w, "{ \"trammel\": 1, \"gravity\": [0, %.17g, 0], \"bodies\": [", -G);
    /* start: a tight arc of rods of the right length, which assembly closes */
    const double lift = sqrt(L * L - length * length);
    for (int i = 0; i <= RODS; i++) {
        const double side = i % 2 ? 1 : 0, s = (double)i / RODS;
        const double x = span * s - lift * side * drop / (length * RODS),
                     y = drop * s + lift * side * span / (length * RODS);
        if (i > 0) put(&w, ", \"to\": [%.17g, %.17g, 0], \"mass\": %g } }%s", x, y, m, i < RODS ? "," : "]");
        if (i < RODS) put(&w, "{ \"name\": \"r%d\", \"rod\": { \"from\": [%.17g, %.17g, 0]", i, x, y);
    }
    put(&w, ", \"joints\": [");
    for (int i = 0; i <= RODS; i++) {
        const double side = i % 2 ? 1 : 0, s = (double)i / RODS;
        const double x = span * s - lift * side * drop / (length * RODS),
                     y = drop * s + lift * side * span / (length * RODS);
        char a[20] = "ground", b[20] = "ground";
        if (i > 0) snprintf(a, sizeof a, "r%d", i - 1);
        if (i < RODS) snprintf(b, sizeof b, "r%d", i);
        put(&w,
            "{ \"name\": \"j%d\", \"type\": \"hinge\", \"bodies\": [\"%s\", \"%s\"], \"anchor\": [%.17g, %.17g, 0], "
            "\"axis\": [0, 0, 1] }%s",
            i, a, b, x, y, i < RODS ? "," : "] }");
    }
    resting r = rest_model(model_of_text(w.text), true);
    assert_true(r.result->found && r.result->unstable == 0);
    assert_int_equal(r.result->freedoms, RODS - 2);
    double H, V, x = 0, y = 0;
    solve_chain(L, m * G, span, drop, &H, &V);
    for (int i = 0; i < RODS; i++) { /* middles of the rods */
        const double t = -(V - (i + 0.5) * m * G) / H, c = 1 / sqrt(1 + t * t);
        char name[20];
        snprintf(name, sizeof name, "r%d", i);
        const trm_vec3 p = position_of(&r, name);
        assert_near(p.x, x + 0.5 * L * c, 1e-10);
        assert_near(p.y, y + 0.5 * L * c * t, 1e-10);
        x += L * c, y += L * c * t;
    }
    const trm_spatial F = trm_joint_reaction(r.state, trm_find_joint(r.model, "j0"));
    assert_near(fabs(F.lin.x), H, 1e-9 * H);
    assert_near(fabs(F.lin.y), fabs(V), 1e-9 * H);
    printf("chain: %d steps, residual %.2g of the largest force\n", r.result->iterations, r.result->relative);
    end_resting(&r);
}

/* ---- A four-bar with a spring --------------------------------------------------------------- */

/* Returns the potential by the crank's angle: links of 1, 3, 2.5 m on pins 2.5 m apart, a spring from the coupler's
 * middle to (1, 3). */
static double four_bar_potential(double angle, double *cx, double *cy)
{
    const double ax = cos(angle), ay = sin(angle), dx = 2.5 - ax, dy = -ay, d = sqrt(dx * dx + dy * dy);
    const double along = (d * d + 9 - 6.25) / (2 * d), across = sqrt(9 - along * along);
    *cx = ax + (along * dx - across * dy) / d, *cy = ay + (along * dy + across * dx) / d;
    const double mx = 0.5 * (ax + *cx), my = 0.5 * (ay + *cy);
    const double stretch = sqrt((mx - 1) * (mx - 1) + (my - 3) * (my - 3)) - 0.5;
    return G * (0.5 * ay + my * 3 + 2.5 * 0.5 * *cy) + 0.5 * 60 * stretch * stretch;
}

static resting rest_sprung_four_bar(void)
{
    static written w;
    double cx, cy;
    four_bar_potential(1, &cx, &cy);
    w.length = 0;
    put(&w, "{ \"trammel\": 1, \"gravity\": [0, %.17g, 0], \"bodies\": [", -G);
    put(&w, "{ \"name\": \"a\", \"rod\": { \"from\": [0, 0, 0], \"to\": [%.17g, %.17g, 0], \"mass\": 1 } },",
        cos(1.0), sin(1.0));
    put(&w, "{ \"name\": \"b\", \"rod\": { \"from\": [%.17g, %.17g, 0], \"to\": [%.17g, %.17g, 0], \"mass\": 3 } },",
        cos(1.0), sin(1.0), cx, cy);
    put(&w,
        "{ \"name\": \"c\", \"rod\": { \"from\": [%.17g, %.17g, 0], \"to\": [2.5, 0, 0], \"mass\": 2.5 } }], "
        "\"joints\": [",
        cx, cy);
    put(&w, "{ \"name\": \"A\", \"type\": \"hinge\", \"bodies\": [\"ground\", \"a\"], \"anchor\": [0, 0, 0], "
            "\"axis\": [0, 0, 1], \"q0\": 1 },");
    put(&w,
        "{ \"name\": \"B\", \"type\": \"hinge\", \"bodies\": [\"a\", \"b\"], \"anchor\": [%.17g, %.17g, 0], "
        "\"axis\": [0, 0, 1] },",
        cos(1.0), sin(1.0));
    put(&w,
        "{ \"name\": \"C\", \"type\": \"hinge\", \"bodies\": [\"b\", \"c\"], \"anchor\": [%.17g, %.17g, 0], "
        "\"axis\": [0, 0, 1] },",
        cx, cy);
    put(&w, "{ \"name\": \"D\", \"type\": \"hinge\", \"bodies\": [\"c\", \"ground\"], \"anchor\": [2.5, 0, 0], "
            "\"axis\": [0, 0, 1] }],");
    put(&w, "\"forces\": [{ \"name\": \"s\", \"type\": \"spring\", \"bodies\": [\"ground\", \"b\"], \"anchors\": "
            "[[1, 3, 0], [0, 0, 0]], \"rest\": 0.5, \"stiffness\": 60 }] }");
    return rest_text(w.text);
}

static void a_sprung_four_bar_rests_where_its_potential_is_least(void **state)
{
    (void)state;
    resting r = rest_sprung_four_bar();
    assert_true(r.result->found && r.result->unstable == 0);
    assert_int_equal(r.result->freedoms, 1);
    const double found = angle_of(&r, "A");
    /* slope of the potential, whose root is the minimum, by differences of order 6 with long steps */
    double low = found - 1e-3, high = found + 1e-3, x, y;
    for (int i = 0; i < 60; i++) {
        const double middle = 0.5 * (low + high), h = 1e-3;
        const double slope =
            45 * (four_bar_potential(middle + h, &x, &y) - four_bar_potential(middle - h, &x, &y)) -
            9 * (four_bar_potential(middle + 2 * h, &x, &y) - four_bar_potential(middle - 2 * h, &x, &y)) +
            (four_bar_potential(middle + 3 * h, &x, &y) - four_bar_potential(middle - 3 * h, &x, &y));
        *(slope > 0 ? &high : &low) = middle;
    }
    assert_near(found, low, 1e-10);
    assert_near(r.result->potential, four_bar_potential(found, &x, &y), 1e-11 * 100);
    printf("four-bar: angle off by %.2g rad\n", found - low);
    end_resting(&r);
}

/* Computes the centres and angles of the four-bar's rods by the crank's angle: x, y, rotation of each. */
static void four_bar_pose(double angle, double at[9])
{
    double cx, cy;
    four_bar_potential(angle, &cx, &cy);
    const double ax = cos(angle), ay = sin(angle);
    const double pose[9] = {0.5 * ax,         0.5 * ay,        angle,
                            0.5 * (ax + cx),  0.5 * (ay + cy), atan2(cy - ay, cx - ax),
                            0.5 * (cx + 2.5), 0.5 * cy,        atan2(cy, cx - 2.5)};
    memcpy(at, pose, sizeof pose);
}

/* One coordinate a: M = sum m (x'^2 + y'^2) + I turn'^2, K = V'', with derivatives by differences of order 6. */
static void a_sprung_four_bar_vibrates_as_its_reduction_to_one_coordinate(void **state)
{
    (void)state;
    static const double mass[3] = {1, 3, 2.5}, length[3] = {1, 3, 2.5}, at[3] = {1, 2, 3}, slope[3] = {45, -9, 1},
                        bend[3] = {270, -27, 2};
    resting r = rest_sprung_four_bar();
    trm_linearisation *l = linearise(r.state, NULL, NULL);
    const double a = angle_of(&r, "A"), h = 2e-3;
    double x, y, M = 0, K = -490 * four_bar_potential(a, &x, &y), rate[9] = {0};
    for (int k = 0; k < 3; k++) {
        double low[9], high[9];
        four_bar_pose(a - at[k] * h, low), four_bar_pose(a + at[k] * h, high);
        for (int i = 0; i < 9; i++) rate[i] += slope[k] * (high[i] - low[i]) / (60 * h);
        K += bend[k] * (four_bar_potential(a - at[k] * h, &x, &y) + four_bar_potential(a + at[k] * h, &x, &y));
    }
    K /= 180 * h * h;
    for (int i = 0; i < 3; i++)
        M += mass[i] * (rate[3 * i] * rate[3 * i] + rate[3 * i + 1] * rate[3 * i + 1] +
                        length[i] * length[i] / 12 * rate[3 * i + 2] * rate[3 * i + 2]);
    assert_int_equal(l->mode_count, 1);
    printf("four-bar: frequency off by %.2g of %.9g rad/s\n", l->modes[0].im - sqrt(K / M), l->modes[0].im);
    assert_near(l->modes[0].im, sqrt(K / M), 1e-8 * sqrt(K / M));
    trm_linearisation_destroy(l);
    end_resting(&r);
}

/* ---- Redundant bars ------------------------------------------------------------------------- */

/* A mass on three bars in a plane: D lambda = w with the shortest lambda = D^T (D D^T)^-1 w. */
static void redundant_bars_share_the_load_with_least_forces(void **state)
{
    (void)state;
    const double x[3] = {-1, 0.3, 1.5}, y[3] = {1, 2, 1.2}, m = 2;
    static written w;
    w.length = 0;
    put(&w,
        "{ \"trammel\": 1, \"gravity\": [0, %.17g, 0], \"bodies\": [{ \"name\": \"m\", \"point\": true, \"mass\": "
        "%g, \"position\": [0, 0, 0] }], \"joints\": [",
        -G, m);
    for (int i = 0; i < 3; i++)
        put(&w,
            "{ \"name\": \"bar%d\", \"type\": \"distance\", \"bodies\": [\"ground\", \"m\"], \"anchors\": [[%g, %g, "
            "0], [0, 0, 0]] },",
            i, x[i], y[i]);
    put(&w, "{ \"name\": \"flat\", \"type\": \"distance\", \"bodies\": [\"ground\", \"m\"], \"anchors\": [[0, 0, 5], "
            "[0, 0, 0]] }] }");
    resting r = rest_text(w.text);
    double A[3] = {0, 0, 0}, n[3][2];
    for (int i = 0; i < 3; i++) {
        const double L = sqrt(x[i] * x[i] + y[i] * y[i]);
        n[i][0] = x[i] / L, n[i][1] = y[i] / L;
        A[0] += n[i][0] * n[i][0], A[1] += n[i][0] * n[i][1], A[2] += n[i][1] * n[i][1];
    }
    const double d = A[0] * A[2] - A[1] * A[1], u[2] = {-A[1] * m * G / d, A[0] * m * G / d};
    assert_true(r.result->found);
    for (int i = 0; i < 3; i++) {
        const double tension = n[i][0] * u[0] + n[i][1] * u[1];
        const trm_spatial F = trm_joint_reaction(r.state, i);
        assert_near(F.lin.x, tension * n[i][0], 1e-11);
        assert_near(F.lin.y, tension * n[i][1], 1e-11);
    }
    assert_int_equal(r.result->not_unique_count, 3);
    for (int i = 0; i < 3; i++) assert_int_equal(r.result->not_unique[i], i);
    end_resting(&r);
}

/* ---- A suspension --------------------------------------------------------------------------- */

/* Two parallel arms of length L carry the wheel; a spring from the lower arm, a from its pivot, to a point h above
 * the pivot. A load F upwards and the weights balance at the angle where L (F - W) cos = (spring force)
 * dl/d(angle). */
static void a_suspension_carries_its_static_load(void **state)
{
    (void)state;
    const double L = 0.4, a = 0.25, h = 0.35, k = 60000, rest = 0.45, F = 4000, carrier = 30, arm = 4;
    static written w;
    w.length = 0;
    put(&w,
        "{ \"trammel\": 1, \"gravity\": [0, 0, %.17g], \"bodies\": [{ \"name\": \"low\", \"rod\": { \"from\": [0, 0, "
        "0], \"to\": [%g, 0, 0], \"mass\": %g } },",
        -G, L, arm);
    put(&w, "{ \"name\": \"high\", \"rod\": { \"from\": [0, 0, 0.2], \"to\": [%g, 0, 0.2], \"mass\": %g } },", L,
        arm);
    put(&w,
        "{ \"name\": \"carrier\", \"mass\": %g, \"inertia\": [1, 1, 1], \"position\": [%g, 0, 0.1] }], \"joints\": [",
        carrier, L);
    const struct {
        const char *name, *a, *b;
        double x, z;
    } pins[4] = {{"A", "ground", "low", 0, 0},
                 {"B", "ground", "high", 0, 0.2},
                 {"C", "low", "carrier", L, 0},
                 {"D", "high", "carrier", L, 0.2}};
    for (int i = 0; i < 4; i++)
        put(&w,
            "{ \"name\": \"%s\", \"type\": \"hinge\", \"bodies\": [\"%s\", \"%s\"], \"anchor\": [%g, 0, %g], "
            "\"axis\": [0, -1, 0] }%s",
            pins[i].name, pins[i].a, pins[i].b, pins[i].x, pins[i].z, i < 3 ? "," : "],");
    put(&w,
        "\"forces\": [{ \"name\": \"s\", \"type\": \"spring\", \"bodies\": [\"ground\", \"low\"], \"anchors\": [[0, "
        "0, %g], [%g, 0, 0]], \"rest\": %g, \"stiffness\": %g },",
        h, a - L / 2, rest, k);
    put(&w, "{ \"name\": \"load\", \"type\": \"force\", \"body\": \"carrier\", \"value\": [0, 0, %g] }] }", F);
    resting r = rest_text(w.text);
    assert_true(r.result->found && r.result->unstable == 0);
    double low = -1.2, high = 1.2; /* of the angle upwards: the sum of moments falls as it grows */
    for (int i = 0; i < 200; i++) {
        const double q = 0.5 * (low + high), l = sqrt(a * a + h * h - 2 * a * h * sin(q));
        const double moment = (F - (carrier + arm) * G) * L * cos(q) - k * (rest - l) * a * h * cos(q) / l;
        *(moment > 0 ? &low : &high) = q;
    }
    const double found = angle_of(&r, "A");
    assert_near(found, low, 1e-8 * fabs(low));
    printf("suspension: angle off by %.2g of %.4g rad\n", found - low, low);
    end_resting(&r);
}

/* ---- Contacts, ropes, limits ---------------------------------------------------------------- */

static void boxes_stand_on_a_floor_without_friction(void **state)
{
    (void)state;
    resting r = rest_example("stack");
    assert_true(r.result->found && r.result->unstable == 0);
    double floor = 0, weight = 0;
    const int ground = trm_find_body(r.model, "floor");
    for (int i = 0; i < r.result->contact_count; i++) {
        assert_true(r.result->contacts[i].force >= 0);
        if (r.result->contacts[i].body[0] == ground || r.result->contacts[i].body[1] == ground)
            floor += r.result->contacts[i].force;
    }
    for (int b = 1; b < trm_body_count(r.model); b++) weight += G * trm_body_info_of(r.model, b).mass;
    assert_near(floor, weight, 1e-9 * weight);
    end_resting(&r);
}

static void a_ball_that_falls_comes_to_rest_on_the_floor(void **state)
{
    (void)state;
    resting r = rest_text("{ \"trammel\": 1, \"gravity\": [0, 0, -9.81], \"bodies\": [{ \"name\": \"ball\", "
                          "\"position\": [0.3, 0, 2], \"shapes\": [{ "
                          "\"type\": \"sphere\", \"radius\": 0.1, \"density\": 100 }] }, { \"name\": \"floor\", "
                          "\"fixed\": true, \"shapes\": [{ "
                          "\"type\": \"plane\", \"normal\": [0, 0, 1], \"offset\": 0 }] }] }");
    assert_true(r.result->found);
    assert_near(position_of(&r, "ball").z, 0.1, 1e-12);
    assert_int_equal(r.result->neutral_count, 5);
    assert_int_equal(r.result->contact_count, 1);
    end_resting(&r);
}

static void ropes_and_limits_hold_only_where_they_must(void **state)
{
    (void)state;
    resting r = rest_example("problems/r26-rope");
    assert_true(r.result->found && r.result->active_count == 1);
    end_resting(&r);
    r = rest_text("{ \"trammel\": 1, \"gravity\": [0, -9.81, 0], \"bodies\": [{ \"name\": \"rod\", \"rod\": { "
                  "\"from\": [0, 0, 0], "
                  "\"to\": [1, 0, 0], \"mass\": 2 } }], \"joints\": [{ \"name\": \"p\", \"type\": \"hinge\", "
                  "\"bodies\": [\"ground\", "
                  "\"rod\"], \"anchor\": [0, 0, 0], \"axis\": [0, 0, 1], \"limits\": [-0.5, 2] }] }");
    assert_true(r.result->found);
    assert_near(angle_of(&r, "p"), -0.5, 1e-12);
    assert_int_equal(r.result->active_count, 1);
    end_resting(&r);
}

static void what_has_no_equilibrium_is_named(void **state)
{
    (void)state;
    resting r = rest_text(
        "{ \"trammel\": 1, \"gravity\": [0, 0, -9.81], \"bodies\": [{ \"name\": \"stone\", \"mass\": 3, \"inertia\": "
        "[1, 1, 1] }] }");
    assert_false(r.result->found);
    assert_string_equal(r.result->element, "body 'stone'");
    assert_non_null(strstr(r.result->why, "there is no equilibrium"));
    end_resting(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_pendulum_hangs),
        cmocka_unit_test(an_upright_pendulum_is_unstable_and_falls_when_relaxed),
        cmocka_unit_test(a_chain_of_fifty_rods_hangs_as_a_catenary_of_rods),
        cmocka_unit_test(a_sprung_four_bar_rests_where_its_potential_is_least),
        cmocka_unit_test(a_sprung_four_bar_vibrates_as_its_reduction_to_one_coordinate),
        cmocka_unit_test(redundant_bars_share_the_load_with_least_forces),
        cmocka_unit_test(a_suspension_carries_its_static_load),
        cmocka_unit_test(boxes_stand_on_a_floor_without_friction),
        cmocka_unit_test(a_ball_that_falls_comes_to_rest_on_the_floor),
        cmocka_unit_test(ropes_and_limits_hold_only_where_they_must),
        cmocka_unit_test(what_has_no_equilibrium_is_named),
    };
    return RUN_TESTS(tests);
}
