/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* Every engine of the benches, one line each: PEERS(file, "Debian package"). In each bench the file peers/FILE.c or .cpp defines
 *
*     extern "C" const peer FILE_peers[]     its variants, ended by one with the name NULL
 *
 * Included with different meanings of PEERS, so without a guard. An engine that was not found is left out. */

PEERS(trammel, "")
#ifdef BENCH_HAS_ODE
PEERS(ode, "libode-dev")
#endif
#ifdef BENCH_HAS_BULLET
PEERS(bullet, "libbullet-dev")
#endif
#ifdef BENCH_HAS_SIMBODY
PEERS(simbody, "libsimbody-dev")
#endif
#ifdef BENCH_HAS_DART
PEERS(dart, "libdart-dev")
#endif
#ifdef BENCH_HAS_MUJOCO
PEERS(mujoco, "libmujoco-dev")
#endif
