/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* The fields of "simulation", one per line: src/io adds the options of each method, which have the method's name as key. */

/* clang-format off */
KEY(method, method, TEXT("impulse"), EVERY, "method of the simulation"),
KEY(solver, solver, TEXT("direct"), EVERY, "solver of the method impulse"),
KEY(start, text, 0, EVERY, "name of the initial pose"),
KEY(step, number, NUMBER(0.01), EVERY, "[s] length of a step"),
KEY(time, number, NUMBER(10), EVERY, "[s] duration of the run"),
KEY(order, number, NUMBER(2), EVERY, "order of the method: 2, 4, 6 or 8; for taylor any integer from 2 to 20"),
WORD(scheme, TEXT("auto"), EVERY, ONE_OF("auto", "composition", "extrapolation"), "scheme for orders above 2"),
GROUP("tolerance", EVERY, &trm_form_tolerance, "accuracy of closed joints"),
KEY(error, number, NOT_GIVEN, EVERY, "[m and rad per s] requested error, which controls the step (default: fixed steps)"),
WORD(impact, TEXT("event"), EVERY, ONE_OF("event", "window", "auto"), "contacts are event-driven (event), time-stepping (window), or chosen per step (auto)"),
KEY(simultaneous, flag, 0, EVERY, "whether closed contacts take part in impacts (default: false)"),
WORD(sleep, TEXT("auto"), EVERY, ONE_OF("auto", "on", "off"), "whether islands at rest sleep"),
KEY(every, number, NOT_GIVEN, EVERY, "[s] interval of result rows (default: every step)"),
