# SPDX-FileCopyrightText: 2026 The inferfilter authors
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Regions of interest, pooled; regions of YOLO.

The maps are planes a x + b y + c: interpolation gives the plane's value at a
point, and the average of a bin's samples the value at its centre.
"""

import math

from frame import ALL, REAL, at, bad, f32, fill, i32, i64, indices, ok, ramp, t, zeros


def plane(n, c, y, x):
    return x + 4 * y + 20 * c - 8 * n


MAPS = fill('T', (2, 2, 6, 7), plane)

# --- ROIAlign -----------------------------------------------------------------------


def aligned(images, boxes, height, width, place, mode='avg', samples=1):
    """`place` maps (x0, y0, x1, y1) of the image to the feature map."""
    values = []
    for image, box in zip(images, boxes):
        x0, y0, x1, y1 = place(*box)
        for _, c, j, i in indices(1, 2, height, width):
            x, y = x0 + (x1 - x0) * (i + 0.5) / width, y0 + (y1 - y0) * (j + 0.5) / height
            if mode == 'max':  # the last sample, since the plane rises
                x += (x1 - x0) / width * (samples - 1) / samples / 2
                y += (y1 - y0) / height * (samples - 1) / samples / 2
            values.append(plane(image, c, y, x))
    return t(values, (len(boxes), 2, height, width))


def asymmetric(*box):
    return [0.5 * x for x in box]


def half_pixel_for_nn(*box):
    return [0.5 * x - 0.5 for x in box]


def half_pixel(*box):
    return [0.5 * (x + 0.5) - 0.5 for x in box]


BOXES = [[2, 1, 8, 9], [3, 2, 7, 6], [4, 4, 10, 8]]
ALIGN = dict(pooled_h=2, pooled_w=3, spatial_scale=0.5)

for IMAGES in (i64([1, 0, 1]), i32([0, 1, 0])):
    ok('ROIAlign', (3, 9), [MAPS, t(BOXES), IMAGES],
       [aligned(IMAGES.data, BOXES, 2, 3, asymmetric)], types=REAL, mode='avg',
       sampling_ratio=2, **ALIGN)
ok('ROIAlign', (3, 9), [MAPS, t(BOXES), i64([1, 0, 1])],
   [aligned([1, 0, 1], BOXES, 2, 3, asymmetric)], types='f32 f16', mode='avg', sampling_ratio=0,
   more=[([MAPS, t(BOXES[:1]), i64([0])], [aligned([0], BOXES[:1], 2, 3, asymmetric)])], **ALIGN)
ok('ROIAlign', (3, 9), [MAPS, t(BOXES), i64([0, 0, 0])],
   [aligned([0, 0, 0], BOXES, 2, 3, asymmetric, 'max', 3)], types=REAL, mode='max',
   sampling_ratio=3, **ALIGN)
for PLACE in (half_pixel_for_nn, half_pixel):
    for MODE in ('avg', 'max'):
        ok('ROIAlign', 9, [MAPS, t(BOXES), i64([0, 0, 0])],
           [aligned([0, 0, 0], BOXES, 2, 3, PLACE, MODE, 2)], types=REAL, mode=MODE,
           sampling_ratio=2, aligned_mode=PLACE.__name__, **ALIGN)
# An empty region counts as one pixel, or as nothing; one outside as nothing.
SMALL = dict(pooled_h=1, pooled_w=1, spatial_scale=1, mode='avg')
ok('ROIAlign', (3, 9), [MAPS, t([[2, 3, 2, 3], [30, 30, 40, 40]]), i64([0, 0])],
   [t([plane(0, 0, 3.5, 2.5), plane(0, 1, 3.5, 2.5), 0, 0], (2, 2, 1, 1))], types='f32 f64',
   sampling_ratio=0, **SMALL)
ok('ROIAlign', 9, [MAPS, t([[2, 3, 2, 3]]), i64([0])], [t([0, 0], (1, 2, 1, 1))], types='f32 f64',
   sampling_ratio=0, aligned_mode='half_pixel', **SMALL)
# A region far larger than the map: samples outside count as zero.
ok('ROIAlign', (3, 9), [fill('T', (1, 1, 2, 2), lambda *_: 1), t([[0, 0, 1e6, 1e6]]), i64([0])],
   [t([[[[4e-12]]]])], types='f32 f64', tol=(1e-3, 0), sampling_ratio=0, **SMALL)
# -1 ends the list of regions.
ok('ROIAlign', (3, 9), [MAPS, t([[2, 3, 4, 5]] * 3), i64([0, -1, 0])],
   [t([plane(0, 0, 4, 3), plane(0, 1, 4, 3), 0, 0, 0, 0], (3, 2, 1, 1))], types='f32',
   sampling_ratio=2, **SMALL)
ok('ROIAlign', (3, 9), [MAPS, zeros('T', 0, 4), zeros('i64', 0)], [zeros('T', 0, 2, 1, 1)],
   types='f32 f16', sampling_ratio=2, **SMALL)
SMALL['sampling_ratio'] = 2
bad('ROIAlign', (3, 9), [zeros('f32', 1, 2, 4, 4), zeros('f32', 3, 5), zeros('i64', 3)], **SMALL)
bad('ROIAlign', (3, 9), [zeros('f32', 1, 2, 4, 4), zeros('f32', 3, 4), zeros('i64', 2)], **SMALL)
bad('ROIAlign', (3, 9), [zeros('f32', 2, 4, 4), zeros('f32', 3, 4), zeros('i64', 3)], **SMALL)
bad('ROIAlign', (3, 9), [zeros('f32', 1, 2, 4, 4), zeros('f32', 3, 4), zeros('f32', 3)], **SMALL)
bad('ROIAlign', (3, 9), [zeros('f32', 1, 2, 4, 4), zeros('f16', 3, 4), zeros('i64', 3)], **SMALL)
bad('ROIAlign', (3, 9), [zeros('i32', 1, 2, 4, 4), zeros('i32', 3, 4), zeros('i64', 3)], **SMALL)
bad('ROIAlign', (3, 9), [MAPS.as_type('f32'), f32([[0, 0, 1, 1]]), i64([2])], **SMALL)
for WRONG in (dict(pooled_h=0), dict(mode='min'), dict(spatial_scale=0), dict(sampling_ratio=-1)):
    bad('ROIAlign', (3, 9), [zeros('f32', 1, 2, 4, 4), zeros('f32', 3, 4), zeros('i64', 3)],
        **{**SMALL, **WRONG})
bad('ROIAlign', 9, [zeros('f32', 1, 2, 4, 4), zeros('f32', 3, 4), zeros('i64', 3)],
    aligned_mode='corner', **SMALL)

# --- ROIAlignRotated ----------------------------------------------------------------


def rotated(boxes, height, width, scale, clockwise):
    """y points down: clockwise rotation turns x towards y."""
    values = []
    for x, y, w, h, angle in boxes:
        turn = angle if clockwise else -angle
        for _, c, j, i in indices(1, 2, height, width):
            dx, dy = w * scale * ((i + 0.5) / width - 0.5), h * scale * ((j + 0.5) / height - 0.5)
            values.append(plane(0, c, y * scale - 0.5 + dx * math.sin(turn) + dy * math.cos(turn),
                                x * scale - 0.5 + dx * math.cos(turn) - dy * math.sin(turn)))
    return t(values, (len(boxes), 2, height, width))


TURNED = [[6, 6, 4, 3, 0], [7, 6, 4, 3, math.pi / 2], [6, 6, 3, 4, 0.5], [6, 6, 3, 4, -2]]
for CLOCKWISE in (True, False):
    for RATIO in (2, 0):
        ok('ROIAlignRotated', 15, [MAPS, t(TURNED), i64([0] * 4)],
           [rotated(TURNED, 2, 3, 0.5, CLOCKWISE)], types=REAL, pooled_h=2, pooled_w=3,
           spatial_scale=0.5, sampling_ratio=RATIO, clockwise_mode=CLOCKWISE)
ok('ROIAlignRotated', 15, [MAPS, t(TURNED), i32([0] * 4)], [rotated(TURNED, 1, 1, 0.5, False)],
   types='f32', pooled_h=1, pooled_w=1, spatial_scale=0.5, sampling_ratio=2)
bad('ROIAlignRotated', 15, [zeros('f32', 1, 2, 4, 4), zeros('f32', 3, 4), zeros('i64', 3)],
    pooled_h=1, pooled_w=1, spatial_scale=1, sampling_ratio=2)
bad('ROIAlignRotated', 15, [zeros('f32', 1, 2, 4, 4), zeros('f32', 3, 5), zeros('i64', 3)],
    pooled_h=1, pooled_w=1, spatial_scale=1)

# --- ExperimentalDetectronROIFeatureExtractor -----------------------------------------

PYRAMID = 'ExperimentalDetectronROIFeatureExtractor'
# Levels by size: sqrt (area) / 224 of 1/8 → below 0, of 1/2 → 1; none → nothing.
LEVELS = [[4, 8, 24, 28], [16, 16, 128, 128], [5, 5, 5, 9]]
FINE = fill('T', (1, 2, 16, 16), lambda n, c, y, x: x + 2 * y + c)
COARSE = fill('T', (1, 2, 10, 12), lambda n, c, y, x: 3 * x - y - c)


def pyramid(offset):
    values = []
    for (x0, y0, x1, y1), scale, value in zip(LEVELS, (4, 16), (FINE, COARSE)):
        for c, j, i in indices(2, 2, 2):
            x = x0 / scale + (x1 - x0) / scale * (i + 0.5) / 2 - offset
            y = y0 / scale + (y1 - y0) / scale * (j + 0.5) / 2 - offset
            values.append(x + 2 * y + c if value is FINE else 3 * x - y - c)
    return t(values + [0] * 8, (3, 2, 2, 2))


for RATIO in (2, 0):
    for ALIGNED in (True, False):
        ok(PYRAMID, 6, [t(LEVELS), FINE, COARSE], [pyramid(0.5 if ALIGNED else 0), t(LEVELS)],
           types=REAL, output_size=2, sampling_ratio=RATIO, pyramid_scales='4,16', aligned=ALIGNED)
ok(PYRAMID, 6, [zeros('T', 0, 4), FINE],
   [zeros('T', 0, 2, 1, 1), zeros('T', 0, 4)], types='f32 f16', output_size=1, sampling_ratio=1,
   pyramid_scales='4')
bad(PYRAMID, 6, [zeros('f32', 3, 4), zeros('f32', 1, 2, 4, 4)], 2, output_size=2, sampling_ratio=2,
    pyramid_scales='4,8')
bad(PYRAMID, 6, [zeros('f32', 3, 4), zeros('f32', 1, 2, 4, 4), zeros('f32', 1, 3, 4, 4)], 2,
    output_size=2, sampling_ratio=2, pyramid_scales='4,8')
bad(PYRAMID, 6, [zeros('f32', 3, 5), zeros('f32', 1, 2, 4, 4)], 2, output_size=2, sampling_ratio=2,
    pyramid_scales='4')

# --- ROIPooling ---------------------------------------------------------------------

RAMP = ramp('T', 1, 1, 4, 4)
ok('ROIPooling', (1, 2), [RAMP, t([[0, 0, 0, 3, 3], [0, 2, 2, 6, 6], [0, 9, 9, 9, 9]])],
   [t([[[[5, 7], [13, 15]]], [[[15, 0], [0, 0]]], [[[0, 0], [0, 0]]]])], types=REAL,
   pooled_h=2, pooled_w=2, spatial_scale=1)
# Corners are scaled, then rounded; bins overlap if sizes do not divide.
ok('ROIPooling', (1, 2), [RAMP, t([[0, 1.2, 1.2, 4.8, 4.8]])], [t([[[[5, 6], [9, 10]]]])],
   types='f32', pooled_h=2, pooled_w=2, spatial_scale=0.5, method='max',
   more=[([RAMP, t([[0, 0, 2, 3, 2]])], [t([[[[5, 6], [5, 6]]]])])])
ok('ROIPooling', (1, 2), [RAMP, t([[0, 0, 0, 2, 2]])], [t([[[[5, 6], [9, 10]]]])], types=REAL,
   pooled_h=2, pooled_w=2, spatial_scale=1, method='max')
ok('ROIPooling', (1, 2), [fill('T', (1, 1, 2, 2), lambda n, c, y, x: -1 - x - y),
                     t([[0, 0, 0, 1, 1]])], [t([[[[-1]]]])], types=REAL,
   pooled_h=1, pooled_w=1, spatial_scale=1)


def normalized(boxes, height, width):
    values = []
    for n, x0, y0, x1, y1 in boxes:
        for c, j, i in indices(2, height, width):
            x = x0 + (x1 - x0) * i / (width - 1) if width > 1 else (x0 + x1) / 2
            y = y0 + (y1 - y0) * j / (height - 1) if height > 1 else (y0 + y1) / 2
            on_map = 0 <= x <= 1 and 0 <= y <= 1
            values.append(plane(n, c, 5 * y, 6 * x) if on_map else 0)
    return t(values, (len(boxes), 2, height, width))


PARTS = [[0, 0, 0, 1, 1], [1, 0.25, 0.25, 0.75, 0.5], [0, 0.5, 0.5, 1.5, 1.5]]
for SIZE in ((2, 3), (1, 1), (3, 1)):
    ok('ROIPooling', (1, 2), [MAPS, t(PARTS)], [normalized(PARTS, *SIZE)], types=REAL,
       pooled_h=SIZE[0], pooled_w=SIZE[1], spatial_scale=1, method='bilinear')
ok('ROIPooling', (1, 2), [RAMP, t([[0, 0, 0, 3, 3], [-1, 0, 0, 0, 0], [0, 0, 0, 3, 3]])],
   [t([15, 0, 0], (3, 1, 1, 1))], types='f32 f16', pooled_h=1, pooled_w=1, spatial_scale=1)
ok('ROIPooling', (1, 2), [RAMP, zeros('T', 0, 5)], [zeros('T', 0, 1, 2, 2)], types='f32 f16',
   pooled_h=2, pooled_w=2, spatial_scale=1)
bad('ROIPooling', (1, 2), [zeros('f32', 1, 1, 4, 4), zeros('f32', 3, 4)], pooled_h=1, pooled_w=1,
    spatial_scale=1)
bad('ROIPooling', (1, 2), [zeros('f32', 1, 1, 4, 4), f32([[1, 0, 0, 1, 1]])], pooled_h=1,
    pooled_w=1, spatial_scale=1)
bad('ROIPooling', (1, 2), [zeros('f32', 1, 1, 4, 4), zeros('f32', 3, 5)], pooled_h=1, pooled_w=1,
    spatial_scale=1, method='mean')
bad('ROIPooling', (1, 2), [zeros('f32', 1, 1, 4, 4), zeros('f32', 3, 5)], pooled_h=0, pooled_w=1,
    spatial_scale=1)

# --- PSROIPooling -------------------------------------------------------------------

GROUPS = fill('T', (2, 8, 4, 4), lambda n, c, y, x: x + y + 10 * c - n)


def grouped(n, bins):
    """The average of x + y per bin; each output has its own channel per bin."""
    return [bins[j][i] + 10 * ((c * 2 + j) * 2 + i) - n for c, j, i in indices(2, 2, 2)]


ok('PSROIPooling', 1, [GROUPS, t([[0, 0, 0, 3, 3], [1, 0, 0, 1, 1], [0, 8, 8, 9, 9]])],
   [t(grouped(0, [[1, 3], [3, 5]]) + grouped(1, [[0, 1], [1, 2]]) + [0] * 8, (3, 2, 2, 2))],
   types=REAL, output_dim=2, group_size=2, spatial_scale=1, mode='average')
ok('PSROIPooling', 1, [GROUPS, t([[1, 0, 0, 7, 7]])],
   [t(grouped(1, [[1, 3], [3, 5]]), (1, 2, 2, 2))], types='f32', output_dim=2, group_size=2,
   spatial_scale=0.5)
ok('PSROIPooling', 1, [fill('T', (1, 3, 2, 2), lambda n, c, y, x: c + x), t([[0, 0, 0, 1, 1]])],
   [t([0.5, 1.5, 2.5], (1, 3, 1, 1))], types=REAL, output_dim=3, spatial_scale=1)


def sampled(x0, y0, x1, y1, group, samples_x, samples_y, channels):
    values = []
    for c, j, i in indices(channels, group, group):
        total = 0
        for v, u in indices(samples_y, samples_x):
            left, right = (x0 + (x1 - x0) * k / samples_x for k in (u, u + 1))
            upper, lower = (y0 + (y1 - y0) * k / samples_y for k in (v, v + 1))
            x = 3 * (left + (right - left) * (i / (group - 1) if group > 1 else 0.5))
            y = 3 * (upper + (lower - upper) * (j / (group - 1) if group > 1 else 0.5))
            total += x + y + 10 * ((v * samples_x + u) * channels + c)
        values.append(total / samples_x / samples_y)
    return values


for GROUP in (1, 2, 3):
    ok('PSROIPooling', 1, [GROUPS, t([[0, 0.125, 0.25, 0.75, 1]])],
       [t(sampled(0.125, 0.25, 0.75, 1, GROUP, 2, 1, 4), (1, 4, GROUP, GROUP))], types=REAL,
       output_dim=4, group_size=GROUP, spatial_scale=1, mode='bilinear', spatial_bins_x=2)
ok('PSROIPooling', 1, [GROUPS, t([[0, 0, 0, 8, 4]])],
   [t(sampled(0, 0, 1, 0.5, 2, 2, 2, 2), (1, 2, 2, 2))], types=REAL, output_dim=2, group_size=2,
   spatial_scale=0.125, mode='bilinear', spatial_bins_x=2, spatial_bins_y=2)
bad('PSROIPooling', 1, [zeros('f32', 1, 9, 4, 4), zeros('f32', 3, 5)], output_dim=2, group_size=2,
    spatial_scale=1)
bad('PSROIPooling', 1, [zeros('f32', 1, 8, 4, 4), zeros('f32', 3, 5)], output_dim=3,
    spatial_scale=1, mode='bilinear', spatial_bins_x=2)
bad('PSROIPooling', 1, [zeros('f32', 1, 8, 4, 4), zeros('f32', 3, 4)], output_dim=8,
    spatial_scale=1)
bad('PSROIPooling', 1, [zeros('f32', 1, 8, 4, 4), zeros('f32', 3, 5)], output_dim=8,
    spatial_scale=1, mode='max')
bad('PSROIPooling', 1, [zeros('f32', 1, 8, 4, 4), f32([[1, 0, 0, 1, 1]])], output_dim=8,
    spatial_scale=1)

# --- DeformablePSROIPooling -----------------------------------------------------------

DEFORM = 'DeformablePSROIPooling'


def deformed(samples, move=lambda c, j, i: (0, 0)):
    """The region from -0.5 to 3.5 in bins of 2, each the average of samples
    that start at its corner."""
    values = []
    for c, j, i in indices(2, 2, 2):
        total = n = 0
        for v, u in indices(samples, samples):
            dx, dy = move(c, j, i)
            x, y = (-0.5 + 2 * k + 2 * s / samples + 4 * d
                    for k, s, d in ((i, u, dx), (j, v, dy)))
            if -0.5 <= x <= 3.5 and -0.5 <= y <= 3.5:
                total += min(max(x, 0), 3) + min(max(y, 0), 3) + 10 * ((c * 2 + j) * 2 + i)
                n += 1
        values.append(total / n if n else 0)
    return t(values, (1, 2, 2, 2))


WHOLE = t([[0, 0, 0, 3, 3]])
for COUNT in (1, 2, 3):
    ok(DEFORM, 1, [GROUPS, WHOLE], [deformed(COUNT)], types=REAL, output_dim=2, group_size=2,
       spatial_scale=1, spatial_bins_x=COUNT, spatial_bins_y=COUNT, tol=(2e-2, 1e-2),
       mode='bilinear_deformable')
OFFSETS = fill('T', (1, 4, 2, 2), lambda n, k, y, x: (k - 1) / 4 + y / 8 - x / 2)
ok(DEFORM, 1, [GROUPS, WHOLE, OFFSETS],
   [deformed(2, lambda c, j, i: [0.5 * at(OFFSETS, 0, 2 * c + k, j, i) for k in (0, 1)])],
   types=REAL, output_dim=2, group_size=2, spatial_scale=1, spatial_bins_x=2, spatial_bins_y=2,
   trans_std=0.5, part_size=2, tol=(2e-2, 1e-2))
ok(DEFORM, 1, [GROUPS, WHOLE, t([0.25, -0.125], (1, 2, 1, 1))],
   [deformed(2, lambda c, j, i: (0.25, -0.125))], types='f32 f64', output_dim=2, group_size=2,
   spatial_scale=1, spatial_bins_x=2, spatial_bins_y=2)
bad(DEFORM, 1, [zeros('f32', 1, 9, 4, 4), zeros('f32', 3, 5)], output_dim=2, group_size=2,
    spatial_scale=1)
bad(DEFORM, 1, [zeros('f32', 1, 8, 4, 4), zeros('f32', 3, 5), zeros('f32', 3, 2, 2, 2)],
    output_dim=2, group_size=2, spatial_scale=1, part_size=3)
bad(DEFORM, 1, [zeros('f32', 1, 8, 4, 4), zeros('f32', 3, 5), zeros('f32', 3, 6, 1, 1)],
    output_dim=2, group_size=2, spatial_scale=1)
bad(DEFORM, 1, [zeros('f32', 1, 8, 4, 4), zeros('f32', 3, 5), zeros('f32', 2, 2, 1, 1)],
    output_dim=2, group_size=2, spatial_scale=1)

# --- RegionYolo, ReorgYolo -------------------------------------------------------------

CELLS = fill('T', (2, 16, 2, 1), lambda n, c, y, x: (c % 5 - 2) / 2 + n - y)


def sigmoid(x):
    return 1 / (1 + math.exp(-x))


def yolo(softmax):
    """Two regions of x, y, w, h, confidence and three classes."""
    def value(n, c, y, x):
        k, score = c % 8, at(CELLS, n, c, y, x)
        if softmax and k > 4:
            scores = [at(CELLS, n, c - k + i, y, x) for i in (5, 6, 7)]
            return math.exp(score) / sum(map(math.exp, scores))
        return score if k in (2, 3) else sigmoid(score)
    return [value(*index) for index in indices(2, 16, 2, 1)]


YOLO = dict(axis=1, end_axis=3, coords=4, classes=3, anchors='1,2,3,4')
ok('RegionYolo', 1, [CELLS], [t(yolo(False), (2, 16, 2, 1))], types=REAL, do_softmax=False,
   mask='0,1', num=9, **YOLO)
ok('RegionYolo', 1, [CELLS], [t(yolo(True), (2, 32))], types=REAL, do_softmax=True, mask='', num=2,
   **YOLO)
ok('RegionYolo', 1, [CELLS], [t(yolo(True), (2, 16, 2))], types='f32', num=2,
   **{**YOLO, 'axis': -2, 'end_axis': -1})
ok('RegionYolo', 1, [zeros('T', 0, 16, 2, 1)], [zeros('T', 0, 16, 2, 1)], types='f32 f16',
   do_softmax=False, mask='0,1', num=9, **YOLO)
bad('RegionYolo', 1, [zeros('f32', 2, 15, 2, 1)], num=2, **YOLO)
bad('RegionYolo', 1, [zeros('f32', 2, 16, 2)], num=2, **YOLO)
bad('RegionYolo', 1, [zeros('i32', 2, 16, 2, 1)], num=2, **YOLO)
bad('RegionYolo', 1, [zeros('f32', 2, 16, 2, 1)], num=2, **{**YOLO, 'axis': 3, 'end_axis': 1})
bad('RegionYolo', 1, [zeros('f32', 2, 16, 2, 1)], num=2, **{**YOLO, 'end_axis': 4})

ORDER = [0, 2, 8, 10, 1, 3, 9, 11, 4, 6, 12, 14, 5, 7, 13, 15]
ok('ReorgYolo', (1, 2), [fill('T', (1, 4, 2, 2), lambda n, c, y, x: (4 * c + 2 * y + x) % 2)],
   [t([k % 2 for k in ORDER], (1, 16, 1, 1))], types=ALL, stride=2)
ok('ReorgYolo', (1, 2), [ramp('T', 2, 4, 2, 2)],
   [t(ORDER + [16 + k for k in ORDER], (2, 16, 1, 1))], types='f32 f16 i8 u64', stride=2)
ok('ReorgYolo', (1, 2), [ramp('T', 1, 3, 2, 2)], [ramp('T', 1, 3, 2, 2)], types='f32 i32', stride=1)
bad('ReorgYolo', (1, 2), [zeros('f32', 1, 4, 3, 2)], stride=2)
bad('ReorgYolo', (1, 2), [zeros('f32', 1, 3, 2, 2)], stride=2)
bad('ReorgYolo', (1, 2), [zeros('f32', 4, 2, 2)], stride=2)
bad('ReorgYolo', (1, 2), [zeros('f32', 1, 4, 2, 2)], stride=0)
