/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* Contacts of cylinders.
 *
 * A cylinder stands on a flat part (a plane, a face, the cap of another cylinder), lies on it, or leans. If it leans
 * or lies, its rims are in contact: circles whose lowest points move as it rolls. If it stands, the slightest tilt
 * moves the lowest point of a rim around the whole rim. Therefore four fixed points of the rim are contacts, and also
 * the lowest point if there is any tilt. If the margin is wide, because bodies move far in a step, these four are
 * added at larger tilts, too.
 *
 * The best separating axis (cylinder_axis.c) gives the nearest parts. Features over a flat part with nearly the same
 * normal become contacts unless they are deeper than the nearest parts. If none of these contacts is as near as the
 * nearest parts, the nearest parts become a contact, too. */

#include "collide/cylinder.h"
#include "collide/polytope.h"
#include "math/rotation.h"
#include "trammel/elementary.h"

/* Sines of the tilt: below `standing` a cylinder stands; below `nearly_standing` the points of its rim may come into
 * contact soon. */
static const double standing = 1e-3, nearly_standing = 0.05;

/* Sine of the tilt below which there is no lowest point. */
static const double no_tilt = 1e-9;

/* Sine between axis and flat part below which a cylinder lies on it. */
static const double lying = 0.1;

/* Least cosines between directions of parts for which further contacts are added: of separated and of overlapping
 * solids. */
static const double rather_aligned = 0.9, well_aligned = 0.98;

/* Least cosine of directions that count as equal; factor by which the gap of the same point along another normal may
 * be larger. */
static const double same_direction = 0.99999, gap_factor = 1.2;

/* Relative to the size: points are still accepted that are deeper than the nearest parts by `no_deeper`, and outside
 * a flat part by TRM_FLUSH: the rims of bodies stacked flush coincide. */
static const double no_deeper = 1e-9;

/* ---- Flat parts --------------------------------------------------------------------------- */

/* A flat part, in the frame of b. */
typedef struct flat {
    bool of_a;
    trm_vec3 normal, point;     /* outward normal; a point of the plane, or the centre of a disc */
    double radius;              /* m: radius of a disc; infinite: a plane */
    const trm_solid_face *face; /* face of a; NULL: a disc or a plane */
    uint32_t code;
} flat;

/* The contact of the nearest parts, which limits further contacts: these must have nearly the same normal and must
 * not be deeper. */
typedef struct limits {
    trm_vec3 normal;
    double gap;
} limits;

static void add_within_limits(trm_pair *pair, const limits *at_least, const trm_manifold_point *point_at)
{
    if (point_at->gap < at_least->gap) return;
    const double aligned = point_at->gap < 0 ? well_aligned : rather_aligned;
    if (trm_v3_dot(point_at->normal, at_least->normal) > aligned) trm_add_manifold_point(pair, point_at);
}

static trm_vec3 direction_in_a(const trm_pair *pair, trm_vec3 u)
{
    return trm_mat_t_vec(pair->R, u);
}

/* Adds the contact of a feature of one solid, given in the frame of b, with a flat part of the other. */
static void add_on_flat(trm_pair *pair, const limits *at_least, const flat *on, trm_feature feature, double height,
                        uint32_t code)
{
    trm_feature plane = trm_plane_feature(on->point, on->normal);
    trm_feature *of_a = on->of_a ? &plane : &feature;
    const trm_vec3 place = feature.point;
    of_a->point = trm_point_in_a(pair, of_a->point);
    of_a->direction = direction_in_a(pair, of_a->direction);
    const trm_manifold_point point_at = {
        .feature = {on->of_a ? plane : feature, on->of_a ? feature : plane},
        .normal = on->of_a ? trm_v3_neg(on->normal) : on->normal,
        .place = place,
        .gap = height,
        .code = {on->of_a ? on->code : code, on->of_a ? code : on->code},
    };
    add_within_limits(pair, at_least, &point_at);
}

/* The part of a segment that is over a flat part. */
typedef struct stretch {
    double part[2]; /* its ends, as fractions of the length */
    int side[2];    /* edges of the face at which it is cut; -1: none */
} stretch;

