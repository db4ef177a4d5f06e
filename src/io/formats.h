/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* All formats of model files, one line each; the first that recognises a document reads it, the last takes what is left.
 * Include it with TRM_FORMAT(name) defined. */
TRM_FORMAT(urdf)
TRM_FORMAT(mjcf)
TRM_FORMAT(sdf)
TRM_FORMAT(json)
