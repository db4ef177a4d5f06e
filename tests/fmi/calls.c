/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* Wrong calls of an FMU: every call in a wrong mode, with NULL or with invalid arguments returns an error, and the
 * instance continues; 1000 random sequences of calls neither crash nor leak. Features of FMI 3 only: early return at
 * events, event mode, intermediate updates. */

#define FOLDER "calls"
#include "importer.h"

static void initialize(fmu *f, instance c)
{
    assert_int_equal(enter(f, c, 0, 0), OK);
    assert_int_equal(call(f, "ExitInitializationMode", c), OK);
}

/* ---- Wrong calls ---------------------------------------------------------------------------- */

static void check_instantiation(fmu *f)
{
    assert_null(open_with(f, "one", "another token"));
    assert_true(f->logged > 0);
    assert_null(open_with(f, NULL, f->d.token));
    assert_null(open_with(f, "", f->d.token));
    assert_null(open_with(f, "one", NULL));
    if (f->version == 2) {
        instance c = CALL(f, "Instantiate",
                          instance(*)(const char *, int, const char *, const char *, const callbacks *, int, int))(
            "one", 0, f->d.token, "file:///nowhere", &f->own, 0, 0); /* Model Exchange */
        assert_null(c);
        c = CALL(f, "Instantiate",
                 instance(*)(const char *, int, const char *, const char *, const callbacks *, int, int))(
            "one", 1, f->d.token, "file:///nowhere", &f->own, 0, 0);
        assert_null(c);
        c = CALL(f, "Instantiate",
                 instance(*)(const char *, int, const char *, const char *, const callbacks *, int, int))(
            "one", 1, f->d.token, "file:///nowhere", NULL, 0, 0);
        assert_null(c);
    } else {
        typedef void (*logger)(void *, int, const char *, const char *);
        assert_null(CALL(f, "InstantiateModelExchange",
                         instance(*)(const char *, const char *, const char *, bool, bool, void *, logger))(
            "one", f->d.token, f->folder, false, false, f, logger3));
    }
}

/* Asserts that functions with an instance as their only argument are refused in the current mode. */
static void assert_refused(const fmu *f, instance c, const char *const *names)
{
    for (; *names; names++) {
        const int before = f->logged;
        if (call(f, *names, c) != ERROR) fail_msg("fmi%d%s was not refused", f->version, *names);
        assert_true(f->logged > before);
    }
}

static void check_modes(fmu *f)
{
    double value = 1;
    const unsigned out = reference_of(f, "bob.x"), wrong = 1000000;
    instance c = open_fmu(f);
    assert_refused(f, c, (const char *const[]){"ExitInitializationMode", "Terminate", NULL});
    assert_int_equal(do_step(f, c, 0, 0.01), ERROR);
    assert_int_equal(get(f, c, &out, 1, &value), ERROR);
    assert_int_equal(enter(f, c, NAN, 0), ERROR);
    assert_int_equal(enter(f, c, 0, 0), OK);
    assert_int_equal(enter(f, c, 0, 0), ERROR);
    assert_refused(f, c, (const char *const[]){"Terminate", NULL});
    assert_int_equal(do_step(f, c, 0, 0.01), ERROR);
    assert_int_equal(get(f, c, &out, 1, &value), OK);
    assert_near(value, -1, 1e-12);
    assert_int_equal(call(f, "ExitInitializationMode", c), OK);
    assert_refused(f, c, (const char *const[]){"ExitInitializationMode", NULL});
    assert_int_equal(set(f, c, &out, 1, &value), ERROR);
    assert_int_equal(set(f, c, &wrong, 1, &value), ERROR);
    assert_int_equal(get(f, c, &wrong, 1, &value), ERROR);
    assert_int_equal(get(f, c, NULL, 1, &value), ERROR);
    assert_int_equal(get(f, c, &out, 1, NULL), ERROR);
    assert_int_equal(get(f, c, NULL, 0, NULL), OK);
    assert_int_equal(do_step(f, c, 0.5, 0.01), ERROR); /* not the communication point */
    assert_int_equal(do_step(f, c, 0, 0), ERROR);
    assert_int_equal(do_step(f, c, 0, -0.01), ERROR);
    assert_int_equal(do_step(f, c, 0, NAN), ERROR);
    assert_int_equal(do_step(f, c, 0, INFINITY), ERROR);
    assert_int_equal(do_step(f, c, 0, 0.01), OK); /* the instance still works */
    assert_int_equal(call(f, "Terminate", c), OK);
    assert_refused(f, c, (const char *const[]){"Terminate", "ExitInitializationMode", NULL});
    assert_int_equal(do_step(f, c, 0.01, 0.01), ERROR);
    assert_int_equal(get(f, c, &out, 1, &value), OK);
    close_fmu(f, c);
    close_fmu(f, NULL);
}