static bool clip_by_disc(const flat *on, trm_vec3 p, trm_vec3 q, stretch *over)
{
    const trm_vec3 m = on->normal, d = trm_v3_sub(p, on->point), e = trm_v3_sub(q, p);
    const trm_vec3 x = trm_v3_add_scaled(d, -trm_v3_dot(d, m), m), y = trm_v3_add_scaled(e, -trm_v3_dot(e, m), m);
    const double radius = (1 + TRM_FLUSH) * on->radius;
    const double yy = trm_v3_dot(y, y), xy = trm_v3_dot(x, y), rest = trm_v3_dot(x, x) - radius * radius;
    if (yy <= 1e-24 * on->radius * on->radius) return rest <= 0;
    const double root = xy * xy - yy * rest;
    if (root < 0) return false;
    over->part[0] = fmax(over->part[0], (-xy - sqrt(root)) / yy);
    over->part[1] = fmin(over->part[1], (-xy + sqrt(root)) / yy);
    return over->part[0] <= over->part[1];
}

static void cut(stretch *over, int end, double at, int side)
{
    if (end ? at >= over->part[1] : at <= over->part[0]) return;
    over->part[end] = at;
    over->side[end] = side;
}

static bool clip_by_face(const trm_pair *pair, const flat *on, trm_vec3 p, trm_vec3 q, stretch *over)
{
    const trm_solid *a = pair->a;
    const double little = TRM_FLUSH * a->size;
    p = trm_point_in_a(pair, p), q = trm_point_in_a(pair, q);
    for (int k = 0; k < on->face->count; k++) {
        const trm_vec3 from = a->vertices[a->corners[on->face->first + k]];
        const trm_vec3 to = a->vertices[a->corners[on->face->first + (k + 1 < on->face->count ? k + 1 : 0)]];
        const trm_vec3 out = trm_v3_unit(trm_v3_cross(trm_v3_sub(to, from), on->face->normal));
        const double at_p = trm_v3_dot(out, trm_v3_sub(p, from)), at_q = trm_v3_dot(out, trm_v3_sub(q, from));
        if (at_p > little && at_q > little) return false;
        const int side = a->sides[on->face->first + k];
        if (at_p > little) cut(over, 0, at_p / (at_p - at_q), side);
        if (at_q > little) cut(over, 1, at_p / (at_p - at_q), side);
    }
    return over->part[0] <= over->part[1];
}

/* Clips a segment to the flat part. Returns false if no part of the segment is over it. */
static bool clip(const trm_pair *pair, const flat *on, trm_vec3 p, trm_vec3 q, stretch *over)
{
    *over = (stretch){{0, 1}, {-1, -1}};
    if (on->face) return clip_by_face(pair, on, p, q, over);
    return on->radius == INFINITY || clip_by_disc(on, p, q, over);
}

static bool is_over(const trm_pair *pair, const flat *on, trm_vec3 x)
{
    stretch over;
    return clip(pair, on, x, x, &over);
}

static double height_over(const flat *on, trm_vec3 x)
{
    return trm_v3_dot(on->normal, trm_v3_sub(x, on->point));
}

/* ---- A cylinder on a flat part ------------------------------------------------------------ */

/* Position of a cylinder on a flat part. */
typedef struct stance {
    trm_placed_cylinder cylinder;
    trm_vec3 end[2]; /* centres of the rims */
    trm_vec3 low[2]; /* their lowest points */
    trm_vec3 down;   /* from the centre of a rim to its lowest point */
    double sine;     /* sine of the tilt */
    int lower;       /* number of the lower end */
} stance;

static stance stance_on(const flat *on, trm_placed_cylinder cylinder)
{
    const trm_vec3 u = cylinder.axis, m = on->normal;
    const double c = trm_v3_dot(u, m), h = cylinder.solid->half_length;
    const trm_vec3 about = trm_v3_add_scaled(m, -c, u), w = trm_v3_add_scaled(about, -trm_v3_dot(about, u), u);
    stance s = {.cylinder = cylinder, .sine = trm_v3_length(w), .lower = c < 0};
    s.down = s.sine > no_tilt ? trm_v3_scale(-cylinder.solid->radius / s.sine, w) : trm_v3(0, 0, 0);
    for (int k = 0; k < 2; k++) {
        s.end[k] = trm_v3_add_scaled(cylinder.centre, k ? h : -h, u);
        s.low[k] = trm_v3_add(s.end[k], s.down);
    }
    return s;
}

