/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* Steady motion: the flyball governor at constant speed, a turntable, a yoke, and the bicycle of Whipple's
 * benchmark. */

#include "resting.h"

/* ---- The governor --------------------------------------------------------------------------- */

/* Returns the effective potential at sleeve height s and arm angle a below the horizontal, at the speed w: gravity
 * and springs, minus w^2/2 times the moment of inertia about the shaft. Data of R05. */
static double governor_potential(double s, double a, double w)
{
    const double g = 9.81, m = 0.3, M = 5, L = 1, off = 0.05, thin = m * 2 * 1e-4 / 12, along = m * (1 + 1e-4) / 12;
    const double xc = (m * 0.5 + M) / (m + M), across = along + m * (xc - 0.5) * (xc - 0.5) + M * (L - xc) * (L - xc);
    const double dx = off + 0.5 * cos(a) - off, dz = L - 0.5 * sin(a) - s, l = sqrt(dx * dx + dz * dz) - 0.5;
    const double r = off + xc * cos(a), inertia = (m + M) * r * r + across * cos(a) * cos(a) + thin * sin(a) * sin(a);
    return 3 * g * s + 2 * (m + M) * g * (L - xc * sin(a)) + 8e5 * l * l - w * w * inertia;
}

static void slopes(double s, double a, double w, double out[2])
{
    const double h = 1e-4;
    out[0] = (8 * (governor_potential(s + h, a, w) - governor_potential(s - h, a, w)) -
              governor_potential(s + 2 * h, a, w) + governor_potential(s - 2 * h, a, w)) /
             (12 * h);
    out[1] = (8 * (governor_potential(s, a + h, w) - governor_potential(s, a - h, w)) -
              governor_potential(s, a + 2 * h, w) + governor_potential(s, a - 2 * h, w)) /
             (12 * h);
}

static void a_governor_turns_steadily_where_its_effective_potential_is_least(void **state)
{
    (void)state;
    trm_model_def *def = NULL;
    trm_messages *messages = trm_messages_create(NULL);
    assert_int_equal(
        trm_read_model_file(TRM_EXAMPLES "/problems/r05-flyball-governor.json", NULL, NULL, messages, &def), TRM_OK);
    trm_joint_def drive = trm_default_joint_def();
    drive.name = "turn", drive.type = "drive", drive.joint = "axle", drive.motion = trm_expression_function("2*pi*t");
    assert_int_equal(trm_add_joint(def, &drive), TRM_OK);
    resting r = rest_model(build_model(def), false);
    assert_true(r.result->found && r.result->steady);
    const double s = angle_of(&r, "s"), a = TRM_PI / 6 + angle_of(&r, "r");
    double x = s, y = a, w = 2 * TRM_PI;
    for (int round = 0; round < 20; round++) { /* the nearby root, by Newton's method */
        double e[2], p[2], q[2];
        const double h = 1e-6;
        slopes(x, y, w, e), slopes(x + h, y, w, p), slopes(x, y + h, w, q);
        const double J[4] = {(p[0] - e[0]) / h, (q[0] - e[0]) / h, (p[1] - e[1]) / h, (q[1] - e[1]) / h};
        const double d = J[0] * J[3] - J[1] * J[2];
        x -= (e[0] * J[3] - e[1] * J[1]) / d, y -= (e[1] * J[0] - e[0] * J[2]) / d;
    }
    printf("governor: s = %.12g m, off by %.2g m and %.2g rad\n", s, s - x, a - y);
    assert_near(s, x, 1e-9);
    assert_near(a, y, 1e-9);
    assert_int_equal(r.result->unstable, 0);
    end_resting(&r);
    trm_model_def_destroy(def);
    trm_messages_destroy(messages);
}

/* ---- A mass on a turntable, a pendulum on a yoke ---------------------------------------------- */

