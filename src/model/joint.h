/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* The joint contract: a joint describes itself and never sees a solver.
 *
 * A joint type is one file in joints/ and one line in joints/list.h. It has two sides.
 *
 * Constraint side, for methods in maximal coordinates. m rows over up to four bodies, gathered from parts (a point
 * that coincides, an axis that stays parallel, ...). With X the poses, V the twists of the bodies (angular velocity
 * and velocity of the centre of mass, world axes) and t the time:
 *
 *     residual     c(X, t, memory)                     metres or radians; 0 when the joint is closed
 *     jacobian     J      with  dc/dt   = J V + c_t
 *     rate         c_t    the part of dc/dt that does not come from V
 *     gamma        -(dJ/dt) V - c_tt, so that  J dV/dt = gamma  keeps the joint closed
 *
 * J has one spatial vector per row and body, J[row * bodies + b]; the multiplier lambda of a row acts on body b with
 * the wrench J[row, b] lambda (torque about the centre of mass, force).
 *
 * Coordinate side, for minimal coordinates and for all that works on a free coordinate (limits, motors, drives,
 * friction, gears). Frame B of the joint seen from frame A:
 *
 *     place         X_AB(q)
 *     subspace      S(q)         twist of B relative to A = S dq/dt, in axes of A, at the origin of frame B
 *     subspace_rate (dS/dt) dq/dt
 *     coordinates   q from X_AB; angles in (-pi, pi], turns are added from the joint's memory
 *
 * On the constraint surface J S = 0. tests/unit/joints.c checks all of this for every entry of the list by finite
 * differences, so a new type is tested by being listed. */

#ifndef TRM_MODEL_JOINT_H
#define TRM_MODEL_JOINT_H

#include <math.h>

#include "math/function.h"
#include "math/space_curve.h"
#include "model/chosen.h"
#include "trammel/model.h"

typedef struct trm_joint trm_joint;
typedef struct trm_joint_type trm_joint_type;

/* The mode of an attached joint. A one-sided joint only constrains c <= 0, as a rope does, and its multipliers are
 * never positive: it is slack, or held at c = 0. A joint of limited force is held, or it slips at its limit with
 * dc/dt > 0 (plus) or dc/dt < 0 (minus). */
typedef enum trm_joint_mode { TRM_SLACK, TRM_HELD, TRM_PLUS, TRM_MINUS } trm_joint_mode;

/* A joint at one moment: the input of its kernels. */
typedef struct trm_joint_at {
    const trm_joint *joint;
    trm_pose X[TRM_JOINT_BODIES];    /* the joint frame that each body carries, in the world */
    trm_vec3 r[TRM_JOINT_BODIES];    /* from the body's centre of mass to the origin of that frame, world axes */
    trm_spatial V[TRM_JOINT_BODIES]; /* twist of the body: angular velocity, velocity of its centre of mass */
    double t;
    const double *memory;
    trm_joint_mode mode;
} trm_joint_at;

/* A group of rows that many joints share. The functions fill the group's own rows only. */
typedef struct trm_part {
    int rows;
    bool angular; /* residual in radians, else in metres */
    bool of_host; /* residual in the unit of the host's coordinate instead */
    bool origins; /* residual and rows depend only on the origins of the frames, not on their axes */
    bool (*row_is_angular)(const trm_joint *joint, int row); /* NULL: `angular` holds for all rows */
    const char *row_names[TRM_JOINT_ROWS];
    void (*residual)(const trm_joint_at *at, double *c);
    void (*jacobian)(const trm_joint_at *at, trm_spatial *J);
    void (*gamma)(const trm_joint_at *at, double *gamma);
    void (*rate)(const trm_joint_at *at, double *c_t); /* NULL: c does not depend on t */
} trm_part;