/* Codes of the features of a cylinder. */
static uint32_t rim_code(int end)
{
    return trm_other_code(end);
}

static uint32_t low_point_code(int end)
{
    return trm_other_code(2 + end);
}

static uint32_t cut_circle_code(int end)
{
    return trm_other_code(4 + end);
}

static uint32_t rim_point_code(int end, int k)
{
    return trm_other_code(8 + 4 * end + k);
}

static uint32_t cap_code(int end)
{
    return trm_face_code(end);
}

/* Adds four points of the lower rim, and the lowest point. */
static void stand_on(trm_pair *pair, const limits *at_least, const flat *on, const stance *s)
{
    const trm_solid *solid = s->cylinder.solid;
    for (int k = 0; k < 4; k++) {
        trm_vec3 out = trm_v3_scale(k < 2 ? solid->radius : -solid->radius, trm_column(solid->axes, k % 2));
        if (solid == pair->a) out = trm_mat_vec(pair->R, out);
        const trm_vec3 x = trm_v3_add(s->end[s->lower], out);
        if (is_over(pair, on, x))
            add_on_flat(pair, at_least, on, trm_point_feature(x, 0), height_over(on, x), rim_point_code(s->lower, k));
    }
    const trm_vec3 low = s->low[s->lower];
    if (s->sine > no_tilt && s->sine < standing && is_over(pair, on, low))
        add_on_flat(pair, at_least, on, trm_point_feature(low, 0), height_over(on, low), low_point_code(s->lower));
}

/* Adds a circle with its centre on the axis, at a fraction `part` from end to end. side: the edge of the flat part
 * at which it is cut, -1: none. */
static void add_circle_on(trm_pair *pair, const limits *at_least, const flat *on, const stance *s, double part,
                          int side)
{
    const trm_vec3 along = trm_v3_sub(s->end[1], s->end[0]);
    const trm_vec3 centre = part == 1 ? s->end[1] : trm_v3_add_scaled(s->end[0], part, along);
    const trm_feature circle = trm_circle_feature(centre, s->cylinder.axis, s->cylinder.solid->radius);
    const double height = height_over(on, centre) - s->cylinder.solid->radius * s->sine;
    const uint32_t code = part == 0 ? rim_code(0) : part == 1 ? rim_code(1) : cut_circle_code(part > 0.5);
    flat with_side = *on;
    if (side >= 0) with_side.code = trm_edge_code(side);
    add_on_flat(pair, at_least, &with_side, circle, height, code);
}

/* Adds both rims, or the points where the line of lowest points leaves the flat part. */
static void lie_on(trm_pair *pair, const limits *at_least, const flat *on, const stance *s)
{
    stretch over;
    if (fabs(trm_v3_dot(s->cylinder.axis, on->normal)) < lying) {
        if (!clip(pair, on, s->low[0], s->low[1], &over)) return;
        for (int k = 0; k < 2; k++)
            if (k == 0 || over.part[1] > over.part[0])
                add_circle_on(pair, at_least, on, s, over.part[k], over.side[k]);
        return;
    }
    for (int k = 0; k < 2; k++)
        if (is_over(pair, on, s->low[k])) add_circle_on(pair, at_least, on, s, k, -1);
}

static void add_cylinder_on(trm_pair *pair, const limits *at_least, const flat *on, trm_placed_cylinder cylinder)
{
    const stance s = stance_on(on, cylinder);
    if (s.sine >= standing) lie_on(pair, at_least, on, &s);
    if (s.sine < nearly_standing || s.sine * cylinder.solid->radius < pair->margin) stand_on(pair, at_least, on, &s);
}

double trm_cylinder_plane(trm_pair *pair)
{
    const trm_solid *plane = pair->b;
    const flat on = {
        .normal = plane->normal, .point = trm_v3_scale(plane->offset, plane->normal), .radius = INFINITY};
    const stance s = stance_on(&on, trm_place_cylinder(pair, true));
    const double distance = height_over(&on, s.end[s.lower]) - pair->a->radius * s.sine;
    const limits any = {plane->normal, -INFINITY};
    if (pair->manifold) add_cylinder_on(pair, &any, &on, s.cylinder);
    return distance;
}

/* ---- A cap against solids with vertices --------------------------------------------------- */

