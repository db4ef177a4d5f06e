/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* Creates joints and bodies from the laws of joint coordinates.
 *
 *     limits      a one-sided joint (joints/limit.c) per end
 *     friction    a motor of limited force with the requested rate 0 (joints/motor.c)
 *     armature    a rotor: a point mass m on a rail of its own; a gear keeps its coordinate x equal to q
 *
 * Consider a rotor of inertia J after a gear of ratio n, whose axis keeps its direction relative to the second
 * body. It adds the energy m (dq/dt)^2 / 2 with m = n^2 J, and the generalised force -m d2q/dt2 along q. The point
 * mass does the same without approximation: its momentum m dx/dt is that of the rotor, and the row q - x = 0
 * transmits it to the joint. All methods support point masses, rails and gears. Gravity does not act on rotors.
 * Rotors are hidden from the user: they come after all other bodies (shown_body_count). Springs with dampers are
 * forces (build_forces.c). */

#include <string.h>

#include "model/fields.h"
#include "model/model.h"

#define WRONG(...) trm_report_element(build, def->place, "joint", def->name, __VA_ARGS__)

/* ---- Laws --------------------------------------------------------------------------------- */

/* Returns the law that the keys of the joint itself give, for a joint with one coordinate. */
static trm_coordinate_def law_of_keys(const trm_joint_def *def)
{
    trm_coordinate_def law = {.place = def->place};
    trm_form_copy(&trm_form_joint, def, &trm_form_coordinate, &law);
    return law;
}

static bool is_amount(double x)
{
    return x >= 0 && isfinite(x);
}

static void check_law(trm_build *build, const trm_joint_def *def, const trm_coordinate_def *law)
{
    const struct {
        const char *key;
        double value;
    } amounts[] = {{"friction", law->friction},
                   {"mu", law->mu},
                   {"stiffness", law->stiffness},
                   {"damping", law->damping},
                   {"armature", law->armature}};
    if (law->armature > 0 && !isfinite(1 / law->armature))
        WRONG("\"armature\" is %g, too small to compute with; leave it out", law->armature);
    if (!(law->limits[0] <= law->limits[1]))
        WRONG("\"limits\" are [%g, %g]; the lower one comes first", law->limits[0], law->limits[1]);
    if (!(law->limit_restitution >= 0 && law->limit_restitution <= 1))
        WRONG("\"limit_restitution\" is %g; it must lie between 0 (no bounce) and 1 (elastic)",
              law->limit_restitution);
    for (int i = 0; i < 5; i++)
        if (!is_amount(amounts[i].value))
            WRONG("\"%s\" is %g; it must not be negative", amounts[i].key, amounts[i].value);
    if (!isfinite(law->spring_reference)) WRONG("\"spring_reference\" must be finite, in m or rad");
    if (!(law->effort >= 0)) WRONG("\"effort\" is %g; it must not be negative", law->effort);
    if (!(law->max_velocity >= 0)) WRONG("\"max_velocity\" is %g; it must not be negative", law->max_velocity);
}

/* Returns whether friction depends on load or speed. */
static bool varies(const trm_coordinate_def *law)
{
    return law->mu > 0 || law->static_friction > law->friction;
}

/* Checks the friction of a rope around a pulley: a coupling of two linear terms with the same factor. */
static void check_capstan(trm_build *build, const trm_joint_def *def)
{
    if (!isnan(def->wrap) && def->mu == 0)
        WRONG("\"wrap\" is the angle at which \"mu\" acts, which is not given; add \"mu\", or leave it out");
    if (!(def->mu > 0)) return;
    if (!(def->wrap > 0 && isfinite(def->wrap)))
        WRONG("\"mu\" of a coupling needs \"wrap\", the angle of the rope around its pulley in rad, above 0");
    const bool linear = def->term_count == 2 && def->terms[0].polynomial_count == 0 &&
                        def->terms[1].polynomial_count == 0 && def->terms[0].factor == def->terms[1].factor;
    if (!linear)
        WRONG(
            "\"mu\" is for a rope with two ends around one pulley: two \"terms\" with the same \"factor\"; couple a "
            "rope over "
            "several pulleys by several couplings");
}

