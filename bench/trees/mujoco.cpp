/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* MuJoCo's steps of a robot (trees.h). */

#include <ctime>

#include "common/peers/mujoco.hpp"
#include "trees/trees.h"

namespace
{

double seconds()
{
    timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

} // namespace

double mujoco_steps(const char *text, int steps, int runs, double *places, int bodies)
{
    char error[200];
    mjModel *model = bench_mujoco::load(text, error, sizeof error);
    if (!model) return -1;
    mjData *data = mj_makeData(model);
    double best = 1e300;
    for (int run = 0; run < runs; run++) {
        mj_resetData(model, data);
        for (int j = 0, hinge = 0; j < model->njnt; j++)
            if (model->jnt_type[j] == mjJNT_HINGE) data->qvel[model->jnt_dofadr[j]] = robot_rate(hinge++);
        const double started = seconds();
        for (int k = 0; k < steps; k++) mj_step(model, data);
        const double us = 1e6 * (seconds() - started) / steps;
        best = us < best ? us : best;
        mj_kinematics(model, data);
        for (int i = 0; i < 3 * bodies; i++) places[i] = data->xpos[3 + i];
    }
    mj_deleteData(data);
    mj_deleteModel(model);
    return best;
}
