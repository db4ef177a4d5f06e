/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* The ranks that mpirun started: the program trammel-mpi. */

#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <unistd.h>

#include "ranks.h"
#include "trammel/mpi.h"
#include "watcher.h"

const char *const program_name = "trammel-mpi";
const char *const usual_solver = "hierarchy";
const char *const program_words =
    "  mpirun -n K trammel-mpi run ...   K ranks simulate one machine; also sweep. Other commands are run by the\n"
    "                                    first rank alone. A rank that is lost ends all with exit code 4.\n\n";

/* s: a rank that failed waits this long for the others: if all have failed in the same way, they end at the same
 * time. */
static const double PATIENCE_SECONDS = 5;
/* Time in which a rank that was told to end must end. */
enum { GRACE_SECONDS = 5 };

static trm_exchange *all; /* a process belongs to one set of ranks */
static bool is_watched, is_together = true;

trm_exchange *ranks(void)
{
    return is_together && all && all->count > 1 ? all : NULL;
}

bool ranks_take_part(bool together)
{
    is_together = together;
    return together || all->rank == 0;
}

/* Stops waiting after a signal from mpirun: a rank is lost, or all ranks are to end. If the end itself hangs, SIGALRM
 * kills the process. */
void ranks_interrupt(void)
{
    if (!all || all->count <= 1) return;
    if (!trm_mpi_has_given_up()) alarm(GRACE_SECONDS);
    trm_mpi_give_up();
}

static void on_signal(int number)
{
    (void)number;
    ranks_interrupt();
}

/* Handles SIGHUP, by which a rank learns that its watcher is gone. Before the ranks exist a signal ends the
 * process. */
static void listen_to_mpirun(void)
{
    const struct sigaction action = {.sa_handler = on_signal};
    sigaction(SIGTERM, &action, NULL);
    sigaction(SIGHUP, &action, NULL);
}

/* Discards stdout, and stderr unless a watcher stores it. Returns false on failure. */
static bool be_silent(void)
{
    if (!freopen("/dev/null", "w", stdout)) return false;
    return is_watched || freopen("/dev/null", "w", stderr);
}

bool ranks_begin(int argc, char **argv)
{
    is_watched = begin_to_be_watched(argc, argv);
    all = trm_mpi_begin(&argc, &argv);
    if (!all) {
        fprintf(stderr, "trammel-mpi: MPI could not be initialised\n");
        return false;
    }
    if (all->count > 1) listen_to_mpirun();
    return all->rank == 0 || be_silent();
}

/* Does not end MPI if a rank is lost, because MPI would wait for that rank. */
int ranks_end(int code)
{
    fflush(NULL);
    if (trm_mpi_end(all, code == 0 ? (double)INFINITY : PATIENCE_SECONDS)) return code;
    const bool alone = is_watched && code != 0 && !trm_mpi_has_given_up();
    _exit(alone ? code | ENDED_ALONE : code);
}
