/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* All formats of model files, one line each. The first that recognises a document reads it; the last reads all
 * others. Include it with TRM_FORMAT(name) defined. */
TRM_FORMAT(urdf)
TRM_FORMAT(mjcf)
TRM_FORMAT(sdf)
TRM_FORMAT(json)
