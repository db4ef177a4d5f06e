/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* The fields of "simulation", one per line: src/io adds the options of each method, which have the method's name as key. */

/* clang-format off */
KEY(trm_simulation_def, "method", method, method, TEXT("impulse"), EVERY, "which method"),
KEY(trm_simulation_def, "solver", solver, solver, TEXT("direct"), EVERY, "of the impulse method"),
KEY(trm_simulation_def, "start", text, start, 0, EVERY, "the pose that a run begins with"),
KEY(trm_simulation_def, "step", number, step, NUMBER(0.01), EVERY, "s"),
KEY(trm_simulation_def, "time", number, time, NUMBER(10), EVERY, "s, to simulate"),
KEY(trm_simulation_def, "order", number, order, NUMBER(2), EVERY,
    "2, 4, 6 or 8; of taylor any whole number from 2 to 20"),
WORD(trm_simulation_def, "scheme", scheme, TEXT("auto"), EVERY, ONE_OF("auto", "composition", "extrapolation"),
     "how orders above 2 are reached"),
GROUP("tolerance", EVERY, &trm_form_tolerance, "how closely joints are kept"),
KEY(trm_simulation_def, "error", number, error, NOT_GIVEN, EVERY, "error per step that controls the step"),
WORD(trm_simulation_def, "impact", impact, TEXT("event"), EVERY, ONE_OF("event", "window", "auto"),
     "how collisions are found"),
KEY(trm_simulation_def, "simultaneous", flag, simultaneous, 0, EVERY, "several impacts at once"),
WORD(trm_simulation_def, "sleep", sleep, TEXT("auto"), EVERY, ONE_OF("auto", "on", "off"),
     "whether piles at rest sleep"),
KEY(trm_simulation_def, "every", number, every, NOT_GIVEN, EVERY, "s, between result rows"),
