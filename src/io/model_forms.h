/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* The forms of the model file. */

#ifndef TRM_IO_MODEL_FORMS_H
#define TRM_IO_MODEL_FORMS_H

#include "io/form.h"

extern const trm_form trm_form_model;

#endif
