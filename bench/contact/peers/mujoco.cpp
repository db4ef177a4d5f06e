/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* MuJoCo: soft contacts, found by a convex optimisation each step, semi-implicit Euler.
 *
 * default   Newton's method, pyramidal friction, contacts that give way with a time constant of 0.02 s
 * stiff     elliptic friction, ten times stiffer than the normal (impratio), the time constant 2 h and an impedance near 1,
 *           the stiffest that it takes as stable; and its sweeps against slip
 *
 * It has no restitution: a contact that bounces is a spring that the ball leaves after ten steps, its damping such that the ball
 * keeps e of its speed. */

#include "common/peers/mujoco.hpp"

#include <climits>
#include <cmath>

using namespace bench_mujoco;

namespace
{

/* ---- The model as XML --------------------------------------------------------------------- */

/* Returns the parameters of a spring that pushes for half its period, ten steps, and releases at e of the speed: e =
 * exp(-pi z / sqrt(1 - z^2)). MuJoCo takes the negative of stiffness and damping per unit of mass. */
std::string bounce(double e, double h)
{
    constexpr double pi = 3.14159265358979323846;
    const double fall = -std::log(e), damping = fall / std::hypot(pi, fall);
    const double frequency = pi / (10 * h) / std::sqrt(1 - damping * damping);
    const double solref[2] = {-frequency * frequency, -2 * damping * frequency};
    return attribute("solref", solref, 2) + " solimp=\"0.99 0.99 0.001\"";
}

std::string geom_defaults(const scene *s, double h, bool stiff)
{
    const double friction[3] = {s->friction, 0, 0}, solref[2] = {2 * h, 1};
    std::string text = "<default><geom condim=\"3\"" + attribute("friction", friction, 3);
    if (s->restitution > 0)
        text += bounce(s->restitution, h);
    else if (stiff)
        text += attribute("solref", solref, 2) + " solimp=\"0.99 0.999 0.001\"";
    return text + "/></default>";
}

std::string free_body(const scene_body &body, int index)
{
    const double half[3] = {0.5 * body.size[0], 0.5 * body.size[1], 0.5 * body.size[2]};
    const bool box = body.shape == SCENE_BOX;
    return body_text(body, index, body.p, body.q) + "<freejoint/><geom type=\"" + (box ? "box" : "sphere") + "\"" +
           attribute("size", half, box ? 3 : 1) + "/></body>";
}

/* Returns the memory for contacts: a box in a pile has at most 12 contacts, each with 4 rows. */
room room_for(const scene *s)
{
    const long contacts = 100 + 12L * s->body_count, rows = 4 * contacts, speeds = 6L * s->body_count;
    return {contacts, rows, 1000000 + 10 * rows * (rows + speeds)};
}

/* Returns whether MuJoCo can reserve J, J^T and J M^-1 J^T, which are full matrices whose bytes it counts in an
 * int. */
bool fits(const scene *s)
{
    const double rows = static_cast<double>(room_for(s).rows), speeds = 6.0 * s->body_count;
    return static_cast<double>(sizeof(mjtNum)) * rows * (rows + 2 * speeds) < INT_MAX;
}

std::string model_text(const scene *s, double h, bool stiff)
{
    std::string xml = model_head(room_for(s));
    xml += "<option" + attribute("timestep", &h, 1) + attribute("gravity", s->gravity, 3) + " solver=\"Newton\" ";
    xml += stiff ? "cone=\"elliptic\" impratio=\"10\" noslip_iterations=\"10\"/>" : "cone=\"pyramidal\"/>";
    xml += geom_defaults(s, h, stiff) + "<worldbody><geom type=\"plane\" size=\"100 100 1\"/>";
    for (int i = 0; i < s->body_count; i++) xml += free_body(s->bodies[i], i);
    return xml + "</worldbody></mujoco>";
}

/* ---- The engine --------------------------------------------------------------------------- */

void *create(const scene *s, double h, bool stiff, const char **why)
{
    if (!fits(s)) return *why = "its matrices would take more than the 2 GB it can count", nullptr;
    return make_engine(model_text(s, h, stiff), s, why);
}

/* A free body has its position and orientation in qpos; in qvel its velocity, linear along the axes of the world, angular along
 * its own. MuJoCo computes nothing for it: a quaternion rounded once more decides whether a stack stands or falls. */
void read(void *context, body_state *states)
{
    const engine *e = static_cast<engine *>(context);
    for (size_t i = 0; i < e->bodies.size(); i++) {
        const mjtNum *x = e->data->qpos + 7 * i, *u = e->data->qvel + 6 * i;
        for (int k = 0; k < 3; k++) states[i].p[k] = x[k], states[i].v[k] = u[k];
        for (int k = 0; k < 4; k++) states[i].q[k] = x[3 + k];
        mju_rotVecQuat(states[i].w, u + 3, states[i].q);
    }
}

/* ---- Variants ----------------------------------------------------------------------------- */

void *create_default(const scene *s, double h, const char **why)
{
    return create(s, h, false, why);
}

void *create_stiff(const scene *s, double h, const char **why)
{
    return create(s, h, true, why);
}

} // namespace

const peer mujoco_peers[] = {
    MUJOCO_PEER("default", "Newton, pyramidal cones; restitution by a spring", create_default, read),
    MUJOCO_PEER("stiff", "elliptic cones, impratio 10, 10 noslip iterations, solref 2 h, solimp 0.99 0.999",
                create_stiff, read),
    {},
};