/* Keys of the model file that a type accepts. The reader refuses all other keys. */
typedef enum trm_joint_takes {
    TRM_TAKES_BODIES = 1 << 0,
    TRM_TAKES_ANCHOR = 1 << 1,     /* "anchor", or "anchors" in body frames */
    TRM_TAKES_AXIS = 1 << 2,       /* "axis", or "axes" in body frames */
    TRM_TAKES_AXIS2 = 1 << 3,      /* "axis2", or the second of "axes" */
    TRM_TAKES_X_AXIS = 1 << 23,    /* "x_axis", of joints with one axis */
    TRM_TAKES_COORDINATE = 1 << 4, /* "q0" */
    TRM_TAKES_LIMITS = 1 << 5,     /* "limits", "friction", "damping", ... of the first coordinate */
    TRM_TAKES_LENGTH = 1 << 6,     /* "anchors", "length", "rope", "limit_restitution" */
    TRM_TAKES_JOINT = 1 << 7,      /* "joint": the host on whose coordinate this joint acts */
    TRM_TAKES_MOTION = 1 << 8,     /* "motion" */
    TRM_TAKES_VELOCITY = 1 << 9,   /* "velocity", "max" */
    TRM_TAKES_JOINTS = 1 << 10,    /* "joints": the two hosts whose coordinates are coupled; "ratio", "offset" */
    TRM_TAKES_EACH = 1 << 11,      /* "coordinates": limits, friction, damping, ... of each coordinate */
    TRM_TAKES_PITCH = 1 << 16,     /* "pitch" */
    TRM_TAKES_CURVE = 1 << 17,     /* "curve" */
    TRM_TAKES_SURFACE = 1 << 18,   /* "surface" */
    TRM_TAKES_CHAIN = 1 << 19,     /* "chain": hinges and sliders in series */
    TRM_TAKES_DAMPING = 1 << 22,   /* "damping", equal for all rotations */
    TRM_TAKES_SPAN = 1 << 21,      /* "anchors" of two points */
    TRM_TAKES_TERMS = 1 << 20,     /* "terms", coordinates of hosts and their polynomials, "offset" */
    TRM_TAKES_SUM = 1 << 12,       /* "terms" whose sum is a coordinate */
} trm_joint_takes;

typedef enum trm_coordinate_kind {
    TRM_COORDINATE_LENGTH,
    TRM_COORDINATE_TURN,
    TRM_COORDINATE_ROTATION,
    TRM_COORDINATE_TILT /* an angle within a quarter of a turn, so that no turns are counted */
} trm_coordinate_kind;

/* A coordinate that is computed directly from the frames, and its rows: dq/dt = sum over bodies of G_b . V_b. */
typedef struct trm_measured {
    double q;
    trm_spatial G[TRM_JOINT_BODIES];
} trm_measured;

enum { TRM_JOINT_PARTS = 3, TRM_JOINT_MEMORY = 3 * TRM_TERMS + 2 };

struct trm_joint_type {
    const char *name;
    const char *leaves; /* free motion, as a text for the user: "rotation about the axis" */
    unsigned takes;     /* trm_joint_takes */
    bool points;        /* works on point masses too */
    bool points_on_a;   /* the second body may be a point mass: only A has an axis, and B may rotate freely */
    bool among_forces;  /* the model file lists it under "forces" */

    const trm_part *parts[TRM_JOINT_PARTS]; /* NULL after the last */

    int memory; /* number of values that it stores; need not include the turns of its coordinates */
    /* updates the memory after a step; NULL: the memory only counts turns */
    void (*remember)(const trm_joint_at *at, double dt, double *memory);
    /* Sets the memory at a time t at which the coordinates of the hosts, with their turns, are q[0], q[1], ... NULL:
     * the memory does not depend on them. */
    void (*know)(const trm_joint *joint, const double *q, double t, double *memory);

