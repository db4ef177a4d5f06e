/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* Compares FMUs with `trammel run`: outputs are bit-identical with the same steps, also after a state was restored,
 * serialised and given to another instance, and with two instances in one process. */

#define FOLDER "bits"
#include "importer.h"

enum { MOST_COLUMNS = 2000 };

/* Rows of a run as trammel writes them. */
typedef struct rows {
    char names[MOST_COLUMNS][100];
    int columns;
    double *numbers;
    int count;
} rows;

static rows *run_model(const char *model, const char *options)
{
    char command[2000], *line = NULL, *rest;
    size_t room = 0;
    rows *r = calloc(1, sizeof *r);
    snprintf(command, sizeof command, "'%s' run '%s/%s.json' %s --out rows.csv >/dev/null", getenv("TRAMMEL"),
             TRM_EXAMPLES, model, options);
    assert_int_equal(system(command), 0);
    FILE *file = fopen("rows.csv", "r");
    while (getline(&line, &room, file) > 0) {
        if (line[0] == '#') continue;
        if (r->columns == 0) {
            for (char *word = strtok_r(line, ",\n", &rest); word; word = strtok_r(NULL, ",\n", &rest))
                snprintf(r->names[r->columns++], 100, "%s", word);
            continue;
        }
        r->numbers = realloc(r->numbers, (size_t)(r->count + 1) * (size_t)r->columns * sizeof(double));
        char *word = strtok_r(line, ",\n", &rest);
        for (int i = 0; i < r->columns; i++, word = strtok_r(NULL, ",\n", &rest))
            r->numbers[r->count * r->columns + i] = strtod(word, NULL);
        r->count++;
    }
    fclose(file);
    free(line);
    return r;
}

static void free_rows(rows *r)
{
    free(r->numbers);
    free(r);
}

/* Asserts that all outputs of the FMU are bit-identical with a row. */
static void assert_row(fmu *f, instance c, const rows *r, int row)
{
    for (int i = 0; i < r->columns; i++) {
        double value;
        const unsigned reference = reference_of(f, strcmp(r->names[i], "t") == 0 ? "time" : r->names[i]);
        const double expected = r->numbers[row * r->columns + i];
        assert_int_equal(get(f, c, &reference, 1, &value), OK);
        if (memcmp(&value, &expected, sizeof value) != 0 && !(isnan(value) && isnan(expected)))
            fail_msg("%s in row %d: %.17g, not %.17g", r->names[i], row, value, expected);
    }
}

static void initialize(fmu *f, instance c)
{
    assert_int_equal(enter(f, c, 0, 0), OK);
    assert_int_equal(call(f, "ExitInitializationMode", c), OK);
}

static void go(fmu *f, instance c, const rows *r, int from, int to, double step)
{
    for (int i = from; i < to; i++) {
        assert_int_equal(do_step(f, c, (double)i * step, step), OK);
        assert_row(f, c, r, i + 1);
    }
}

static const struct {
    const char *model;
    double step;
    int rows;
} MACHINES[] = {
    {"pendulum", 0.01, 100}, {"arm", 0.01, 120}, {"walker-on-ground", 0.02, 25}, {"bouncing-ball", 0.02, 60}};

static rows *rows_of(int machine)
{
    char options[100];
    snprintf(options, sizeof options, "--every %g --time %g", MACHINES[machine].step,
             MACHINES[machine].step * MACHINES[machine].rows);
    return run_model(MACHINES[machine].model, options);
}

/* The state is saved half-way and restored after the end. Another instance that gets its bytes continues in the same
 * way. */
