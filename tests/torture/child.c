/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* The checks of a machine in a process of their own: a crash, a hang or a machine that takes all memory ends the
 * child and is detected. One child makes all checks, so that they share runs; after a check that ends the child the
 * others need a new one.
 *
 * The parent uses no threads, so that children may start theirs. */

#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "sanitized.h"
#include "torture.h"

enum { MOST_MEMORY = 3 }; /* GiB */
/* s of wall-clock time per second of processor time, after which a child that waits forever is ended. With a smaller
 * value, checks on a busy computer would seem to hang; with a larger one, such a child is detected later. */
static const double WALL = 100;

static int report_to = -1; /* global, because the assert handler of the child has no context */

static void send_finding(const finding *f)
{
    const char *bytes = (const char *)f;
    size_t sent = 0;
    while (sent < sizeof *f) {
        const ssize_t n = write(report_to, bytes + sent, sizeof *f - sent);
        if (n <= 0) _exit(2);
        sent += (size_t)n;
    }
}

static void on_assert(const char *condition, const char *file, int line)
{
    finding f = {.verdict = CRASHED};
    snprintf(f.text, sizeof f.text, "assertion failed: %s (%s:%d)", condition, file, line);
    send_finding(&f);
    _exit(0);
}

/* Returns processor time, s, of this process or of all children that have ended. */
static double seconds_of(int who)
{
    struct rusage used = {0};
    getrusage(who, &used);
    return (double)used.ru_utime.tv_sec + 1e-6 * (double)used.ru_utime.tv_usec;
}

static void limit_child(void)
{
    const struct rlimit memory = {(rlim_t)MOST_MEMORY << 30, (rlim_t)MOST_MEMORY << 30};
    const struct rlimit core = {0, 0};
    setrlimit(RLIMIT_CORE, &core);
    if (!SANITIZED) setrlimit(RLIMIT_AS, &memory);
}

/* Limits the processor time to this many seconds from now on. */
static void limit_time(double used, double seconds)
{
    struct rlimit cpu;
    getrlimit(RLIMIT_CPU, &cpu);
    cpu.rlim_cur = (rlim_t)ceil(used + seconds);
    setrlimit(RLIMIT_CPU, &cpu);
}

static void be_child(const check *const *checks, int count, const subject *s, double seconds, int to)
{
    report_to = to;
    limit_child();
    trm_set_assert_handler(on_assert);
    for (int i = 0; i < count; i++) {
        const double used = seconds_of(RUSAGE_SELF);
        limit_time(used, seconds);
        finding f = checks[i]->look(s);
        f.seconds = seconds_of(RUSAGE_SELF) - used;
        send_finding(&f);
    }
    _exit(0); /* without a search for leaks, which other tests do */
}

/* Waits for the finding. Returns false if none came. */
static bool receive(int from, double seconds, finding *f)
{
    char *bytes = (char *)f;
    size_t got = 0;
    const time_t end = time(NULL) + (time_t)ceil(seconds);
    while (got < sizeof *f && time(NULL) <= end) {
        struct pollfd p = {.fd = from, .events = POLLIN};
        if (poll(&p, 1, 1000) <= 0) continue;
        const ssize_t n = read(from, bytes + got, sizeof *f - got);
        if (n <= 0) break;
        got += (size_t)n;
    }
    return got == sizeof *f;
}

static finding tell_end(int status, double seconds)
{
    finding f = {.verdict = CRASHED};
    const int by = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
    if (by == SIGXCPU || by == SIGKILL) {
        f.verdict = HUNG;
        snprintf(f.text, sizeof f.text, "took more than %.0f s of the processor", seconds);
    } else if (by)
        snprintf(f.text, sizeof f.text, "crashed by signal %d (%s)", by, strsignal(by));
    else
        snprintf(f.text, sizeof f.text, "ended with exit code %d", WEXITSTATUS(status));
    return f;
}

int look_in_child(const check *const *checks, int count, const subject *s, double seconds, finding *found)
{
    int ends[2], status = 0, told = 0;
    double spent = 0;
    found[0] = not_told("no process");
    if (pipe(ends) != 0) return 1;
    fflush(NULL);
    const double before = seconds_of(RUSAGE_CHILDREN);
    const pid_t child = fork();
    if (child == 0) {
        close(ends[0]);
        be_child(checks, count, s, seconds, ends[1]);
    }
    close(ends[1]);
    while (child > 0 && told < count && receive(ends[0], WALL * seconds, &found[told])) {
        spent += found[told].seconds;
        if (found[told++].verdict == CRASHED) break; /* an assertion: the child has ended */
    }
    close(ends[0]);
    if (child < 0) return 1;
    const bool ended = told == count || (told > 0 && found[told - 1].verdict == CRASHED);
    if (!ended) kill(child, SIGKILL);
    waitpid(child, &status, 0);
    if (ended) return told;
    found[told] = tell_end(status, seconds);
    found[told].seconds = seconds_of(RUSAGE_CHILDREN) - before - spent;
    return told + 1;
}
