/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* The scenes of the bench: a block on an incline, a bouncing ball, stacks, a thousand boxes, and a wall. */

#include "scenes.h"

#include <math.h>
#include <stdint.h>

#include "trammel/vecmath.h"

static const double G = 9.81, DENSITY = 1, CUBE = 0.2, GAP = 0.1;
enum { LAYERS = 10, LEAST_SIDE = 10 }; /* of a grid of boxes */

static void put(double *to, trm_vec3 v)
{
    to[0] = v.x, to[1] = v.y, to[2] = v.z;
}

static bool make_room(scene *s, int bodies)
{
    put(s->gravity, trm_v3(0, 0, -G));
    s->floor = true;
    s->friction = 0.5;
    return scene_make_room(s, bodies, 0);
}

static void add_box(scene *s, trm_vec3 size, trm_vec3 p, trm_quat q)
{
    const double mass = DENSITY * size.x * size.y * size.z;
    const trm_vec3 squares = {size.x * size.x, size.y * size.y, size.z * size.z};
    scene_body *body = &s->bodies[s->body_count++];
    *body = (scene_body){.shape = SCENE_BOX, .mass = mass, .q = {q.w, q.x, q.y, q.z}};
    put(body->size, size);
    put(body->p, p);
    put(body->inertia,
        trm_v3_scale(mass / 12, trm_v3(squares.y + squares.z, squares.x + squares.z, squares.x + squares.y)));
}

static void add_cube(scene *s, trm_vec3 p, trm_quat q)
{
    add_box(s, trm_v3(CUBE, CUBE, CUBE), p, q);
}

/* ---- One body ----------------------------------------------------------------------------- */

/* Builds a block on a slope of this many degrees, with its axes turned by this many degrees. */
static bool build_block(scene *s, double degrees, double heading)
{
    const double slope = degrees * TRM_PI / 180, turn = heading * TRM_PI / 180;
    if (!make_room(s, 1)) return false;
    put(s->gravity, trm_v3(G * sin(slope) * cos(turn), G * sin(slope) * sin(turn), -G * cos(slope)));
    add_box(s, trm_v3(0.4, 0.4, 0.2), trm_v3(0, 0, 0.1), trm_quat_identity());
    return true;
}

static bool build_incline(scene *s, double degrees)
{
    return build_block(s, degrees, 0);
}

static bool build_diagonal(scene *s, double degrees)
{
    return build_block(s, degrees, 45);
}

/* Builds a ball that falls from a height of 1 m. */
static bool build_ball(scene *s, double restitution)
{
    static const double r = 0.1;
    if (!make_room(s, 1)) return false;
    const double mass = DENSITY * 4 / 3 * TRM_PI * r * r * r, moment = 0.4 * mass * r * r;
    s->restitution = restitution;
    s->bodies[s->body_count++] = (scene_body){.shape = SCENE_SPHERE,
                                              .size = {2 * r, 2 * r, 2 * r},
                                              .mass = mass,
                                              .inertia = {moment, moment, moment},
                                              .p = {0, 0, 1 + r},
                                              .q = {1, 0, 0, 0}};
    return true;
}

/* ---- Many --------------------------------------------------------------------------------- */

/* Builds a stack of boxes in contact on the ground. */
static bool build_stack(scene *s, double count)
{
    if (!make_room(s, (int)count)) return false;
    for (int i = 0; i < (int)count; i++) add_cube(s, trm_v3(0, 0, (i + 0.5) * CUBE), trm_quat_identity());
    return true;
}

/* Builds the same with each box turned by 0.3 rad relative to the one below and shifted by up to 1 cm: a pair has
 * eight contact points. */
static bool build_turned_stack(scene *s, double count)
{
    if (!make_room(s, (int)count)) return false;
    for (int i = 0; i < (int)count; i++) {
        const double half = 0.15 * (i % 3);
        add_cube(s, trm_v3(0.01 * sin(3 * i), 0.01 * cos(5 * i), (i + 0.5) * CUBE),
                 (trm_quat){cos(half), 0, 0, sin(half)});
    }
    return true;
}