static void check_machine(int machine, int version)
{
    const int count = MACHINES[machine].rows, half = count / 2;
    const double step = MACHINES[machine].step;
    size_t size;
    state s = NULL, copy = NULL;
    fmu *f = load_fmu(MACHINES[machine].model, version, "");
    rows *r = rows_of(machine);
    assert_int_equal(r->count, count + 1);
    instance c = open_fmu(f), other = open_fmu(f);
    initialize(f, c);
    assert_row(f, c, r, 0);
    go(f, c, r, 0, half, step);
    assert_int_equal(get_state(f, c, &s), OK);
    go(f, c, r, half, count, step);
    assert_int_equal(set_state(f, c, s), OK);
    assert_row(f, c, r, half);
    go(f, c, r, half, half + 5, step);

    assert_int_equal(state_size(f, c, s, &size), OK);
    char *bytes = malloc(size);
    assert_int_equal(serialize(f, c, s, bytes, size), OK);
    assert_int_equal(deserialize(f, other, bytes, size, &copy), OK);
    assert_int_equal(set_state(f, other, copy), OK);
    assert_row(f, other, r, half);
    for (int i = half; i < count; i++) { /* both alternately */
        go(f, other, r, i, i + 1, step);
        if (i >= half + 5) go(f, c, r, i, i + 1, step);
    }
    bytes[size / 2] ^= 1;
    state none = NULL;
    assert_int_equal(deserialize(f, other, bytes, size, &none), ERROR);
    assert_int_equal(deserialize(f, other, bytes, size - 1, &none), ERROR);
    assert_null(none);

    assert_int_equal(call(f, "Reset", c), OK);
    initialize(f, c);
    go(f, c, r, 0, 5, step);
    assert_int_equal(call(f, "Terminate", c), OK);
    assert_row(f, c, r, 5);
    printf("%s, FMI %d: %d rows of %d outputs, the same bits\n", MACHINES[machine].model, version, count + 1,
           r->columns);
    free(bytes);
    assert_int_equal(free_state(f, c, &s), OK);
    assert_null(s);
    assert_int_equal(free_state(f, other, &copy), OK);
    close_fmu(f, c);
    close_fmu(f, other);
    free_rows(r);
    unload_fmu(f);
}

static void outputs_have_the_bits_of_trammel_run(void **context)
{
    (void)context;
    for (int i = 0; i < (int)(sizeof MACHINES / sizeof MACHINES[0]); i++)
        for (int version = 2; version <= 3; version++) check_machine(i, version);
}

static void parameters_are_constants(void **context)
{
    const double value = 0.05;
    (void)context;
    rows *r = run_model("cart-pole", "--every 0.01 --time 0.3 --set lean0=0.05");
    for (int version = 2; version <= 3; version++) {
        fmu *f = load_fmu("cart-pole", version, "");
        instance c = open_fmu(f);
        const unsigned reference = reference_of(f, "lean0"), input = reference_of(f, "push");
        double read;
        assert_int_equal(set(f, c, &reference, 1, &value), OK);
        initialize(f, c);
        assert_row(f, c, r, 0);
        go(f, c, r, 0, 30, 0.01);
        assert_int_equal(set(f, c, &reference, 1, &value), ERROR); /* parameters are fixed now */
        assert_int_equal(get(f, c, &input, 1, &read), OK);
        assert_near(read, 0, 0);
        close_fmu(f, c);
        unload_fmu(f);
    }
    free_rows(r);
}

/* Inputs of the FMU are set to the values that a controller process sets. */
static void inputs_act_as_those_of_a_controller(void **context)
{
    (void)context;
    rows *r = run_model("cart-pole",
                        "--every 0.01 --time 0.5 --controller-period 0.01 --columns 't,cart.*,pin.*' "
                        "--controller 'read g; n=0; while read m; do n=$((n + 1)); echo \"[$((n % 7 - 3))]\"; done'");
    for (int version = 2; version <= 3; version++) {
        fmu *f = load_fmu("cart-pole", version, "--outputs 'cart.*,pin.*'");
        instance c = open_fmu(f);
        const unsigned push = reference_of(f, "push");
        initialize(f, c);
        for (int i = 0; i < 50; i++) {
            const double value = (i + 1) % 7 - 3;
            assert_int_equal(set(f, c, &push, 1, &value), OK);
            go(f, c, r, i, i + 1, 0.01);
        }
        close_fmu(f, c);
        unload_fmu(f);
    }
    free_rows(r);
}

/* A torque along a hinge lifts a pendulum as its servo would; a force on a body accelerates it by F / m. */
static void forces_of_the_importer_act(void **context)
{
    (void)context;
    fmu *f = load_fmu("free-body", 2, "--inputs '*.f*' --outputs '*.v*'");
    instance c = open_fmu(f);
    char name[120];
    double before, after, force = 2;
    unsigned vx = 0, fx = 0;
    for (int i = 0; i < f->d.count; i++) {
        const size_t length = strlen(f->d.list[i].name);
        if (length > 3 && strcmp(f->d.list[i].name + length - 3, ".fx") == 0) {
            fx = f->d.list[i].reference;
            snprintf(name, sizeof name, "%.*s.vx", (int)length - 3, f->d.list[i].name);
            vx = reference_of(f, name);
        }
    }
    initialize(f, c);
    assert_int_equal(get(f, c, &vx, 1, &before), OK);
    assert_int_equal(set(f, c, &fx, 1, &force), OK);
    for (int i = 0; i < 100; i++) assert_int_equal(do_step(f, c, i * 0.01, 0.01), OK);
    assert_int_equal(get(f, c, &vx, 1, &after), OK);
    assert_true(after > before + 0.01);
    close_fmu(f, c);
    unload_fmu(f);
}