    int coordinates;
    /* if the start is not at q = 0, frame A is moved for the first of_a coordinates, frame B for the others */
    int of_a;
    trm_coordinate_kind kind[TRM_JOINT_COORDINATES];
    trm_pose (*place)(const trm_joint *joint, const double *q); /* NULL: no coordinate side */
    void (*subspace)(const trm_joint *joint, const double *q, trm_spatial *S);
    /* Computes rows P(q) with dq/dt = P (twist of B relative to A) for any twist. NULL: the rows of the
     * pseudo-inverse of S are used. */
    void (*readings)(const trm_joint *joint, const double *q, trm_spatial *P);
    trm_spatial (*subspace_rate)(const trm_joint *joint, const double *q, const double *qd);
    /* Only for a type with one coordinate and no coordinate side, which trees cannot use: computes q with its rows,
     * and the part of d2q/dt2 that remains when all bodies' accelerations vanish. */
    void (*measure)(const trm_joint_at *at, trm_measured *measured);
    double (*measured_bias)(const trm_joint_at *at);
    /* Computes q from X_AB. On entry q holds nearby values. A chain finds the solution nearest to them; all other
     * types have only one solution. */
    void (*coordinates_from)(const trm_joint *joint, trm_pose X_AB, double *q);
    /* Returns the part of the relative pose that neither coordinates nor the residual represent. NULL: there is never
     * such a part. */
    trm_gap (*unreached)(const trm_joint_at *at);
};

/* A coordinate of a host and its polynomial a_1 q + a_2 q^2 + ... Gears and couplings add these polynomials. */
typedef struct trm_term {
    const trm_joint *host;
    int coordinate;
    int degree; /* at least 1 */
    double a[TRM_TERM_DEGREE];
} trm_term;

/* A hinge or a slider of a chain, in frame A at q = 0. */
typedef struct trm_chain_link {
    bool slides;
    trm_vec3 axis;  /* unit */
    trm_vec3 point; /* m: a point on the axis of a hinge */
} trm_chain_link;

typedef enum trm_surface_kind { TRM_SURFACE_SPHERE, TRM_SURFACE_CYLINDER, TRM_SURFACE_TORUS } trm_surface_kind;

/* A surface about the origin and the z axis of frame A. */
typedef struct trm_surface {
    trm_surface_kind kind;
    double radius; /* m: radius of the sphere, the cylinder or the section of the torus */
    double major;  /* m: radius of the core of the torus */
} trm_surface;

/* The laws of one coordinate, from which the model creates limits and friction (joints), springs with dampers
 * (forces) and rotors. */
typedef struct trm_coordinate_law {
    double limits[2]; /* m or rad; -inf, inf: no limit */
    double limit_restitution;
    double friction;                           /* N or N m */
    double mu, radius;                         /* radius in m; NAN: not given */
    double static_friction, stribeck_velocity; /* NAN: not given */
    double stiffness, spring_reference, damping;
    double armature;             /* kg or kg m^2 */
    double effort, max_velocity; /* inf: not given; the dynamics do not use them */
} trm_coordinate_law;

/* One joint of a model. */
struct trm_joint {
    const char *name;
    trm_place source;
    const trm_joint_type *type;
    int body_count;
    int body[TRM_JOINT_BODIES];
    trm_pose frame[TRM_JOINT_BODIES]; /* the joint frame in the principal frame of each body */
    int rows;
    bool angular[TRM_JOINT_ROWS]; /* residual in radians, else in metres */
    bool lengths;                 /* no residual in radians */
    bool origins;                 /* the residual depends only on the origins of the frames */
    bool point;                   /* its only constraint is that two points coincide */
    bool b_is_point;              /* the second body is a point mass */
    int shown; /* index of the user's joint to which it belongs; its own index if it is a joint of the user */
    /* number of coordinates: that of its type, without rotations if points_on_a and B is a point */
    int coordinates;
    bool one_sided;    /* only constrains c <= 0 */
    int row_offset;    /* index of its first row among all rows of the model */
    int memory_offset; /* start of its memory in the state */
    int memory_count;
    bool attached; /* at the start */
    /* When the joint is attached, its second frame is moved so that it is closed. The memory holds that pose as a
     * shift and a rotation vector. */
    bool aligns;
    bool collide;