static trm_model *turntable(const char *limits)
{
    static written w;
    w.length = 0;
    put(&w,
        "{ \"trammel\": 1, \"gravity\": [0, 0, -9.81], \"bodies\": [{ \"name\": \"table\", \"mass\": 1, \"inertia\": "
        "[1, 1, 1] }, { \"name\": \"m\", \"mass\": 2, \"inertia\": [0.1, 0.1, 0.1], \"position\": [0.5, 0, 0] }], ");
    put(&w,
        "\"joints\": [{ \"name\": \"axle\", \"type\": \"hinge\", \"bodies\": [\"ground\", \"table\"], \"anchor\": "
        "[0, 0, 0], \"axis\": [0, 0, 1] }, { \"name\": \"way\", \"type\": \"slider\", \"bodies\": [\"table\", "
        "\"m\"], "
        "\"anchor\": [0.5, 0, 0], \"axis\": [1, 0, 0], \"stiffness\": 100 %s }], ",
        limits);
    put(&w, "\"forces\": [{ \"name\": \"drive\", \"type\": \"drive\", \"joint\": \"axle\", \"motion\": \"3*t\" }] }");
    return model_of_text(w.text);
}

/* A mass m on a spring k, at rest at r0, on a table that turns with w: k x = m w^2 (r0 + x), unless the limit holds
 * it. */
static void a_mass_on_a_turntable_rests_against_its_spring_and_its_limit(void **state)
{
    (void)state;
    const double m = 2, k = 100, w = 3, r0 = 0.5, x = m * w * w * r0 / (k - m * w * w), limit = 0.05;
    resting r = rest_model(turntable(""), false);
    const int axle = trm_find_joint(r.model, "axle"), way = trm_find_joint(r.model, "way");
    assert_true(r.result->found && r.result->steady && r.result->unstable == 0 && r.result->active_count == 0);
    printf("turntable: off by %.2g m\n", angle_of(&r, "way") - x);
    assert_near(angle_of(&r, "way"), x, 1e-12);
    assert_near(trm_joint_reaction(r.state, axle).lin.x, -m * w * w * (r0 + x), 1e-11);
    assert_near(trm_joint_reaction(r.state, axle).lin.z, 3 * 9.81, 1e-11);
    end_resting(&r);
    r = rest_model(turntable(", \"limits\": [-0.2, 0.05]"), false);
    assert_true(r.result->found && r.result->active_count == 1);
    assert_int_equal(r.result->active[0], way);
    assert_near(angle_of(&r, "way"), limit, 1e-12);
    assert_near(trm_joint_reaction(r.state, way).lin.x, k * limit - m * w * w * (r0 + limit), 1e-11);
    end_resting(&r);
    r = rest_model(turntable(", \"limits\": [-0.2, 0.2]"), false); /* not reached */
    assert_true(r.result->found && r.result->active_count == 0);
    assert_near(angle_of(&r, "way"), x, 1e-12);
    end_resting(&r);
}

static trm_model *yoke(double angle, const char *motor)
{
    static written w;
    w.length = 0;
    put(&w,
        "{ \"trammel\": 1, \"gravity\": [0, 0, -9.81], \"bodies\": [{ \"name\": \"yoke\", \"mass\": 1, \"inertia\": "
        "[1, 1, 1] }, { \"name\": \"m\", \"mass\": 1, \"inertia\": [0.1, 0.1, 0.1], \"position\": [%.17g, 0, %.17g] "
        "}], ",
        0.8 * sin(angle), -0.8 * cos(angle));
    put(&w,
        "\"joints\": [{ \"name\": \"axle\", \"type\": \"hinge\", \"bodies\": [\"ground\", \"yoke\"], \"anchor\": [0, "
        "0, 0], \"axis\": [0, 0, 1], \"damping\": 0.5 }, { \"name\": \"pin\", \"type\": \"hinge\", \"bodies\": "
        "[\"yoke\", "
        "\"m\"], \"anchor\": [0, 0, 0], \"axis\": [0, -1, 0], \"q0\": %.17g }], \"forces\": [{ \"name\": \"motor\", "
        "\"type\": \"motor\", \"joint\": \"axle\", \"velocity\": 5, %s }] }",
        angle, motor);
    return model_of_text(w.text);
}

