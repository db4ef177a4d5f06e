/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

#include "interrupt.h"

#include <signal.h>
#include <stdatomic.h>
#include <stddef.h>

#include "ranks.h"

static atomic_bool came; /* signal handlers can only write global variables; read by many threads */

void interrupt(void)
{
    atomic_store(&came, true);
}

static void on_signal(int number)
{
    (void)number;
    interrupt();
    ranks_interrupt();
}

void listen_to_signals(void)
{
    struct sigaction action = {.sa_handler = on_signal};
    action.sa_flags = (int)SA_RESETHAND;
    sigaction(SIGINT, &action, NULL);
    sigaction(SIGTERM, &action, NULL);
}

bool interrupted(void)
{
    return atomic_load(&came);
}
