/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* A pendulum through the C interface: a point on a bar of 1 m swings for 10 s; how well is its energy kept? */

#include "trammel/trammel.h"
#include <stdio.h>

int main(void)
{
    trm_messages *messages = trm_messages_create(NULL);
    trm_model_def *def = trm_model_def_create(NULL);
    trm_body_def bob = trm_default_body_def();
    trm_joint_def bar = trm_default_joint_def();
    trm_model *model = NULL;
    trm_sim *sim = NULL;

    def->gravity = trm_v3(0, -9.81, 0);
    bob.name = "bob", bob.kind = TRM_BODY_POINT, bob.mass = 1, bob.position = trm_v3(-1, 0, 0);
    bar.name = "bar", bar.type = "distance", bar.bodies[0] = "ground", bar.bodies[1] = "bob";
    bar.anchors[0] = bar.anchors[1] = trm_v3(0, 0, 0), bar.length = 1;
    trm_add_body(def, &bob);
    trm_add_joint(def, &bar);

    const trm_run_def run = {.until = 10, .every = 0.01};
    const bool built = trm_model_create(def, NULL, messages, &model) == TRM_OK &&
                       trm_sim_create(model, NULL, NULL, messages, &sim) == TRM_OK;
    const bool ran = built && trm_sim_run(sim, &run).ok;
    if (ran) printf("the energy is off by %.2g J at most\n", trm_sim_accuracy(sim).energy_error_max);

    trm_sim_destroy(sim);
    trm_model_destroy(model);
    trm_model_def_destroy(def);
    trm_messages_destroy(messages);
    return ran ? 0 : 1;
}
