/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* Compares frequencies and state spaces with closed forms. */

#include "resting.h"
#include "running.h"

static const double G = 9.81;

/* Masses on springs in a row along x, walls at both ends: m w^2 = 4 k sin^2(j pi/(2 (n + 1))). */
static void chains_of_masses_have_their_frequencies(void **state)
{
    (void)state;
    for (int n = 1; n <= 3; n++) {
        static written w;
        w.length = 0;
        put(&w, "{ \"trammel\": 1, \"gravity\": [0, 0, 0], \"bodies\": [");
        for (int i = 1; i <= n; i++)
            put(&w, "{ \"name\": \"m%d\", \"point\": true, \"mass\": 0.7, \"position\": [%d, 0, 0] }%s", i, i,
                i < n ? "," : "], \"joints\": [");
        for (int i = 1; i <= n; i++)
            put(&w,
                "{ \"name\": \"r%d\", \"type\": \"rail\", \"bodies\": [\"ground\", \"m%d\"], \"axis\": [1, 0, 0] }%s",
                i, i, i < n ? "," : "], \"forces\": [");
        for (int i = 0; i <= n; i++) {
            char a[20] = "ground", b[20] = "ground";
            if (i > 0) snprintf(a, sizeof a, "m%d", i);
            if (i < n) snprintf(b, sizeof b, "m%d", i + 1);
            put(&w,
                "{ \"name\": \"s%d\", \"type\": \"spring\", \"bodies\": [\"%s\", \"%s\"], \"anchors\": [[0, 0, 0], "
                "[%d, 0, 0]], \"stiffness\": 500 }%s",
                i, a, b, i < n ? 0 : n + 1, i < n ? "," : "] }");
        }
        resting r = rest_text(w.text);
        trm_linearisation *l = linearise(r.state, NULL, NULL);
        assert_int_equal(l->mode_count, n);
        for (int j = 1; j <= n; j++)
            assert_near(l->modes[j - 1].im, 2 * sqrt(500 / 0.7) * sin(j * TRM_PI / (2 * (n + 1))), 1e-9);
        trm_linearisation_destroy(l);
        end_resting(&r);
    }
}

/* A rod of mass m and length L about its end: w^2 = (3/2) g/L. */
static void a_compound_pendulum_swings(void **state)
{
    (void)state;
    resting r = rest_text(
        "{ \"trammel\": 1, \"gravity\": [0, -9.81, 0], \"bodies\": [{ \"name\": \"rod\", \"rod\": { \"from\": [0, 0, "
        "0], "
        "\"to\": [0.8, 0.3, 0], \"mass\": 2 } }], \"joints\": [{ \"name\": \"p\", \"type\": \"hinge\", \"bodies\": "
        "[\"ground\", \"rod\"], \"anchor\": [0, 0, 0], \"axis\": [0, 0, 1] }] }");
    trm_linearisation *l = linearise(r.state, "p.force", "p.q,p.qd");
    const double L = sqrt(0.73);
    assert_int_equal(l->freedoms, 1);
    assert_string_equal(l->names[0], "p.q");
    assert_near(l->M[0], 2 * L * L / 3, 1e-12);
    assert_near(l->K[0], 2 * G * L / 2, 1e-10);
    assert_near(l->modes[0].frequency, sqrt(1.5 * G / L) / (2 * TRM_PI), 1e-11);
    assert_near(l->C[0], 1, 1e-9);
    double re, im;
    assert_true(trm_frequency_response(l, 1, 0, 0, &re, &im)); /* 1/(K - M w^2) */
    assert_near(re, 1 / (l->K[0] - l->M[0]), 1e-9);
    assert_near(im, 0, 1e-12);
    trm_linearisation_destroy(l);
    end_resting(&r);
}

