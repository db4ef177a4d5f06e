/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* Simbody's headers contain many checks unless NDEBUG is defined, and their inline functions replace those of the
 * library. */
#ifndef NDEBUG
#define NDEBUG
#endif

#include <Simbody.h>

#include <algorithm>
#include <cmath>
#include <ctime>

#include "trees.h"

using namespace SimTK;

static double seconds()
{
    timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return double(now.tv_sec) + 1e-9 * double(now.tv_nsec);
}

/* Measures a chain. Rod i lies along x of its frame, from its joint; its angle to the one before makes the zigzag. */
double simbody_chain(int rods, double fold, int evaluations, int runs, double *first)
{
    MultibodySystem system;
    SimbodyMatterSubsystem matter(system);
    GeneralForceSubsystem forces(system);
    Force::Gravity(forces, matter, Vec3(0, -9.81, 0));
    const double radius = 0.01, across = (1 + 3 * radius * radius) / 12, along = radius * radius / 2;
    const MassProperties rod(1, Vec3(0.5, 0, 0),
                             Inertia(along, across, across).shiftFromMassCenter(Vec3(0.5, 0, 0), 1));
    MobilizedBodyIndex last = matter.getGround().getMobilizedBodyIndex();
    for (int i = 0; i < rods; i++)
        last = MobilizedBody::Pin(matter.updMobilizedBody(last), Transform(Vec3(i == 0 ? 0 : 1, 0, 0)),
                                  Body::Rigid(rod), Transform())
                   .getMobilizedBodyIndex();
    State state = system.realizeTopology();
    for (int i = 0; i < rods; i++)
        matter.getMobilizedBody(MobilizedBodyIndex(i + 1))
            .setOneQ(state, 0, i == 0 ? -fold : (i % 2 ? 2 : -2) * fold);
    const MobilizedBody &root = matter.getMobilizedBody(MobilizedBodyIndex(1));
    double best = 1e300;
    for (int run = 0; run < runs; run++) {
        const double started = seconds();
        for (int k = 0; k < evaluations; k++) {
            root.setOneQ(state, 0, -fold); /* invalidates everything that depends on it */
            system.realize(state, Stage::Acceleration);
        }
        best = std::min(best, seconds() - started);
    }
    *first = root.getOneUDot(state, 0);
    return 1e6 * best / evaluations;
}