/* Steps of different lengths reach the reported times, and the motion is that of equal steps. */
static void communication_steps_may_vary(void **context)
{
    static const double steps[] = {0.01, 0.025, 0.004, 0.01, 0.1, 0.0013};
    (void)context;
    for (int version = 2; version <= 3; version++) {
        fmu *f = load_fmu("pendulum", version, "");
        instance c = open_fmu(f), plain = open_fmu(f);
        const unsigned x[2] = {reference_of(f, "bob.x"), reference_of(f, "time")};
        double t = 0, a[2], b[2];
        initialize(f, c);
        initialize(f, plain);
        for (int i = 0; i < 60; i++) {
            assert_int_equal(do_step(f, c, t, steps[i % 6]), OK);
            t += steps[i % 6];
        }
        assert_int_equal(do_step(f, plain, 0, t), OK);
        assert_int_equal(get(f, c, x, 2, a), OK);
        assert_int_equal(get(f, plain, x, 2, b), OK);
        assert_near(a[1], t, 1e-12);
        assert_near(b[1], t, 1e-12);
        assert_near(a[0], b[0], 1e-3); /* error of order 2 with steps of at most 0.01 s */
        close_fmu(f, c);
        close_fmu(f, plain);
        unload_fmu(f);
    }
}

/* The motion of a drive: at the end of each step, of any length, the coordinate has the importer's value, and between
 * two communication points it moves along a line. A state restored in the middle continues in the same way. */
static void drives_are_led_by_the_importer(void **context)
{
    static const double steps[] = {0.01, 0.025, 0.004, 0.013};
    (void)context;
    for (int version = 2; version <= 3; version++) {
        fmu *f = load_fmu("cardan", version, "--inputs '*.motion' --outputs '*.q,*.qd' --step 0.002");
        instance c = open_fmu(f);
        state middle = NULL;
        unsigned motion = 0, q[2] = {0, 0};
        for (int i = 0; i < f->d.count; i++) {
            const char *dot = strchr(f->d.list[i].name, '.');
            if (dot && strcmp(dot, ".motion") == 0) motion = f->d.list[i].reference;
        }
        q[0] = reference_of(f, "drive_end.q");
        q[1] = reference_of(f, "drive_end.qd");
        double t = 0, start, value[2], first[2], worst = 0;
        initialize(f, c);
        assert_int_equal(get(f, c, &motion, 1, &start), OK);
        for (int pass = 0; pass < 2; pass++) {
            if (pass == 1) assert_int_equal(set_state(f, c, middle), OK);
            for (int i = pass == 1 ? 20 : 0; i < 40; i++) {
                if (i == 20 && pass == 0) assert_int_equal(get_state(f, c, &middle), OK);
                if (i == 20) t = 5 * (0.01 + 0.025 + 0.004 + 0.013);
                const double h = steps[i % 4], goal = start + 0.4 * sin(3 * (t + h));
                const double before = start + 0.4 * sin(3 * t);
                assert_int_equal(set(f, c, &motion, 1, &goal), OK);
                assert_int_equal(do_step(f, c, t, h), OK);
                assert_int_equal(get(f, c, q, 2, value), OK);
                worst = fmax(worst, fmax(fabs(value[0] - goal), 0.01 * fabs(value[1] - (goal - before) / h)));
                t += h;
            }
            if (pass == 0) memcpy(first, value, sizeof first);
        }
        assert_near(first[0], value[0], 1e-12); /* not bit-identical: corrections for a new rate differ by rounding */
        printf("FMI %d: a drive is off by %.2g rad\n", version, worst);
        assert_near(worst, 0, 1e-9); /* the tolerance of joints */
        assert_int_equal(free_state(f, c, &middle), OK);
        close_fmu(f, c);
        unload_fmu(f);
    }
}