/* Builds a wall of bricks in a running bond, and a heavy ball that hits its middle at 10 m/s. */
static bool build_wall(scene *s, double bricks)
{
    enum { LONG = 50 };
    static const double SIZE[] = {0.25, 0.12, 0.1}, RADIUS = 0.3, HEAVY = 20, FAST = 10;
    const int rows = (int)bricks / LONG;
    if (!make_room(s, rows * LONG + 1)) return false;
    for (int i = 0; i < rows * LONG; i++) {
        const double shift = i / LONG % 2 ? 0.5 * SIZE[0] : 0;
        add_box(s, trm_v3(SIZE[0], SIZE[1], SIZE[2]),
                trm_v3((i % LONG - 0.5 * LONG) * SIZE[0] + shift, 0, (i / LONG + 0.5) * SIZE[2]),
                trm_quat_identity());
    }
    const double mass = HEAVY * DENSITY * 4 / 3 * TRM_PI * RADIUS * RADIUS * RADIUS;
    const double moment = 0.4 * mass * RADIUS * RADIUS;
    s->bodies[s->body_count++] = (scene_body){.shape = SCENE_SPHERE,
                                              .size = {2 * RADIUS, 2 * RADIUS, 2 * RADIUS},
                                              .mass = mass,
                                              .inertia = {moment, moment, moment},
                                              .p = {0, -2, 0.5 * rows * SIZE[2]},
                                              .q = {1, 0, 0, 0},
                                              .v = {0, FAST, 0}};
    return true;
}

/* Random numbers that are the same on every machine: splitmix64 (Steele, Lea, Flood 2014). */
typedef struct dice {
    uint64_t state;
} dice;

static double roll(dice *d, double lo, double hi)
{
    uint64_t z = d->state += UINT64_C(0x9e3779b97f4a7c15);
    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    z ^= z >> 31;
    return lo + (hi - lo) * (double)(z >> 11) * 0x1p-53;
}

/* Returns a rotation by an angle up to `most` about a random axis. */
static trm_quat roll_turn(dice *d, double most)
{
    const double z = roll(d, -1, 1), around = roll(d, 0, 2 * TRM_PI), half = 0.5 * roll(d, 0, most);
    const double across = sqrt(1 - z * z);
    return (trm_quat){cos(half), sin(half) * across * cos(around), sin(half) * across * sin(around), sin(half) * z};
}

typedef struct disorder {
    double jitter;      /* m: largest displacement of every coordinate */
    double turn;        /* rad: largest rotation */
    trm_vec3 odd_layer; /* m: shift of every second layer */
} disorder;

/* Builds a grid of this many boxes with gaps between them and below the lowest. More boxes make it wider, not higher:
 * 1000, 2000, 4000, ... */
static bool build_grid(scene *s, double boxes, const disorder *how)
{
    const double pitch = CUBE + GAP;
    dice d = {.state = 1};
    int side = LEAST_SIDE, rows = LEAST_SIDE;
    while (LAYERS * side * rows < (int)boxes) *(rows > side ? &side : &rows) *= 2;
    if (!make_room(s, LAYERS * side * rows)) return false;
    for (int i = 0; i < LAYERS * side * rows; i++) {
        const int layer = i / (side * rows), row = i / side % rows, place = i % side;
        const trm_vec3 at = {pitch * place, pitch * row, 0.5 * CUBE + GAP + pitch * layer};
        const double dx = roll(&d, -how->jitter, how->jitter), dy = roll(&d, -how->jitter, how->jitter);
        const double dz = roll(&d, -how->jitter, how->jitter);
        const trm_vec3 moved = trm_v3_add(at, trm_v3(dx, dy, dz));
        add_cube(s, trm_v3_add_scaled(moved, layer % 2, how->odd_layer), roll_turn(&d, how->turn));
    }
    return true;
}

static bool build_towers(scene *s, double boxes)
{
    return build_grid(s, boxes, &(disorder){.jitter = 0.02, .turn = 0.05});
}

static bool build_heap(scene *s, double boxes)
{
    return build_grid(s, boxes, &(disorder){.turn = 0.5, .odd_layer = {0.13, 0.11, 0}});
}

/* ---- The list ----------------------------------------------------------------------------- */

/* Scenes with one body or a stack are observed after every step; piles, whose observation costs a hundred times as
 * much, after every fourth. */
#define SMALL_SCENE .steps = {BENCH_STEP}, .quick = BENCH_STEP
#define LARGE_PILE  .steps = {BENCH_STEP}, .spacing = 60 * BENCH_STEP, .limit = 1000, .time = 4, .error = ERROR_PILE
#define PILE        .steps = {BENCH_STEP}, .spacing = 4 * BENCH_STEP, .limit = 100, .time = 10, .error = ERROR_PILE

