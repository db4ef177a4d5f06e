/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* Makes bodies from the parts of a robot.
 *
 * Welded parts form one body, in the frame of the first of them. A body with a part that is fixed to the world is
 * fixed. A body without mass and with only one connection becomes part of the body at its other end, because its
 * motion has no equation; the connection is omitted. A body without mass between two connections by hinges and
 * slides is omitted, and the freedoms of both form one connection. */

#include "io/robot.h"

#include <math.h>
#include <string.h>

trm_robot_part *trm_robot_add_part(trm_robot *a)
{
    trm_robot_part *made = TRM_ADD(a->in->scratch, a->parts, a->part_count);
    if (made) *made = (trm_robot_part){.world = trm_pose_identity(), .gravity = 1, .body = a->part_count - 1};
    return made;
}

bool trm_robot_reserve(trm_robot *a, int parts, int connections)
{
    a->parts = trm_arena_reserve_list(a->in->scratch, parts, sizeof *a->parts);
    a->connections = trm_arena_reserve_list(a->in->scratch, connections, sizeof *a->connections);
    return a->parts && a->connections;
}

trm_connection *trm_robot_add_connection(trm_robot *a)
{
    trm_connection *made = TRM_ADD(a->in->scratch, a->connections, a->connection_count);
    if (made) *made = (trm_connection){.parts = {-1, -1}, .erp = NAN, .cfm = NAN};
    return made;
}

trm_part_coupling *trm_robot_add_coupling(trm_robot *a)
{
    trm_part_coupling *made = TRM_ADD(a->in->scratch, a->couplings, a->coupling_count);
    if (made) *made = (trm_part_coupling){.name = NULL};
    return made;
}

bool trm_coupling_add_term(trm_robot *a, trm_part_coupling *coupling, const char *freedom, double factor)
{
    return TRM_APPEND(a->in->scratch, coupling->terms, coupling->term_count, (trm_coupling_term){freedom, factor});
}

trm_robot_spring *trm_robot_add_spring(trm_robot *a)
{
    trm_robot_spring *made = TRM_ADD(a->in->scratch, a->springs, a->spring_count);
    if (made) *made = (trm_robot_spring){.parts = {-1, -1}};
    return made;
}

trm_freedom *trm_connection_add_freedom(trm_robot *a, trm_connection *connection)
{
    trm_freedom *made = TRM_ADD(a->in->scratch, connection->freedoms, connection->freedom_count);
    if (made) *made = (trm_freedom){.limits = {-INFINITY, INFINITY}, .effort = INFINITY, .max_velocity = INFINITY};
    return made;
}

trm_part_shape *trm_part_add_shape(trm_robot *a, trm_robot_part *part)
{
    trm_part_shape *made = TRM_ADD(a->in->scratch, part->shapes, part->shape_count);
    if (made) *made = (trm_part_shape){.def = trm_default_shape_def(), .type = 1, .affinity = 1};
    return made;
}

bool trm_part_add_frame(trm_robot *a, trm_robot_part *part, const char *name, trm_pose pose)
{
    return TRM_APPEND(a->in->scratch, part->frames, part->frame_count, (trm_part_frame){name, pose});
}

/* ---- Welded parts ------------------------------------------------------------------------- */

static int body_of(const trm_robot *a, int part)
{
    while (part >= 0 && a->parts[part].body != part) part = a->parts[part].body;
    return part;
}

static bool is_weld(const trm_connection *c)
{
    return c->type && strcmp(c->type, "fixed") == 0 && !c->loop;
}

/* Merges the bodies of two parts. The part with the lower number represents both. */
static void weld(trm_robot *a, int one, int other)
{
    const int first = one < other ? one : other, second = one < other ? other : one;
    if (first == second) return;
    a->parts[second].body = first;
    a->parts[first].fixed = a->parts[first].fixed || a->parts[second].fixed;
}