static void check_states(fmu *f)
{
    state s = NULL, none = NULL;
    size_t size;
    char bytes[4] = {0};
    instance c = open_fmu(f);
    assert_int_equal(get_state(f, c, NULL), ERROR);
    assert_int_equal(set_state(f, c, NULL), ERROR);
    assert_int_equal(free_state(f, c, NULL), OK);
    assert_int_equal(free_state(f, c, &none), OK);
    assert_int_equal(get_state(f, c, &s), OK); /* works before initialization, too */
    assert_int_equal(state_size(f, c, s, NULL), ERROR);
    assert_int_equal(state_size(f, c, NULL, &size), ERROR);
    assert_int_equal(state_size(f, c, s, &size), OK);
    assert_int_equal(serialize(f, c, s, bytes, 4), ERROR); /* too small */
    assert_int_equal(serialize(f, c, s, NULL, size), ERROR);
    assert_int_equal(deserialize(f, c, bytes, 4, &none), ERROR);
    assert_int_equal(deserialize(f, c, NULL, 4, &none), ERROR);
    initialize(f, c);
    assert_int_equal(do_step(f, c, 0, 0.01), OK);
    assert_int_equal(set_state(f, c, s), OK);
    assert_int_equal(do_step(f, c, 0, 0.01), ERROR); /* the restored state is before initialization */
    initialize(f, c);
    assert_int_equal(do_step(f, c, 0, 0.01), OK);
    assert_int_equal(free_state(f, c, &s), OK);
    close_fmu(f, c);
}

/* Asserts that every function with an instance as its only argument refuses NULL. */
static void check_null(const fmu *f)
{
    static const char *const names[] = {"ExitInitializationMode", "Terminate", "Reset"};
    double value;
    const unsigned reference = 0;
    state s = NULL;
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) assert_int_equal(call(f, names[i], NULL), ERROR);
    assert_int_equal(enter(f, NULL, 0, 0), ERROR);
    assert_int_equal(get(f, NULL, &reference, 1, &value), ERROR);
    assert_int_equal(set(f, NULL, &reference, 1, &value), ERROR);
    assert_int_equal(get_state(f, NULL, &s), ERROR);
}

static void wrong_calls_return_errors(void **context)
{
    (void)context;
    for (int version = 2; version <= 3; version++) {
        fmu *f = load_fmu("pendulum", version, "");
        check_instantiation(f);
        check_modes(f);
        check_states(f);
        check_null(f);
        unload_fmu(f);
    }
}

/* ---- Random calls --------------------------------------------------------------------------- */

static uint64_t seed = 1;

static unsigned dice(unsigned sides)
{
    seed = seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (unsigned)(seed >> 33) % sides;
}

typedef struct player {
    fmu *f;
    instance c;
    double time;
    state kept[3];
    int errors, steps, restored;
} player;

static double any_number(void)
{
    static const double numbers[] = {0, 1, -1, 0.3, 1e300, NAN, INFINITY};
    return numbers[dice(7)];
}