/* Point masses m1, m2 on L1, L2: w^2 of the quadratic m1 L1 L2 w^4 - (m1 + m2)(L1 + L2) g w^2 + (m1 + m2) g^2 = 0. */
static void a_double_pendulum_has_two_frequencies(void **state)
{
    (void)state;
    resting r = rest_text(
        "{ \"trammel\": 1, \"gravity\": [0, -9.81, 0], \"bodies\": [{ \"name\": \"a\", \"point\": true, \"mass\": 2, "
        "\"position\": [0.5, -1, 0] }, { \"name\": \"b\", \"point\": true, \"mass\": 3, \"position\": [1, -1.5, 0] "
        "}], "
        "\"joints\": [{ \"name\": \"p\", \"type\": \"distance\", \"bodies\": [\"ground\", \"a\"], \"anchors\": [[0, "
        "0, 0], "
        "[0, 0, 0]], \"length\": 1.1 }, { \"name\": \"q\", \"type\": \"distance\", \"bodies\": [\"a\", \"b\"], "
        "\"length\": 0.7 }] }");
    trm_linearisation *l = linearise(r.state, NULL, NULL);
    const double a = 2 * 1.1 * 0.7, b = 5 * 1.8 * G, c = 5 * G * G, root = sqrt(b * b - 4 * a * c);
    assert_int_equal(l->mode_count, 4); /* in both planes */
    assert_near(l->modes[0].im, sqrt((b - root) / (2 * a)), 1e-9);
    assert_near(l->modes[1].im, sqrt((b - root) / (2 * a)), 1e-9);
    assert_near(l->modes[3].im, sqrt((b + root) / (2 * a)), 1e-9);
    trm_linearisation_destroy(l);
    end_resting(&r);
}

/* A string under tension T: transverse frequencies 2 sqrt(T/(m a)) sin(j pi/(2 (n + 1))), twice each. */
static void a_string_of_a_hundred_masses_has_its_first_ten_frequencies(void **state)
{
    (void)state;
    enum { N = 100 };
    static written w;
    w.length = 0;
    put(&w, "{ \"trammel\": 1, \"gravity\": [0, 0, 0], \"bodies\": [");
    for (int i = 1; i <= N; i++)
        put(&w, "{ \"name\": \"m%d\", \"point\": true, \"mass\": 0.01, \"position\": [%.17g, 0, 0] }%s", i, 0.1 * i,
            i < N ? "," : "], \"forces\": [");
    for (int i = 0; i <= N; i++) {
        char a[20] = "ground", b[20] = "ground";
        if (i > 0) snprintf(a, sizeof a, "m%d", i);
        if (i < N) snprintf(b, sizeof b, "m%d", i + 1);
        put(&w,
            "{ \"name\": \"s%d\", \"type\": \"spring\", \"bodies\": [\"%s\", \"%s\"], \"anchors\": [[0, 0, 0], "
            "[%.17g, 0, 0]], \"stiffness\": 1000, \"rest\": 0.09 }%s",
            i, a, b, i < N ? 0 : 0.1 * (N + 1), i < N ? "," : "] }");
    }
    resting r = rest_text(w.text);
    trm_linearisation *l = linearise(r.state, NULL, NULL);
    double worst = 0;
    int found = 0;
    for (int i = 0; i < l->mode_count && found < 20; i++) { /* transverse ones; the others are along x */
        const double expected = 2 * sqrt(10 / (0.01 * 0.1)) * sin((found / 2 + 1) * TRM_PI / (2 * (N + 1)));
        if (fabs(l->modes[i].im / expected - 1) > 1e-3) continue;
        worst = fmax(worst, fabs(l->modes[i].im / expected - 1));
        found++;
    }
    printf("string: ten frequencies to %.2g\n", worst);
    assert_int_equal(found, 20);
    assert_near(worst, 0, 1e-9);
    trm_linearisation_destroy(l);
    end_resting(&r);
}

/* ---- The 8-Loop ----------------------------------------------------------------------------- */

/* Eight slender rods between two points, at rest: a chain of rods with angles a_i to the horizontal, in the plane and
 * across it. Points are x_i = sum cos, y_i = sum sin. In-plane coordinates are the angles, transverse ones the
 * heights z_i. With H, V of the catenary of rods the second derivative of the potential and the mass matrix follow in
 * closed form. Both are reduced to the conditions of the ends. */
enum { LOOP = 8 };