static void weld_parts(trm_robot *a)
{
    for (int i = 0; i < a->connection_count; i++) {
        const trm_connection *c = &a->connections[i];
        const int one = body_of(a, c->parts[0]), other = body_of(a, c->parts[1]);
        if (!is_weld(c)) continue;
        if (one >= 0 && other >= 0)
            weld(a, one, other);
        else if (one >= 0 || other >= 0)
            a->parts[one >= 0 ? one : other].fixed = true;
    }
}

static void place_in_bodies(trm_robot *a)
{
    for (int i = a->part_count - 1; i >= 0; i--) {
        trm_robot_part *part = &a->parts[i];
        part->body = body_of(a, i);
        part->next = -1;
    }
    for (int i = a->part_count - 1; i >= 0; i--) {
        trm_robot_part *part = &a->parts[i], *first = &a->parts[part->body];
        if (part != first) part->next = first->next, first->next = i;
        part->in_body = trm_pose_mul(trm_pose_inverse(a->parts[part->body].world), part->world);
        if (part->body == i) part->in_body = trm_pose_identity();
    }
}

/* ---- Parts without mass ------------------------------------------------------------------- */

typedef struct body_facts {
    double mass;
    int connections; /* number of connections to other bodies and the world */
    int last;        /* last of these connections */
} body_facts;

static void count_connections(const trm_robot *a, body_facts *facts)
{
    for (int i = 0; i < a->part_count; i++) facts[i] = (body_facts){0};
    for (int i = 0; i < a->part_count; i++) facts[a->parts[i].body].mass += a->parts[i].mass.mass;
    for (int i = 0; i < a->connection_count; i++) {
        const int one = body_of(a, a->connections[i].parts[0]), other = body_of(a, a->connections[i].parts[1]);
        const bool is_free = a->connections[i].type && strcmp(a->connections[i].type, "free") == 0;
        if (one == other || is_free || is_weld(&a->connections[i])) continue;
        if (one >= 0) facts[one].connections++, facts[one].last = i;
        if (other >= 0) facts[other].connections++, facts[other].last = i;
    }
}

static void left_out(trm_robot *a, int body, const trm_connection *c)
{
    const int other = body_of(a, c->parts[0]) == body ? c->parts[1] : c->parts[0];
    trm_add_warning(a->in->messages, a->parts[body].place,
                    "link '%s' has no mass and carries nothing: it is a part of '%s', and joint '%s' is left out",
                    a->parts[body].name, other >= 0 ? a->parts[body_of(a, other)].name : "the ground", c->name);
}

/* Merges one body that carries no others with its neighbour. Returns false if there is none. */
static bool weld_one_leaf(trm_robot *a, const body_facts *facts)
{
    for (int b = a->part_count - 1; b >= 0; b--) {
        if (a->parts[b].body != b || a->parts[b].fixed || facts[b].mass > 0 || facts[b].connections != 1) continue;
        if (a->parts[b].left_out) continue;
        trm_connection *c = &a->connections[facts[b].last];
        if (c->loop) continue;
        left_out(a, b, c);
        c->type = "fixed";
        c->freedom_count = 0;
        weld_parts(a);
        place_in_bodies(a);
        return true;
    }
    return false;
}

/* Finds the connection of a body to its parent and the connection to its only child. Returns false if its connections
 * are different. */
static bool find_row(const trm_robot *a, int body, int *above, int *below)
{
    *above = *below = -1;
    for (int i = 0; i < a->connection_count; i++) {
        const trm_connection *c = &a->connections[i];
        const int one = body_of(a, c->parts[0]), other = body_of(a, c->parts[1]);
        if (is_weld(c) || (one != body && other != body) || one == other) continue;
        if (c->type || c->loop || c->freedom_count == 0) return false;
        if (other == body && *above < 0)
            *above = i;
        else if (one == body && *below < 0)
            *below = i;
        else
            return false;
    }
    return *above >= 0 && *below >= 0;
}