static flat cap_of(const trm_pair *pair, bool a, trm_vec3 towards)
{
    const trm_placed_cylinder cylinder = trm_place_cylinder(pair, a);
    const int end = trm_v3_dot(cylinder.axis, towards) > 0;
    const double sign = end ? 1 : -1;
    return (flat){.of_a = a,
                  .normal = trm_v3_scale(sign, cylinder.axis),
                  .point = trm_v3_add_scaled(cylinder.centre, sign * cylinder.solid->half_length, cylinder.axis),
                  .radius = cylinder.solid->radius,
                  .code = cap_code(end)};
}

static void add_vertex_on(trm_pair *pair, const limits *at_least, const flat *on, trm_vec3 x, uint32_t code)
{
    const double height = height_over(on, x) - pair->a->radius;
    add_on_flat(pair, at_least, on, trm_point_feature(x, pair->a->radius), height, code);
}

/* Returns whether q comes after p in the lexicographic order of positions. This order is the same for all solids that
 * share an edge. */
static bool is_after(trm_vec3 p, trm_vec3 q)
{
    return q.x != p.x ? q.x > p.x : q.y != p.y ? q.y > p.y : q.z > p.z;
}

/* Adds the ends of the part of a side of a, from vertex p to vertex q, that is over the cap. */
static void add_side_on(trm_pair *pair, const limits *at_least, const flat *on, int p, int q, int edge)
{
    const trm_vec3 *vertices = pair->a->vertices;
    const trm_vec3 from = trm_point_of_a(pair, vertices[p]), to = trm_point_of_a(pair, vertices[q]);
    stretch over;
    if (!clip(pair, on, from, to, &over)) return;
    const bool forward = is_after(vertices[p], vertices[q]);
    for (int k = 0; k < 2; k++) {
        const bool is_vertex = over.part[k] == k;
        const trm_vec3 x = is_vertex ? (k ? to : from) : trm_v3_add_scaled(from, over.part[k], trm_v3_sub(to, from));
        const uint32_t between = trm_edge_code(edge) | ((k == 1) == forward ? (uint32_t)TRM_CODE_MARK : 0);
        add_vertex_on(pair, at_least, on, x, is_vertex ? trm_vertex_code(k ? q : p) : between);
    }
}

static int face_towards(const trm_pair *pair, trm_vec3 n)
{
    const trm_vec3 towards = direction_in_a(pair, n);
    int best = -1;
    double most = -INFINITY;
    for (int f = 0; f < pair->a->face_count; f++) {
        const double here = trm_v3_dot(pair->a->faces[f].normal, towards);
        if (here > most + 1e-9) most = here, best = f;
    }
    return best;
}

/* Adds the lowest vertex, and the sides of the face that is most opposite to the cap, or the axis of a capsule. */
static void add_vertices_on_cap(trm_pair *pair, const limits *at_least, const flat *on)
{
    const trm_solid *a = pair->a;
    const int lowest = trm_solid_farthest(a, trm_v3_neg(direction_in_a(pair, on->normal)));
    const trm_vec3 x = trm_point_of_a(pair, a->vertices[lowest]);
    if (is_over(pair, on, x)) add_vertex_on(pair, at_least, on, x, trm_vertex_code(lowest));

    const int f = face_towards(pair, trm_v3_neg(on->normal));
    if (f < 0 && a->edge_count > 0) add_side_on(pair, at_least, on, a->edges[0].vertex[0], a->edges[0].vertex[1], 0);
    for (int k = 0; f >= 0 && k < a->faces[f].count; k++) {
        const trm_solid_face *face = &a->faces[f];
        add_side_on(pair, at_least, on, a->corners[face->first + k],
                    a->corners[face->first + (k + 1 < face->count ? k + 1 : 0)], a->sides[face->first + k]);
    }
}

/* ---- The nearest parts -------------------------------------------------------------------- */

static trm_segment axis_piece(const trm_solid *solid)
{
    const trm_vec3 half = trm_v3_scale(solid->half_length, trm_column(solid->axes, 2));
    return (trm_segment){trm_v3_sub(solid->centre, half),
                         trm_v3_add(solid->centre, half),
                         solid->radius,
                         trm_other_code(32),
                         trm_other_code(33),
                         trm_other_code(34)};
}

static trm_segment edge_piece(const trm_solid *solid, int edge)
{
    const int *v = solid->edges[edge].vertex;
    return (trm_segment){solid->vertices[v[0]], solid->vertices[v[1]], solid->radius,
                         trm_edge_code(edge),   trm_vertex_code(v[0]), trm_vertex_code(v[1])};
}