static void check_friction(trm_build *build, const trm_joint_def *def, const trm_joint *joint, int k,
                           const trm_coordinate_def *law)
{
    const bool turns = joint->type->kind[k] != TRM_COORDINATE_LENGTH;
    if (joint->type->takes & TRM_TAKES_TERMS) {
        check_capstan(build, def);
        return;
    }
    if (!isnan(law->radius) && law->mu == 0)
        WRONG("\"radius\" is where the friction of \"mu\" acts, which is not given; add \"mu\", or leave it out");
    if (law->mu > 0 && !joint->type->place)
        WRONG("\"mu\" is not for a %s, which has no force across its coordinate; give \"friction\" in N",
              joint->type->name);
    else if (law->mu > 0 && turns && !(law->radius > 0 && isfinite(law->radius)))
        WRONG("\"mu\" of a coordinate that turns needs \"radius\", that of the bearing in m, above 0");
    else if (law->mu > 0 && !turns && !isnan(law->radius))
        WRONG("\"radius\" is of bearings; a coordinate that slides has none: leave it out");
    if (!isnan(law->static_friction) && !(law->static_friction >= law->friction && isfinite(law->static_friction)))
        WRONG("\"static_friction\" is %g; it must not be below \"friction\", which is %g", law->static_friction,
              law->friction);
    if (law->static_friction > law->friction && !(law->stribeck_velocity > 0 && isfinite(law->stribeck_velocity)))
        WRONG("\"static_friction\" needs \"stribeck_velocity\", the speed at which it has fallen off, above 0");
    if (!isnan(law->stribeck_velocity) && isnan(law->static_friction))
        WRONG("\"stribeck_velocity\" is for \"static_friction\", which is not given; add it, or leave both out");
}

static void set_free(trm_joint *joint)
{
    for (int k = 0; k < TRM_JOINT_COORDINATES; k++) trm_form_set_defaults(&trm_form_law, &joint->law[k]);
}

void trm_set_laws(trm_build *build, const trm_joint_def *def, trm_joint *joint)
{
    const bool each = joint->type->takes & (TRM_TAKES_EACH | TRM_TAKES_CHAIN);
    const trm_coordinate_def own = law_of_keys(def);
    set_free(joint);
    joint->wrap = joint->type->takes & TRM_TAKES_TERMS ? def->wrap : NAN;
    check_law(build, def, &own);
    if ((joint->type->takes & TRM_TAKES_SUM) && own.armature > 0)
        WRONG("\"armature\" is not for a tendon; give it to the joints of its terms");
    if (!each) {
        trm_form_copy(&trm_form_coordinate, &own, &trm_form_law, &joint->law[0]);
        check_friction(build, def, joint, 0, &own);
    }
    if (joint->type->takes & TRM_TAKES_CHAIN && joint->type->coordinates == 0)
        return; /* too many links, already reported */
    if (def->coordinate_count > (each ? joint->type->coordinates : 0)) {
        WRONG("\"coordinates\" has %d entries; a %s has %d coordinates", def->coordinate_count, joint->type->name,
              each ? joint->type->coordinates : 0);
        return;
    }
    for (int k = 0; k < def->coordinate_count; k++) {
        check_law(build, def, &def->coordinates[k]);
        trm_form_copy(&trm_form_coordinate, &def->coordinates[k], &trm_form_law, &joint->law[k]);
        check_friction(build, def, joint, k, &def->coordinates[k]);
    }
}

/* ---- Counting ----------------------------------------------------------------------------- */

typedef struct counts {
    int joints, rotors;
} counts;

static void count_law(const trm_coordinate_def *law, counts *sum)
{
    for (int k = 0; k < 2; k++) sum->joints += isfinite(law->limits[k]) != 0;
    sum->joints += law->friction > 0 || varies(law);
    sum->rotors += law->armature > 0;
}

static counts count_all(const trm_model_def *def)
{
    counts sum = {0, 0};
    for (int i = 0; i < def->joint_count; i++) {
        const trm_coordinate_def own = law_of_keys(&def->joints[i]);
        count_law(&own, &sum);
        for (int k = 0; k < def->joints[i].coordinate_count; k++) count_law(&def->joints[i].coordinates[k], &sum);
    }
    return sum;
}

int trm_count_parts(const trm_model_def *def)
{
    const counts sum = count_all(def);
    return sum.joints + 2 * sum.rotors;
}

int trm_count_rotors(const trm_model_def *def)
{
    return count_all(def).rotors;
}

