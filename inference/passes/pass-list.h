/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Every pass, in the order in which they run. */

PASS (single_precision)
PASS (no_operations)
PASS (constant_folding)
PASS (inline_bodies)
PASS (common_subexpressions)