const scene_kind contact_kinds[] = {
    {.name = "incline-20",
     .title = "Block on 20 degrees",
     .about =
         "A block of 0.4 m x 0.4 m x 0.2 m on a slope with mu = 0.5 on which it sticks. The error is how far it has "
         "crept at the end.",
     .build = build_incline,
     .given = 20,
     .time = 10,
     .error = ERROR_CREEP,
     SMALL_SCENE},
    {.name = "incline-35",
     .title = "Block on 35 degrees",
     .about =
         "The same block on a slope on which it slides, along its sides. The error is that of the way, relative to "
         "a t^2/2 with a = g (sin 35 - mu cos 35).",
     .build = build_incline,
     .given = 35,
     .time = 2,
     .error = ERROR_SLIDE,
     SMALL_SCENE},
    {.name = "incline-35-diagonal",
     .title = "Block on 35 degrees, diagonally",
     .about = "The same down the diagonal of the block: engines whose friction is a pyramid brake too much.",
     .build = build_diagonal,
     .given = 35,
     .time = 2,
     .error = ERROR_SLIDE,
     SMALL_SCENE},
    {.name = "ball",
     .title = "Bouncing ball",
     .about =
         "A ball of radius 0.1 m with e = 0.8, dropped from 1 m. The error is that of the heights of the first five "
         "apexes, relative to e^2, e^4, ..., the largest of them.",
     .build = build_ball,
     .given = 0.8,
     .time = 5,
     .error = ERROR_APEX,
     SMALL_SCENE},
    {.name = "stack-10",
     .title = "Stack of 10 boxes",
     .about =
         "Boxes of 0.2 m on each other, touching at the start. The error is how far the topmost ever was from there.",
     .build = build_stack,
     .given = 10,
     .time = 10,
     .error = ERROR_TOP,
     SMALL_SCENE},
    {.name = "stack-20",
     .title = "Stack of 20 boxes",
     .about = "Twice as high.",
     .build = build_stack,
     .given = 20,
     .time = 10,
     .error = ERROR_TOP,
     SMALL_SCENE},
    {.name = "stack-100",
     .title = "Stack of 100 boxes",
     .about = "The same, five times as high.",
     .build = build_stack,
     .given = 100,
     .time = 10,
     .error = ERROR_TOP,
     SMALL_SCENE},
    {.name = "stack-20-turned",
     .title = "Stack of 20 boxes, turned",
     .about = "The same height, boxes turned by 0.3 rad against each other and shifted by up to 1 cm.",
     .build = build_turned_stack,
     .given = 20,
     .time = 10,
     .error = ERROR_TOP,
     SMALL_SCENE},
    {.name = "towers",
     .title = "Towers of 1000 boxes",
     .about =
         "Boxes of 0.2 m, density 1, in a grid of 10 x 10 x 10 with gaps of 0.1 m, let go: displaced by up to 0.02 m "
         "in each direction and turned by up to 0.05 rad.",
     .build = build_towers,
     .given = 1000,
     PILE},
    {.name = "heap",
     .title = "Heap of 1000 boxes",
     .about = "The same grid, every second layer shifted by (0.13, 0.11) m, boxes turned by up to 0.5 rad.",
     .build = build_heap,
     .given = 1000,
     PILE},
    {.name = "heap-8000",
     .title = "Heap of 8000 boxes",
     .about = "The same heap, as high and 20 x 40 boxes wide.",
     .build = build_heap,
     .given = 8000,
     LARGE_PILE},
    {.name = "heap-64000",
     .title = "Heap of 64 000 boxes",
     .about = "The same heap, as high and 80 x 80 boxes wide.",
     .build = build_heap,
     .given = 64000,
     LARGE_PILE},
    {.name = "wall",
     .title = "Wall of 2000 bricks",
     .about = "Bricks of 0.25 m x 0.12 m x 0.1 m in 40 rows, hit by a ball of radius 0.3 m and density 20 at 10 m/s.",
     .build = build_wall,
     .given = 2000,
     .steps = {BENCH_STEP},
     .spacing = 4 * BENCH_STEP,
     .limit = 200,
     .time = 4,
     .error = ERROR_PILE},
    {0},
};
