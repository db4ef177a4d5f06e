/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* docs/contact-benchmarks.md, from the tables of all scenes. */

#ifndef TRM_BENCH_CONTACT_REPORT_H
#define TRM_BENCH_CONTACT_REPORT_H

#include "scenes.h"

/* Reads folder/contact-SCENE.csv; writes docs/contact-benchmarks.md. */
bool write_report(const char *folder, const char *docs);

/* "creep, m"; "": the scene has no error. */
const char *error_label(scene_error kind);

#endif
