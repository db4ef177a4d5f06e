/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* All commands, one line each. Include it with TRM_COMMAND(name) defined. */

TRM_COMMAND(run)
TRM_COMMAND(check)
TRM_COMMAND(convert)
TRM_COMMAND(compare)
TRM_COMMAND(view)
TRM_COMMAND(sweep)
TRM_COMMAND(inverse)
TRM_COMMAND(equilibrium)
TRM_COMMAND(kinematics)
TRM_COMMAND(pose)
TRM_COMMAND(modes)
TRM_COMMAND(optimise)
TRM_COMMAND(fit)
TRM_COMMAND(export)
TRM_COMMAND(mesh)
TRM_COMMAND(paper)
TRM_COMMAND(schema)
TRM_COMMAND(completion)
