# SPDX-FileCopyrightText: 2026 The inferfilter authors
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Suppression of boxes.  Operations that make boxes are in detectors.py."""

import math

from frame import INDICES, REAL, bad, const, f32, i32, i64, ok, t, zeros

# Two boxes that overlap by 0.8, one apart; the second has the best score.
BOXES = t([[[0, 0, 1, 1], [0, 0.1, 1, 1.1], [0, 10, 1, 11]]])
SCORES = t([[[0.8, 0.9, 0.5]]])
LIMITS = [const(i64(3)), const(f32(0.5)), const(f32(0))]

ok('NonMaxSuppression', (1, 3, 4), [BOXES, SCORES, *LIMITS], [i64([[0, 0, 1], [0, 0, 2]])],
   types='f32 f16')
ok('NonMaxSuppression', (5, 9), [BOXES, SCORES, *LIMITS],
   [i64([[0, 0, 1], [0, 0, 2]]), f32([[0, 0, 0.9], [0, 0, 0.5]]), i64([2])],
   types='f32 f16', tol=(1e-3, 1e-3))
# An overlap weakens a score by exp (-iou² / 2 sigma); opset 5 drops what is beyond the limit.
SOFT = [BOXES, SCORES, *LIMITS, const(f32(0.5))]
WEAK = 0.8 * math.exp(-(0.9 / 1.1) ** 2)
ok('NonMaxSuppression', 5, SOFT,
   [i64([[0, 0, 1], [0, 0, 2]]), f32([[0, 0, 0.9], [0, 0, 0.5]]), i64([2])],
   types='f32 f16', tol=(1e-3, 1e-3))
ok('NonMaxSuppression', 9, SOFT,
   [i64([[0, 0, 1], [0, 0, 2], [0, 0, 0]]), f32([[0, 0, 0.9], [0, 0, 0.5], [0, 0, WEAK]]),
    i64([3])],
   types='f32 f16', tol=(1e-3, 1e-3))
ok('NonMaxSuppression', 9, [BOXES, SCORES, LIMITS[0], LIMITS[1], const(f32(0.45)), const(f32(0.5))],
   [i64([[0, 0, 1], [0, 0, 2]]), f32([[0, 0, 0.9], [0, 0, 0.5]]), i64([2])], types='f32')
ok('NonMaxSuppression', (5, 9), [f32([[[0.5, 0.5, 1, 1]]]), f32([[[0.8]]])],
   [i32([], (0, 3)), f32([], (0, 3)), i32([0])], box_encoding='center', output_type='i32')
bad('NonMaxSuppression', (1, 3, 4), [zeros('f32', 1, 3, 5), zeros('f32', 1, 1, 3)])
bad('NonMaxSuppression', (5, 9), [zeros('f32', 1, 3, 4), zeros('f32', 1, 1, 2)], 3)

# --- NMSRotated ---------------------------------------------------------------------

# Unit squares of one centre, the second rotated by 45°: their intersection is an
# octagon of area 2 √2 - 2, so that IoU is √2 / 2; the third far away.
SQUARES = t([[[5, 5, 1, 1, 0], [5, 5, 1, 1, math.pi / 4], [9, 9, 1, 1, 1]]])
ROTATED = t([[[0.5, 0.75, 0.25], [0.125, 0.5, 0.625]]])


def limits(most, iou, score):
    return [const(i64(most)), const(f32(iou)), const(f32(score))]


def selected(kind, rows):
    """(class, box, score) of the one image."""
    return [(i64 if kind == 'i64' else i32)([[0, c, b] for c, b, _ in rows], (len(rows), 3)),
            f32([[0, c, s] for c, _, s in rows], (len(rows), 3)),
            (i64 if kind == 'i64' else i32)([len(rows)])]


for KIND in INDICES.split():
    ok('NMSRotated', 13, [SQUARES, ROTATED, *limits(3, 0.7, 0.2)],
       selected(KIND, [(0, 1, 0.75), (1, 2, 0.625), (1, 1, 0.5), (0, 2, 0.25)]),
       types='f32 f16', output_type=KIND)
ok('NMSRotated', 13, [SQUARES, ROTATED, *limits(3, 0.72, 0.2)],
   selected('i64', [(0, 1, 0.75), (0, 0, 0.5), (0, 2, 0.25), (1, 2, 0.625), (1, 1, 0.5)]),
   types=REAL, sort_result_descending=False)
ok('NMSRotated', 13, [SQUARES, ROTATED, *limits(1, 0.72, 0.2)],
   selected('i64', [(0, 1, 0.75), (1, 2, 0.625)]), types='f32')
ok('NMSRotated', 13, [SQUARES, ROTATED, *limits(3, 0.72, 0.9)], selected('i64', []), types='f32')
# Two bars, side by side or in one line depending on their rotation.
BARS = t([[[0, 0, 4, 1, math.pi / 4], [1, 1, 4, 1, math.pi / 4]]])
ok('NMSRotated', 13, [BARS, t([[[0.5, 0.75]]]), *limits(3, 0.4, 0)],
   selected('i64', [(0, 1, 0.75)]), types=REAL, clockwise=True)
ok('NMSRotated', 13, [BARS, t([[[0.5, 0.75]]]), *limits(3, 0.4, 0)],
   selected('i64', [(0, 1, 0.75), (0, 0, 0.5)]), types=REAL, clockwise=False)
bad('NMSRotated', 13, [zeros('f32', 1, 3, 4), zeros('f32', 1, 1, 3), *limits(3, 0.5, 0)], 3)
bad('NMSRotated', 13, [zeros('f32', 1, 3, 5), zeros('f32', 1, 1, 2), *limits(3, 0.5, 0)], 3)
bad('NMSRotated', 13, [zeros('f32', 1, 3, 5), zeros('f32', 1, 1, 3)], 3)
bad('NMSRotated', 13, [zeros('f32', 1, 3, 5), zeros('f32', 1, 1, 3), *limits(3, 0.5, 0)], 3,
    output_type='u8')

# --- MulticlassNms ------------------------------------------------------------------

# The first two overlap by 9/11; the fourth and fifth by 1/3.
PLACES = [[0, 0, 10, 10], [1, 0, 11, 10], [20, 20, 30, 30],
          [0, 0, 10, 10], [5, 0, 15, 10], [20, 0, 30, 10]]
MULTI = [t([PLACES[:3], PLACES[3:]]), t([[[0.875, 0.75, 0.25], [0.1875, 0.625, 0.5625]],
                                        [[0.5, 0.9375, 0.125], [0.8125, 0.375, 0.0625]]])]
# (image, class, score, box), by descending score in each image.
FOUND = [(0, 0, 0.875, 0), (0, 1, 0.625, 1), (0, 1, 0.5625, 2), (0, 0, 0.25, 2),
         (1, 0, 0.9375, 4), (1, 1, 0.8125, 3), (1, 0, 0.5, 3), (1, 1, 0.375, 4)]


def rows(found, kind='i64', images=2):
    index = i64 if kind == 'i64' else i32
    return [t([[c, s, *PLACES[b]] for _, c, s, b in found], (len(found), 6)),
            index([b for *_, b in found], (len(found), 1)),
            index([sum(1 for row in found if row[0] == n) for n in range(images)])]


def multi(expected, kind='i64', **attributes):
    ok('MulticlassNms', (8, 9), MULTI, rows(expected, kind), types='f32 f16',
       **{'iou_threshold': 0.5, 'score_threshold': 0.15, 'output_type': kind, **attributes})


multi(FOUND)
multi(FOUND, sort_result_type='score', kind='i32')
multi(sorted(FOUND, key=lambda row: (row[0], row[1], -row[2])), sort_result_type='classid')
multi(sorted(FOUND, key=lambda row: (row[0], row[1], -row[2])), sort_result='class')
multi(sorted(FOUND, key=lambda row: -row[2]), sort_result_type='score',
      sort_result_across_batch=True)
multi(sorted(FOUND, key=lambda row: (row[1], row[0], -row[2])), sort_result_type='classid',
      sort_result_across_batch=True, kind='i32')
multi(FOUND[:2] + FOUND[4:6], keep_top_k=2, sort_result_type='score')
multi(FOUND[:2] + FOUND[4:6], nms_top_k=1)
multi([row for row in FOUND if row[1] == 0], background_class=1)
multi([], score_threshold=0.99)
multi([], keep_top_k=0)
ok('MulticlassNms', (8, 9), [zeros('T', 2, 0, 4), zeros('T', 2, 3, 0)], rows([]), types='f32 f16')
# With a pixel added, the boxes share one column.
TOUCHING = [t([[[0, 0, 1, 1], [1, 0, 2, 1]]]), t([[[0.75, 0.5]]])]
for NORMALIZED, COUNT in ((True, 2), (False, 1)):
    ok('MulticlassNms', (8, 9), TOUCHING,
       [t([[0, 0.75, 0, 0, 1, 1], [0, 0.5, 1, 0, 2, 1]][:COUNT]), i64([[0], [1]][:COUNT]),
        i64([COUNT])], types=REAL, iou_threshold=0.3, normalized=NORMALIZED)
# Boxes that overlap by 0.6: the threshold falls to 0.4 after the first.
ADAPTED = [t([[[0, 0, 10, 10], [2.5, 0, 12.5, 10]]]), t([[[0.75, 0.5]]])]
for ETA, COUNT in ((1, 2), (0.5, 1)):
    ok('MulticlassNms', (8, 9), ADAPTED,
       [t([[0, 0.75, 0, 0, 10, 10], [0, 0.5, 2.5, 0, 12.5, 10]][:COUNT]), i64([[0], [1]][:COUNT]),
        i64([COUNT])], types=REAL, iou_threshold=0.8, nms_eta=ETA)
# Boxes per class: the first in image 0, the others in image 1.
OWN = [t([PLACES[:3], [[0, 0, 2, 2], [0, 0, 2, 2], [5, 5, 6, 6]]]),
       t([[0.875, 0.75, 0.25], [0.125, 0.625, 0.5]])]
for INDEX in (i64, i32):
    ok('MulticlassNms', 9, [*OWN, INDEX([1, 2])],
       [t([[0, 0.875, 0, 0, 10, 10], [0, 0.75, 1, 0, 11, 10], [1, 0.625, 0, 0, 2, 2],
           [1, 0.5, 5, 5, 6, 6], [0, 0.25, 20, 20, 30, 30]]),
        i64([[0], [2], [3], [5], [4]]), i64([1, 4])], types='f32 f16', iou_threshold=0.5,
       score_threshold=0.2)
bad('MulticlassNms', (8, 9), [zeros('f32', 2, 3, 5), zeros('f32', 2, 2, 3)], 3)
bad('MulticlassNms', (8, 9), [zeros('f32', 2, 3, 4), zeros('f32', 2, 2, 4)], 3)
bad('MulticlassNms', (8, 9), [zeros('f32', 2, 3, 4), zeros('f32', 1, 2, 3)], 3)
bad('MulticlassNms', (8, 9), [zeros('f32', 2, 3, 4), zeros('f32', 2, 3)], 3)
bad('MulticlassNms', (8, 9), [zeros('f32', 2, 3, 4), zeros('f32', 2, 2, 3)], 3, nms_eta=2)
bad('MulticlassNms', (8, 9), [zeros('f32', 2, 3, 4), zeros('f32', 2, 2, 3)], 3,
    sort_result_type='box')
bad('MulticlassNms', 8, [zeros('f32', 2, 3, 4), zeros('f32', 2, 3), i64([1, 2])], 3)
bad('MulticlassNms', 9, [zeros('f32', 2, 3, 4), zeros('f32', 2, 3), i64([1, 3])], 3)
bad('MulticlassNms', 9, [zeros('f32', 2, 3, 4), zeros('f32', 2, 3), i64([-1, 3])], 3)

# --- MatrixNms ----------------------------------------------------------------------


def iou(a, b, pixel):
    width = min(a[2], b[2]) - max(a[0], b[0])
    height = min(a[3], b[3]) - max(a[1], b[1])
    if width < 0 or height < 0:
        return 0
    common = (width + pixel) * (height + pixel)
    sizes = [(c[2] - c[0] + pixel) * (c[3] - c[1] + pixel) for c in (a, b)]
    return common / (sum(sizes) - common)


def matrix(boxes, scores, decay, threshold=0.0, nms_top_k=100, pixel=0, post=0.0):
    """(score, box) of one class, decayed as in the paper."""
    order = sorted((i for i, s in enumerate(scores) if s > threshold), key=lambda i: -scores[i])
    order = order[:nms_top_k]
    X = [[iou(boxes[a], boxes[b], pixel) if i < j else 0 for j, b in enumerate(order)]
         for i, a in enumerate(order)]
    most = [max(row[j] for row in X) for j in range(len(order))]
    result = []
    for j, box in enumerate(order):
        factor = min([decay(X[i][j], most[i]) for i in range(j)], default=1)
        if min(factor, 1) * scores[box] > post:
            result.append((min(factor, 1) * scores[box], box))
    return result


def linear(x, most):
    return (1 - x) / (1 - most)


def gaussian(x, most):
    return math.exp((most * most - x * x) * 2)


NEAR = [[0, 0, 8, 8], [2, 0, 10, 8], [4, 0, 12, 8], [20, 0, 24, 4]]
WEIGHTS = [[0.5, 0.875, 0.75, 0.25], [0.9375, 0.0625, 0.625, 0.375]]


def matrix_nms(decay, classes=(0, 1), order=lambda row: -row[1], keep=100, kind='i64', outer=None,
               **attributes):
    arguments = {key: attributes[name] for key, name in
                 (('threshold', 'score_threshold'), ('nms_top_k', 'nms_top_k'),
                  ('post', 'post_threshold')) if name in attributes}
    if attributes.get('normalized') is False:
        arguments['pixel'] = 1
    found, counts = [], []
    for n in (0, 1):
        of_image = [(c, s, b, n) for c in classes
                    for s, b in matrix(NEAR, WEIGHTS[c ^ n], decay, **arguments)]
        of_image = sorted(of_image, key=order)[:keep]
        found += of_image
        counts.append(len(of_image))
    if outer:
        found.sort(key=outer)
    index = i64 if kind == 'i64' else i32
    ok('MatrixNms', 8, [t([NEAR, NEAR]), t([WEIGHTS, WEIGHTS[::-1]])],
       [t([[c, s, *NEAR[b]] for c, s, b, n in found], (len(found), 6)),
        index([4 * n + b for _, _, b, n in found], (len(found), 1)), index(counts)],
       types='f32 f64', output_type=kind, decay_function=decay.__name__, tol=(1e-5, 1e-6),
       **attributes)


for DECAY in (linear, gaussian):
    matrix_nms(DECAY)
    matrix_nms(DECAY, score_threshold=0.3, kind='i32')
    matrix_nms(DECAY, post_threshold=0.22)
    matrix_nms(DECAY, normalized=False)
    matrix_nms(DECAY, nms_top_k=2, sort_result_type='score')
    matrix_nms(DECAY, keep=3, keep_top_k=3)
    matrix_nms(DECAY, classes=[1], background_class=0)
    matrix_nms(DECAY, sort_result_type='score', sort_result_across_batch=True,
               outer=lambda row: (-row[1], row[3], row[0]))
    matrix_nms(DECAY, sort_result_type='classid', sort_result_across_batch=True,
               outer=lambda row: (row[0], row[3], -row[1]))
ok('MatrixNms', 8, [zeros('T', 2, 0, 4), zeros('T', 2, 3, 0)],
   [zeros('T', 0, 6), zeros('i64', 0, 1), i64([0, 0])], types='f32 f16')
bad('MatrixNms', 8, [zeros('f32', 2, 3, 5), zeros('f32', 2, 2, 3)], 3)
bad('MatrixNms', 8, [zeros('f32', 2, 3, 4), zeros('f32', 2, 2, 4)], 3)
bad('MatrixNms', 8, [zeros('f32', 2, 3, 4), zeros('f32', 2, 3)], 3)
bad('MatrixNms', 8, [zeros('f32', 2, 3, 4), zeros('f32', 2, 2, 3)], 3, decay_function='cubic')
bad('MatrixNms', 8, [zeros('f32', 2, 3, 4), zeros('f32', 2, 2, 3)], 3, output_type='f32')
