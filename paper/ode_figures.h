/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* What dWorldStep of ODE 0.16.2 (Debian's libode, double precision) makes of the problems of paper_ode.c, m.
 * Written by `bench_ode --record > paper/ode_figures.h`. */

#define ODE_RECORDED "0.16.2"

static const double ODE_FIGURES[ODE_PROBLEMS] = {
    +6.3058300819742331e-03, /* Baumgarte, beta 20, gamma 10, after 0.2 s */
    +4.0668084005358630e-03, /* Baumgarte, beta 10, gamma 10, after 0.2 s */
    -4.3140308257769633e-03, /* Baumgarte, beta 3, gamma 20, after 0.2 s */
    +2.9354825946908205e-04, /* penalty (5), alpha 100, after 0.1 s */
    +2.9354825946908205e-04, /* constraint force mixing (6), 1/alpha */
    +3.3554432000000006e-03, /* ERP 0.2, gap after 8 steps */
    +5.1199999999999929e-08, /* ERP 0.8, gap after 8 steps */
    +9.8099999999999967e-04, /* CFM 0.001, ERP 0.2: sag of 2 kg */
    +8.1246625360713531e-01, /* pyramid of 4, along a direction */
    +1.4067641947960978e+00, /* pyramid of 4, between two */
    +8.1246625360713554e-01, /* box, along a side */
    +4.5576956847941328e-08, /* box, along the diagonal */
};