/* A pendulum on a yoke that a motor turns with w: cos(angle) = g/(w^2 l); hanging straight down is unstable. */
static void a_pendulum_on_a_yoke_rises_to_its_angle(void **state)
{
    (void)state;
    const double w = 5, l = 0.8, angle = acos(9.81 / (w * w * l));
    resting r = rest_model(yoke(0.3, "\"max\": 3"), false);
    assert_true(r.result->found && r.result->steady && r.result->unstable == 0);
    printf("yoke: off by %.2g rad\n", angle_of(&r, "pin") - angle);
    assert_near(angle_of(&r, "pin"), angle, 1e-12);
    assert_near(fabs(trm_joint_reaction(r.state, trm_find_joint(r.model, "motor")).ang.z), 0.5 * w, 1e-11);
    trm_linearisation *linear = linearise(r.state, NULL, NULL);
    assert_int_equal(linear->mode_count, 1); /* l^2 + 0.1 about the pin: q'' = -w^2 sin^2 l^2/(l^2 + 0.1) q */
    assert_near(linear->modes[0].im, w * sin(angle) * l / sqrt(l * l + 0.1), 1e-8);
    trm_linearisation_destroy(linear);
    end_resting(&r);
    r = rest_model(yoke(0, "\"max\": 3"), false); /* stays at the unstable balance and reports it */
    assert_true(r.result->found && r.result->unstable == 1);
    assert_near(angle_of(&r, "pin"), 0, 1e-12);
    end_resting(&r);
    r = rest_model(yoke(0, "\"max\": 3"), true); /* relaxed: leaves the unstable balance */
    assert_true(r.result->found && r.result->unstable == 0);
    assert_near(fabs(angle_of(&r, "pin")), angle, 1e-12);
    end_resting(&r);
    r = rest_model(yoke(0.3, "\"max\": 1"), false);
    assert_false(r.result->found);
    assert_string_equal(r.result->element, "motor 'motor'");
    assert_non_null(strstr(r.result->why, "it needs 2.5 to keep its velocity"));
    end_resting(&r);
}

/* ---- A governor of hinges --------------------------------------------------------------------- */

static trm_model *rhombus(double w, double a)
{
    static const char *const pins[] = {"shaft", "l",  "shaft",  "r",  "l",      "ll",
                                       "r",     "lr", "sleeve", "ll", "sleeve", "lr"};
    static written text;
    const double x = 0.05 + 0.3 * sin(a), z = -0.3 * cos(a);
    const double at[6][2] = {{-0.05, 0}, {0.05, 0}, {-x, z}, {x, z}, {-0.05, 2 * z}, {0.05, 2 * z}};
    text.length = 0;
    put(&text,
        "{ \"trammel\": 1, \"gravity\": [0, 0, -9.81], \"bodies\": [{ \"name\": \"shaft\", \"mass\": 1, \"inertia\": "
        "[1, 1, "
        "1] }, { \"name\": \"sleeve\", \"mass\": 2, \"inertia\": [1, 1, 1], \"position\": [0, 0, %.17g] }",
        2 * z);
    for (int side = -1; side <= 1; side += 2)
        for (int low = 0; low < 2; low++)
            put(&text,
                ", { \"name\": \"%s%s\", \"rod\": { \"from\": [%.17g, 0, %.17g], \"to\": [%.17g, 0, %.17g], "
                "\"mass\": %g } }",
                low ? "l" : "", side < 0 ? "l" : "r", side * (low ? x : 0.05), low ? z : 0, side * (low ? 0.05 : x),
                low ? 2 * z : z, low ? 0.2 : 1.0);
    put(&text,
        "], \"joints\": [{ \"name\": \"O\", \"type\": \"hinge\", \"bodies\": [\"ground\", \"shaft\"], \"anchor\": "
        "[0, 0, 0], "
        "\"axis\": [0, 0, 1] }, { \"name\": \"s\", \"type\": \"slider\", \"bodies\": [\"shaft\", \"sleeve\"], "
        "\"anchor\": [0, "
        "0, %.17g], \"axis\": [0, 0, 1] }",
        2 * z);
    for (int i = 0; i < 6; i++)
        put(&text,
            ", { \"name\": \"p%d\", \"type\": \"hinge\", \"bodies\": [\"%s\", \"%s\"], \"anchor\": [%.17g, 0, "
            "%.17g], "
            "\"axis\": [0, 1, 0] }",
            i, pins[2 * i], pins[2 * i + 1], at[i][0], at[i][1]);
    put(&text, "], \"forces\": [{ \"name\": \"m\", \"type\": \"motor\", \"joint\": \"O\", \"velocity\": %.17g }] }",
        w);
    return model_of_text(text.text);
}

