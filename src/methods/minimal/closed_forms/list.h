/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* All closed forms, one line each. Include it with TRM_CLOSED_FORM(name) defined. */

TRM_CLOSED_FORM(rrrr)
TRM_CLOSED_FORM(rrrp)
TRM_CLOSED_FORM(rssr)
