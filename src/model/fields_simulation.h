/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* The fields of "simulation", one per line: src/io adds the options of each method, which have the method's name as key. */

/* clang-format off */
KEY(trm_simulation_def, "method", method, method, TEXT("impulse"), EVERY, "method of the simulation"),
KEY(trm_simulation_def, "solver", solver, solver, TEXT("direct"), EVERY, "solver of the method impulse"),
KEY(trm_simulation_def, "start", text, start, 0, EVERY, "name of the initial pose"),
KEY(trm_simulation_def, "step", number, step, NUMBER(0.01), EVERY, "[s] length of a step"),
KEY(trm_simulation_def, "time", number, time, NUMBER(10), EVERY, "[s] duration of the run"),
KEY(trm_simulation_def, "order", number, order, NUMBER(2), EVERY,
    "order of the method: 2, 4, 6 or 8; for taylor any integer from 2 to 20"),
WORD(trm_simulation_def, "scheme", scheme, TEXT("auto"), EVERY, ONE_OF("auto", "composition", "extrapolation"),
     "scheme for orders above 2"),
GROUP("tolerance", EVERY, &trm_form_tolerance, "accuracy of closed joints"),
KEY(trm_simulation_def, "error", number, error, NOT_GIVEN, EVERY, "[m and rad per s] requested error, which controls the step (default: fixed steps)"),
WORD(trm_simulation_def, "impact", impact, TEXT("event"), EVERY, ONE_OF("event", "window", "auto"),
     "contacts are event-driven (event), time-stepping (window), or chosen per step (auto)"),
KEY(trm_simulation_def, "simultaneous", flag, simultaneous, 0, EVERY, "whether closed contacts take part in impacts (default: false)"),
WORD(trm_simulation_def, "sleep", sleep, TEXT("auto"), EVERY, ONE_OF("auto", "on", "off"),
     "whether islands at rest sleep"),
KEY(trm_simulation_def, "every", number, every, NOT_GIVEN, EVERY, "[s] interval of result rows (default: every step)"),
