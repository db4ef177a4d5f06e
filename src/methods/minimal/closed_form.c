/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* Recognises loops that can be closed without iteration. The ring of a loop leads from the common ancestor of the
 * cut joint's bodies down to the first of them, through the cut joint, and from the second up again. All bodies
 * that are not free count as one body. */

#include "methods/minimal/closed_form.h"

#include "trammel/elementary.h"

/* Fraction of a side or a radius by which rounding may open a flat triangle. A larger value closes triangles that
 * are open, a smaller one fails at dead centres. Tests pass with a tenth and with ten times of it. */
static const double FLAT = 1e-14;

static const trm_closed_form *const forms[] = {
#define TRM_CLOSED_FORM(name) &trm_closed_form_##name,
#include "methods/minimal/closed_forms/list.h"
#undef TRM_CLOSED_FORM
};

/* ---- The ring ----------------------------------------------------------------------------- */

static bool is_plain(const trm_model *model, const trm_joint *joint)
{
    if (joint->body_count != 2 || joint->host || joint->one_sided || trm_joint_is_spring(joint)) return false;
    for (int b = 0; b < 2; b++)
        if (model->bodies[joint->body[b]].kind == TRM_BODY_POINT) return false;
    return true;
}

/* Appends a joint to the ring unless it is fixed. Returns false if there is no room, or no form knows this joint. */
static bool append(const trm_tree *tree, const trm_joint *joint, bool backward, const trm_link *link, trm_ring *ring)
{
    const int before = joint->body[backward ? 1 : 0], after = joint->body[backward ? 0 : 1];
    double q[TRM_JOINT_COORDINATES] = {0};
    if (!is_plain(tree->model, joint)) return false;
    if (joint->type == &trm_joint_fixed) return true;
    if (ring->count == TRM_LONGEST_RING) return false;
    const trm_joint_at at = trm_joint_at_poses(joint, tree->pose, tree->velocity, tree->t, NULL);
    trm_joint_coordinates(&at, q);
    ring->joints[ring->count++] =
        (trm_ring_joint){.joint = joint,
                         .sign = backward ? -1 : 1,
                         .at = link ? link->first : -1,
                         .count = link ? link->count : 0,
                         .in = trm_pose_mul(tree->pose[before], joint->frame[backward ? 1 : 0]),
                         .out = trm_pose_mul(tree->pose[after], joint->frame[backward ? 0 : 1]),
                         .coordinate = q[0]};
    return true;
}

/* The links on the two paths from the bodies of the cut joint to their common ancestor. */
typedef struct path_pair {
    int count[2];
    int *links[2]; /* from the body of the cut joint upwards */
} path_pair;

/* Finds both paths; parents have smaller numbers than their children. Returns false if they end on bodies that
 * move relative to each other by prescribed motion. */
static bool find_paths(const trm_tree *tree, const trm_joint *cut, path_pair *w)
{
    int body[2] = {cut->body[0], cut->body[1]};
    for (;;) {
        const int a = tree->link_of[body[0]], b = tree->link_of[body[1]], higher = a > b ? 0 : 1;
        if (a == b) break;
        const int link = tree->link_of[body[higher]];
        w->links[higher][w->count[higher]++] = link;
        body[higher] = tree->links[link].parent;
    }
    const trm_body *bodies = tree->model->bodies;
    return body[0] == body[1] || (!bodies[body[0]].motion && !bodies[body[1]].motion);
}

static bool find_ring(const trm_tree *tree, const trm_joint *cut, path_pair *w, trm_ring *ring)
{
    bool good = cut->body_count == 2 && find_paths(tree, cut, w);
    for (int i = w->count[0]; good && i-- > 0;) {
        const trm_link *link = &tree->links[w->links[0][i]];
        good = append(tree, link->joint, link->backward, link, ring);
    }
    good = good && append(tree, cut, false, NULL, ring);
    for (int i = 0; good && i < w->count[1]; i++) {
        const trm_link *link = &tree->links[w->links[1][i]];
        good = append(tree, link->joint, !link->backward, link, ring);
    }
    return good;
}

/* ---- Recognising -------------------------------------------------------------------------- */

/* Places the branch at the start of the model, with the joints of its tree exactly closed. Lengths are then
 * bit-identical when a run is resumed. */
static void place_start(trm_tree *tree, const trm_branch *branch, const trm_pose *start, double *y)
{
    for (int i = 0; i < branch->link_count; i++) {
        const trm_link *link = &tree->links[branch->first_link + i];
        double q[TRM_JOINT_COORDINATES] = {0};
        const trm_joint_at at = trm_joint_at_poses(link->joint, start, tree->velocity, tree->t, NULL);
        trm_joint_coordinates(&at, q);
        for (int k = 0; k < link->count; k++) y[link->first + k] = q[k];
    }
    trm_tree_place(tree, branch, y);
}

