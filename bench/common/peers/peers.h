/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* The variants of every engine in list.h, each list ending with a peer that has no name. */

#ifndef TRM_BENCH_PEERS_H
#define TRM_BENCH_PEERS_H

#include "common/peer.h"

#ifdef __cplusplus
extern "C" {
#endif

#define PEERS(file, package) extern const peer file##_peers[];
#include "list.h"
#undef PEERS

/* All these lists, ended by NULL. */
extern const peer *const all_peers[];

#ifdef __cplusplus
}
#endif

#endif
