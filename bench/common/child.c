/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* The row is memory that both processes share. Nothing is ever written to a pipe between them; the parent learns that
 * the child has ended when the last open end of the pipe closes. */

#include "common/child.h"

#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>
#ifdef __linux__
#include <sys/prctl.h>
#endif

enum { SECONDS_PER_LINE = 30 }; /* where lines cannot be written over */

/* Ends the child with its parent, however the parent ends. Otherwise a child of a killed bench would continue. */
static void end_with_parent(pid_t parent)
{
#ifdef __linux__
    if (prctl(PR_SET_PDEATHSIG, SIGKILL) != 0) _exit(1);
#endif
    if (getppid() != parent) _exit(1); /* the parent has already ended */
}

/* Runs the work in the child, with the output of engines discarded. */
static void be_child(void (*work)(const void *context, row *out), const void *context, unsigned seconds, row *out)
{
    alarm(seconds); /* not RLIMIT_CPU: under it Linux counts processor time in ticks of 4 ms */
    if (!freopen("/dev/null", "w", stdout) || !freopen("/dev/null", "w", stderr)) _exit(1);
    if (chdir("/tmp") != 0) _exit(1);
    work(context, out);
    _exit(0);
}

static void report_progress(const row *r, int seconds)
{
    const bool terminal = isatty(STDERR_FILENO);
    if (!terminal && seconds % SECONDS_PER_LINE != 0) return;
    fprintf(stderr, "%s... %s %s: %.3g s simulated in %d s%s", terminal ? "\r" : "", r->peer, r->variant, r->reached,
            seconds, terminal ? "   " : "\n");
    fflush(stderr);
}

static void wait_for_end(int from, const row *r)
{
    struct pollfd end = {.fd = from, .events = POLLIN};
    int seconds = 0;
    while (poll(&end, 1, 1000) == 0) report_progress(r, ++seconds);
    if (seconds > 0 && isatty(STDERR_FILENO)) fprintf(stderr, "\r%79s\r", "");
}

static void describe_death(int status, unsigned seconds, row *r)
{
    if (WIFSIGNALED(status) && WTERMSIG(status) == SIGALRM)
        snprintf(r->status, sizeof r->status, "took longer than %u s: ended at %.3g s", seconds, r->reached);
    else if (WIFSIGNALED(status))
        snprintf(r->status, sizeof r->status, "crashed at %.3g s: %s", r->reached, strsignal(WTERMSIG(status)));
    else if (WIFEXITED(status) && WEXITSTATUS(status) != 0)
        snprintf(r->status, sizeof r->status, "ended itself at %.3g s", r->reached);
}

void run_in_child(void (*work)(const void *context, row *out), const void *context, unsigned seconds, row *out)
{
    int ends[2], status = 0;
    row *shared = mmap(NULL, sizeof *shared, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    snprintf(out->status, sizeof out->status, "no memory or no process");
    if (shared == MAP_FAILED) return;
    *shared = *out;
    fflush(NULL);
    const bool piped = pipe(ends) == 0;
    const pid_t parent = getpid(), child = piped ? fork() : -1;
    if (child == 0) {
        end_with_parent(parent);
        be_child(work, context, seconds, shared);
    }
    if (piped) close(ends[1]);
    if (child > 0) {
        wait_for_end(ends[0], shared);
        waitpid(child, &status, 0);
        *out = *shared;
        describe_death(status, seconds, out);
    }
    if (piped) close(ends[0]);
    munmap(shared, sizeof *shared);
}