/* ---- Limits and friction ------------------------------------------------------------------ */

void trm_place_rows(trm_model *model, trm_joint *joint)
{
    trm_joint_set_row_counts(joint);
    joint->row_offset = model->row_count;
    model->row_count += joint->rows;
}

static void make_rigid(trm_joint *joint)
{
    set_free(joint);
    joint->break_force = joint->break_torque = INFINITY;
    /* softness is for the host's rows only */
    joint->erp = joint->cfm = joint->spring_stiffness = joint->spring_damping = NAN;
}

/* Adds a joint on coordinate k of its host and returns it. It belongs to the host and has the host's name. */
static trm_joint *add_part_of(trm_model *model, const trm_joint *host, int k, const trm_joint_type *type)
{
    trm_joint *made = &model->joints[model->joint_count++];
    *made = *host;
    make_rigid(made);
    made->type = type;
    made->links = NULL;
    made->host = host;
    made->coordinate = k;
    made->limit_restitution = host->law[k].limit_restitution;
    made->memory_count = type->memory;
    made->memory_offset = type->memory > 0 ? model->memory_count : host->memory_offset;
    made->start_memory[0] = trm_joint_start_coordinate(host, k);
    made->start_memory[1] = 0; /* s: of friction; its reference is the host's coordinate */
    model->memory_count += made->memory_count;
    return made;
}

/* Assigns memory to friction that depends on load or speed (trm_friction_offset), after the memory of its rows. */
static void add_friction_memory(trm_model *model, trm_joint *friction, double start)
{
    double *m = friction->start_memory + friction->memory_count;
    friction->varies = true;
    friction->memory_count += TRM_FRICTION_MEMORY;
    model->memory_count += TRM_FRICTION_MEMORY;
    for (int i = 0; i < TRM_FRICTION_MEMORY; i++) m[i] = 0;
    m[TRM_FRICTION_NOW] = start;
}

static void add_friction(trm_model *model, const trm_joint *host, int k)
{
    const trm_coordinate_law *law = &host->law[k];
    const bool changes = law->mu > 0 || law->static_friction > law->friction;
    if (!(law->friction > 0) && !changes) return;
    trm_joint *friction = add_part_of(model, host, k, &trm_joint_motor);
    friction->most = law->friction;
    if (changes) add_friction_memory(model, friction, fmax(law->friction, law->static_friction)); /* NAN: not given */
    trm_place_rows(model, friction);
}

/* Adds a joint for each end of the limits. */
static void add_limits(trm_model *model, const trm_joint *host, int k)
{
    for (int end = 0; end < 2; end++) {
        if (!isfinite(host->law[k].limits[end])) continue;
        trm_joint *limit = add_part_of(model, host, k, &trm_joint_limit);
        limit->bound = host->law[k].limits[end];
        limit->side = end == 0 ? -1 : 1;
        trm_place_rows(model, limit);
    }
}

/* ---- Rotors ------------------------------------------------------------------------------- */

/* Returns the rate of a coordinate at the start. */
static double start_rate(const trm_model *model, const trm_joint *host, int k)
{
    trm_joint_at at = {.joint = host, .memory = host->start_memory};
    for (int b = 0; b < host->body_count; b++) {
        if (host->body[b] < 0) return 0; /* already reported */
        const trm_body *body = &model->bodies[host->body[b]];
        at.X[b] = trm_pose_mul(body->start, host->frame[b]);
        at.r[b] = trm_v3_sub(at.X[b].p, body->start.p);
        at.V[b] = body->start_velocity;
    }
    return trm_joint_coordinate_rate(&at, k);
}

void trm_join_hosts(const trm_model *model, trm_joint *gear)
{
    double q[TRM_TERMS], qd[TRM_TERMS];
    gear->host = gear->terms[0].host;
    gear->coordinate = gear->terms[0].coordinate;
    gear->body_count = 2 * gear->term_count;
    gear->memory_count = trm_terms_memory(gear);
    for (int k = 0; k < gear->term_count; k++) {
        const trm_joint *host = gear->terms[k].host;
        const int coordinate = gear->terms[k].coordinate;
        gear->attached = gear->attached && host->attached;
        memcpy(gear->body + 2 * k, host->body, 2 * sizeof *gear->body);
        memcpy(gear->frame + 2 * k, host->frame, 2 * sizeof *gear->frame);
        q[k] = host->start_memory[coordinate];
        qd[k] = start_rate(model, host, coordinate);
    }
    if (isnan(gear->offset)) gear->offset = trm_terms_sum(gear, q);
    trm_terms_start(gear, q, qd);
}