/* Finds the eigenvalues w of K x = w M x. */
static void find_eigenvalues(double *M, double *K, int n, double *w)
{
    /* Jacobi's rotations on L^-1 K L^-T */
    for (int j = 0; j < n; j++) {
        for (int k = 0; k < j; k++) M[j * n + j] -= M[j * n + k] * M[j * n + k];
        M[j * n + j] = sqrt(M[j * n + j]);
        for (int i = j + 1; i < n; i++) {
            for (int k = 0; k < j; k++) M[i * n + j] -= M[i * n + k] * M[j * n + k];
            M[i * n + j] /= M[j * n + j];
        }
    }
    for (int twice = 0; twice < 2; twice++) {
        for (int i = 0; i < n; i++)
            for (int c = 0; c < n; c++) {
                for (int k = 0; k < i; k++) K[i * n + c] -= M[i * n + k] * K[k * n + c];
                K[i * n + c] /= M[i * n + i];
            }
        for (int i = 0; i < n; i++)
            for (int j = 0; j < i; j++) {
                const double swap = K[i * n + j];
                K[i * n + j] = K[j * n + i], K[j * n + i] = swap;
            }
    }
    for (int sweep = 0; sweep < 60; sweep++)
        for (int p = 0; p < n; p++)
            for (int q = p + 1; q < n; q++) {
                const double a = K[p * n + q];
                if (fabs(a) < 1e-18) continue;
                const double t = 0.5 * atan2(2 * a, K[q * n + q] - K[p * n + p]), c = cos(t), s = sin(t);
                for (int k = 0; k < n; k++) {
                    const double x = K[k * n + p], y = K[k * n + q];
                    K[k * n + p] = c * x - s * y, K[k * n + q] = s * x + c * y;
                }
                for (int k = 0; k < n; k++) {
                    const double x = K[p * n + k], y = K[q * n + k];
                    K[p * n + k] = c * x - s * y, K[q * n + k] = s * x + c * y;
                }
            }
    for (int i = 0; i < n; i++) w[i] = K[i * n + i];
}

