/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

#include "view.h"

#include "controller.h"
#include "model.h"
#include "simulation_options.h"

static const option options[] = {
    METHOD_OPTIONS,
    {"--speed", "S", "simulated seconds per second, 0.001 to 1000 (default: 1)"},
    {"--paused", NULL, "start paused"},
    {"--port", "N", "port to listen on (default: any free one)"},
    {"--listen", "ADDRESS",
     "address of the interface to listen on, 0.0.0.0 for all: other machines can then connect (default: 127.0.0.1)"},
    {"--no-open", NULL, "only print the address, do not open a browser"},
    CONTROLLER_OPTIONS,
    MODEL_OPTIONS,
};

const command command_view = {
    .name = "view",
    .words = "MODEL",
    .least = 1,
    .most = 1,
    .summary = "watch a model in the browser: run, pause, pull, change the method, plots",
    .details =
        "Prints the address of the page, which contains a random token, and opens it. The simulation runs on this\n"
        "machine while a page is open; several pages may be open. Ctrl-C ends it.",
    .options = options,
    .option_count = COUNT_OF(options),
    .run = view_run,
};