static trm_feature side_of(const trm_solid *solid)
{
    return trm_line_feature(solid->centre, trm_column(solid->axes, 2), solid->radius);
}

/* Returns a contact of the nearest points with a plane between them, used if no better features are known. */
static trm_manifold_point nearest_points(const trm_pair *pair, const trm_cylinder_axis *axis, double radius)
{
    /* many points of a side or cap are equally near, so the point of a is used */
    const bool by_a = axis->part_b == TRM_PART_SIDE || axis->part_b == TRM_PART_CAP;
    const trm_vec3 known = by_a ? trm_lowest_of_a(pair, axis->normal) : trm_highest_of_b(pair, axis->normal);
    const trm_vec3 on_a = by_a ? known : trm_v3_add_scaled(known, axis->separation, axis->normal);
    const trm_vec3 high = by_a ? trm_v3_add_scaled(known, -axis->separation, axis->normal) : known;
    return (trm_manifold_point){
        .feature = {trm_point_feature(trm_point_in_a(pair, on_a), radius), trm_plane_feature(high, axis->normal)},
        .normal = axis->normal,
        .place = on_a,
        .gap = axis->separation - radius,
        .code = {trm_other_code(64 + (int)axis->part_a), trm_other_code(64 + (int)axis->part_b)},
    };
}

/* Returns whether the axes, or the axis and an edge, have passed each other. Lines with radii then have no valid
 * normal. */
static bool has_passed(const trm_pair *pair, const trm_cylinder_axis *axis)
{
    const double of_a = axis->part_a == TRM_PART_SIDE ? pair->a->radius : 0;
    const double of_b = axis->part_b == TRM_PART_SIDE ? pair->b->radius : 0;
    return (of_a > 0 || of_b > 0) && axis->separation + of_a + of_b <= 1e-3 * (of_a + of_b);
}

/* Adds the contact of two straight parts. */
static bool add_lines(trm_pair *pair, const trm_cylinder_axis *axis)
{
    if (axis->part_b != TRM_PART_SIDE) return false;
    if (axis->part_a != TRM_PART_SIDE && axis->part_a != TRM_PART_EDGE) return false;
    const trm_segment of_b = axis_piece(pair->b);
    const trm_segment of_a = axis->part_a == TRM_PART_SIDE ? axis_piece(pair->a) : edge_piece(pair->a, axis->number);
    trm_collide_segments(pair, &of_a, &of_b);
    return true;
}

/* Return the distance of a point from a line, and from the rim at an end of a cylinder, in the frame of the solid. */
static double off_line(trm_vec3 point, trm_vec3 direction, trm_vec3 x)
{
    const trm_vec3 d = trm_v3_sub(x, point);
    return trm_v3_length(trm_v3_add_scaled(d, -trm_v3_dot(d, direction), direction));
}

static double off_rim(const trm_feature *rim, trm_vec3 x)
{
    const double along = trm_v3_dot(rim->direction, trm_v3_sub(x, rim->point));
    return trm_hypot(off_line(rim->point, rim->direction, x) - rim->radius, along);
}

static trm_feature rim_of(const trm_solid *solid, int end)
{
    const trm_vec3 axis = trm_column(solid->axes, 2);
    return trm_circle_feature(trm_v3_add_scaled(solid->centre, end ? solid->half_length : -solid->half_length, axis),
                              axis, solid->radius);
}

/* Sets feature and code of a part if the point x is on the part to rounding. Returns whether it is: the separation
 * may have its maximum where these parts are not nearest. direction: outward direction of the part. All in the frame
 * of the solid. */
