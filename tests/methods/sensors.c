/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* Sensors: their readings, the times of their samples, and their noise. */

#include "resuming.h"

/* Tolerance of readings of states that are exact but for rounding, or accurate to order 8. */
static const double EXACT = 1e-11;

enum { MOST_PARTS = TRM_SENSOR_NUMBERS };

typedef struct reading {
    double v[MOST_PARTS];
} reading;

static reading read_sensor(const running *r, const char *name)
{
    reading here = {{0}};
    const int index = trm_find_sensor(r->model, name);
    assert_true(index >= 0);
    assert_true(trm_sim_sensor(r->sim, index, here.v) >= 1);
    return here;
}

static void assert_reads(const running *r, const char *name, trm_vec3 expected, double tolerance)
{
    const reading here = read_sensor(r, name);
    assert_near(here.v[0], expected.x, tolerance);
    assert_near(here.v[1], expected.y, tolerance);
    assert_near(here.v[2], expected.z, tolerance);
}

/* ---- Readings ----------------------------------------------------------------------------- */

static void an_accelerometer_at_rest_reads_gravity_upwards_in_body_axes(void **state)
{
    (void)state;
    running r = run_text(
        "{\"trammel\": 1, \"gravity\": [0, -9.81, 0], \"bodies\": [{\"name\": \"box\", \"mass\": 2, \"inertia\": "
        "[1, 2, 2.5], \"com\": [0.1, 0.2, 0], \"orientation\": {\"axis\": [0,0,1], \"angle\": \"30*deg\"}}, "
        "{\"name\": \"p\", \"point\": true, \"mass\": 1, \"position\": [0, -2, 0]}], \"joints\": ["
        "{\"name\": \"held\", \"type\": \"fixed\", \"bodies\": [\"ground\", \"box\"], \"anchor\": [0,0,0]}, "
        "{\"name\": \"thread\", \"type\": \"distance\", \"bodies\": [\"ground\", \"p\"], \"anchors\": "
        "[[0,0,0],[0,0,0]]}], \"sensors\": [{\"name\": \"imu\", \"type\": \"accelerometer\", \"body\": \"box\", "
        "\"at\": [0.3, 0.4, 0.5]}, {\"name\": \"wall\", \"type\": \"accelerometer\", \"body\": \"ground\"}, "
        "{\"name\": \"bob\", \"type\": \"accelerometer\", \"body\": \"p\"}]}",
        0.01, 1e-12);
    go(&r, 0.1);
    assert_reads(&r, "imu", trm_v3(9.81 * 0.5, 9.81 * sqrt(0.75), 0), EXACT);
    assert_reads(&r, "wall", trm_v3(0, 9.81, 0), 0);
    assert_reads(&r, "bob", trm_v3(0, 9.81, 0), EXACT);
    stop(&r);
}

/* On a frame of a body sensors have its position and its axes; `at` and `orientation` are relative to that frame. */
static void sensors_on_a_frame_have_its_place_and_axes(void **state)
{
    (void)state;
    running r = run_text(
        "{\"trammel\": 1, \"gravity\": [0, 0, -9.81], \"bodies\": [{\"name\": \"arm\", \"mass\": 1, \"inertia\": "
        "[1, 1, 1], \"com\": [0.5, 0, 0], \"points\": {\"end\": [1, 0, 0]}, \"frames\": {\"tool\": {\"position\": "
        "[1, 0, 0], \"orientation\": {\"axis\": [0,1,0], \"angle\": \"90*deg\"}}}}], \"joints\": [{\"name\": \"j\", "
        "\"type\": \"hinge\", \"bodies\": [\"ground\", \"arm\"], \"anchor\": [0,0,0], \"axis\": [0,0,1]}], "
        "\"forces\": "
        "[{\"type\": \"drive\", \"joint\": \"j\", \"motion\": \"2*t\"}], \"sensors\": ["
        "{\"name\": \"imu\", \"type\": \"accelerometer\", \"body\": \"arm.tool\", \"at\": [0, 0, 0.5]}, "
        "{\"name\": \"spin\", \"type\": \"gyro\", \"body\": \"arm.tool\"}, "
        "{\"name\": \"back\", \"type\": \"gyro\", \"body\": \"arm.tool\", \"orientation\": {\"axis\": [0,1,0], "
        "\"angle\": \"-90*deg\"}}, {\"name\": \"end\", \"type\": \"accelerometer\", \"body\": \"arm.end\"}, "
        "{\"name\": \"far\", \"type\": \"distance\", \"bodies\": [\"ground\", \"arm.tool\"], \"anchors\": [[0,0,0], "
        "[0,0,1]]}]}",
        0.01, 1e-12);
    go(&r, 0.5);
    /* the z axis of the frame is x of the arm, its x axis is -z: 1.5 m from the hinge, 4 * 1.5 m/s^2 inwards */
    assert_reads(&r, "imu", trm_v3(-9.81, 0, -6), EXACT);
    assert_reads(&r, "spin", trm_v3(-2, 0, 0), EXACT);
    assert_reads(&r, "back", trm_v3(0, 0, 2), EXACT);
    assert_reads(&r, "end", trm_v3(-4, 0, 9.81), EXACT);
    assert_near(read_sensor(&r, "far").v[0], 2, EXACT);
    stop(&r);
}

