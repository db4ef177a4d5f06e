/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* The watcher of a rank.
 *
 * It forwards signals, waits, and reports a rank that did not end normally. mpirun sends signals to process groups, and
 * the rank has a process group of its own. So each signal arrives once, and the SIGKILL that mpirun sends a second after
 * SIGTERM hits the watcher alone. The rank learns of the end of its watcher by SIGHUP.
 *
 * stderr of ranks other than 0 is stored in a file without a name. The watcher shows it if the rank fails. */

#include "watcher.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#ifdef __linux__
#include <sys/prctl.h>
#endif

#include "command.h"

static volatile sig_atomic_t watched, told_to_end; /* signal handlers can only read global variables */

static void pass_on(int signal_number)
{
    const int error = errno;
    told_to_end = 1;
    if (watched > 0) kill((pid_t)watched, signal_number);
    errno = error;
}

static const int passed_on[] = {SIGTERM, SIGINT, SIGHUP};

/* ---- Names --------------------------------------------------------------------------------- */

/* Changes the name of this process, so that programs that look for ranks by their name (ps, pgrep, kill) do not find
 * the watcher. The words of the command line are adjacent in memory, where the system reads them. */
static void rename_watcher(int argc, char **argv)
{
    if (argc < 1) return;
    const size_t room = (size_t)(argv[argc - 1] + strlen(argv[argc - 1]) - argv[0]);
    memset(argv[0], 0, room);
    strncat(argv[0], "trammel-watcher", room);
#ifdef __linux__
    prctl(PR_SET_NAME, "trammel-watcher");
#endif
}

/* ---- The rank ------------------------------------------------------------------------------ */

static void become_rank(pid_t watcher, FILE *kept)
{
    setpgid(0, 0);
#ifdef __linux__
    prctl(PR_SET_PDEATHSIG, SIGHUP);
#endif
    if (getppid() != watcher) _exit(EXIT_STOPPED);
    if (kept) dup2(fileno(kept), STDERR_FILENO);
}

/* ---- The watcher --------------------------------------------------------------------------- */

static void show_kept(FILE *kept, const char *rank)
{
    char line[1200];
    if (!kept) return;
    rewind(kept);
    while (fgets(line, sizeof line, kept)) fprintf(stderr, "rank %s: %s", rank, line);
}

static int code_of(int status, const char *rank, FILE *kept)
{
    const bool killed = WIFSIGNALED(status);
    const int code = killed ? EXIT_STOPPED : WEXITSTATUS(status) & ~ENDED_ALONE;
    const bool alone = killed || (WEXITSTATUS(status) & ENDED_ALONE) != 0;
    if (!alone || told_to_end) return code;
    if (killed)
        fprintf(stderr, "trammel-mpi: rank %s was killed by signal %d (%s)\n", rank, WTERMSIG(status),
                strsignal(WTERMSIG(status)));
    else
        fprintf(stderr, "trammel-mpi: rank %s ended by itself with exit code %d\n", rank, code);
    show_kept(kept, rank);
    return code;
}

static void watch(const char *rank, FILE *kept)
{
    int status = 0;
    while (waitpid((pid_t)watched, &status, 0) < 0)
        if (errno != EINTR) _exit(EXIT_STOPPED);
    _exit(code_of(status, rank, kept));
}

static void pass_signals_on(void)
{
    const struct sigaction action = {.sa_handler = pass_on};
    for (int i = 0; i < COUNT_OF(passed_on); i++) sigaction(passed_on[i], &action, NULL);
}

/* Divides the process. Signals are blocked until both processes have their handlers. */
bool begin_to_be_watched(int argc, char **argv)
{
    const char *rank = getenv("OMPI_COMM_WORLD_RANK");
    if (!rank) return false;
    sigset_t all, before;
    sigfillset(&all);
    sigprocmask(SIG_BLOCK, &all, &before);
    FILE *kept = strcmp(rank, "0") != 0 ? tmpfile() : NULL;
    const pid_t watcher = getpid(), child = fork();
    if (child == 0) become_rank(watcher, kept);
    if (child > 0) {
        watched = child;
        pass_signals_on();
        rename_watcher(argc, argv);
    }
    sigprocmask(SIG_SETMASK, &before, NULL);
    if (child > 0) watch(rank, kept);
    return child == 0;
}
