/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* Parts of a log in the MCAP format that are JSON: what Foxglove draws. */

#ifndef TRM_IO_RESULT_MCAP_H
#define TRM_IO_RESULT_MCAP_H

#include "base/arena.h"
#include "trammel/app.h"
#include "trammel/io.h"

extern const char trm_mcap_transforms_schema[], trm_mcap_scene_schema[];

/* foxglove.FrameTransforms: where all bodies are. */
bool trm_mcap_put_transforms(const trm_model *model, const trm_state *state, trm_sink sink);
/* foxglove.SceneUpdate: the shapes of all bodies, in their frames. TRM_IO_ERROR: the sink refused. */
trm_status trm_mcap_put_scene(const trm_state *state, const trm_allocator *allocator, trm_sink sink);

/* { "sec": ..., "nsec": ... } of a time that is not negative */
uint64_t trm_mcap_nanoseconds(double time);

#endif
