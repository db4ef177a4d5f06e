/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* trammel schema: the JSON Schema of model files, for editors. */

#include <stdio.h>

#include "command.h"

static exit_code run(const command_line *line)
{
    (void)line;
    return trm_write_model_schema(trm_file_sink(stdout)) == TRM_OK ? EXIT_DONE : EXIT_BAD_INPUT;
}

const command command_schema = {
    .name = "schema",
    .words = "",
    .summary = "print the JSON Schema of model files, for editors",
    .details = "Also installed as share/trammel/model.schema.json.",
    .run = run,
};
