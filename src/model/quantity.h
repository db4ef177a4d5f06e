/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* Quantities: every number that can be read from a state, found by its name.
 *
 * Columns of results, outputs (expressions of quantities) and conditions of events all use them. The model alone
 * defines a quantity; a state gives its value (motion/quantity_value.c). */

#ifndef TRM_MODEL_QUANTITY_H
#define TRM_MODEL_QUANTITY_H

#include "base/expression.h"
#include "trammel/model.h"
#include "trammel/vecmath.h"

typedef enum trm_quantity_kind {
    TRM_Q_TIME,
    TRM_Q_POSITION, /* of a body, like those that follow */
    TRM_Q_ORIENTATION,
    TRM_Q_VELOCITY,
    TRM_Q_SPIN,
    TRM_Q_ACCELERATION,
    TRM_Q_ANGULAR_ACCELERATION,
    TRM_Q_BODY_ENERGY, /* kinetic energy, or potential energy of gravity */
    TRM_Q_POINT,       /* of a point of a body */
    TRM_Q_POINT_VELOCITY,
    TRM_Q_AXIS,       /* direction of an axis of a body, world axes */
    TRM_Q_COORDINATE, /* of a joint */
    TRM_Q_RATE,
    TRM_Q_GAP,
    TRM_Q_REACTION,       /* in world axes */
    TRM_Q_FRAME_REACTION, /* in the axes of the joint's frame on its first body */
    TRM_Q_ROW_FORCE,      /* of a drive or motor: along its coordinate; of a distance: tension */
    TRM_Q_ROW_LENGTH,
    TRM_Q_ROW_POWER,
    TRM_Q_FORCE, /* of a force element: along its line or coordinate, else the magnitude */
    TRM_Q_FORCE_LENGTH,
    TRM_Q_FORCE_RATE,
    TRM_Q_FORCE_POWER,
    TRM_Q_FORCE_ENERGY,
    TRM_Q_FORCE_SATURATED, /* 1 if a servo is at its limit, else 0 */
    TRM_Q_SENSOR,
    TRM_Q_INPUT,
    TRM_Q_CONTACT, /* sum of the contact forces between two bodies */
    TRM_Q_OUTPUT,
    TRM_Q_RELATIVE, /* of an output that is a relative pose */
    TRM_Q_ENERGY,
} trm_quantity_kind;

typedef struct trm_quantity {
    trm_quantity_kind kind;
    const char *unit;
    int element; /* index of the body, joint, force, sensor, input or output */
    int other;   /* of a contact: the second body */
    int part;    /* index of the component */
    trm_vec3 at; /* the point or the axis, in the body frame */
} trm_quantity;

/* Returns whether reactions and accelerations must be computed before the quantity is read. */
bool trm_quantity_needs_reactions(const trm_model *model, const trm_quantity *quantity);
/* Returns whether the quantity depends on velocities, which must be projected before it is read. */
bool trm_quantity_needs_velocities(const trm_model *model, const trm_quantity *quantity);

/* One name: OWNER.INNER.SUFFIX, OWNER.SUFFIX or SUFFIX; missing parts are NULL. */
typedef struct trm_quantity_name {
    const char *owner, *inner, *suffix;
    bool on_request; /* written only if its name is requested */
} trm_quantity_name;

/* Receives a quantity with its name. Returns false to end the visit; the function that calls the visitor then returns
 * false, too. */
typedef bool (*trm_quantity_visitor)(void *context, const trm_quantity_name *name, const trm_quantity *quantity);
bool trm_visit_quantities(const trm_model *model, trm_quantity_visitor visit, void *context);

/* Finds the quantity of a name of `length` bytes. Parts of the name may be quoted. Returns false if there is none. */
bool trm_find_quantity(const trm_model *model, const char *text, int length, trm_quantity *quantity);
/* Writes the name nearest to the text, for a message. Returns false if none is near. */
bool trm_nearest_quantity(const trm_model *model, const char *text, char *buffer, size_t size);

/* ---- Outputs ------------------------------------------------------------------------------ */

enum { TRM_EXPRESSION_QUANTITIES = 64 }; /* at most, in one expression */

/* An expression of quantities. */
typedef struct trm_formula {
    const trm_expression *expression;
    const trm_quantity *quantities; /* in the order of their indices in the expression */
    int count;
} trm_formula;

typedef struct trm_output {
    const char *name;
    const char *unit;
    trm_formula value; /* expression of the output; without expression: the output is a pose */
    int body[2];       /* pose of the first frame seen from the second */
    trm_pose frame[2]; /* in the body frames */
} trm_output;

/* Compiles an expression of quantities, or a condition, into the model's memory. *why reports an error in the
 * text. Returns false when out of memory. */
bool trm_compile_formula(trm_model *model, const char *text, const trm_constant *constants, int constant_count,
                         bool condition, trm_formula *formula, trm_expression_error *why);

#endif