/* Returns whether the branch has absolute angles, which forms do not support. */
static bool has_absolute_angles(const trm_tree *tree, const trm_branch *branch)
{
    for (int i = 0; i < branch->link_count; i++)
        if (tree->links[branch->first_link + i].sense != 0) return true;
    return false;
}

/* Finds the form of a branch with one loop of few joints. */
static void recognise_one(trm_loop *loop, const trm_ring *ring)
{
    if (ring->count > TRM_RING_JOINTS) return;
    loop->place->ring = *ring;
    for (size_t i = 0; !loop->form && i < sizeof forms / sizeof *forms; i++)
        if (forms[i]->recognise(loop->place)) loop->form = forms[i];
}

/* Finds the rings of all loops of a branch. Returns false if one of them has a joint that no form knows. */
static bool find_rings(const trm_loop *loop, const trm_tree *tree, path_pair *w, trm_ring *rings)
{
    for (int i = 0; i < loop->branch->cut_count; i++) {
        w->count[0] = w->count[1] = 0;
        rings[i].count = 0;
        if (!find_ring(tree, loop->joints[i], w, &rings[i])) return false;
    }
    return true;
}

/* Finds the form of a loop from its rings, if there is one. Returns false when out of memory. */
static bool recognise(trm_loop *loop, const trm_tree *tree, const trm_ring *rings, trm_arena *arena)
{
    bool planar = false;
    if (loop->branch->cut_count == 1) recognise_one(loop, &rings[0]);
    if (loop->form) return true;
    if (!trm_planar_rings_recognise(loop->place, rings, loop->branch->cut_count, tree->coordinates, arena, &planar))
        return false;
    if (planar) loop->form = &trm_closed_form_rings;
    return true;
}

bool trm_closed_form_recognise(trm_loop *loop, trm_tree *tree, trm_arena *arena)
{
    const int links = loop->branch->link_count, cuts = loop->branch->cut_count;
    trm_arena scratch;
    trm_arena_init(&scratch, &arena->allocator);
    double *y = TRM_NEW_ARRAY(&scratch, double, tree->coordinates);
    trm_pose *start = TRM_NEW_ARRAY(&scratch, trm_pose, tree->model->body_count);
    trm_ring *rings = TRM_NEW_ARRAY(&scratch, trm_ring, cuts);
    path_pair w = {.links = {TRM_NEW_ARRAY(&scratch, int, links), TRM_NEW_ARRAY(&scratch, int, links)}};
    loop->form = NULL;
    loop->place = TRM_NEW(arena, trm_closed_place);
    bool good = loop->place && !scratch.failed;
    if (good && cuts > 0 && !has_absolute_angles(tree, loop->branch)) {
        for (int i = 0; i < tree->model->body_count; i++) start[i] = tree->model->bodies[i].start;
        place_start(tree, loop->branch, start, y);
        if (find_rings(loop, tree, &w, rings)) good = recognise(loop, tree, rings, arena);
    }
    trm_arena_destroy(&scratch);
    return good;
}

trm_closure trm_closed_form_solve(const trm_loop *loop, double *y)
{
    return loop->form ? loop->form->solve(loop, loop->place, y) : TRM_CLOSURE_OPEN;
}

/* ---- For forms ---------------------------------------------------------------------------- */

bool trm_loop_is_independent(const trm_loop *loop, int at)
{
    for (int i = 0; i < loop->f; i++)
        if (loop->branch->first + loop->independent[i] == at) return true;
    return false;
}

int trm_ring_independent(const trm_loop *loop, const trm_ring *ring)
{
    int independent = 0, all = 0;
    for (int i = 0; i < ring->count; i++) {
        all += ring->joints[i].count;
        for (int k = 0; k < ring->joints[i].count; k++)
            if (trm_loop_is_independent(loop, ring->joints[i].at + k)) independent++;
    }
    return loop->n - loop->f == all - independent ? independent : -1;
}

bool trm_triangle_angle(double p, double r, double q, double *angle)
{
    const double longest = p + q - r, shortest = r - fabs(p - q), rounding = FLAT * (p + q + r);
    if (!(longest >= -rounding && shortest >= -rounding && r > rounding)) return false;
    const double heron = fmax(longest, 0) * (p + q + r) * fmax(shortest, 0) * (r + fabs(p - q));
    *angle = trm_atan2(sqrt(heron), r * r + (p - q) * (p + q));
    return true;
}

bool trm_chord(double along, double across, double radius, double root[2])
{
    const double left = radius - fabs(across);
    if (!(left >= -FLAT * (radius + fabs(across)))) return false;
    const double half = sqrt(fmax(left, 0) * (radius + fabs(across)));
    root[0] = half - along;
    root[1] = -half - along;
    return true;
}