/* Adds the point mass, at x = q along the z axis of the ground. Returns its index. */
static int add_rotor_body(trm_model *model, const trm_joint *host, int k)
{
    trm_body *rotor = &model->bodies[model->body_count];
    *rotor = (trm_body){.name = trm_arena_format(&model->arena, "%s.rotor", host->name),
                        .kind = TRM_BODY_POINT,
                        .mass = host->law[k].armature,
                        .inverse_mass = 1 / host->law[k].armature,
                        .X_BP = trm_pose_identity(),
                        .start = trm_pose_identity(),
                        .subsystem = model->bodies[host->body[1]].subsystem};
    rotor->start.p.z = host->start_memory[k];
    rotor->start_velocity.lin.z = start_rate(model, host, k);
    return model->body_count++;
}

static const trm_joint *add_rail(trm_model *model, const trm_joint *host, int body, double x)
{
    trm_joint *rail = &model->joints[model->joint_count++];
    *rail = (trm_joint){.name = host->name,
                        .source = host->source,
                        .type = &trm_joint_rail,
                        .shown = host->shown,
                        .body_count = 2,
                        .body = {0, body},
                        .frame = {trm_pose_identity(), trm_pose_identity()},
                        .b_is_point = true,
                        .attached = true,
                        .most = INFINITY,
                        .memory_offset = model->memory_count,
                        .start_memory = {x}};
    make_rigid(rail);
    trm_place_rows(model, rail);
    return rail;
}

static bool add_rotor(trm_model *model, const trm_joint *host, int k)
{
    if (!(host->law[k].armature > 0)) return true;
    const trm_joint *rail = add_rail(model, host, add_rotor_body(model, host, k), host->start_memory[k]);
    trm_joint *gear = add_part_of(model, host, k, &trm_joint_gear);
    gear->terms = TRM_NEW_ARRAY(&model->arena, trm_term, 2);
    if (!gear->terms) return false;
    gear->terms[0] = (trm_term){host, k, 1, {1}};
    gear->terms[1] = (trm_term){rail, 0, 1, {-1}};
    gear->term_count = 2;
    gear->offset = 0;
    gear->most = INFINITY;
    trm_join_hosts(model, gear);
    trm_place_rows(model, gear);
    return !model->arena.failed;
}

/* Adds the friction of a rope around a pulley, which acts on the slip u = (a q_1 - a q_2)/2. Returns false when out
 * of memory. */
static bool add_capstan(trm_model *model, const trm_joint *coupling)
{
    if (!(coupling->type->takes & TRM_TAKES_TERMS) || !(coupling->law[0].mu > 0)) return true;
    trm_joint *slip = add_part_of(model, coupling, 0, &trm_joint_slip);
    const int before = slip->memory_count;
    slip->terms = TRM_NEW_ARRAY(&model->arena, trm_term, 2);
    if (!slip->terms) return false;
    for (int k = 0; k < 2; k++) {
        slip->terms[k] = coupling->terms[k];
        slip->terms[k].a[0] *= k == 0 ? 0.5 : -0.5;
    }
    slip->rope = false;
    slip->offset = NAN;
    slip->most = 0;
    trm_join_hosts(model, slip);
    model->memory_count += slip->memory_count - before;
    slip->host = coupling;
    add_friction_memory(model, slip, 0);
    trm_place_rows(model, slip);
    return true;
}

bool trm_build_parts(trm_build *build)
{
    trm_model *model = build->model;
    const int count = model->shown_joint_count;
    if (trm_error_count(build->messages) > 0) return true; /* parts need joints without errors */
    for (int i = 0; i < count; i++)
        for (int k = 0; k < model->joints[i].coordinates; k++) {
            add_limits(model, &model->joints[i], k);
            add_friction(model, &model->joints[i], k);
        }
    for (int i = 0; i < count; i++)
        if (!add_capstan(model, &model->joints[i])) return false;
    for (int i = 0; i < count; i++)
        for (int k = 0; k < model->joints[i].coordinates; k++)
            if (!add_rotor(model, &model->joints[i], k)) return false;
    return true;
}
