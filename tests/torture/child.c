/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* A check in a process of its own: a crash, a hang or a machine that takes all memory ends the child and is found.
 *
 * The parent makes no use of threads, so that children may start theirs. */

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
static const double WALL =
    8; /* seconds of wall-clock time per second of the processor: others use the computer too */

static int report_to = -1; /* of the child: the assert handler has no context */

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

static void limit_child(double seconds)
{
    const struct rlimit cpu = {(rlim_t)ceil(seconds), (rlim_t)ceil(seconds) + 2};
    const struct rlimit memory = {(rlim_t)MOST_MEMORY << 30, (rlim_t)MOST_MEMORY << 30};
    const struct rlimit core = {0, 0};
    setrlimit(RLIMIT_CPU, &cpu);
    setrlimit(RLIMIT_CORE, &core);
    if (!SANITIZED) setrlimit(RLIMIT_AS, &memory);
}

static void be_child(const check *c, const subject *s, double seconds, int to)
{
    report_to = to;
    limit_child(seconds);
    trm_set_assert_handler(on_assert);
    const finding f = c->look(s);
    send_finding(&f);
    _exit(0); /* no leaks are looked for: others do that */
}

/* Waits for the finding; false: none came. */
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

/* s of processor time, of all children that have ended. */
static double seconds_of_children(void)
{
    struct rusage used = {0};
    getrusage(RUSAGE_CHILDREN, &used);
    return (double)used.ru_utime.tv_sec + 1e-6 * (double)used.ru_utime.tv_usec;
}

finding look_in_child(const check *c, const subject *s, double seconds)
{
    int ends[2], status = 0;
    finding f = {0};
    if (pipe(ends) != 0) return not_told("no pipe");
    fflush(NULL);
    const pid_t child = fork();
    if (child == 0) {
        close(ends[0]);
        be_child(c, s, seconds, ends[1]);
    }
    close(ends[1]);
    const bool told = child > 0 && receive(ends[0], WALL * seconds, &f);
    close(ends[0]);
    if (child < 0) return not_told("no process");
    if (!told) kill(child, SIGKILL);
    const double before = seconds_of_children();
    waitpid(child, &status, 0);
    if (!told) f = tell_end(status, seconds);
    f.seconds = seconds_of_children() - before;
    return f;
}