/* A ball in free fall that spins at 3 rad/s about z: a sensor at r = 0.5 m along x reads 4.5 m/s^2 inwards, one at
 * the centre zero. */
static void an_accelerometer_in_free_fall_reads_what_spin_makes(void **state)
{
    (void)state;
    running r = run_text(
        "{\"trammel\": 1, \"gravity\": [0, -9.81, 0], \"bodies\": [{\"name\": \"ball\", \"mass\": 2, \"inertia\": "
        "[1, 1, 1], \"com\": [0.25, 0, 0], \"velocity\": [1, 2, 3], \"angular_velocity\": [0, 0, 3]}], "
        "\"sensors\": [{\"name\": \"centre\", \"type\": \"accelerometer\", \"body\": \"ball\", \"at\": [0.25,0,0]}, "
        "{\"name\": \"rim\", \"type\": \"accelerometer\", \"body\": \"ball\", \"at\": [0.75,0,0]}]}",
        0.01, 1e-12);
    go(&r, 0.5);
    assert_reads(&r, "centre", trm_v3(0, 0, 0), EXACT);
    assert_reads(&r, "rim", trm_v3(-4.5, 0, 0), EXACT);
    stop(&r);
}

/* An arm that turns by 2 t^2: inwards omega^2 r, sideways alpha r; the gyro reads omega about the body's own z. */
static void a_driven_arm_feels_its_prescribed_acceleration(void **state)
{
    (void)state;
    running r = run_text(
        "{\"trammel\": 1, \"bodies\": [{\"name\": \"arm\", \"rod\": {\"from\": [0,0,0], \"to\": [0,1,0], \"mass\": "
        "1, \"radius\": 0.01}}, {\"name\": \"table\", \"moving\": {\"position\": [0,0,0], \"angle\": \"2*t^2\", "
        "\"axis\": [0,0,1]}}], \"joints\": [{\"name\": \"pin\", \"type\": \"hinge\", \"bodies\": [\"ground\", "
        "\"arm\"], \"anchor\": [0,0,0], \"axis\": [0,0,1]}], \"forces\": [{\"type\": \"drive\", \"joint\": \"pin\", "
        "\"motion\": \"2*t^2\"}], \"sensors\": [{\"name\": \"tip\", \"type\": \"accelerometer\", \"body\": \"arm\", "
        "\"at\": [0.5,0,0]}, {\"name\": \"spin\", \"type\": \"gyro\", \"body\": \"arm\"}, {\"name\": \"edge\", "
        "\"type\": \"accelerometer\", \"body\": \"table\", \"at\": [0,2,0]}]}",
        0.01, 1e-12);
    go(&r, 0.5);
    assert_reads(&r, "tip", trm_v3(-4, 4, 0), EXACT);
    assert_reads(&r, "spin", trm_v3(0, 0, 2), EXACT);
    assert_reads(&r, "edge", trm_v3(-8, -8, 0), EXACT);
    stop(&r);
}

