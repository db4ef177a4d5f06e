/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* Loops on several threads: each iteration runs once, with the number of its thread, also inside other loops, from
 * several threads of a program at once, and in a child process. */

#define _GNU_SOURCE /* CLOCK_PROCESS_CPUTIME_ID */

#include "base/parallel.h"

#include <pthread.h>
#include <stdatomic.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "check.h"
#include "trammel/trammel.h"

enum { MOST = 1000, THREADS = 4 };

typedef struct counts {
    _Atomic int visits[MOST];
    _Atomic int inner;
    _Atomic int wrong; /* count of invalid thread numbers */
    int threads;
} counts;

static void count_visit(void *context, int index, int thread)
{
    counts *c = context;
    c->visits[index]++;
    if (thread < 0 || thread >= c->threads) c->wrong++;
}

/* Returns whether each iteration of a loop ran exactly once. */
static bool runs_once(int count, int threads, bool even)
{
    counts c = {.threads = threads > 1 ? threads : 1};
    (even ? trm_for_each : trm_for_each_uneven)(count, threads, count_visit, &c);
    bool good = c.wrong == 0;
    for (int i = 0; i < MOST; i++) good = good && c.visits[i] == (i < count);
    return good;
}

static bool runs_all_once(void)
{
    static const int lengths[] = {0, 1, 2, 3, 5, 17, 100, MOST};
    bool good = true;
    for (int round = 0; round < 50; round++)
        for (size_t i = 0; i < sizeof lengths / sizeof *lengths; i++)
            for (int threads = 0; threads <= THREADS; threads++)
                good = good && runs_once(lengths[i], threads, round % 2 == 0);
    return good;
}

static void each_iteration_runs_once(void **state)
{
    (void)state;
    assert_true(runs_all_once());
}

static void count_inner(void *context, int index, int thread)
{
    counts *c = context;
    (void)index;
    c->inner++;
    if (thread != 0) c->wrong++;
}

static void loop_inside(void *context, int index, int thread)
{
    count_visit(context, index, thread);
    trm_for_each(10, THREADS, count_inner, context);
}

static void a_loop_inside_a_loop_runs_on_one_thread(void **state)
{
    counts c = {.threads = THREADS};
    (void)state;
    trm_for_each(100, THREADS, loop_inside, &c);
    assert_int_equal(c.inner, 1000);
    assert_int_equal(c.wrong, 0);
}

static void *loop_beside(void *context)
{
    *(bool *)context = runs_all_once();
    return NULL;
}

static void loops_of_several_threads_do_not_disturb_each_other(void **state)
{
    pthread_t threads[THREADS];
    bool good[THREADS] = {false};
    (void)state;
    for (int i = 0; i < THREADS; i++) assert_int_equal(pthread_create(&threads[i], NULL, loop_beside, &good[i]), 0);
    for (int i = 0; i < THREADS; i++) pthread_join(threads[i], NULL);
    for (int i = 0; i < THREADS; i++) assert_true(good[i]);
}

/* The threads of the parent process do not exist in the child. */
static void a_child_process_has_a_team_of_its_own(void **state)
{
    int status = -1;
    (void)state;
    assert_true(runs_once(MOST, THREADS, true));
    const pid_t child = fork();
    if (child == 0) _exit(runs_all_once() ? 0 : 1);
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
}

static void *most_threads_here(void *context)
{
    *(int *)context = trm_most_threads();
    return NULL;
}

static void the_number_of_threads_is_that_of_the_calling_thread(void **state)
{
    pthread_t other;
    int there = 0;
    (void)state;
    const int usual = trm_most_threads();
    trm_set_threads(3);
    assert_int_equal(pthread_create(&other, NULL, most_threads_here, &there), 0);
    pthread_join(other, NULL);
    if (usual > 1) assert_int_equal(trm_most_threads(), 3);
    assert_int_equal(there, usual);
    trm_set_threads(0);
    assert_int_equal(trm_most_threads(), usual);
}

static double processor_time(void)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* Threads that waited actively would use as much processor time as passes here. */
static void threads_that_wait_sleep(void **state)
{
    const struct timespec pause = {0, 200000000};
    (void)state;
    assert_true(runs_once(MOST, THREADS, true));
    const double before = processor_time();
    nanosleep(&pause, NULL);
    assert_true(processor_time() - before < 0.1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_iteration_runs_once),
        cmocka_unit_test(a_loop_inside_a_loop_runs_on_one_thread),
        cmocka_unit_test(loops_of_several_threads_do_not_disturb_each_other),
        cmocka_unit_test(a_child_process_has_a_team_of_its_own),
        cmocka_unit_test(the_number_of_threads_is_that_of_the_calling_thread),
        cmocka_unit_test(threads_that_wait_sleep),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
