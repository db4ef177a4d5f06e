/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* Ranks that mpirun started: trammel-mpi. */

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

/* So long a rank that failed waits for the others, in seconds: if all have failed alike they come at once. */
static const double PATIENCE_SECONDS = 5;
/* So long a rank that was told to end may take for it. */
enum { GRACE_SECONDS = 5 };

static trm_exchange *all; /* the process is in one set of ranks */
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

/* A signal to one of many comes from mpirun: some rank is lost, or all are to end. Should the end itself hang, SIGALRM kills. */
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

/* SIGHUP: the watcher is gone. Before there are ranks a signal just ends the process. */
static void listen_to_mpirun(void)
{
    const struct sigaction action = {.sa_handler = on_signal};
    sigaction(SIGTERM, &action, NULL);
    sigaction(SIGHUP, &action, NULL);
}

/* stderr of one that is watched is kept by its watcher. */
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

/* MPI is not ended where a rank is lost: that would wait for it. */
int ranks_end(int code)
{
    fflush(NULL);
    if (trm_mpi_end(all, code == 0 ? (double)INFINITY : PATIENCE_SECONDS)) return code;
    const bool alone = is_watched && code != 0 && !trm_mpi_has_given_up();
    _exit(alone ? code | ENDED_ALONE : code);
}