/* Loops of hinges in a plane have redundant rows. With arms of length L at the angle a from the shaft, pivots at the
 * distance e from its axis, upper m1, lower m2, sleeve M: (m1 + 3 m2 + 2 M) g sin a = w^2 (m1 + m2) (e + 2/3 L sin a)
 * cos a. */
static void a_governor_of_redundant_hinges_opens_to_its_angle(void **state)
{
    (void)state;
    const double speeds[] = {13, 15, 20};
    for (int i = 0; i < 3; i++) {
        const double w = speeds[i];
        double low = 0, high = TRM_PI / 2;
        for (int round = 0; round < 100; round++) {
            const double a = 0.5 * (low + high);
            const double left = (1 + 0.6 + 4) * 9.81 * sin(a) - w * w * 1.2 * (0.05 + 0.2 * sin(a)) * cos(a);
            *(left > 0 ? &high : &low) = a;
        }
        resting r = rest_model(rhombus(w, 0.5), false);
        assert_true(r.result->found && r.result->steady && r.result->unstable == 0);
        const double rises = 0.6 * (cos(0.5) - cos(low));
        printf("governor of hinges: w = %g 1/s, sleeve off by %.2g m\n", w, angle_of(&r, "s") - rises);
        assert_near(angle_of(&r, "s"), rises, 1e-8); /* rods are not quite thin */
        assert_true(r.result->not_unique_count > 0);
        trm_linearisation *l = linearise(r.state, NULL, NULL);
        assert_int_equal(l->freedoms, 1);
        trm_linearisation_destroy(l);
        end_resting(&r);
    }
}

/* ---- The bicycle ---------------------------------------------------------------------------- */

/* Returns the characteristic polynomial of Meijaard, Papadopoulos, Ruina, Schwab 2007: M q'' + v C1 q' + (g K0 + v^2
 * K2) q = 0 of lean and steer. */
static double characteristic(double v, double re, double im)
{
    static const double M[4] = {80.81722, 2.31941332208709, 2.31941332208709, 0.29784188199686};
    static const double K0[4] = {-80.95, -2.59951685249872, -2.59951685249872, -0.80329488458618};
    static const double K2[4] = {0, 76.59734589573222, 0, 2.65431523794604};
    static const double C1[4] = {0, 33.86641391492494, -0.85035641456978, 1.68540397397560};
    double a[4], b[4];
    for (int i = 0; i < 4; i++) {
        a[i] = M[i] * (re * re - im * im) + v * C1[i] * re + 9.81 * K0[i] + v * v * K2[i];
        b[i] = M[i] * 2 * re * im + v * C1[i] * im;
    }
    const double x = a[0] * a[3] - b[0] * b[3] - a[1] * a[2] + b[1] * b[2];
    const double y = a[0] * b[3] + b[0] * a[3] - a[1] * b[2] - b[1] * a[2];
    return sqrt(x * x + y * y);
}

/* Returns the distance to a root of the characteristic equation: |p| over |dp/dlambda|, by differences. */
static double distance_to_root(double v, double re, double im)
{
    const double h = 1e-4;
    const double slope = fmax(characteristic(v, re + h, im), characteristic(v, re - h, im)) / h;
    return characteristic(v, re, im) / slope;
}

