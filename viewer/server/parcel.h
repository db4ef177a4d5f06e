/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* Files that a page sends, in memory: a model and the files that it names. They come in pieces and are never written
 * to disk. Their number, their sizes and the total size of all parcels are limited. */

#ifndef TRM_VIEWER_PARCEL_H
#define TRM_VIEWER_PARCEL_H

#include "request.h"
#include "trammel/trammel.h"

enum {
    MOST_FILES = 2000,
    MOST_FILE_BYTES = 100 << 20,   /* of one file */
    MOST_PARCEL_BYTES = 200 << 20, /* of all files of a parcel */
    MOST_HELD_BYTES = 400 << 20,   /* of all parcels: that of the displayed model, and those being sent */
};

typedef struct parcel parcel;

parcel *parcel_create(void);     /* returns NULL if out of memory */
void parcel_destroy(parcel *p);  /* when the last user does; NULL is ignored */
parcel *parcel_share(parcel *p); /* adds a user */

/* Adds a piece. One whose name is that of the last piece continues the file. Returns false, with the reason as a sentence, if
 * the name is not a relative path, or if a limit or the memory is exceeded. */
bool parcel_add(parcel *p, const char *name, const char *bytes, size_t length, char *why);

const trm_file *parcel_files(const parcel *p, int *count);      /* valid until the next piece */
const trm_file *parcel_file(const parcel *p, const char *name); /* returns NULL if there is none of this name */

size_t parcels_held(void); /* returns the number of bytes of all parcels */

#endif
