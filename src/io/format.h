/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* Formats of model files. Each is one file and one line in formats.h: it recognises a document by its content, and reads it
 * into a definition. What it does not read it names (xml.h). */

#ifndef TRM_IO_FORMAT_H
#define TRM_IO_FORMAT_H

#include "base/arena.h"
#include "base/message.h"
#include "trammel/io.h"

/* Meshes that could not be had, for one reason. */
typedef struct trm_lost_mesh {
    const char *why, *uri; /* the first of them, */
    trm_place place;       /* and where it is named */
    int count;
} trm_lost_mesh;

/* A document on its way into a definition. */
typedef struct trm_import {
    trm_model_def *def;              /* its arena owns what it holds; def->file is the name for messages */
    trm_arena *scratch;              /* for what is not needed afterwards */
    const char *directory;           /* where the document is; NULL: in memory, and no other file can be read */
    const trm_read_options *options; /* never NULL */
    unsigned without;                /* trm_without: that of the options, and what the document itself leaves out */
    trm_messages *messages;
    trm_lost_mesh *lost; /* by reasons */
    int lost_count;
} trm_import;

typedef struct trm_format {
    const char *name;
    bool (*recognises)(const char *text, size_t length);
    /* Reads all of it; what is wrong is in the messages. False: out of memory. */
    bool (*read)(trm_import *import, const char *text, size_t length);
} trm_format;

#define TRM_FORMAT(name) extern const trm_format trm_format_##name;
#include "io/formats.h"
#undef TRM_FORMAT

/* The name of the root element of an XML document, if it is that: comments and declarations are passed over. */
bool trm_xml_root_is(const char *text, size_t length, const char *name);

#endif