/* Inputs change at every step, before and after a state is restored, on machines of several kinds. */
static void restored_states_continue_under_inputs(void **context)
{
    static const struct {
        const char *model, *inputs;
    } cases[] = {{"arm", "*.target"}, {"cart-pole", "push"}, {"four-bar", "*.force"}, {"cardan", "load.value1"}};
    (void)context;
    for (int k = 0; k < 8; k++) {
        char options[200];
        snprintf(options, sizeof options, "--inputs '%s' --outputs '*.q,*.qd'", cases[k / 2].inputs);
        fmu *f = load_fmu(cases[k / 2].model, 2 + k % 2, options);
        instance c = open_fmu(f);
        state middle = NULL;
        unsigned inputs[100], outputs[300];
        size_t input_count = 0, output_count = 0;
        for (int i = 0; i < f->d.count; i++) {
            if (strcmp(f->d.list[i].causality, "input") == 0) inputs[input_count++] = f->d.list[i].reference;
            if (strcmp(f->d.list[i].causality, "output") == 0) outputs[output_count++] = f->d.list[i].reference;
        }
        assert_true(input_count > 0 && input_count <= 100 && output_count <= 300);
        double values[100], start[100], first[300], second[300];
        assert_int_equal(get(f, c, inputs, input_count, start), OK);
        initialize(f, c);
        for (int i = 0; i < 60; i++) {
            const int step = i < 40 ? i : i - 20;
            if (i == 20) assert_int_equal(get_state(f, c, &middle), OK);
            if (i == 40) assert_int_equal(get(f, c, outputs, output_count, first), OK);
            if (i == 40) assert_int_equal(set_state(f, c, middle), OK);
            for (size_t j = 0; j < input_count; j++) values[j] = start[j] + 0.1 * sin(0.3 * step + (double)j);
            assert_int_equal(set(f, c, inputs, input_count, values), OK);
            assert_int_equal(do_step(f, c, step * 0.01, 0.01), OK);
        }
        assert_int_equal(get(f, c, outputs, output_count, second), OK);
        assert_memory_equal(first, second, output_count * sizeof *first);
        printf("%s, FMI %d: restored under %zu inputs, the same bits\n", cases[k / 2].model, 2 + k % 2, input_count);
        assert_int_equal(free_state(f, c, &middle), OK);
        close_fmu(f, c);
        unload_fmu(f);
    }
}

static int derivative(const fmu *f, instance c, const unsigned *unknowns, size_t count, const unsigned *known,
                      double seed, double *sensitivity)
{
    if (f->version == 2)
        return CALL(f, "GetDirectionalDerivative",
                    int (*)(instance, const unsigned *, size_t, const unsigned *, size_t, const double *, double *))(
            c, unknowns, count, known, 1, &seed, sensitivity);
    return CALL(f, "GetDirectionalDerivative",
                int (*)(instance, const unsigned *, size_t, const unsigned *, size_t, const double *, size_t,
                        double *, size_t))(c, unknowns, count, known, 1, &seed, 1, sensitivity, count);
}

/* Derivatives of accelerations are the differences that another force makes shortly afterwards; those of positions
 * and velocities are zero. */
static void directional_derivatives_are_those_of_differences(void **context)
{
    (void)context;
    for (int version = 2; version <= 3; version++) {
        fmu *f = load_fmu("cart-pole", version, "--outputs 'cart.ax,cart.vx,pin.q' --step 0.00001");
        instance c = open_fmu(f), other = open_fmu(f);
        const unsigned push = reference_of(f, "push"), time = 0;
        const unsigned unknowns[] = {reference_of(f, "cart.ax"), reference_of(f, "cart.vx"),
                                     reference_of(f, "pin.q")};
        const double force = 3;
        double sensitivity[3], a, b;
        assert_int_equal(derivative(f, c, unknowns, 3, &push, 1, sensitivity), ERROR); /* before initialization */
        initialize(f, c);
        initialize(f, other);
        assert_int_equal(derivative(f, c, unknowns, 3, &push, force, sensitivity), OK);
        assert_int_equal(derivative(f, c, &time, 1, &push, 1, &a), ERROR);
        assert_int_equal(derivative(f, c, unknowns, 1, &time, 1, &a), ERROR);
        assert_int_equal(set(f, c, &push, 1, &force), OK);
        assert_int_equal(do_step(f, c, 0, 1e-5), OK);
        assert_int_equal(do_step(f, other, 0, 1e-5), OK);
        assert_int_equal(get(f, c, unknowns, 1, &a), OK);
        assert_int_equal(get(f, other, unknowns, 1, &b), OK);
        printf("FMI %d: d(cart.ax) = %.6g by the derivative, %.6g by a difference\n", version, sensitivity[0], a - b);
        assert_near(sensitivity[0], a - b, 1e-3); /* error of a time of 1e-5 s */
        assert_near(sensitivity[1], 0, 1e-12);
        assert_near(sensitivity[2], 0, 1e-12);
        close_fmu(f, c);
        close_fmu(f, other);
        unload_fmu(f);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(outputs_have_the_bits_of_trammel_run),
        cmocka_unit_test(parameters_are_constants),
        cmocka_unit_test(inputs_act_as_those_of_a_controller),
        cmocka_unit_test(forces_of_the_importer_act),
        cmocka_unit_test(communication_steps_may_vary),
        cmocka_unit_test(drives_are_led_by_the_importer),
        cmocka_unit_test(restored_states_continue_under_inputs),
        cmocka_unit_test(directional_derivatives_are_those_of_differences),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
