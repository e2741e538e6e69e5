# SPDX-FileCopyrightText: 2026 The inferfilter authors
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Boxes: suppression, priors, regions of interest."""

from frame import bad, boolean, const, f32, i32, i64, ok, t, zeros

# Two boxes that overlap by 0.8, one apart; the second has the best score.
BOXES = t([[[0, 0, 1, 1], [0, 0.1, 1, 1.1], [0, 10, 1, 11]]])
SCORES = t([[[0.8, 0.9, 0.5]]])
LIMITS = [const(i64(3)), const(f32(0.5)), const(f32(0))]

ok('NonMaxSuppression', (1, 3, 4), [BOXES, SCORES, *LIMITS], [i64([[0, 0, 1], [0, 0, 2]])],
   types='f32 f16')
ok('NonMaxSuppression', (5, 9), [BOXES, SCORES, *LIMITS],
   [i64([[0, 0, 1], [0, 0, 2]]), f32([[0, 0, 0.9], [0, 0, 0.5]]), i64([2])],
   types='f32 f16', tol=(1e-3, 1e-3))
ok('NonMaxSuppression', (5, 9), [f32([[[0.5, 0.5, 1, 1]]]), f32([[[0.8]]])],
   [i32([], (0, 3)), f32([], (0, 3)), i32([0])], box_encoding='center', output_type='i32')
bad('NonMaxSuppression', (1, 3, 4), [zeros('f32', 1, 3, 5), zeros('f32', 1, 1, 3)])
bad('NonMaxSuppression', (5, 9), [zeros('f32', 1, 3, 4), zeros('f32', 1, 1, 2)], 3)
