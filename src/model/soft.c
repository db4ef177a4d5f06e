/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* Conversion between springs and soft rows.
 *
 * A step h with forces at its end, M (u+ - u-) = h J^T l, and the spring l = -k c+ - d J u+, c+ = c + h J u+, give
 *
 *     J u+ + k/(h k + d) c + 1/(h k + d) l = 0
 *
 * which is the row J u+ + (ERP/h) c + CFM l = 0 with
 *
 *     ERP = h k/(h k + d),   CFM = 1/(h k + d);    k = ERP/(h CFM),   d = (1 - ERP)/CFM
 *
 * (user guide of the Open Dynamics Engine, "how to use ERP and CFM"; Hishinuma 2018) */

#include <math.h>

#include "trammel/model.h"

trm_softness trm_softness_of_spring(double stiffness, double damping, double step)
{
    if (isinf(stiffness)) return (trm_softness){.erp = 1, .cfm = 0};
    const double both = step * stiffness + damping;
    return (trm_softness){.erp = step * stiffness / both, .cfm = 1 / both};
}

trm_spring_law trm_spring_of_softness(double erp, double cfm, double step)
{
    if (cfm == 0) return (trm_spring_law){.stiffness = INFINITY, .damping = INFINITY};
    return (trm_spring_law){.stiffness = erp / (step * cfm), .damping = (1 - erp) / cfm};
}
