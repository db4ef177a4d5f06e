/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* Trammel: dynamics of rigid bodies connected by joints. This header includes all others except mpi.h, which
 * belongs to a library of its own. */

#ifndef TRAMMEL_TRAMMEL_H
#define TRAMMEL_TRAMMEL_H

#include "trammel/analysis.h"
#include "trammel/app.h"
#include "trammel/arrays.h"
#include "trammel/base.h"
#include "trammel/elementary.h"
#include "trammel/function.h"
#include "trammel/geometry.h"
#include "trammel/io.h"
#include "trammel/joint_space.h"
#include "trammel/model.h"
#include "trammel/sim.h"
#include "trammel/vecmath.h"

#endif