    double length; /* m: of a distance joint */
    double pitch;  /* m/rad: of a screw */
    bool rope;
    double wrap;                  /* rad: of a coupling with friction around a pulley; NAN: none */
    const trm_space_curve *curve; /* in frame A */
    trm_surface surface;
    const trm_chain_link *links; /* links of a chain, one per coordinate */
    const trm_joint *host;       /* the joint on whose coordinate it acts */
    int coordinate;              /* index of that coordinate, from 0 */
    trm_term *terms;             /* terms of a gear or coupling; `host` is that of the first */
    int term_count;
    double offset; /* required sum of the terms */
    trm_chosen motion;
    trm_chosen velocity; /* m/s or rad/s: requested rate of a motor; friction has none */
    double most;         /* N, N m: limit of the multiplier's magnitude; inf: no limit */
    bool varies;         /* true: friction that depends on load or speed; use trm_joint_most instead of `most` */
    trm_coordinate_law law[TRM_JOINT_COORDINATES];
    double bound;             /* m, rad: bound of a limit that the model has created */
    double side;              /* 1: upper limit, -1: lower limit, 0: not a limit */
    double limit_restitution; /* of a limit or a rope */
    double break_force;       /* N; force at which it breaks; inf: never */
    double break_torque;
    double erp, cfm;                         /* NAN: use those of the method */
    double spring_stiffness, spring_damping; /* N/m or N m/rad, N s/m or N m s/rad; NAN: not a spring */
    double start_memory[TRM_JOINT_MEMORY];
};

/* ---- The list ----------------------------------------------------------------------------- */

/* Returns whether the joint is the friction of its host: a motor of limited force with requested rate 0. */
bool trm_joint_is_friction(const trm_joint *joint);

#define TRM_JOINT_TYPE(name) extern const trm_joint_type trm_joint_##name;
#include "model/joints/list.h"
#undef TRM_JOINT_TYPE

extern const trm_joint_type trm_joint_limit;            /* not in files */
extern const trm_joint_type trm_joint_slip;             /* not in files */
extern const trm_joint_type trm_joint_tendon_of_angles; /* a tendon whose coordinate is in radians */

int trm_joint_type_count(void);
const trm_joint_type *trm_joint_type_at(int index);
const trm_joint_type *trm_find_joint_type(const char *name); /* NULL: no such type */

int trm_type_rows(const trm_joint_type *type);

/* Sets the fields of a joint that follow from its type: the number of rows, angular, origins, and the number of
 * coordinates. The host must be set. */
void trm_joint_set_row_counts(trm_joint *joint);
const char *trm_type_row_name(const trm_joint_type *type, int row);

/* Returns whether the joint is compliant, as a spring is. Its gap is not an error. */
static inline bool trm_joint_is_spring(const trm_joint *joint)
{
    return !isnan(joint->spring_stiffness);
}

/* Returns whether a joint acts on a coordinate of that host. */
bool trm_joint_acts_on(const trm_joint *joint, const trm_joint *host);

/* ---- Terms of gears and couplings (joints/gear.c) ----------------------------------------- */

int trm_terms_memory(const trm_joint *joint); /* returns the number of values that it stores */
/* returns the sum of the polynomials at q, one coordinate per term */
double trm_terms_sum(const trm_joint *joint, const double *q);
void trm_terms_start(trm_joint *joint, const double *q, const double *qd);
double trm_terms_start_sum(const trm_joint *joint); /* the sum at the start, after trm_terms_start */

/* ---- All parts of a joint together -------------------------------------------------------- */

void trm_joint_residual(const trm_joint_at *at, double *c);
void trm_joint_jacobian(const trm_joint_at *at, trm_spatial *J);
void trm_joint_gamma(const trm_joint_at *at, double *gamma);
void trm_joint_rate(const trm_joint_at *at, double *c_t);
bool trm_joint_is_rheonomic(const trm_joint *joint);

/* Returns the present limit of the multiplier of a joint of limited force. Variable friction is extrapolated linearly
 * from its value at the end of the last step (trm_joint_friction_law). */