static const char *const double_pendulum =
    "{\"trammel\": 1, \"gravity\": [0, -9.81, 0], \"bodies\": ["
    "{\"name\": \"a\", \"rod\": {\"from\": [0,0,0], \"to\": [1,0,0], \"mass\": 1, \"radius\": 0.02}}, "
    "{\"name\": \"b\", \"rod\": {\"from\": [1,0,0], \"to\": [1,0.5,0.5], \"mass\": 2, \"radius\": 0.02}}], "
    "\"joints\": [{\"name\": \"s\", \"type\": \"hinge\", \"bodies\": [\"ground\", \"a\"], \"anchor\": [0,0,0], "
    "\"axis\": [0,0,1]}, {\"name\": \"e\", \"type\": \"ball\", \"bodies\": [\"a\", \"b\"], \"anchor\": [1,0,0]}], "
    "\"sensors\": [{\"name\": \"imu\", \"type\": \"accelerometer\", \"body\": \"b\", \"at\": [0.1, 0.2, 0.3]}, "
    "{\"name\": \"spin\", \"type\": \"gyro\", \"body\": \"b\"}, {\"name\": \"angle\", \"type\": \"angle\", "
    "\"joint\": "
    "\"s\"}, {\"name\": \"rate\", \"type\": \"rate\", \"joint\": \"s\"}, {\"name\": \"load\", \"type\": \"force\", "
    "\"joint\": \"e\"}, {\"name\": \"reach\", \"type\": \"distance\", \"bodies\": [\"ground\", \"b\"], \"anchors\": "
    "[[0.5, 0, 0], [0, 0.25, 0]]}]}";

/* Starts the machine with one of the methods, at order 8. */
static running swing_by(const char *choice, double step)
{
    trm_model *model = model_of_text(double_pendulum);
    trm_simulation_def options = *trm_model_simulation(model);
    options.step = step;
    options.position_tolerance = options.angle_tolerance = options.velocity_tolerance = 1e-13;
    options.method = choice[0] == 'l' ? "lagrange" : "impulse";
    options.solver = choice[0] == 'i' ? "iterative" : "direct";
    options.order = 8;
    const trm_option fehlberg = {"lagrange", "integrator", "fehlberg8", NAN};
    options.options = &fehlberg;
    options.option_count = choice[0] == 'l';
    return run_model(model, &options);
}

static const char *const choices[] = {"direct", "iterative", "lagrange"};
enum { CHOICES = sizeof choices / sizeof *choices };

/* Returns dv/dt from five velocities at intervals h, at the middle one, to order 4. */
static trm_vec3 slope(const trm_vec3 *v, double h)
{
    const trm_vec3 near = trm_v3_sub(v[3], v[1]), far = trm_v3_sub(v[4], v[0]);
    return trm_v3_scale(1 / (12 * h), trm_v3_sub(trm_v3_scale(8, near), far));
}

static void an_accelerometer_reads_the_slope_of_velocities(void **state)
{
    (void)state;
    static const double H = 5e-4,
                        TOLERANCE = 1e-6; /* h^4 from the difference formula, 1e-13 / h from the velocities */
    for (int c = 0; c < CHOICES; c++) {
        double worst = 0, largest = 0;
        running r = swing_by(choices[c], H);
        trm_vec3 v[5], felt[5];
        const int body = trm_find_body(r.model, "b");
        for (int i = 0; i < 1000; i++) {
            assert_good(trm_sim_step(r.sim, H));
            assert_good(trm_sim_observe(r.sim));
            const reading imu = read_sensor(&r, "imu");
            memmove(v, v + 1, 4 * sizeof *v);
            memmove(felt, felt + 1, 4 * sizeof *felt);
            const trm_state *now = trm_sim_state(r.sim);
            v[4] = trm_point_velocity(now, body, trm_v3(0.1, 0.2, 0.3));
            felt[4] = trm_rotate(trm_body_pose(now, body).q, trm_v3(imu.v[0], imu.v[1], imu.v[2]));
            if (i < 5) continue;
            const trm_vec3 a = trm_v3_add(felt[2], trm_v3(0, -9.81, 0));
            worst = fmax(worst, trm_v3_length(trm_v3_sub(a, slope(v, H))));
            largest = fmax(largest, trm_v3_length(a));
        }
        print_message("    %s: accelerations off by %.1e of %.0f m/s^2\n", choices[c], worst, largest);
        assert_true(largest > 10);
        assert_near(worst, 0, TOLERANCE);
        stop(&r);
    }
}