static void report_loop_row(const trm_robot *a, int body, const trm_connection *above, const trm_connection *below)
{
    int shapes = 0;
    for (int p = body; p >= 0; p = a->parts[p].next) shapes += a->parts[p].shape_count;
    trm_add_warning(a->in->messages, a->parts[body].place,
                    "link '%s' has no mass: the joints '%s' and '%s' are one chain without a body between them%s",
                    a->parts[body].name, above->name, below->name, shapes > 0 ? ", and its shapes are left out" : "");
}

/* Omits one body without mass between two connections, and moves the freedoms of both to the second. *found: there
 * was such a body. Returns false if out of memory. */
static bool leave_out_one(trm_robot *a, const body_facts *facts, bool *found)
{
    int above, below;
    *found = false;
    for (int b = 0; b < a->part_count && !*found; b++) {
        if (a->parts[b].body != b || a->parts[b].fixed || a->parts[b].left_out || facts[b].mass > 0) continue;
        if (!find_row(a, b, &above, &below)) continue;
        const trm_connection first = a->connections[above], second = a->connections[below];
        trm_connection row = {.name = first.name, .place = first.place, .parts = {first.parts[0], second.parts[1]}};
        for (int i = 0; i < first.freedom_count + second.freedom_count; i++) {
            trm_freedom *f = trm_connection_add_freedom(a, &row);
            if (!f) return false;
            *f = i < first.freedom_count ? first.freedoms[i] : second.freedoms[i - first.freedom_count];
        }
        report_loop_row(a, b, &first, &second);
        a->connections[below] = row;
        a->connections[above].type = "fixed"; /* to nothing, so that numbers of connections do not change */
        a->connections[above].parts[0] = a->connections[above].parts[1] = -1;
        a->parts[b].left_out = *found = true;
    }
    return true;
}

static void refuse_massless(trm_robot *a, const body_facts *facts)
{
    for (int b = 0; b < a->part_count; b++)
        if (a->parts[b].body == b && !a->parts[b].fixed && !a->parts[b].left_out && !(facts[b].mass > 0))
            trm_add_error(a->in->messages, a->parts[b].place,
                          "link '%s' has no mass but %s; give it an <inertial>, or hold it by a fixed joint",
                          a->parts[b].name,
                          facts[b].connections > 1 ? "carries others by a joint that moves" : "moves freely");
}

static bool resolve_massless_parts(trm_robot *a)
{
    body_facts *facts = TRM_NEW_ARRAY(a->in->scratch, body_facts, a->part_count);
    if (!facts) return false;
    do {
        count_connections(a, facts);
    } while (weld_one_leaf(a, facts));
    for (bool found = true; found;) {
        if (!leave_out_one(a, facts, &found)) return false;
        if (found) count_connections(a, facts);
    }
    refuse_massless(a, facts);
    return true;
}

static void refuse_unknown_masses(trm_robot *a)
{
    for (int i = 0; i < a->part_count; i++)
        if (a->parts[i].lacks_mass && !a->parts[a->parts[i].body].fixed)
            trm_add_error(
                a->in->messages, a->parts[i].mass_place,
                "the mass of this <geom> follows from its mesh, which cannot be read; give its body an <inertial>");
}

bool trm_robot_build(trm_robot *a)
{
    if (!trm_robot_fill_masses(a)) return false;
    if (trm_error_count(a->in->messages) > 0) return true;
    weld_parts(a);
    place_in_bodies(a);
    refuse_unknown_masses(a);
    if (trm_error_count(a->in->messages) > 0) return true;
    if (!resolve_massless_parts(a)) return false;
    return trm_error_count(a->in->messages) > 0 || trm_robot_emit(a);
}

static int byte_of(double share)
{
    return (int)lround(255 * fmin(fmax(share, 0), 1));
}

const char *trm_import_color(const trm_import *in, const double *rgb)
{
    return trm_arena_format(in->def->arena, "#%02x%02x%02x", byte_of(rgb[0]), byte_of(rgb[1]), byte_of(rgb[2]));
}