static int by_size(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static void the_eight_loop_has_thirteen_frequencies_and_eight_spins(void **state)
{
    (void)state;
    resting r = rest_example("8-loop");
    trm_linearisation *l = linearise(r.state, NULL, NULL);
    assert_int_equal(l->freedoms, 21);
    assert_int_equal(l->zero_count, 8);
    for (int i = 0; i < 8; i++) {
        assert_true(l->modes[i].zero);
        assert_non_null(strstr(l->modes[i].text, "body 'rod"));
        assert_non_null(strstr(l->modes[i].text, "turns about"));
        assert_null(strstr(l->modes[i].text, "others"));
    }
    /* the angles at rest: tan a_i = (i - 3.5) t, t such that sum cos a_i = 8 cos(0.5) */
    double low = 0, high = 2;
    for (int k = 0; k < 200; k++) {
        const double t = 0.5 * (low + high);
        double span = 0;
        for (int i = 0; i < LOOP; i++) span += 1 / sqrt(1 + (i - 3.5) * (i - 3.5) * t * t);
        *(span > LOOP * cos(0.5) ? &low : &high) = t;
    }
    const double H = G / low; /* m g / t: horizontal force */
    double a[LOOP], expected[13];
    for (int i = 0; i < LOOP; i++) a[i] = atan((i - 3.5) * low);
    /* In the plane: angles d_i with sum sin a_i d_i = 0, sum cos a_i d_i = 0. Slender rods of radius 0.01: I = 1/12 + r^2/4. */
    double M[64] = {0}, K[64] = {0}, N[LOOP][6];
    const double I = 1.0 / 12 + 0.01 * 0.01 / 4;
    for (int i = 0; i < LOOP; i++) /* rod k moves by sum_{i<k} + half of its own */
        for (int j = 0; j < LOOP; j++) {
            double mass = i == j ? I : 0;
            for (int k = 0; k < LOOP; k++) {
                const double p = i < k ? 1 : i == k ? 0.5 : 0, q = j < k ? 1 : j == k ? 0.5 : 0;
                mass += p * q * cos(a[i] - a[j]);
            }
            M[i * LOOP + j] = mass;
        }
    /* tension along rod i: H cos a + V sin a, V = H tan a: geometric stiffness H / cos a_i, which includes gravity */
    for (int i = 0; i < LOOP; i++) K[i * LOOP + i] = H / cos(a[i]);
    /* a basis of both conditions: d_k for six k, which determine the first and last rod */
    const double s0 = sin(a[0]), c0 = cos(a[0]), s7 = sin(a[7]), c7 = cos(a[7]), det = s0 * c7 - s7 * c0;
    for (int k = 0; k < 6; k++) {
        const double s = sin(a[k + 1]), c = cos(a[k + 1]);
        for (int i = 0; i < LOOP; i++) N[i][k] = i == k + 1;
        N[0][k] = -(s * c7 - c * s7) / det;
        N[7][k] = -(s0 * c - c0 * s) / det;
    }
    double Mr[49] = {0}, Kr[49] = {0};
    for (int p = 0; p < 6; p++)
        for (int q = 0; q < 6; q++)
            for (int i = 0; i < LOOP; i++)
                for (int j = 0; j < LOOP; j++)
                    Mr[p * 6 + q] += N[i][p] * M[i * LOOP + j] * N[j][q],
                        Kr[p * 6 + q] += N[i][p] * K[i * LOOP + j] * N[j][q];
    find_eigenvalues(Mr, Kr, 6, expected);
    /* Across: heights of the seven inner points; rods of tension T_i = H / cos a_i */
    memset(Mr, 0, sizeof Mr), memset(Kr, 0, sizeof Kr);
    for (int i = 0; i < LOOP; i++) {
        const double ends[2] = {i - 1.0, (double)i}, T = H / cos(a[i]);
        for (int p = 0; p < 2; p++)
            for (int q = 0; q < 2; q++) {
                const int x = (int)ends[p], y = (int)ends[q];
                if (x < 0 || x > 6 || y < 0 || y > 6) continue;
                Mr[x * 7 + y] += 0.25 + (p == q ? 1 : -1) * I;
                Kr[x * 7 + y] += (p == q ? 1 : -1) * T;
            }
    }
    find_eigenvalues(Mr, Kr, 7, expected + 6);
    qsort(expected, 13, sizeof *expected, by_size);
    double worst = 0;
    for (int i = 0; i < 13; i++) worst = fmax(worst, fabs(l->modes[8 + i].im / sqrt(expected[i]) - 1));
    printf("8-Loop: thirteen frequencies to %.2g\n", worst);
    assert_near(worst, 0, 1e-7);
    trm_linearisation_destroy(l);
    end_resting(&r);
}

/* ---- State space ---------------------------------------------------------------------------- */

/* The response of a damped oscillator with a servo to a step of its target is compared with a run: the servo is
 * linear. */
static void the_state_space_has_the_step_response_of_the_simulation(void **state)
{
    (void)state;
    static const char model[] =
        "{ \"trammel\": 1, \"gravity\": [0, 0, 0], \"bodies\": [{ \"name\": \"a\", \"mass\": 2, \"inertia\": [1, 1, "
        "1] }, { \"name\": "
        "\"b\", \"mass\": 1, \"inertia\": [1, 1, 1], \"position\": [1, 0, 0] }], \"joints\": [{ \"name\": \"p\", "
        "\"type\": \"slider\", "
        "\"bodies\": [\"ground\", \"a\"], \"anchor\": [0, 0, 0], \"axis\": [1, 0, 0] }, { \"name\": \"q\", \"type\": "
        "\"slider\", "
        "\"bodies\": [\"a\", \"b\"], \"anchor\": [1, 0, 0], \"axis\": [1, 0, 0], \"stiffness\": 40, \"damping\": 3 "
        "}], \"forces\": [{ "
        "\"name\": \"servo\", \"type\": \"servo\", \"joint\": \"p\", \"kp\": 90, \"kd\": 8, \"target\": %s }] }";
    char text[2000];
    snprintf(text, sizeof text, model, "0");
    resting r = rest_text(text);
    trm_linearisation *l = linearise(r.state, "servo.target", "a.vx,b.x,b.ax");
    assert_int_equal(l->state_count, 4);
    double x[4] = {0}, u = 0.1;
    const int steps = 20000;
    for (int i = 0; i < steps; i++) { /* RK4 over 1 s */
        double k[4][4], y[4];
        const double h = 1.0 / steps, part[4] = {0, 0.5, 0.5, 1};
        for (int s = 0; s < 4; s++)
            for (int a = 0; a < 4; a++) {
                for (int b = 0; a == 0 && b < 4; b++) y[b] = x[b] + (s > 0 ? part[s] * h * k[s - 1][b] : 0);
                k[s][a] = l->B[a] * u;
                for (int b = 0; b < 4; b++) k[s][a] += l->A[a * 4 + b] * y[b];
            }
        for (int a = 0; a < 4; a++) x[a] += h / 6 * (k[0][a] + 2 * k[1][a] + 2 * k[2][a] + k[3][a]);
    }
    double y[3];
    for (int i = 0; i < 3; i++) {
        y[i] = l->output_start[i] + l->Du[i] * u;
        for (int k = 0; k < 4; k++) y[i] += l->C[i * 4 + k] * x[k];
    }
    snprintf(text, sizeof text, model, "0.1");
    trm_model *model_of_step = model_of_text(text);
    trm_simulation_def options = *trm_model_simulation(model_of_step);
    options.step = 0.001, options.order = 6, options.scheme = "extrapolation";
    running run = run_model(model_of_step, &options);
    trm_sim_enable_reactions(run.sim, true);
    go(&run, 1);
    const trm_state *end = trm_sim_state(run.sim);
    const double off[3] = {trm_body_velocity(end, 1).lin.x - y[0], trm_body_pose(end, 2).p.x - y[1],
                           trm_body_acceleration(end, 2).lin.x - y[2]};
    printf("step response: %.2g m/s, %.2g m, %.2g m/s^2\n", off[0], off[1], off[2]);
    for (int i = 0; i < 2; i++) assert_near(off[i], 0, 1e-6);
    assert_near(off[2], 0, 1e-5);
    stop(&run);
    trm_linearisation_destroy(l);
    end_resting(&r);
}

static void unknown_inputs_and_outputs_are_named(void **state)
{
    (void)state;
    static const char *const wrong[][3] = {{"p.fo", NULL, "there is no input \"p.fo\""},
                                           {"nobody.fx", NULL, "nobody.fx"},
                                           {NULL, "rod.q", "no column fits \"rod.q\""},
                                           {NULL, "p.fx", "a reaction"}};
    resting r = rest_text(
        "{ \"trammel\": 1, \"gravity\": [0, -9.81, 0], \"bodies\": [{ \"name\": \"rod\", \"rod\": { \"from\": [0, 0, "
        "0], \"to\": [0, -1, 0], \"mass\": 2 } }], \"joints\": [{ \"name\": \"p\", \"type\": \"hinge\", \"bodies\": "
        "[\"ground\", \"rod\"], \"anchor\": [0, 0, 0], \"axis\": [0, 0, 1] }] }");
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        trm_messages *messages = trm_messages_create(NULL);
        trm_linearisation *linear;
        const trm_linearise_def def = {wrong[i][0], wrong[i][1]};
        assert_int_equal(trm_linearise(r.state, &def, NULL, messages, &linear), TRM_BAD_INPUT);
        assert_non_null(strstr(trm_message_at(messages, 0)->text, wrong[i][2]));
        trm_messages_destroy(messages);
    }
    end_resting(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(chains_of_masses_have_their_frequencies),
        cmocka_unit_test(a_compound_pendulum_swings),
        cmocka_unit_test(a_double_pendulum_has_two_frequencies),
        cmocka_unit_test(a_string_of_a_hundred_masses_has_its_first_ten_frequencies),
        cmocka_unit_test(the_eight_loop_has_thirteen_frequencies_and_eight_spins),
        cmocka_unit_test(the_state_space_has_the_step_response_of_the_simulation),
        cmocka_unit_test(unknown_inputs_and_outputs_are_named),
    };
    return RUN_TESTS(tests);
}