/* All other sensors are compared with the state, at several times. */
static void sensors_read_what_the_state_says(void **state)
{
    (void)state;
    for (int c = 0; c < CHOICES; c++) {
        running r = swing_by(choices[c], 0.01);
        trm_sim_enable_reactions(r.sim, true);
        for (int i = 1; i <= 50; i++) {
            go_every(&r, 0.01 * i, 0.01);
            const trm_state *now = trm_sim_state(r.sim);
            const int b = trm_find_body(r.model, "b");
            double q, qd;
            trm_joint_values(now, 0, &q, &qd);
            const trm_vec3 w = trm_rotate_back(trm_body_pose(now, b).q, trm_body_velocity(now, b).ang);
            const trm_spatial F = trm_joint_reaction(now, 1);
            const reading load = read_sensor(&r, "load");
            assert_reads(&r, "spin", w, EXACT);
            assert_near(read_sensor(&r, "angle").v[0], q, 0);
            assert_near(read_sensor(&r, "rate").v[0], qd, EXACT);
            assert_near(load.v[0], F.lin.x, EXACT * 100);
            assert_near(load.v[1], F.lin.y, EXACT * 100);
            assert_near(load.v[2], F.lin.z, EXACT * 100);
            assert_near(load.v[3], F.ang.x, EXACT * 100);
            assert_near(load.v[5], F.ang.z, EXACT * 100);
            assert_near(read_sensor(&r, "reach").v[0],
                        trm_v3_length(trm_v3_sub(trm_point_position(now, b, trm_v3(0, 0.25, 0)), trm_v3(0.5, 0, 0))),
                        0);
        }
        assert_true(fabs(read_sensor(&r, "load").v[0]) > 0.1 && fabs(read_sensor(&r, "rate").v[0]) > 0.1);
        stop(&r);
    }
}

/* The force that holds up a bob is what its accelerometer reads. */
static void a_bob_feels_the_pull_of_its_bar_by_all_methods(void **state)
{
    (void)state;
    static const char *const methods[] = {"impulse", "lagrange", "taylor"};
    for (int m = 0; m < 3; m++) {
        trm_model *model = model_of_text(
            "{\"trammel\": 1, \"gravity\": [0, -9.81, 0], \"bodies\": [{\"name\": \"bob\", \"point\": true, "
            "\"mass\": 2, \"position\": [-1, 0, 0]}], \"joints\": [{\"name\": \"bar\", \"type\": \"distance\", "
            "\"bodies\": [\"ground\", \"bob\"], \"anchors\": [[0,0,0],[0,0,0]]}], \"sensors\": [{\"name\": \"imu\", "
            "\"type\": \"accelerometer\", \"body\": \"bob\"}, {\"name\": \"pull\", \"type\": \"force\", \"joint\": "
            "\"bar\"}]}");
        trm_simulation_def options = *trm_model_simulation(model);
        options.method = methods[m];
        running r = run_model(model, &options);
        go(&r, 0.5);
        const reading pull = read_sensor(&r, "pull");
        assert_true(pull.v[1] > 10);
        assert_reads(&r, "imu", trm_v3(pull.v[0] / 2, pull.v[1] / 2, 0), EXACT);
        stop(&r);
    }
}

static void accelerations_of_frames_come_with_reactions(void **state)
{
    (void)state;
    running r =
        run_text("{\"trammel\": 1, \"gravity\": [0, 0, -9.81], \"bodies\": [{\"name\": \"ball\", \"mass\": 1, "
                 "\"inertia\": [1, 1, 1], \"com\": [0.5, 0, 0], \"angular_velocity\": [0, 0, 2]}]}",
                 0.01, 1e-12);
    assert_good(trm_sim_observe(r.sim));
    assert_near(trm_body_acceleration(trm_sim_state(r.sim), 1).lin.z, 0, 0);
    trm_sim_enable_reactions(r.sim, true);
    assert_good(trm_sim_observe(r.sim));
    const trm_spatial a = trm_body_acceleration(trm_sim_state(r.sim), 1);
    assert_near(a.lin.x, 2, EXACT); /* omega^2 r towards the centre of mass */
    assert_near(a.lin.z, -9.81, EXACT);
    assert_near(trm_v3_length(a.ang), 0, EXACT);
    stop(&r);
}

/* ---- Times of samples --------------------------------------------------------------------- */

