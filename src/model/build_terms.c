/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* Builds the terms of gears, couplings and tendons from their definitions (joints/gear.c): q1 - ratio q2 = offset, or
 * sum_k f_k(q_k) = offset, or q = sum_k f_k(q_k). */

#include "model/model.h"

#define WRONG(...)      trm_report_element(build, def->place, "joint", def->name, __VA_ARGS__)
#define WRONG_TERM(...) trm_report_element(build, term->place, "joint", def->name, __VA_ARGS__)

static bool is_line(double factor)
{
    return factor != 0 && isfinite(factor);
}

/* ---- Gears -------------------------------------------------------------------------------- */

static bool gear_terms(trm_build *build, const trm_joint_def *def, trm_joint *gear)
{
    trm_host hosts[2];
    for (int k = 0; k < 2; k++) {
        hosts[k] = trm_named_host(build, def->place, "joint", def->name, def->joints[k], def->geared[k]);
        gear->terms[k] = (trm_term){hosts[k].joint, hosts[k].coordinate, 1, {k == 0 ? 1 : -def->ratio}};
    }
    if (hosts[0].joint && hosts[0].joint == hosts[1].joint && hosts[0].coordinate == hosts[1].coordinate)
        WRONG("couples the joint '%s' with itself; \"joints\" must name two joints", def->joints[0]);
    if (!is_line(def->ratio)) WRONG("needs \"ratio\", a number that is not zero: q1 = ratio q2 + offset");
    gear->term_count = 2;
    return hosts[0].joint && hosts[1].joint;
}

/* ---- Couplings and tendons ----------------------------------------------------------------- */

/* Sets the polynomial of a term. Returns false after reporting an error. */
static bool set_polynomial(trm_build *build, const trm_joint_def *def, const trm_term_def *term, trm_term *to)
{
    const bool given = term->polynomial_count > 0;
    const int degree = given ? term->polynomial_count : 1;
    bool good = true, some = false;
    if (degree > TRM_TERM_DEGREE) {
        WRONG_TERM("\"polynomial\" has %d numbers; it may have %d, the factors of q, q^2, ...", degree,
                   TRM_TERM_DEGREE);
        return false;
    }
    for (int i = 0; i < degree; i++) {
        to->a[i] = given ? term->polynomial[i] : term->factor;
        good = good && isfinite(to->a[i]);
        some = some || to->a[i] != 0;
        if (to->a[i] != 0 || i == 0) to->degree = i + 1;
    }
    if (!good || !some)
        WRONG_TERM("%s; give finite numbers, at least one of them not zero",
                   given ? "\"polynomial\" is zero or not finite" : "\"factor\" is zero or not finite");
    return good && some;
}

static bool coupling_term(trm_build *build, const trm_joint_def *def, int k, trm_joint *joint)
{
    const trm_term_def *term = &def->terms[k];
    const trm_host host = trm_named_host(build, term->place, "joint", def->name, term->joint, term->coordinate);
    if (host.joint && host.joint->term_count > 0) {
        WRONG_TERM("the joint '%s' is a %s, itself a sum; give the terms of that sum", term->joint,
                   host.joint->type->name);
        return false;
    }
    joint->terms[k].host = host.joint;
    joint->terms[k].coordinate = host.coordinate;
    for (int i = 0; host.joint && i < k; i++)
        if (joint->terms[i].host == host.joint && joint->terms[i].coordinate == host.coordinate) {
            WRONG_TERM("the coordinate of the joint '%s' is in two terms; put them together", term->joint);
            return false;
        }
    return set_polynomial(build, def, term, &joint->terms[k]) && host.joint;
}

static bool coupling_terms(trm_build *build, const trm_joint_def *def, trm_joint *joint)
{
    bool good = true;
    if (def->term_count < 1 || def->term_count > TRM_TERMS) {
        WRONG("\"terms\" has %d entries; give one to %d", def->term_count, TRM_TERMS);
        return false;
    }
    for (int k = 0; k < def->term_count; k++) good = coupling_term(build, def, k, joint) && good;
    joint->term_count = def->term_count;
    return good;
}

/* ---- All ---------------------------------------------------------------------------------- */

/* Makes the sum of a tendon its coordinate: an angle if all its terms are angles, else a length. */
static void set_tendon(trm_joint *joint)
{
    bool angles = true;
    if (!(joint->type->takes & TRM_TAKES_SUM)) return;
    for (int k = 0; k < joint->term_count; k++)
        angles = angles && !trm_joint_shifts(joint->terms[k].host, joint->terms[k].coordinate);
    joint->type = angles ? &trm_joint_tendon_of_angles : &trm_joint_tendon;
    joint->offset = 0;
}

bool trm_build_terms(trm_build *build, const trm_joint_def *def, trm_joint *joint)
{
    joint->terms = TRM_NEW_ARRAY(&build->model->arena, trm_term, TRM_TERMS);
    if (!joint->terms) return false;
    const bool listed = joint->type->takes & (TRM_TAKES_TERMS | TRM_TAKES_SUM);
    joint->rope = (joint->type->takes & TRM_TAKES_TERMS) && def->rope;
    joint->offset = def->offset;
    if (isinf(def->offset)) WRONG("\"offset\" is not finite");
    if (!(listed ? coupling_terms(build, def, joint) : gear_terms(build, def, joint))) {
        joint->term_count = 0; /* already reported */
        return !build->model->arena.failed;
    }
    set_tendon(joint);
    trm_join_hosts(build->model, joint);
    return !build->model->arena.failed;
}
