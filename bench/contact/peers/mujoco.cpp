/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* MuJoCo: soft contacts, found by a convex optimisation each step, semi-implicit Euler.
 *
 * default   Newton's method, pyramidal friction, contacts that give way with a time constant of 0.02 s
 * stiff     elliptic friction, ten times stiffer than the normal (impratio), the time constant 2 h and an impedance near 1,
 *           the stiffest that it takes as stable; and its sweeps against slip
 *
 * It has no restitution: a contact that bounces is a spring that the ball leaves after ten steps, its damping such that the ball
 * keeps e of its speed. Models go in as XML in memory. */

#include <mujoco/mujoco.h>

#include <climits>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <memory>
#include <string>

#include "peers.h"

namespace
{

struct engine {
    mjModel *model;
    mjData *data;
    int count;
};

/* ---- The model as XML --------------------------------------------------------------------- */

std::string attribute(const char *name, const double *v, int count)
{
    std::string text = std::string(" ") + name + "=\"";
    for (int i = 0; i < count; i++) {
        char one[40];
        snprintf(one, sizeof one, i > 0 ? " %.17g" : "%.17g", v[i]);
        text += one;
    }
    return text + "\"";
}

/* A spring that pushes for half its period, ten steps, and lets go at e of the speed: e = exp(-pi z / sqrt(1 - z^2)). As
 * MuJoCo wants it: the negative of stiffness and damping per unit of mass. */
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

std::string body_text(const scene_body &body)
{
    const double half[3] = {0.5 * body.size[0], 0.5 * body.size[1], 0.5 * body.size[2]};
    const bool box = body.shape == SCENE_BOX;
    return "<body" + attribute("pos", body.p, 3) + attribute("quat", body.q, 4) +
           "><freejoint/><inertial pos=\"0 0 0\"" + attribute("mass", &body.mass, 1) +
           attribute("diaginertia", body.inertia, 3) + "/><geom type=\"" + (box ? "box" : "sphere") + "\"" +
           attribute("size", half, box ? 3 : 1) + "/></body>";
}

/* Room for what may touch: a box in a pile has 12 contacts at most, each of 4 rows. */
struct room {
    long contacts, rows, speeds;
};

room room_for(int bodies)
{
    const long contacts = 100 + 12L * bodies;
    return {contacts, 4 * contacts, 6L * bodies};
}

/* It reserves J, J^T and J M^-1 J^T as full matrices and counts their bytes in an int. */
bool fits(const room &need)
{
    return static_cast<double>(sizeof(mjtNum)) * need.rows * (need.rows + 2.0 * need.speeds) < INT_MAX;
}

std::string size_text(const room &need)
{
    const long stack = 1000000 + 10 * need.rows * (need.rows + need.speeds);
    return "<size nconmax=\"" + std::to_string(need.contacts) + "\" njmax=\"" + std::to_string(need.rows) +
           "\" nstack=\"" + std::to_string(stack) + "\"/>";
}

std::string model_text(const scene *s, double h, bool stiff)
{
    std::string xml =
        "<mujoco><compiler angle=\"radian\" inertiafromgeom=\"false\"/>" + size_text(room_for(s->body_count));
    xml += "<option" + attribute("timestep", &h, 1) + attribute("gravity", s->gravity, 3) + " solver=\"Newton\" ";
    xml += stiff ? "cone=\"elliptic\" impratio=\"10\" noslip_iterations=\"10\"/>" : "cone=\"pyramidal\"/>";
    xml += geom_defaults(s, h, stiff) + "<worldbody><geom type=\"plane\" size=\"100 100 1\"/>";
    for (int i = 0; i < s->body_count; i++) xml += body_text(s->bodies[i]);
    return xml + "</worldbody></mujoco>";
}

/* ---- The engine --------------------------------------------------------------------------- */

mjModel *load(const std::string &xml, char *error, int size)
{
    static const char name[] = "scene.xml";
    std::unique_ptr<mjVFS> files(new mjVFS);
    mj_defaultVFS(files.get());
    mj_makeEmptyFileVFS(files.get(), name, static_cast<int>(xml.size()) + 1);
    std::memcpy(files->filedata[0], xml.c_str(), xml.size() + 1);
    mjModel *model = mj_loadXML(name, files.get(), error, size);
    mj_deleteVFS(files.get());
    return model;
}

void ignore(const char *)
{
}

void *create(const scene *s, double h, bool stiff, const char **why)
{
    static char error[200];
    if (!fits(room_for(s->body_count)))
        return *why = "its matrices would take more than the 2 GB it can count", nullptr;
    mju_user_warning = ignore;
    mjModel *model = load(model_text(s, h, stiff), error, sizeof error);
    if (!model) {
        error[std::strcspn(error, "\n")] = 0;
        *why = error;
        return nullptr;
    }
    return new engine{model, mj_makeData(model), s->body_count};
}

bool step(void *context, int count)
{
    engine *e = static_cast<engine *>(context);
    for (int i = 0; i < count; i++) mj_step(e->model, e->data);
    for (int warning : {mjWARN_CONTACTFULL, mjWARN_CNSTRFULL, mjWARN_BADQPOS, mjWARN_BADQVEL, mjWARN_BADQACC})
        if (e->data->warning[warning].number > 0) return false;
    return true;
}

/* A free body has its position and orientation in qpos, and first its linear velocity in qvel. */
void read(void *context, body_state *states)
{
    const engine *e = static_cast<engine *>(context);
    for (int i = 0; i < e->count; i++) {
        for (int k = 0; k < 3; k++) {
            states[i].p[k] = e->data->qpos[7 * i + k];
            states[i].v[k] = e->data->qvel[6 * i + k];
        }
        for (int k = 0; k < 4; k++) states[i].q[k] = e->data->qpos[7 * i + 3 + k];
    }
}

void destroy(void *context)
{
    engine *e = static_cast<engine *>(context);
    mj_deleteData(e->data);
    mj_deleteModel(e->model);
    delete e;
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

#define MUJOCO(variant, note, most_bodies, create_variant)                                                           \
    {                                                                                                                \
        "MuJoCo", variant, note, most_bodies, mj_versionString, create_variant, step, read, destroy                  \
    }

extern "C" {
extern const peer mujoco_peers[] = {
    MUJOCO("default", "Newton, pyramidal cones; restitution by a spring", 0, create_default),
    MUJOCO("stiff", "elliptic cones, impratio 10, 10 noslip iterations, solref 2 h, solimp 0.99 0.999", 100,
           create_stiff),
    {},
};
}
