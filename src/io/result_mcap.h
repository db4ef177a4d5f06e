/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* The JSON messages of a log in the MCAP format, which Foxglove draws. */

#ifndef TRM_IO_RESULT_MCAP_H
#define TRM_IO_RESULT_MCAP_H

#include "base/arena.h"
#include "trammel/app.h"
#include "trammel/io.h"

extern const char trm_mcap_transforms_schema[], trm_mcap_scene_schema[];

/* Writes foxglove.FrameTransforms, the poses of all bodies. Returns false if the sink failed. */
bool trm_mcap_put_transforms(const trm_model *model, const trm_state *state, trm_sink sink);
/* Writes foxglove.SceneUpdate, the shapes of all bodies in their frames. Returns TRM_IO_ERROR if the sink failed, or
 * TRM_OUT_OF_MEMORY. */
trm_status trm_mcap_put_scene(const trm_state *state, const trm_allocator *allocator, trm_sink sink);

/* Return a time that is not negative in nanoseconds, and write it as { "sec": ..., "nsec": ... }. */
uint64_t trm_mcap_nanoseconds(double time);

#endif
