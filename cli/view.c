/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

#include "view.h"

#include "controller.h"
#include "model.h"
#include "simulation_options.h"

static const option options[] = {
    METHOD_OPTIONS,
    {"--speed", "S", "simulated seconds per second, 0.001 to 1000; 1"},
    {"--paused", NULL, "begin paused"},
    {"--port", "N", "where to listen; any that is free"},
    {"--listen", "ADDRESS",
     "of another interface of this machine, 0.0.0.0 for all: others can then reach it; 127.0.0.1"},
    {"--no-open", NULL, "only print the address, do not open a browser"},
    CONTROLLER_OPTIONS,
    MODEL_OPTIONS,
};

const command command_view = {
    .name = "view",
    .words = "MODEL",
    .least = 1,
    .most = 1,
    .summary = "watch a model move in the browser: run, pause, drag, change the method, plots",
    .details = "Prints the address of the page, with a token that nobody can guess, and opens it. The simulation "
               "runs here and goes\n"
               "on without an end while a page is open; several may watch. Ctrl-C ends it.",
    .options = options,
    .option_count = COUNT_OF(options),
    .run = view_run,
};
