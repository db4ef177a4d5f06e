/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* Options of the command line for a simulation: their lines in the table of options, and how they are applied. */

#ifndef TRM_CLI_SIMULATION_OPTIONS_H
#define TRM_CLI_SIMULATION_OPTIONS_H

#include "command.h"
#include "method.h"

#define METHOD_OPTIONS                                                                                               \
    {"--method", "NAME",                                                                                             \
     "method and its options, such as lagrange:integrator=rk4, or auto: method, order and tolerance for --error "    \
     "(default: the model's, else impulse)"},                                                                        \
        {"--solver", "NAME",                                                                                         \
         "impulse: direct (all joints at once), hierarchy (by subsystems), iterative (joint by joint); lcp: "        \
         "dantzig, lemke, pgs"},                                                                                     \
        {"--order", "P",                                                                                             \
         "order of accuracy: impulse 2, 4, 6 or 8; taylor 2 to 20; other methods have their own (default: the "      \
         "model's, else 2)"},                                                                                        \
        {"--scheme", "NAME",                                                                                         \
         "how orders above 2 are reached: composition, extrapolation (supports damping), or auto: extrapolation if " \
         "a force depends on velocities (default: auto)"},                                                           \
        {"--impact", "NAME",                                                                                         \
         "contact mode: event (event-driven, exact impact times), window (time-stepping, for piles), or auto "       \
         "(default: "                                                                                                \
         "event)"},                                                                                                  \
        {"--sleep", "NAME",                                                                                          \
         "whether piles at rest sleep until something touches them: on, off, or auto (on with --impact window) "     \
         "(default: auto)"},                                                                                         \
        {"--start", "NAME", "initial pose, by its name under \"poses\" (default: the model's)"},                     \
        {"--step", "H", "step [s] (default: the model's, else 0.01)"},                                               \
        {"--error", "E",                                                                                             \
         "control the step: at most E [m and rad] of error per simulated second; --step is the first step, and "     \
         "functions of time are sampled this often, so that no pulse is passed over "                                \
         "(default: none; with --method auto 1e-4 of the machine's size)"},                                          \
    {                                                                                                                \
        "--tolerance", "D",                                                                                          \
            "how closely joints are kept: D_max in m and rad, V_max in m/s and rad/s (default: 1e-10 at order 2, "   \
            "1e-13 of the machine's size above)"                                                                     \
    }

#define SIMULATION_OPTIONS                                                                                           \
    METHOD_OPTIONS, {"--time", "T", "simulated time [s] (default: the model's, else 10)"},                           \
    {                                                                                                                \
        "--every", "DT", "spacing of the result rows [s] (default: the step)"                                        \
    }

/* Applies one of these options by its name, such as "--step"; ignores other names. The options borrow from the value
 * and from the method's choice. Returns false with the reason in why, as a sentence. */
bool set_simulation_option(const char *name, const char *value, trm_simulation_def *options, method_choice *method,
                           char *why, size_t size);

/* Reads the options of the model, replaced by those of the command line. They borrow from the method's choice and
 * from the model. who: the command, for messages. Returns false after reporting what is wrong. */
bool read_simulation_options(const char *who, const command_line *line, const trm_model *model, method_choice *method,
                             trm_simulation_def *options);

#endif
