/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* MuJoCo: what all benches need of it. Models go in as XML in memory. A body's frame is at its centre of mass, along its
 * principal axes; its name is b and its number. */

#ifndef TRM_BENCH_PEERS_MUJOCO_HPP
#define TRM_BENCH_PEERS_MUJOCO_HPP

#include <mujoco/mujoco.h>

#include <cstdio>
#include <cstring>
#include <memory>
#include <string>
#include <vector>

#include "common/peers/peers.h"

namespace bench_mujoco
{

struct engine {
    mjModel *model;
    mjData *data;
    std::vector<int> bodies; /* where MuJoCo has them */
};

/* ---- XML ---------------------------------------------------------------------------------- */

inline std::string attribute(const char *name, const double *v, int count)
{
    std::string text = std::string(" ") + name + "=\"";
    for (int i = 0; i < count; i++) {
        char one[40];
        snprintf(one, sizeof one, i > 0 ? " %.17g" : "%.17g", v[i]);
        text += one;
    }
    return text + "\"";
}

/* Without the end; p, q: in the frame of its parent. */
inline std::string body_text(const scene_body &body, int index, const double *p, const double *q)
{
    return "<body name=\"b" + std::to_string(index) + "\"" + attribute("pos", p, 3) + attribute("quat", q, 4) +
           "><inertial pos=\"0 0 0\"" + attribute("mass", &body.mass, 1) + attribute("diaginertia", body.inertia, 3) +
           "/>";
}

/* Its own guess of the memory it needs is too small. */
struct room {
    long contacts, rows, stack;
};

inline std::string model_head(const room &room)
{
    return "<mujoco><compiler angle=\"radian\" inertiafromgeom=\"false\"/><size njmax=\"" +
           std::to_string(room.rows) + "\" nconmax=\"" + std::to_string(room.contacts) + "\" nstack=\"" +
           std::to_string(room.stack) + "\"/>";
}

/* ---- The engine --------------------------------------------------------------------------- */

inline mjModel *load(const std::string &xml, char *error, int size)
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

inline void ignore(const char *)
{
}

/* nullptr: MuJoCo refuses the text, *why says how. */
inline engine *make_engine(const std::string &xml, const scene *s, const char **why)
{
    static char error[200];
    mju_user_warning = ignore;
    mjModel *model = load(xml, error, sizeof error);
    if (!model) {
        error[std::strcspn(error, "\n")] = 0;
        *why = error;
        return nullptr;
    }
    engine *e = new engine{model, mj_makeData(model), {}};
    for (int i = 0; i < s->body_count; i++)
        e->bodies.push_back(mj_name2id(model, mjOBJ_BODY, ("b" + std::to_string(i)).c_str()));
    return e;
}

inline bool step(void *context, int count)
{
    engine *e = static_cast<engine *>(context);
    for (int i = 0; i < count; i++) mj_step(e->model, e->data);
    for (int warning : {mjWARN_CONTACTFULL, mjWARN_CNSTRFULL, mjWARN_BADQPOS, mjWARN_BADQVEL, mjWARN_BADQACC})
        if (e->data->warning[warning].number > 0) return false;
    return true;
}

inline void destroy(void *context)
{
    engine *e = static_cast<engine *>(context);
    mj_deleteData(e->data);
    mj_deleteModel(e->model);
    delete e;
}

} // namespace bench_mujoco

#define MUJOCO_PEER(variant, note, create, read)                                                                     \
    {                                                                                                                \
        "MuJoCo", variant, note, mj_versionString, create, bench_mujoco::step, read, bench_mujoco::destroy           \
    }

#endif