static bool feature_of(const trm_solid *solid, trm_solid_part part, int number, trm_vec3 x, trm_vec3 direction,
                       trm_feature *feature, uint32_t *code)
{
    const double little = 1e-7 * solid->size, around = solid->kind == TRM_SOLID_CYLINDER ? 0 : solid->radius;
    const int end = trm_v3_dot(trm_column(solid->axes, 2), direction) > 0;
    const trm_feature rim = rim_of(solid, end), side = side_of(solid);
    if (part == TRM_PART_RIM && off_rim(&rim, x) < little) {
        *feature = rim, *code = rim_code(end);
        return true;
    }
    if (part == TRM_PART_SIDE && fabs(off_line(side.point, side.direction, x) - side.radius) < little) {
        *feature = side;
        return true;
    }
    if (part == TRM_PART_VERTEX && trm_v3_length(trm_v3_sub(x, solid->vertices[number])) < little) {
        *feature = trm_point_feature(solid->vertices[number], around), *code = trm_vertex_code(number);
        return true;
    }
    if (part != TRM_PART_EDGE) return false;
    const trm_segment edge = edge_piece(solid, number);
    const trm_vec3 along = trm_v3_unit(trm_v3_sub(edge.q, edge.p));
    if (off_line(edge.p, along, x) >= little) return false;
    *feature = trm_line_feature(edge.p, along, around), *code = edge.code;
    return true;
}

/* Returns the contact of the nearest parts, neither of which is flat. */
static trm_manifold_point contact_of_parts(const trm_pair *pair, const trm_cylinder_axis *axis, double radius)
{
    const trm_manifold_point nearest = nearest_points(pair, axis, radius);
    const trm_vec3 on_a = nearest.feature[0].point, on_b = nearest.feature[1].point;
    trm_manifold_point point_at = nearest;
    if (has_passed(pair, axis) ||
        !feature_of(pair->a, axis->part_a, axis->number, on_a, trm_v3_neg(direction_in_a(pair, axis->normal)),
                    &point_at.feature[0], &point_at.code[0]) ||
        !feature_of(pair->b, axis->part_b, 0, on_b, axis->normal, &point_at.feature[1], &point_at.code[1]))
        return nearest;
    return point_at;
}

static void add_nearest_parts(trm_pair *pair, const trm_cylinder_axis *axis, double radius)
{
    const bool is_flat =
        axis->part_a == TRM_PART_FACE || axis->part_a == TRM_PART_CAP || axis->part_b == TRM_PART_CAP;
    /* features that are not over a triangle of a mesh are over its neighbours */
    if (is_flat && pair->allows) return;
    if (!has_passed(pair, axis) && add_lines(pair, axis)) return;
    const trm_manifold_point point_at =
        is_flat ? nearest_points(pair, axis, radius) : contact_of_parts(pair, axis, radius);
    trm_add_manifold_point(pair, &point_at);
}

static bool is_same_way(const trm_manifold_point *point_at, trm_vec3 n)
{
    return trm_v3_dot(point_at->normal, n) > same_direction;
}

/* Returns whether a contact over a flat part is as near as the nearest parts, with the same normal. */
static bool has_contact_at(const trm_pair *pair, trm_vec3 n, double gap)
{
    const double rounding = 100 * trm_axis_tie(pair);
    for (int i = 0; i < pair->manifold->count; i++) {
        const trm_manifold_point *point_at = &pair->manifold->items[i];
        if (point_at->gap <= gap + rounding && is_same_way(point_at, n)) return true;
    }
    return false;
}

/* Removes duplicates. Where an edge meets a rim, the same point is also found over the cap and would be constrained
 * along two normals, one of them wrong. Duplicates are as near as the nearest parts. */
static void remove_duplicates(trm_pair *pair, trm_vec3 n, double gap)
{
    trm_manifold *all = pair->manifold;
    const double as_near = gap_factor * fmax(gap, 0) + TRM_FLUSH * (pair->a->size + pair->b->size);
    int kept = 0;
    for (int i = 0; i < all->count; i++)
        if (is_same_way(&all->items[i], n) || all->items[i].gap > as_near) all->items[kept++] = all->items[i];
    all->count = kept;
}