/* A body moves at 1 m/s from x = 1 m: its reading tells the time at which a sample was taken. */
#define MOVING(sensor, simulation)                                                                                   \
    "{\"trammel\": 1, \"bodies\": [{\"name\": \"p\", \"point\": true, \"mass\": 1, \"position\": [1,0,0], "          \
    "\"velocity\": [1,0,0]}], \"sensors\": [{\"name\": \"d\", \"type\": \"distance\", \"bodies\": [\"ground\", "     \
    "\"p\"]" sensor "}]" simulation "}"

static double sampled_at(const running *r)
{
    return read_sensor(r, "d").v[0] - 1;
}

static void a_sample_is_held_until_the_next_is_due(void **state)
{
    (void)state;
    static const double SAME = 1e-12; /* rounding of times that are sums */
    running r = run_text(MOVING(", \"rate\": 100", ""), 0.0025, 1e-12);
    for (int i = 1; i <= 40; i++) {
        assert_good(trm_sim_step(r.sim, 0.0025));
        assert_near(sampled_at(&r), 0.01 * (i / 4), SAME);
    }
    stop(&r);

    r = run_text(MOVING("", ""), 0.0025, 1e-12);
    for (int i = 1; i <= 10; i++) {
        assert_good(trm_sim_step(r.sim, 0.0025));
        assert_near(sampled_at(&r), 0.0025 * i, SAME);
    }
    stop(&r);
}

/* Steps of 4 ms, a sample every 10 ms: taken at 0, 12, 20, 32, 40 ms. */
static void a_sample_between_steps_is_taken_at_the_next_one(void **state)
{
    (void)state;
    static const int at[] = {0, 0, 0, 3, 3, 5, 5, 5, 8, 8, 10};
    running r = run_text(MOVING(", \"rate\": 100", ""), 0.004, 1e-12);
    for (int i = 1; i <= 10; i++) {
        assert_good(trm_sim_step(r.sim, 0.004));
        assert_near(sampled_at(&r), 0.004 * at[i], 1e-12);
    }
    stop(&r);
}

/* With error control, steps end at samples, wherever rows are. */
static void steps_that_an_error_decides_end_at_samples(void **state)
{
    (void)state;
    running r = run_text(MOVING(", \"rate\": 7", ", \"simulation\": {\"error\": 1e-6, \"step\": 0.01}"), 0.01, 1e-12);
    for (int i = 1; i <= 15; i++) {
        go_every(&r, 0.1 * i, 0.1);
        assert_near(sampled_at(&r), floor(0.1 * i * 7 + 1e-9) / 7, 1e-12);
    }
    stop(&r);
}

typedef struct held_rows {
    double worst;
    int rows;
} held_rows;

/* Checks readings of rows every 2.5 ms within steps of 10 ms. */
static bool look_at_row(void *context, const trm_state *state)
{
    held_rows *h = context;
    double d;
    trm_sensor_values(state, 0, &d);
    h->worst = fmax(h->worst, fabs(d - 1 - 0.01 * (h->rows / 4)));
    h->rows++;
    return true;
}

static void rows_between_steps_show_the_last_sample(void **state)
{
    (void)state;
    held_rows h = {0};
    running r = run_text(MOVING("", ""), 0.01, 1e-12);
    const trm_run_def run = {.until = 0.1, .every = 0.0025, .row = look_at_row, .context = &h};
    assert_good(trm_sim_run(r.sim, &run));
    assert_int_equal(h.rows, 41);
    assert_near(h.worst, 0, 1e-12);
    stop(&r);
}

typedef struct seen {
    double before, after;
    int steps;
} seen;

static bool see_before(void *context, trm_sim *sim)
{
    trm_sim_sensor(sim, 0, &((seen *)context)->before);
    return true;
}

static bool see_after(void *context, trm_sim *sim)
{
    seen *s = context;
    trm_sim_sensor(sim, 0, &s->after);
    assert_near(s->before, 1 + 0.01 * s->steps, 1e-12);
    assert_near(s->after, 1 + 0.01 * ++s->steps, 1e-12);
    return true;
}

static void hooks_see_the_samples_of_their_time(void **state)
{
    (void)state;
    seen s = {0};
    running r = run_text(MOVING(", \"rate\": 100", ""), 0.01, 1e-12);
    double d;
    assert_int_equal(trm_sim_sensor(r.sim, 0, &d), 1);
    assert_true(isnan(d)); /* nothing has been measured yet */
    trm_sim_set_hooks(r.sim, see_before, see_after, &s);
    go(&r, 0.1);
    assert_int_equal(s.steps, 10);
    stop(&r);
}

