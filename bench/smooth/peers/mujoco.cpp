/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* MuJoCo: joint coordinates for the tree, soft equality constraints for the joints that close loops.
 *
 * Its documentation advises RK4 for energy conservation and Newton's solver, here with a tolerance of 0 (as far as 100 iterations go). How
 * stiff a loop is closed: by default with a time constant of 0.02 s; at the stiffest that it takes as stable, twice the
 * step, and an impedance near 1 ("stiff"). A hinge that closes a loop is a point connected to a point: all loops here
 * that close by hinges are plane. */

#include "common/peers/mujoco.hpp"

using namespace bench_mujoco;

namespace
{

/* ---- The model as XML --------------------------------------------------------------------- */

struct writer {
    const scene *s;
    std::vector<std::vector<int>> children; /* joints below each body; [0]: on the ground */
    std::string xml;
};

struct pose {
    double p[3], q[4];
};

pose pose_of(const scene *s, int body)
{
    pose X = {{0, 0, 0}, {1, 0, 0, 0}};
    if (body < 0) return X;
    std::memcpy(X.p, s->bodies[body].p, sizeof X.p);
    std::memcpy(X.q, s->bodies[body].q, sizeof X.q);
    return X;
}

/* Transforms a point of the world, or a direction, into the frame X. */
void into_frame(const pose &X, const double *v, bool is_point, double *out)
{
    double back[4], way[3];
    mju_negQuat(back, X.q);
    for (int k = 0; k < 3; k++) way[k] = is_point ? v[k] - X.p[k] : v[k];
    mju_rotVecQuat(out, way, back);
}

void open_body(writer &w, int body, int parent)
{
    const pose above = pose_of(w.s, parent), here = pose_of(w.s, body);
    double p[3], q[4], back[4];
    into_frame(above, here.p, true, p);
    mju_negQuat(back, above.q);
    mju_mulQuat(q, back, here.q);
    w.xml += body_text(w.s->bodies[body], body, p, q);
}

void write_joint(writer &w, const scene_joint &joint)
{
    const pose here = pose_of(w.s, joint.b);
    double anchor[3], axis[3];
    into_frame(here, joint.anchor, true, anchor);
    into_frame(here, joint.axis, false, axis);
    w.xml += "<joint" + attribute("pos", anchor, 3);
    w.xml +=
        joint.type == SCENE_HINGE ? " type=\"hinge\"" + attribute("axis", axis, 3) : std::string(" type=\"ball\"");
    w.xml += "/>";
}

void write_below(writer &w, int body)
{
    for (int j : w.children[static_cast<size_t>(body + 1)]) {
        const scene_joint &joint = w.s->joints[j];
        open_body(w, joint.b, joint.a);
        write_joint(w, joint);
        write_below(w, joint.b);
        w.xml += "</body>";
    }
}

void write_loops(writer &w)
{
    w.xml += "<equality>";
    for (int j = 0; j < w.s->joint_count; j++) {
        const scene_joint &joint = w.s->joints[j];
        if (!joint.closes_loop) continue;
        double anchor[3];
        into_frame(pose_of(w.s, joint.b), joint.anchor, true, anchor);
        w.xml += "<connect body1=\"b" + std::to_string(joint.b) + "\"" + attribute("anchor", anchor, 3);
        if (joint.a >= 0) w.xml += " body2=\"b" + std::to_string(joint.a) + "\"";
        w.xml += "/>";
    }
    w.xml += "</equality>";
}

/* Writes bodies without joints, which are free. */
void write_free(writer &w, const std::vector<bool> &held)
{
    for (int i = 0; i < w.s->body_count; i++) {
        if (held[static_cast<size_t>(i)]) continue;
        open_body(w, i, -1);
        w.xml += "<freejoint/></body>";
    }
}

std::string model_text(const scene *s, double h, const char *integrator, bool stiff)
{
    writer w = {s, std::vector<std::vector<int>>(static_cast<size_t>(s->body_count) + 1), ""};
    std::vector<bool> held(static_cast<size_t>(s->body_count));
    for (int j = 0; j < s->joint_count; j++) {
        if (s->joints[j].closes_loop) continue;
        w.children[static_cast<size_t>(s->joints[j].a + 1)].push_back(j);
        held[static_cast<size_t>(s->joints[j].b)] = true;
    }
    const double solref[2] = {2 * h, 1};
    const long speeds = 6L * s->body_count;
    w.xml = model_head({1, 100, 100000 + 20 * speeds * speeds});
    w.xml += "<option" + attribute("timestep", &h, 1) + attribute("gravity", s->gravity, 3) + " integrator=\"" +
             integrator + "\" solver=\"Newton\" iterations=\"100\" tolerance=\"0\"/>";
    if (stiff)
        w.xml +=
            "<default><equality" + attribute("solref", solref, 2) + " solimp=\"0.9999 0.9999 0.001\"/></default>";
    w.xml += "<worldbody>";
    write_below(w, -1);
    write_free(w, held);
    w.xml += "</worldbody>";
    write_loops(w);
    return w.xml + "</mujoco>";
}

/* ---- The engine --------------------------------------------------------------------------- */

bool is_at_rest(const scene_body &b)
{
    for (int k = 0; k < 3; k++)
        if (b.v[k] != 0 || b.w[k] != 0) return false;
    return true;
}

/* Sets velocities of free bodies: linear in world axes, angular in body axes. */
bool set_velocities(const scene *s, engine *e)
{
    for (int i = 0; i < s->body_count; i++) {
        const scene_body &b = s->bodies[i];
        if (is_at_rest(b)) continue;
        const int joint = e->model->body_jntadr[e->bodies[static_cast<size_t>(i)]];
        if (e->model->jnt_type[joint] != mjJNT_FREE) return false;
        mjtNum *v = e->data->qvel + e->model->jnt_dofadr[joint];
        for (int k = 0; k < 3; k++) v[k] = b.v[k];
        into_frame(pose_of(s, i), b.w, false, v + 3);
    }
    return true;
}

void *create(const scene *s, double h, const char *integrator, bool stiff, const char **why)
{
    engine *e = make_engine(model_text(s, h, integrator, stiff), s, why);
    if (!e) {
        if (std::strstr(*why, "parse error 18")) *why = "its XML reader takes no deeper tree";
        return nullptr;
    }
    if (set_velocities(s, e)) return e;
    *why = "starts with velocities in joints";
    destroy(e);
    return nullptr;
}

/* Reads the states. A step leaves the poses of its beginning, so that they are updated first. */
void read(void *context, body_state *states)
{
    engine *e = static_cast<engine *>(context);
    mj_kinematics(e->model, e->data);
    mj_comPos(e->model, e->data);
    mj_comVel(e->model, e->data);
    for (size_t i = 0; i < e->bodies.size(); i++) {
        const int body = e->bodies[i];
        mjtNum velocity[6]; /* angular first */
        mj_objectVelocity(e->model, e->data, mjOBJ_XBODY, body, velocity, 0);
        for (int k = 0; k < 3; k++) {
            states[i].p[k] = e->data->xpos[3 * body + k];
            states[i].w[k] = velocity[k];
            states[i].v[k] = velocity[3 + k];
        }
        for (int k = 0; k < 4; k++) states[i].q[k] = e->data->xquat[4 * body + k];
    }
}

/* ---- Variants ----------------------------------------------------------------------------- */

void *create_euler(const scene *s, double h, const char **why)
{
    return create(s, h, "Euler", false, why);
}

void *create_implicit(const scene *s, double h, const char **why)
{
    return create(s, h, "implicit", false, why);
}

void *create_rk4(const scene *s, double h, const char **why)
{
    return create(s, h, "RK4", false, why);
}

void *create_stiff(const scene *s, double h, const char **why)
{
    for (int j = 0; j < s->joint_count; j++)
        if (s->joints[j].closes_loop) return create(s, h, "RK4", true, why);
    *why = "no loop to close";
    return nullptr;
}

} // namespace

const peer mujoco_peers[] = {
    MUJOCO_PEER("Euler", "semi-implicit; loops with the default solref; Newton, tolerance 0", create_euler, read),
    MUJOCO_PEER("implicit", "implicit in velocity; else as Euler", create_implicit, read),
    MUJOCO_PEER("RK4", "Runge-Kutta of order 4; else as Euler", create_rk4, read),
    MUJOCO_PEER("RK4 stiff", "loops with solref 2 h, solimp 0.9999", create_stiff, read),
    {},
};