static trm_model *bicycle(double v)
{
    static written w;
    w.length = 0;
    put(&w, "{ \"trammel\": 1, \"gravity\": [0, 0, -9.81], \"bodies\": [");
    put(&w,
        "{ \"name\": \"frame\", \"mass\": 85, \"inertia\": [9.2, 11, 2.8, 0, -2.4, 0], \"position\": [0.3, 0, 0.9], "
        "\"velocity\": [%.17g, 0, 0] },",
        v);
    put(&w,
        "{ \"name\": \"fork\", \"mass\": 4, \"inertia\": [0.05892, 0.06, 0.00708, 0, 0.00756, 0], \"position\": "
        "[0.9, 0, 0.7], \"velocity\": [%.17g, 0, 0] },",
        v);
    put(&w,
        "{ \"name\": \"rear\", \"mass\": 2, \"inertia\": [0.0603, 0.12, 0.0603], \"position\": [0, 0, 0.3], "
        "\"velocity\": [%.17g, 0, 0], \"angular_velocity\": [0, %.17g, 0], ",
        v, v / 0.3);
    put(&w, "\"shapes\": [{ \"type\": \"cylinder\", \"radius\": 0.3, \"length\": 1e-12, \"friction\": 10, "
            "\"orientation\": { \"axis\": "
            "[1, 0, 0], \"angle\": \"pi/2\" } }] },");
    put(&w,
        "{ \"name\": \"front\", \"mass\": 3, \"inertia\": [0.1405, 0.28, 0.1405], \"position\": [1.02, 0, 0.35], "
        "\"velocity\": [%.17g, 0, 0], \"angular_velocity\": [0, %.17g, 0], ",
        v, v / 0.35);
    put(&w, "\"shapes\": [{ \"type\": \"cylinder\", \"radius\": 0.35, \"length\": 1e-12, \"friction\": 10, "
            "\"orientation\": { "
            "\"axis\": [1, 0, 0], \"angle\": \"pi/2\" } }] },");
    put(&w, "{ \"name\": \"road\", \"fixed\": true, \"shapes\": [{ \"type\": \"plane\", \"normal\": [0, 0, 1], "
            "\"offset\": 0, \"friction\": 10 }] }], \"joints\": [");
    put(&w, "{ \"name\": \"steer\", \"type\": \"hinge\", \"bodies\": [\"frame\", \"fork\"], \"anchor\": [1.1, 0, 0], "
            "\"axis\": [\"-sin(pi/10)\", 0, \"cos(pi/10)\"] },");
    put(&w, "{ \"name\": \"hub_r\", \"type\": \"hinge\", \"bodies\": [\"frame\", \"rear\"], \"anchor\": [0, 0, 0.3], "
            "\"axis\": [0, 1, 0] },");
    put(&w, "{ \"name\": \"hub_f\", \"type\": \"hinge\", \"bodies\": [\"fork\", \"front\"], \"anchor\": [1.02, 0, "
            "0.35], \"axis\": [0, 1, 0] }] }");
    return model_of_text(w.text);
}

static void the_bicycle_has_the_eigenvalues_of_the_benchmark(void **state)
{
    (void)state;
    double worst = 0;
    for (int k = 0; k <= 5; k++) {
        const double v = 2.0 * k;
        trm_model *model = bicycle(v);
        trm_state *start = trm_state_create(model, NULL);
        trm_linearisation *l = linearise(start, NULL, NULL);
        int roots = 0;
        for (int i = l->zero_count; i < l->mode_count; i++) {
            const double off = distance_to_root(v, l->modes[i].re, l->modes[i].im);
            worst = fmax(worst, off);
            roots += l->modes[i].im != 0 ? 2 : 1;
        }
        if (roots != 4) print_error("v = %g: %d roots\n", v, roots);
        assert_int_equal(roots, 4);
        trm_linearisation_destroy(l);
        trm_state_destroy(start);
        trm_model_destroy(model);
    }
    printf("bicycle: eigenvalues to %.2g 1/s\n", worst);
    assert_near(worst, 0, 1e-6);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_governor_turns_steadily_where_its_effective_potential_is_least),
        cmocka_unit_test(a_mass_on_a_turntable_rests_against_its_spring_and_its_limit),
        cmocka_unit_test(a_pendulum_on_a_yoke_rises_to_its_angle),
        cmocka_unit_test(a_governor_of_redundant_hinges_opens_to_its_angle),
        cmocka_unit_test(the_bicycle_has_the_eigenvalues_of_the_benchmark),
    };
    return RUN_TESTS(tests);
}