/* Runs with sensors and without are bit-identical. */
static void measuring_does_not_change_the_motion(void **state)
{
    (void)state;
    trm_model_def *def = read_model(double_pendulum);
    def->sensor_count = 0;
    for (int c = 0; c < CHOICES; c++) {
        trm_model *bare_model = build_model(def);
        running r = swing_by(choices[c], 0.01), bare = run_model(bare_model, trm_sim_options(r.sim));
        go_every(&r, 2, 0.5);
        go_every(&bare, 2, 0.5);
        for (int b = 1; b <= 2; b++) {
            const trm_pose X = trm_body_pose(trm_sim_state(r.sim), b), Y = trm_body_pose(trm_sim_state(bare.sim), b);
            assert_memory_equal(&X, &Y, sizeof X);
        }
        stop(&r);
        stop(&bare);
    }
    trm_model_def_destroy(def);
}

/* ---- Noise -------------------------------------------------------------------------------- */

#define NOISY(name)                                                                                                  \
    "{\"trammel\": 1, \"bodies\": [{\"name\": \"ball\", \"mass\": 1, \"inertia\": [1, 1, 1], "                       \
    "\"angular_velocity\": [1, 2, 3]}], \"sensors\": [{\"name\": \"" name "\", \"type\": \"gyro\", \"body\": "       \
    "\"ball\", \"noise\": 0.5}]}"

static void noise_is_normal_and_independent(void **state)
{
    (void)state;
    enum { SAMPLES = 20000 };
    static const double SIGMAS =
        4.5; /* standard deviations by which such a mean may differ; the seed is fixed, so the result does not vary */
    double sum[3] = {0}, squares[3] = {0}, next[3] = {0}, across = 0, fourth = 0;
    reading last = {{0}};
    running r = run_text(NOISY("spin"), 0.01, 1e-12);
    for (int i = 0; i < SAMPLES; i++) {
        assert_good(trm_sim_step(r.sim, 0.01));
        reading here = read_sensor(&r, "spin");
        /* a ball turns about a constant axis, constant in its own axes, too */
        for (int k = 0; k < 3; k++) {
            here.v[k] = (here.v[k] - (k + 1)) / 0.5;
            sum[k] += here.v[k];
            squares[k] += here.v[k] * here.v[k];
            next[k] += here.v[k] * last.v[k];
        }
        across += here.v[0] * here.v[1];
        fourth += pow(here.v[2], 4);
        last = here;
    }
    const double bound = SIGMAS / sqrt(SAMPLES);
    for (int k = 0; k < 3; k++) {
        assert_near(sum[k] / SAMPLES, 0, bound);
        assert_near(squares[k] / SAMPLES, 1, bound * sqrt(2));
        assert_near(next[k] / SAMPLES, 0, bound);
    }
    assert_near(across / SAMPLES, 0, bound);
    assert_near(fourth / SAMPLES, 3, bound * sqrt(96));
    stop(&r);
}

static void noise_is_the_same_in_each_run_and_another_for_each_sensor(void **state)
{
    (void)state;
    running a = run_text(NOISY("spin"), 0.01, 1e-12), b = run_text(NOISY("spin"), 0.01, 1e-12),
            other = run_text(NOISY("spun"), 0.01, 1e-12);
    for (int i = 1; i <= 10; i++) {
        go_every(&a, 0.01 * i, 0.01);
        go_every(&b, 0.01 * i, 0.01);
        go_every(&other, 0.01 * i, 0.01);
        const reading x = read_sensor(&a, "spin"), y = read_sensor(&b, "spin"), z = read_sensor(&other, "spun");
        assert_memory_equal(&x, &y, sizeof x);
        assert_true(x.v[0] != z.v[0] && x.v[1] != z.v[1]);
    }
    stop(&a);
    stop(&b);
    stop(&other);
}

/* ---- Resuming, and columns ---------------------------------------------------------------- */

static trm_model *noisy_swing(void)
{
    trm_model_def *def = read_model(double_pendulum);
    for (int i = 0; i < def->sensor_count; i++) def->sensors[i].noise = 0.1, def->sensors[i].rate = 5 * i;
    trm_model *model = build_model(def);
    trm_model_def_destroy(def);
    return model;
}