static void make_step(player *p)
{
    static const double steps[] = {0.01, 0.01, 0.003, 0.02, 0, -1, NAN};
    const double h = steps[dice(7)], t = dice(8) > 0 ? p->time : any_number();
    const unsigned time = 0;
    const int status = do_step(p->f, p->c, t, h);
    p->errors += status == ERROR;
    p->steps += status == OK;
    if (status == OK) assert_int_equal(get(p->f, p->c, &time, 1, &p->time), OK);
}

static void use_state(player *p)
{
    state *s = &p->kept[dice(3)];
    const unsigned time = 0;
    size_t size;
    if (!*s || dice(3) == 0) {
        assert_int_equal(get_state(p->f, p->c, s), OK);
        return;
    }
    if (dice(3) == 0) {
        char bytes[20000];
        state copy = NULL;
        assert_int_equal(state_size(p->f, p->c, *s, &size), OK);
        assert_true(size <= sizeof bytes);
        assert_int_equal(serialize(p->f, p->c, *s, bytes, size), OK);
        if (dice(2) == 0) bytes[dice((unsigned)size)] ^= (char)(1 + dice(255));
        if (deserialize(p->f, p->c, bytes, size, &copy) == OK) assert_int_equal(free_state(p->f, p->c, &copy), OK);
        return;
    }
    assert_int_equal(set_state(p->f, p->c, *s), OK);
    assert_int_equal(get(p->f, p->c, &time, 1, &p->time), OK);
    p->restored++;
}

static void make_call(player *p)
{
    static const char *const names[] = {"ExitInitializationMode", "ExitInitializationMode", "Terminate", "Reset"};
    const unsigned reference = dice((unsigned)p->f->d.count + 3), time = 0;
    double value = any_number();
    switch (dice(9)) {
    case 0: p->errors += enter(p->f, p->c, 0, dice(4) == 0 ? any_number() : 0) == ERROR; break;
    case 1:
        p->errors += call(p->f, names[dice(4)], p->c) == ERROR;
        assert_int_equal(get(p->f, p->c, &time, 1, &p->time), OK);
        break;
    case 2: p->errors += get(p->f, p->c, &reference, 1, &value) == ERROR; break;
    case 3: p->errors += set(p->f, p->c, &reference, 1, &value) == ERROR; break;
    case 4:
    case 5: use_state(p); break;
    default: make_step(p); break;
    }
}

static void random_sequences_do_no_harm(void **context)
{
    enum { SEQUENCES = 2000, CALLS = 24 };
    (void)context;
    for (int version = 2; version <= 3; version++) {
        fmu *f = load_fmu("cart-pole", version, "--inputs 'pin.force,cart.f*' --outputs '*.x,pin.*,lean'");
        player p = {.f = f};
        for (int i = 0; i < SEQUENCES / 2; i++) {
            p.c = open_fmu(f);
            p.time = 0;
            if (dice(2) == 0) initialize(f, p.c);
            for (int k = 0; k < CALLS; k++) make_call(&p);
            for (int k = 0; k < 3; k++) assert_int_equal(free_state(f, p.c, &p.kept[k]), OK);
            close_fmu(f, p.c);
        }
        printf("FMI %d: %d sequences of %d calls, %d steps, %d states restored, %d errors returned\n", version,
               SEQUENCES / 2, CALLS, p.steps, p.restored, p.errors);
        assert_true(p.steps > 100 && p.restored > 100 && p.errors > 100);
        unload_fmu(f);
    }
}

/* ---- FMI 3 ---------------------------------------------------------------------------------- */

/* Balls are dropped from 1 m. The communication step in which they hit the ground ends there, at sqrt(2 h/g), and at
 * each later impact; t1 is the time of the fall. The lively ball leaves the ground with 0.8 of its speed, the elastic
 * one with all of it. */
