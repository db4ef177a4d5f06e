/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* The files of a robot that a page sends, in memory: a model and what it names. They come in pieces, and never touch the
 * disk. Their number, their sizes and what all parcels of the program hold together are bounded. */

#ifndef TRM_VIEWER_PARCEL_H
#define TRM_VIEWER_PARCEL_H

#include "request.h"
#include "trammel/trammel.h"

enum {
    MOST_FILES = 2000,
    MOST_FILE_BYTES = 100 << 20,   /* of one file */
    MOST_PARCEL_BYTES = 200 << 20, /* of all files of a parcel */
    MOST_HELD_BYTES = 400 << 20,   /* of all parcels: that of the model that is shown, and those on their way */
};

typedef struct parcel parcel;

parcel *parcel_create(void);     /* NULL: out of memory */
void parcel_destroy(parcel *p);  /* when its last user does; NULL: nothing */
parcel *parcel_share(parcel *p); /* has one more user */

/* Adds a piece. One whose name is that of the last piece continues the file. Returns false, with the reason as a sentence, if
 * the name is no relative path, or if a limit or the memory is exceeded. */
bool parcel_add(parcel *p, const char *name, const char *bytes, size_t length, char *why);

const trm_file *parcel_files(const parcel *p, int *count);      /* valid until the next piece */
const trm_file *parcel_file(const parcel *p, const char *name); /* NULL: there is none of this name */

size_t parcels_held(void); /* bytes of all parcels */

#endif