static void a_run_with_sensors_resumes_bit_identically(void **state)
{
    (void)state;
    for (int error = 0; error < 2; error++) {
        trm_model *one = noisy_swing(), *two = noisy_swing();
        trm_simulation_def options = *trm_model_simulation(one);
        if (error) options.error = 1e-6;
        assert_resumes_bit_identically(run_model(one, &options), run_model(two, &options));
    }
}

static void a_checkpoint_of_other_sensors_is_refused(void **state)
{
    (void)state;
    running a = run_text(NOISY("spin"), 0.01, 1e-12), b = run_text(NOISY("spun"), 0.01, 1e-12);
    trm_text *saved = trm_text_create(NULL);
    assert_int_equal(trm_sim_save(a.sim, 0, trm_text_sink(saved)), TRM_OK);
    assert_int_equal(load_saved(&b, saved), TRM_BAD_INPUT);
    trm_text_destroy(saved);
    stop(&a);
    stop(&b);
}

static void sensors_have_columns(void **state)
{
    (void)state;
    static const char *const names[] = {"imu.x",   "imu.y",   "imu.z",   "spin.x",  "spin.y",
                                        "spin.z",  "angle",   "rate",    "load.fx", "load.fy",
                                        "load.fz", "load.tx", "load.ty", "load.tz", "reach"};
    running r = swing_by("direct", 0.01);
    trm_messages *messages = trm_messages_create(NULL);
    trm_results *columns = NULL;
    go(&r, 0.1);
    assert_int_equal(trm_results_create(r.model, "imu.*,spin.*,angle,rate,load.*,reach", NULL, messages, &columns),
                     TRM_OK);
    assert_int_equal(trm_result_count(columns), 15);
    for (int i = 0; i < 15; i++) assert_string_equal(trm_result_name(columns, i), names[i]);
    assert_false(trm_results_need_reactions(columns)); /* the column shows the last sample */
    assert_near(trm_result_value(columns, 1, trm_sim_state(r.sim)), read_sensor(&r, "imu").v[1], 0);
    assert_near(trm_result_value(columns, 13, trm_sim_state(r.sim)), read_sensor(&r, "load").v[5], 0);
    trm_results_destroy(columns);

    assert_int_equal(trm_results_create(r.model, "b.ax,b.ay", NULL, messages, &columns), TRM_OK);
    assert_true(trm_results_need_reactions(columns));
    trm_sim_enable_reactions(r.sim, true);
    assert_good(trm_sim_observe(r.sim));
    assert_near(trm_result_value(columns, 1, trm_sim_state(r.sim)),
                trm_body_acceleration(trm_sim_state(r.sim), 2).lin.y, 0);
    assert_true(trm_result_value(columns, 1, trm_sim_state(r.sim)) != 0);
    trm_results_destroy(columns);
    trm_messages_destroy(messages);
    stop(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_accelerometer_at_rest_reads_gravity_upwards_in_body_axes),
        cmocka_unit_test(sensors_on_a_frame_have_its_place_and_axes),
        cmocka_unit_test(an_accelerometer_in_free_fall_reads_what_spin_makes),
        cmocka_unit_test(a_driven_arm_feels_its_prescribed_acceleration),
        cmocka_unit_test(an_accelerometer_reads_the_slope_of_velocities),
        cmocka_unit_test(sensors_read_what_the_state_says),
        cmocka_unit_test(a_bob_feels_the_pull_of_its_bar_by_all_methods),
        cmocka_unit_test(accelerations_of_frames_come_with_reactions),
        cmocka_unit_test(a_sample_is_held_until_the_next_is_due),
        cmocka_unit_test(a_sample_between_steps_is_taken_at_the_next_one),
        cmocka_unit_test(steps_that_an_error_decides_end_at_samples),
        cmocka_unit_test(rows_between_steps_show_the_last_sample),
        cmocka_unit_test(hooks_see_the_samples_of_their_time),
        cmocka_unit_test(measuring_does_not_change_the_motion),
        cmocka_unit_test(noise_is_normal_and_independent),
        cmocka_unit_test(noise_is_the_same_in_each_run_and_another_for_each_sensor),
        cmocka_unit_test(a_run_with_sensors_resumes_bit_identically),
        cmocka_unit_test(a_checkpoint_of_other_sensors_is_refused),
        cmocka_unit_test(sensors_have_columns),
    };
    return RUN_TESTS(tests);
}