static double next_impact(double t1, double after)
{
    double next = INFINITY, lively = t1, bounce = 2 * t1;
    for (int i = 0; i < 10; i++) {
        const double elastic = t1 + 2 * t1 * i;
        if (elastic > after) next = fmin(next, elastic);
        if (lively > after) next = fmin(next, lively);
        bounce *= 0.8, lively += bounce;
    }
    return next;
}

static void steps_return_early_at_events(void **context)
{
    (void)context;
    const double SAME_IMPACT =
        1e-8; /* s: free fall is exact, impacts are located to the position tolerance over the speed */
    fmu *f = load_fmu("bouncing-ball", 3, "");
    f->early_return = f->event_mode = true;
    instance c = open_fmu(f);
    double t = 0;
    int early = 0;
    bool again, ends, nominals, values, next;
    initialize(f, c);
    assert_int_equal(do_step(f, c, 0, 0.1), ERROR); /* it is in event mode */
    assert_int_equal(call(f, "EnterStepMode", c), OK);
    while (t < 2) {
        assert_int_equal(do_step(f, c, t, 0.1), OK);
        assert_true(f->last_time > t && f->last_time <= t + 0.1 + 1e-9);
        if (f->returned_early) assert_true(f->event_needed && f->last_time < t + 0.1);
        if (f->returned_early) assert_near(f->last_time, next_impact(sqrt(2 / 9.81), t + SAME_IMPACT), SAME_IMPACT);
        early += f->returned_early;
        t = f->last_time;
        if (!f->event_needed) continue;
        assert_int_equal(call(f, "EnterEventMode", c), OK);
        assert_int_equal(do_step(f, c, t, 0.1), ERROR);
        assert_int_equal(
            CALL(f, "UpdateDiscreteStates", int (*)(instance, bool *, bool *, bool *, bool *, bool *, double *))(
                c, &again, &ends, &nominals, &values, &next, NULL),
            OK);
        assert_false(again || ends);
        assert_int_equal(call(f, "EnterStepMode", c), OK);
    }
    assert_true(early > 0);
    printf("%d of the communication steps of a ball that bounces ended early\n", early);
    close_fmu(f, c);
    unload_fmu(f);
}

static double updates[100];
static int update_count;
static fmu *updated;
static instance updated_instance;

static void on_update(void *environment, double time, bool set_requested, bool get_allowed, bool finished,
                      bool can_return, bool *return_requested, double *return_time)
{
    double value[2];
    const unsigned references[2] = {0, reference_of(updated, "bob.x")};
    assert_true(environment == updated && get_allowed && finished && !set_requested && !can_return);
    assert_int_equal(get(updated, updated_instance, references, 2, value), OK);
    assert_near(value[0], time, 0);
    assert_int_equal(do_step(updated, updated_instance, time, 0.01), ERROR); /* refused within a callback */
    assert_int_equal(call(updated, "Reset", updated_instance), ERROR);
    assert_true(update_count < 100);
    updates[update_count++] = time;
    *return_requested = false;
    *return_time = time;
}

static void intermediate_updates_are_at_exact_times(void **context)
{
    (void)context;
    updated = load_fmu("pendulum", 3, "--step 0.005");
    updated->update = on_update;
    updated_instance = open_fmu(updated);
    update_count = 0;
    initialize(updated, updated_instance);
    for (int i = 0; i < 10; i++) assert_int_equal(do_step(updated, updated_instance, i * 0.02, 0.02), OK);
    assert_int_equal(update_count, 40);
    for (int i = 0; i < update_count; i++) assert_near(updates[i], (i + 1) * 0.005, 0);
    close_fmu(updated, updated_instance);
    unload_fmu(updated);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(wrong_calls_return_errors),
        cmocka_unit_test(random_sequences_do_no_harm),
        cmocka_unit_test(steps_return_early_at_events),
        cmocka_unit_test(intermediate_updates_are_at_exact_times),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