double trm_joint_most(const trm_joint_at *at);
enum {
    TRM_FRICTION_NOW,    /* indices in the memory of variable friction: the limit, N or N m */
    TRM_FRICTION_RATE,   /* its rate of change */
    TRM_FRICTION_TIME,   /* s: the time at which both were computed */
    TRM_FRICTION_BEFORE, /* the limit at the previous of these times */
    TRM_FRICTION_TIME_BEFORE,
    TRM_FRICTION_MEMORY
};
/* Returns the index at which the memory of variable friction begins in that of its joint, of which it is the last
 * part. */
static inline int trm_friction_offset(const trm_joint *joint)
{
    return joint->memory_count - TRM_FRICTION_MEMORY;
}
/* Returns the friction (N, N m) under a force F in the host, world axes, at the speed of the host's coordinate:
 *
 *     friction + (static_friction - friction) exp(-(qd/stribeck_velocity)^2) + mu radius |F across the axis| */
double trm_joint_friction_law(const trm_joint_at *at, trm_vec3 F, double speed);
/* Returns the friction [N] of a rope around a pulley, with T the mean of the tensions of its two ends [N]: 2 T
 * tanh(mu wrap/2), so that one end has exp(mu wrap) times the tension of the other (Euler, Eytelwein). */
double trm_capstan_friction(const trm_joint *coupling, double T);

/* Computes the wrench of a slipping joint on each of its bodies: its limited force, opposite to the slip. */
void trm_joint_slip_force(const trm_joint_at *at, trm_spatial *F);

/* Returns the norm of the residual rows in metres and that of the rows in radians. A one-sided row counts only if it
 * is violated. */
trm_gap trm_joint_gap(const trm_joint_at *at);

/* Returns the same norms of J V + c_t. A one-sided row counts only if it is taut and its c increases. */
trm_gap trm_joint_velocity_gap(const trm_joint_at *at);

/* ---- Coordinates -------------------------------------------------------------------------- */

/* Return the pose of frame B in frame A, and the twist of B relative to A as defined for subspace. */
trm_pose trm_joint_relative_pose(const trm_joint_at *at);
trm_spatial trm_joint_relative_twist(const trm_joint_at *at);

/* Compute q with the turns stored in the memory (NULL: without turns), and dq/dt. */
void trm_joint_coordinates(const trm_joint_at *at, double *q);
void trm_joint_coordinate_rates(const trm_joint_at *at, double *qd);

/* Compute the rows G of the coordinates, dq_k/dt = sum over bodies of G[k * bodies + b] . V_b, and the part of
 * d2q_k/dt2 that remains when all bodies' accelerations vanish. Both are exact on the constraint surface. */
void trm_joint_coordinate_rows(const trm_joint_at *at, trm_spatial *G);
void trm_joint_coordinate_bias(const trm_joint_at *at, double *bias);

/* Return the same for coordinate k alone. */
double trm_joint_coordinate(const trm_joint_at *at, int k);
double trm_joint_coordinate_rate(const trm_joint_at *at, int k);
void trm_joint_coordinate_row(const trm_joint_at *at, int k, trm_spatial *G);
double trm_joint_coordinate_bias_of(const trm_joint_at *at, int k);

/* Updates the memory after a step of length dt. Counts turns correctly even if a step makes several. */
void trm_joint_remember(const trm_joint_at *at, double dt, double *memory);

/* Returns the coordinate at the start, with its turns. */
double trm_joint_start_coordinate(const trm_joint *joint, int k);

/* Returns whether a coordinate is a length, not an angle. */
static inline bool trm_joint_shifts(const trm_joint *joint, int coordinate)
{
    return joint->type->kind[coordinate] == TRM_COORDINATE_LENGTH;
}

/* Returns whether the force along a joint is bounded: it acts in one direction, or it is limited. */
static inline bool trm_joint_is_bounded(const trm_joint *joint)
{
    return joint->one_sided || isfinite(joint->most);
}

#endif
