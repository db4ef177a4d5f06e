/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* The forms of the model file, key by key, and the shorthands in which their fields are written:
 *
 *     KEY(struct, key, kind, member, when it is taken, help)      one field
 *     MUST, WORD, MUST_WORD, COUNTED, LIST, OBJECT, GROUP         likewise: required, one of some words, with a length ...
 *
 * A new key is one line in one of these files; docs/model-format.md is its prose. */

#ifndef TRM_IO_MODEL_FORMS_H
#define TRM_IO_MODEL_FORMS_H

#include "io/form.h"

extern const trm_form trm_form_model;   /* model_forms.c */
extern const trm_form trm_form_body;    /* model_forms_bodies.c, with its shapes */
extern const trm_form trm_form_joint;   /* model_forms_joints.c */
extern const trm_form trm_form_force;   /* model_forms_joints.c, with the drives among them */
extern const trm_kind trm_kind_outputs; /* model_forms_outputs.c */
extern const trm_kind trm_kind_joints;  /* "joints": all but those that the file lists under "forces" */
extern const trm_kind trm_kind_forces;  /* "forces", and the drives among them */

#define KEY(type, name, value_kind, member, bits, text)                                                              \
    {                                                                                                                \
        .key = name, .kind = &trm_kind_##value_kind, .offset = offsetof(type, member), .when = (bits),               \
        .help = (text)                                                                                               \
    }
#define MUST(type, name, value_kind, member, bits, text)                                                             \
    {                                                                                                                \
        .key = name, .kind = &trm_kind_##value_kind, .offset = offsetof(type, member), .when = (bits),               \
        .required = true, .help = (text)                                                                             \
    }
#define WORD(type, name, member, list, text)                                                                         \
    {                                                                                                                \
        .key = name, .kind = &trm_kind_word, .offset = offsetof(type, member), .choices = (list), .help = (text)     \
    }
#define MUST_WORD(type, name, member, list, text)                                                                    \
    {                                                                                                                \
        .key = name, .kind = &trm_kind_word, .offset = offsetof(type, member), .required = true, .choices = (list),  \
        .help = (text)                                                                                               \
    }
#define COUNTED(type, name, value_kind, member, counter, bits, text)                                                 \
    {                                                                                                                \
        .key = name, .kind = &trm_kind_##value_kind, .offset = offsetof(type, member),                               \
        .count_offset = offsetof(type, counter), .when = (bits), .help = (text)                                      \
    }
#define LIST(type, name, member, counter, bits, of, text)                                                            \
    {                                                                                                                \
        .key = name, .kind = &trm_kind_list, .offset = offsetof(type, member),                                       \
        .count_offset = offsetof(type, counter), .when = (bits), .form = (of), .help = (text)                        \
    }
#define MUST_LIST(type, name, member, counter, bits, of, text)                                                       \
    {                                                                                                                \
        .key = name, .kind = &trm_kind_list, .offset = offsetof(type, member),                                       \
        .count_offset = offsetof(type, counter), .when = (bits), .required = true, .form = (of), .help = (text)      \
    }
#define OBJECT(type, name, member, bits, of, text)                                                                   \
    {                                                                                                                \
        .key = name, .kind = &trm_kind_object, .offset = offsetof(type, member), .when = (bits), .form = (of),       \
        .help = (text)                                                                                               \
    }
/* An object whose members lie side by side in the struct itself. */
#define GROUP(name, bits, of, text)                                                                                  \
    {                                                                                                                \
        .key = name, .kind = &trm_kind_object, .offset = 0, .when = (bits), .form = (of), .help = (text)             \
    }

enum { EVERY = 0 };

#endif