/* Adds the points where the rims of two caps that lie on each other cross. */
static void add_rim_crossings(trm_pair *pair, const limits *at_least, const flat *of_a, const flat *of_b)
{
    const trm_vec3 m = of_b->normal, d = trm_v3_sub(of_a->point, of_b->point);
    const trm_vec3 between = trm_v3_add_scaled(d, -trm_v3_dot(d, m), m);
    const double far = trm_v3_length(between), ra = of_a->radius, rb = of_b->radius;
    if (far <= TRM_FLUSH * (ra + rb)) return;
    /* from the centre of b towards a, and perpendicular to it */
    const double along = (far * far + rb * rb - ra * ra) / (2 * far), across2 = rb * rb - along * along;
    if (across2 <= 0) return;
    const trm_vec3 u = trm_v3_scale(1 / far, between), v = trm_v3_cross(m, u);
    for (int side = -1; side <= 1; side += 2) {
        const trm_vec3 foot = trm_v3_add_scaled(trm_v3_add_scaled(of_b->point, along, u), side * sqrt(across2), v);
        /* up along m to the cap of a */
        const double height = trm_v3_dot(of_a->normal, trm_v3_sub(of_a->point, foot)) / trm_v3_dot(of_a->normal, m);
        const trm_vec3 x = trm_v3_add_scaled(foot, height, m);
        add_on_flat(pair, at_least, of_b, trm_point_feature(x, 0), height_over(of_b, x),
                    trm_other_code(48 + (side > 0)));
    }
}

/* Adds all contacts over flat parts of either solid. */
static void add_flat_parts(trm_pair *pair, const limits *at_least)
{
    const trm_vec3 n = at_least->normal;
    const trm_placed_cylinder b = trm_place_cylinder(pair, false);
    const flat cap_b = cap_of(pair, false, n);
    if (pair->a->kind == TRM_SOLID_CYLINDER) {
        const flat cap_a = cap_of(pair, true, trm_v3_neg(n));
        if (trm_v3_dot(cap_b.normal, n) > rather_aligned)
            add_cylinder_on(pair, at_least, &cap_b, trm_place_cylinder(pair, true));
        if (-trm_v3_dot(cap_a.normal, n) > rather_aligned) add_cylinder_on(pair, at_least, &cap_a, b);
        if (-trm_v3_dot(cap_a.normal, cap_b.normal) > well_aligned) add_rim_crossings(pair, at_least, &cap_a, &cap_b);
        return;
    }
    if (trm_v3_dot(cap_b.normal, n) > rather_aligned) add_vertices_on_cap(pair, at_least, &cap_b);
    const int f = face_towards(pair, trm_v3_neg(n));
    if (f < 0) return;
    const trm_solid_face *face = &pair->a->faces[f];
    const flat on = {.of_a = true,
                     .normal = trm_mat_vec(pair->R, face->normal),
                     .point = trm_point_of_a(pair, face->point),
                     .face = face,
                     .code = trm_face_code(f)};
    if (-trm_v3_dot(on.normal, n) > rather_aligned) add_cylinder_on(pair, at_least, &on, b);
}

/* Returns whether a contact along the axis is allowed, if a is a triangle of a mesh. */
static bool is_allowed(const trm_pair *pair, const trm_cylinder_axis *axis)
{
    if (!pair->allows || axis->part_a == TRM_PART_FACE) return true;
    return pair->allows(pair->triangle, trm_v3_neg(direction_in_a(pair, axis->normal)));
}

/* Returns the best axis. For separated solids any axis is a lower bound of their distance, even if the contact along
 * it belongs to neighbours of a triangle. Overlapping solids must be separated along an allowed axis. */
static trm_cylinder_axis best_axis(const trm_pair *pair)
{
    trm_pair anyhow = *pair;
    anyhow.allows = NULL;
    const trm_cylinder_axis axis = trm_best_cylinder_axis(&anyhow);
    return axis.separation > 0 || is_allowed(pair, &axis) ? axis : trm_best_cylinder_axis(pair);
}

double trm_cylinder_any(trm_pair *pair)
{
    const double radius = pair->a->kind == TRM_SOLID_CYLINDER ? 0 : pair->a->radius;
    const trm_vec3 d = trm_v3_sub(trm_point_of_a(pair, pair->a->centre), pair->b->centre);
    const double far = trm_v3_length(d) - pair->a->size - pair->b->size;
    if (pair->manifold && far > pair->margin) return far;

    const trm_cylinder_axis axis = best_axis(pair);
    const double gap = axis.separation - radius;
    if (!pair->manifold || !(gap < pair->margin)) return gap;
    const limits at_least = {axis.normal, gap - no_deeper * (pair->a->size + pair->b->size)};
    add_flat_parts(pair, &at_least);
    remove_duplicates(pair, axis.normal, gap);
    if (!has_contact_at(pair, axis.normal, gap) && is_allowed(pair, &axis)) add_nearest_parts(pair, &axis, radius);
    trm_reduce_manifold(pair->manifold, axis.normal);
    return gap;
}
