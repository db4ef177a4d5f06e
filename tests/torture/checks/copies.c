/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* Rotated, displaced, mirrored and scaled copies of a machine move as it does. */

#include "check.h"
#include "math/rotation.h"
#include "noise.h"

typedef struct copy {
    const char *name;
    bool turned, shifted, mirrored;
    double length, mass; /* factors of the scaling */
} copy;

static const copy copies[] = {
    {"turned", true, false, false, 1, 1},
    {"shifted", false, true, false, 1, 1},
    {"mirrored", false, false, true, 1, 1},
    {"3 times as heavy", false, false, false, 1, 3},
    {"a third as large", false, false, false, 1.0 / 3, 1},
    {"7 times as large", true, true, true, 7, 0.2},
};
enum { COPIES = sizeof copies / sizeof *copies, EACH = 2 }; /* copies that each machine is compared with */

/* Speeds below which contacts hold, 1e-6 m/s, are not scaled with the machine: factor of the noise. */
static const double UNSCALED = 10;

static run_def see_copy(const run_def *plain, const motion *run, const copy *c)
{
    run_def def = *plain;
    if (c->turned) def.view.turn = trm_quat_exp(trm_v3(0.3, -0.7, 1.1));
    if (c->shifted) def.view.shift = trm_v3_scale(def.view.length, trm_v3(3, -2, 1));
    def.view.mirror = c->mirrored;
    def.view.length *= c->length;
    def.view.mass *= c->mass;
    def.options.position_tolerance = run->nearness.position * c->length;
    def.options.angle_tolerance = run->nearness.angle;
    def.options.velocity_tolerance = run->velocity_tolerance * fmin(1, c->length);
    return def;
}

static finding look(const subject *s)
{
    const run_def plain = run_plain(s);
    const motion run = run_machine(s, &plain);
    if (!run.ok) return not_told(run.why);
    const double noise = noise_of(s, &plain, &run);
    const bool contacts = traits_of(s) & HAS_CONTACTS;
    if (!(noise < CHAOTIC)) return not_told("chaotic");
    for (int i = 0; i < COPIES; i++) {
        if (!is_sampled(s, "copy", i, COPIES / EACH)) continue;
        const run_def def = see_copy(&plain, &run, &copies[i]);
        const double bound = noise * (contacts && copies[i].length != 1 ? UNSCALED : 1);
        const motion other = run_machine(s, &def);
        if (!other.ok)
            return fails(copies[i].name, 0, 0, "the copy %s: %s; the machine itself reaches its end", copies[i].name,
                         other.why);
        const double apart = motion_distance(s, &run, &other);
        if (apart <= bound) continue;
        if (!(apart <= error_of_choices(s, &plain, &run, &other)))
            return fails(copies[i].name, apart, bound,
                         "the copy %s is %.3g m or rad away at the end; rounding explains %.3g", copies[i].name,
                         apart, bound);
    }
    return holds();
}

const check check_copies = {"copies", "turned, shifted, mirrored and scaled copies move alike", look, false, 3};
