/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* How to simulate, as the command line says it: the lines of the table of options, and what becomes of them. */

#ifndef TRM_CLI_SIMULATION_OPTIONS_H
#define TRM_CLI_SIMULATION_OPTIONS_H

#include "command.h"
#include "method.h"

#define METHOD_OPTIONS                                                                                               \
    {"--method", "NAME", "the method, with options of its own after it, as in lagrange:integrator=rk4; impulse"},    \
        {"--solver", "NAME",                                                                                         \
         "of impulse: direct (all joints at once), hierarchy (by subsystems), iterative (one after another); of "    \
         "lcp: dantzig, lemke, pgs"},                                                                                \
        {"--order", "P",                                                                                             \
         "order of accuracy: of impulse 2, 4, 6 or 8; of taylor any from 2; lagrange, lcp, minimal and "             \
         "subsystem have their own"},                                                                                \
        {"--scheme", "NAME",                                                                                         \
         "how an order above 2 is reached: composition, extrapolation (also with damping), or auto: extrapolation "  \
         "where a force depends on velocities (default: auto)"},                                                     \
        {"--impact", "NAME", "how shapes collide: event (at the exact time), window (in the step, for piles)"},      \
        {"--sleep", "NAME",                                                                                          \
         "whether piles at rest sleep until something touches them: on, off, auto (on in windows)"},                 \
        {"--start", "NAME", "pose of the model to start from (\"poses\"); the model's"},                             \
        {"--step", "H", "step in s; the model's, else 0.01"},                                                        \
        {"--error", "E", "steps as long as at most E m and rad of error per simulated second allow, from H on"},     \
    {                                                                                                                \
        "--tolerance", "D",                                                                                          \
            "how closely joints are kept: D_max in m and rad, V_max in m/s and rad/s (default: 1e-10 at order 2, "   \
            "1e-13 of the machine's size above)"                                                                     \
    }

#define SIMULATION_OPTIONS                                                                                           \
    METHOD_OPTIONS, {"--time", "T", "how long to simulate, in s; the model's, else 10"},                             \
    {                                                                                                                \
        "--every", "DT", "spacing of the result rows in s; without it a row after each step (with --error: every H)" \
    }

/* One of them, by its name, "--step"; other names are passed over. The options borrow from the value and from the
 * method's choice. False: why not, as a sentence. */
bool set_simulation_option(const char *name, const char *value, trm_simulation_def *options, method_choice *method,
                           char *why, size_t size);

/* Those of the model, where the command line does not replace them; they borrow from the method's choice and from the
 * model. False after saying what is wrong, as the command who. */
bool read_simulation_options(const char *who, const command_line *line, const trm_model *model, method_choice *method,
                             trm_simulation_def *options);

/* Returns whether this option is --start NAME=VALUE, a constant where a search starts, and not --start POSE. */
bool is_start_of_search(const command_line *line, int index);

#endif
