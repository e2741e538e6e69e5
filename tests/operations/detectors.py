# SPDX-FileCopyrightText: 2026 The inferfilter authors
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Detectors: priors, proposals, detections."""

import math

from frame import INDICES, REAL, bad, f32, i32, i64, ok, t, u8, zeros

# --- PriorBox -----------------------------------------------------------------------

GRID, IMAGE = (2, 3), (24, 60)  # height, width


def priors(shapes, step=(20, 12), offset=0.5, variance=(0.1,), clip=False, limit=False):
    """`shapes`: (dx, dy, width, height) in pixels at every point."""
    boxes, variances = [], []
    for h in range(GRID[0]):
        for w in range(GRID[1]):
            x, y = (w + offset) * step[0], (h + offset) * step[1]
            for dx, dy, width, height in shapes:
                box = [(x + dx - width / 2) / IMAGE[1], (y + dy - height / 2) / IMAGE[0],
                       (x + dx + width / 2) / IMAGE[1], (y + dy + height / 2) / IMAGE[0]]
                if limit:
                    box = [max(0, v) for v in box[:2]] + [min(1, v) for v in box[2:]]
                boxes += [min(max(v, 0), 1) if clip else v for v in box]
                variances += list(variance) * (4 // len(variance))
    return [f32(boxes + variances, (2, len(boxes)))]


def square(*sizes):
    return [(0, 0, size, size) for size in sizes]


for INDEX in (i64, i32, u8):
    ok('PriorBox', (1, 8), [INDEX(list(GRID)), INDEX(list(IMAGE))], priors(square(4)),
       min_size=4, offset=0.5)
SIZES = [i64(list(GRID)), i64(list(IMAGE))]
ok('PriorBox', (1, 8), SIZES, priors([*square(4, 6), (0, 0, 8, 2)]), min_size='4', max_size='9',
   aspect_ratio='4', offset=0.5)
WIDE = [(0, 0, 8, 2), (0, 0, 2, 8)]
ok('PriorBox', (1, 8), SIZES, priors([*square(4, 6), *WIDE, *square(16), (0, 0, 32, 8),
                                      (0, 0, 8, 32)]),
   min_size='4,16', max_size='9', aspect_ratio='4,1,4', flip=True, offset=0.5)
ok('PriorBox', 8, SIZES, priors([*square(4), *WIDE, *square(6)]), min_size='4', max_size='9',
   aspect_ratio='4', flip=True, offset=0.5, min_max_aspect_ratios_order=False)
ok('PriorBox', (1, 8), SIZES, priors(square(40), clip=True, variance=[0.5]), min_size='40',
   offset=0.25, clip=True, variance='0.5')
ok('PriorBox', (1, 8), SIZES,
   priors(square(4), (16, 16), 0.25, (0.1, 0.2, 0.3, 0.4)), min_size='4', offset=0.25, step=16,
   variance='0.1,0.2,0.3,0.4')
# Sizes and step as fractions of the image's height; ratios for the first size only.
ok('PriorBox', (1, 8), SIZES, priors([*square(12, 24), (0, 0, 24, 6)], (6, 6)),
   min_size='0.5,1', max_size='9', aspect_ratio='4', offset=0.5, step=0.25, scale_all_sizes=False)
ok('PriorBox', (1, 8), SIZES, priors(square(12), (12, 12)), min_size='0.5', offset=0.5, step=-1,
   scale_all_sizes=False)
# Grids of boxes around the point, clipped to the image.
ok('PriorBox', (1, 8), SIZES,
   priors([(x, y, 8, 8) for y in (-2, 2) for x in (-2, 2)] + square(40), limit=True),
   fixed_size='8,40', density='2,1', offset=0.5)
ok('PriorBox', (1, 8), SIZES,
   priors([(x, y, *size) for size in ((8, 8), (16, 4)) for y in (-2, 2) for x in (-2, 2)],
          limit=True),
   fixed_size='8', density='2', fixed_ratio='1,4', offset=0.5)
ok('PriorBox', (1, 8), SIZES,
   priors([(x, y, *size) for size in ((8, 8), (16, 4)) for y in (-2, 2) for x in (-2, 2)],
          limit=True),
   fixed_size='8', density='2', aspect_ratio='4', offset=0.5)
# Whole pixels, as in the framework that models were trained with.
ok('PriorBox', (1, 8), SIZES, priors([(x, y, 7, 7) for y in (-2, 1) for x in (-2, 1)], limit=True),
   fixed_size='7.5', density='2', offset=0.5)
ok('PriorBox', (1, 8), [i64([0, 3]), i64(list(IMAGE))], [zeros('f32', 2, 0)], min_size=4,
   offset=0.5)
for SHAPES in ((zeros('i64', 3), zeros('i64', 2)), (zeros('i64', 2), zeros('i64', 1, 2)),
               (zeros('f32', 2), zeros('f32', 2))):
    bad('PriorBox', (1, 8), SHAPES, min_size=4, offset=0.5)
    bad('PriorBoxClustered', 1, SHAPES, offset=0.5)
for WRONG in (dict(variance='1,2'), dict(min_size='-4'), dict(aspect_ratio='0'),
              dict(density='2'), dict(fixed_size='8,9', density='2')):
    bad('PriorBox', (1, 8), SIZES, **{'min_size': 4, 'offset': 0.5, **WRONG})
bad('PriorBox', (1, 8), [i64([-1, 3]), i64(list(IMAGE))], min_size=4, offset=0.5)

CLUSTERED = dict(width='4,10', height='8,20')
PAIR = [(0, 0, 4, 8), (0, 0, 10, 20)]
ok('PriorBoxClustered', 1, SIZES, priors(PAIR, clip=True), offset=0.5, **CLUSTERED)
ok('PriorBoxClustered', 1, SIZES, priors(PAIR, (9, 9), 0.25), offset=0.25, step=9, clip=False,
   **CLUSTERED)
ok('PriorBoxClustered', 1, SIZES, priors(PAIR, (16, 12), variance=(0.1, 0.1, 0.2, 0.2)),
   offset=0.5, step_w=16, step_h=12, variance='0.1,0.1,0.2,0.2', clip=False, **CLUSTERED)
ok('PriorBoxClustered', 1, SIZES, priors(square(1), variance=[0.5]), offset=0.5, clip=False,
   variance='0.5')
bad('PriorBoxClustered', 1, SIZES, offset=0.5, width='4,5', height='8')
bad('PriorBoxClustered', 1, SIZES, width='4', height='8')

GENERATOR = 'ExperimentalDetectronPriorGridGenerator'
SEEDS = [[-2, -4, 2, 4], [-1, -1, 1, 1]]


def seeds(step_x, step_y, height=2, width=3):
    return [v + (step_x * (w + 0.5), step_y * (h + 0.5))[i % 2] for h in range(height)
            for w in range(width) for seed in SEEDS for i, v in enumerate(seed)]


MAPS = [t(SEEDS), zeros('T', 1, 5, 2, 3), zeros('T', 1, 3, 16, 12)]
ok(GENERATOR, 6, MAPS, [t(seeds(4, 8), (12, 4))], types=REAL)
ok(GENERATOR, 6, MAPS, [t(seeds(5, 2), (2, 3, 2, 4))], types='f32 f64', flatten=False, stride_x=5,
   stride_y=2)
ok(GENERATOR, 6, MAPS, [t(seeds(6, 16, 1, 2) + [0] * 32, (12, 4))], types='f32', h=1, w=2)
bad(GENERATOR, 6, [zeros('f32', 2, 5), *MAPS[1:]], types='f32')
bad(GENERATOR, 6, MAPS, types='f32', h=3)
bad(GENERATOR, 6, MAPS, types='f32', stride_x=-1)
bad(GENERATOR, 6, MAPS, types='i32')

# --- DetectionOutput ----------------------------------------------------------------

# The first two overlap by 0.8.
PRIORS = [[0.125, 0.125, 0.5, 0.5], [0.125, 0.125, 0.5, 0.59375], [0.625, 0.625, 0.875, 0.875]]
# Per prior: background and two classes.
SCORES = [[0.125, 0.75, 0.25], [0.125, 0.625, 0.875], [0.8125, 0.0625, 0.375]]
COMMON = dict(nms_threshold=0.5, confidence_threshold=0.15, normalized=True)
UNIT = [1] * 12


def table(rows, count):
    """(image, class, score, box) of the detections, in `count` rows."""
    values = [v for n, c, score, box in rows for v in (n, c, score, *box)]
    if len(rows) < count:
        values += [-1, 0, 0, 0, 0, 0, 0]
    return [t(values + [0] * (7 * count - len(values)), (1, 1, count, 7))]


def detections(inputs, rows, count, types='f32', more=(), **attributes):
    attributes = {**COMMON, **attributes}
    more = [(ins, table(found, n)) for ins, found, n in more]
    ok('DetectionOutput', 1, inputs, table(rows, count), types=types, more=more, num_classes=3,
       **attributes)
    ok('DetectionOutput', 8, inputs, table(rows, count), types=types, more=more, **attributes)


def given(logits=(0,) * 12, scores=SCORES, variances=UNIT, boxes=PRIORS):
    flat = [v for box in boxes for v in box]
    return [t(list(logits), (1, len(logits))), t([s for row in scores for s in row], (1, 9)),
            t(flat + variances, (1, 2, 12)) if variances else t(flat, (1, 1, len(flat)))]


A, B, C = PRIORS
ALL = [(0, 1, 0.75, A), (0, 2, 0.875, B), (0, 2, 0.375, C)]
detections(given(), ALL, 4, REAL, keep_top_k=4)
detections(given(), ALL, 9, 'f32 f16', keep_top_k=-1)
detections(given(), ALL[:2], 2, keep_top_k=2)
detections(given(), ALL[:2], 3, keep_top_k=-1, top_k=1)
detections(given(), [(0, 0, 0.8125, C), *ALL], 4, keep_top_k=4, background_label_id=-1)
detections(given(), [(0, 0, 0.8125, C), ALL[0]], 4, keep_top_k=4, background_label_id=2)
detections(given(), [ALL[0], (0, 1, 0.625, B), *ALL[1:], (0, 2, 0.25, A)][:1]
           + [(0, 1, 0.625, B), ALL[1], ALL[2], (0, 2, 0.25, A)], 9, keep_top_k=-1,
           nms_threshold=0.9)
detections(given(), [ALL[1]], 4, keep_top_k=4, confidence_threshold=0.8)
# The best class of each prior; class numbers exclude the background.
detections(given(), [(0, 0, 0.75, A), (0, 1, 0.875, B), (0, 1, 0.375, C)], 4, keep_top_k=4,
           decrease_label_id=True)
detections(given(), [(0, 0, 0.75, A), (0, 1, 0.875, B)], 4, keep_top_k=4, top_k=2,
           decrease_label_id=True)


def moved(prior, logit, variance, center):
    if not center:
        return [p + v * d for p, v, d in zip(prior, variance, logit)]
    box = []
    for i in (0, 1):
        size = prior[2 + i] - prior[i]
        middle = (prior[i] + prior[2 + i]) / 2 + variance[i] * logit[i] * size
        half = size * math.exp(variance[2 + i] * logit[2 + i]) / 2
        box.append((middle - half, middle + half))
    return [box[0][0], box[1][0], box[0][1], box[1][1]]


LOGITS = [[0.5, -0.25, 0.25, 0.5], [-0.5, 0.25, -0.25, 0.125], [1, 0.5, -0.5, 0.25]]
VARIANCES = [[0.125, 0.25, 0.5, 0.25], [0.125, 0.125, 0.25, 0.25], [0.25, 0.25, 0.25, 0.25]]
ALONE = [[0.125, 0.75, 0.0625], [0.125, 0.0625, 0.0625], [0.75, 0.0625, 0.5]]


def flat(rows):
    return [v for row in rows for v in row]


def clipped(box):
    return [min(max(v, 0), 1) for v in box]


for CENTER in (False, True):
    CODE = 'caffe.PriorBoxParameter.' + ('CENTER_SIZE' if CENTER else 'CORNER')
    FIRST, LAST = (moved(PRIORS[i], LOGITS[i], VARIANCES[i], CENTER) for i in (0, 2))
    detections(given(flat(LOGITS), ALONE, flat(VARIANCES)),
               [(0, 1, 0.75, FIRST), (0, 2, 0.5, LAST)], 4, 'f32 f64 f16', keep_top_k=4,
               code_type=CODE)
    FIRST, LAST = (moved(PRIORS[i], LOGITS[i], [1] * 4, CENTER) for i in (0, 2))
    detections(given(flat(LOGITS), ALONE, None),
               [(0, 1, 0.75, FIRST), (0, 2, 0.5, LAST)], 4, keep_top_k=4, code_type=CODE,
               variance_encoded_in_target=True)
    for WHEN in ('clip_before_nms', 'clip_after_nms'):
        detections(given(flat(LOGITS), ALONE, None),
                   [(0, 1, 0.75, clipped(FIRST)), (0, 2, 0.5, clipped(LAST))], 4, keep_top_k=4,
                   code_type=CODE, variance_encoded_in_target=True, **{WHEN: True})
# Boxes per class: those of class c are shifted right by c / 8.
OWN = [(c / 8, 0, c / 8, 0) for _ in range(3) for c in range(3)]
detections(given(flat(OWN)), [(n, c, s, [x0 + c / 8, y0, x1 + c / 8, y1])
                              for n, c, s, (x0, y0, x1, y1) in ALL], 4, 'f32 f64', keep_top_k=4,
           share_location=False)
# In pixels, each box after its image's number; -1 ends the list of priors.
PIXELS = [[0, 8, 4, 32, 16], [0, 8, 4, 32, 19], [0, 40, 20, 56, 28]]
for END in (0, -1):
    PIXELS[2][0] = END
    detections([t([0] * 12, (1, 12)), t(SCORES, (1, 9)), t(PIXELS, (1, 1, 15))],
               ALL if END == 0 else ALL[:2], 4, keep_top_k=4, normalized=False, input_width=64,
               input_height=32, variance_encoded_in_target=True)
# Two stages: the second refines boxes of the first that contain an object.
STAGES = [*given(flat(LOGITS), ALONE, flat(VARIANCES)), t([[0.5, 0.5, 1, 0, 0.75, 0.25]]),
          t(flat(LOGITS), (1, 12))]
TWICE = [moved(moved(PRIORS[i], LOGITS[i], VARIANCES[i], False), LOGITS[i], VARIANCES[i], False)
         for i in (0, 2)]
detections(STAGES, [(0, 1, 0.75, TWICE[0])], 4, keep_top_k=4, objectness_score=0.375)
detections(STAGES, [(0, 1, 0.75, TWICE[0]), (0, 2, 0.5, TWICE[1])], 4, 'f32 f64', keep_top_k=4,
           objectness_score=0.125)
# Two images with shared or separate priors.
BOTH = [t([0] * 24, (2, 12)), t(SCORES + ALONE, (2, 9)), t(flat(PRIORS), (1, 1, 12))]
SECOND = [(1, 1, 0.75, A), (1, 2, 0.5, C)]
detections(BOTH, ALL + SECOND, 8, keep_top_k=4, variance_encoded_in_target=True,
           more=[(given(variances=None), ALL, 4)])
detections([*BOTH[:2], t(flat([A, B, C, C, B, A]), (2, 1, 12))],
           ALL + [(1, 1, 0.75, C), (1, 2, 0.5, A)], 8, keep_top_k=4,
           variance_encoded_in_target=True)
detections([zeros('T', 0, 12), zeros('T', 0, 9), given()[2]], [], 0, keep_top_k=4)


def refused(inputs, **attributes):
    attributes = {**COMMON, 'keep_top_k': 4, **attributes}
    bad('DetectionOutput', 1, inputs, **{'num_classes': 3, **attributes})
    bad('DetectionOutput', 8, inputs, **attributes)


LOCATIONS, CLASSES, BOXES = zeros('f32', 1, 12), zeros('f32', 1, 9), zeros('f32', 1, 2, 12)
refused([LOCATIONS, CLASSES, zeros('f32', 1, 1, 12)])
refused([LOCATIONS, CLASSES, zeros('f32', 1, 2, 13)])
refused([zeros('f32', 1, 16), CLASSES, BOXES])
refused([LOCATIONS, zeros('f32', 1, 10), BOXES])
refused([LOCATIONS, zeros('f32', 2, 9), BOXES])
refused([LOCATIONS, CLASSES, zeros('f32', 2, 2, 12)])
refused([LOCATIONS, CLASSES, BOXES], share_location=False)
refused([LOCATIONS, CLASSES, BOXES], code_type='corner')
refused([LOCATIONS, CLASSES, BOXES], keep_top_k='')
refused([LOCATIONS, CLASSES, BOXES, zeros('f32', 1, 6)])
refused([LOCATIONS, CLASSES, BOXES, zeros('f32', 1, 3), LOCATIONS])
refused([LOCATIONS, zeros('f16', 1, 9), BOXES])

# --- Proposal -----------------------------------------------------------------------

# One anchor of 16 pixels at two points 8 pixels apart; the first starts at -4.
TWO = [t([[[[0.25, 0.25]], [[0.5, 0.75]]]]), zeros('T', 1, 4, 1, 2), t([20, 24, 1])]
PROPOSE = dict(base_size=8, ratio='1', scale='2', feat_stride=8, min_size=4, pre_nms_topn=10,
               post_nms_topn=3)


def proposals(inputs, boxes, types='f32', images=1, **attributes):
    """(score, box), three rows per image."""
    attributes = {**PROPOSE, 'nms_thresh': 0.5, **attributes}
    found, scores = [], []
    for n in range(images):
        mine = boxes[n] if images > 1 else boxes
        found += [v for _, box in mine for v in (n, *box)]
        found += ([-1] + [0] * (5 * (3 - len(mine)) - 1)) if len(mine) < 3 else []
        scores += [s for s, _ in mine] + [0] * (3 - len(mine))
    ok('Proposal', 1, inputs, [t(found, (3 * images, 5))], types=types, **attributes)
    ok('Proposal', 4, inputs, [t(found, (3 * images, 5)), t(scores, (3 * images,))], types=types,
       **attributes)


NEAR, FAR = (0.5, [0, 0, 12, 12]), (0.75, [4, 0, 20, 12])
proposals(TWO, [FAR, NEAR], REAL)
proposals(TWO, [FAR], 'f32 f16', nms_thresh=0.4)  # they overlap by 117 / 273
proposals(TWO, [FAR], pre_nms_topn=1)
proposals(TWO, [(0, NEAR[1]), (0, FAR[1])], min_size=14)
proposals([*TWO[:2], t([20, 24, 0.25, 3.5])], [FAR, (0, NEAR[1])])
proposals([*TWO[:2], t([20, 24, 3.5, 0.25])], [(0, NEAR[1]), (0, FAR[1])])
proposals(TWO, [(s, [v / (24, 20)[i % 2] for i, v in enumerate(box)]) for s, box in (FAR, NEAR)],
          normalize=True)
OPEN = [(0.75, [4, -4, 20, 12]), (0.5, [-4, -4, 12, 12])]
proposals(TWO, OPEN, clip_before_nms=False)
proposals(TWO, [FAR, NEAR], clip_before_nms=False, clip_after_nms=True)
# Shifted right by a quarter and twice as high, after scaling.
DELTAS = t([2.5, 0, 0, 0, 0, 0, 5 * math.log(2), 0], (1, 4, 1, 2))
proposals([TWO[0], DELTAS, TWO[2]], [FAR, (0.5, [0, 0, 16, 19])], 'f32 f64', nms_thresh=0.9,
          box_coordinate_scale=10, box_size_scale=5)
# Ratios are rounded to whole pixels: 8 / √2 to 6, twice that is 12.
proposals([t([[[[0]], [[0]], [[0.5]], [[0.75]]]]), zeros('T', 1, 8, 1, 1), TWO[2]],
          [(0.75, [1, -2, 7, 10]), (0.5, [0, 0, 8, 8])], ratio='1,2', scale='1',
          clip_before_nms=False, nms_thresh=0.9)
proposals([t([[[[0.25]], [[0.75]]], [[[0.5]], [[0.625]]]]), zeros('T', 2, 4, 1, 1), t([20, 24, 1])],
          [[(0.75, NEAR[1])], [(0.625, NEAR[1])]], images=2)
# TensorFlow's anchors are centred at the point and clipped; x and y are swapped.
proposals(TWO, [(0.75, [0, 0, 8, 16]), (0.5, [0, 0, 8, 8])], 'f32 f64', framework='tensorflow',
          nms_thresh=0.55)
proposals(TWO, [(0.75, [0, 0, 8, 16])], framework='tensorflow', nms_thresh=0.45)


def refused_proposal(inputs, **attributes):
    attributes = {**PROPOSE, 'nms_thresh': 0.5, **attributes}
    bad('Proposal', 1, inputs, types='f32', **attributes)
    bad('Proposal', 4, inputs, 2, types='f32', **attributes)


refused_proposal([*TWO[:2], zeros('T', 2)])
refused_proposal([*TWO[:2], t([0, 24, 1])])
refused_proposal([zeros('T', 1, 3, 1, 2), *TWO[1:]])
refused_proposal([TWO[0], zeros('T', 1, 4, 1, 3), TWO[2]])
refused_proposal(TWO, ratio='1,2')
refused_proposal(TWO, framework='caffe2')
refused_proposal(TWO, post_nms_topn=0)
bad('Proposal', 4, TWO, 1, types='f32', nms_thresh=0.5, **PROPOSE)

# --- GenerateProposals --------------------------------------------------------------

# Clipped to an image of 8 by 10, they overlap by 0.4.
ANCHORS = t([[[[0, 0, 8, 8]], [[4, 0, 12, 8]]]])
GENERATE = dict(min_size=1, pre_nms_count=10, post_nms_count=5)
LEFT, RIGHT = (0.5, [0, 0, 8, 8]), (0.75, [4, 0, 10, 8])


def generated(boxes, kind='i64', types='f32', info=(8, 10, 1), deltas=None,
              scores=t([[[[0.5, 0.75]]]]), counts=None, **attributes):
    index = i64 if kind == 'i64' else i32
    images = scores.shape[0]
    ok('GenerateProposals', 9,
       [t(list(info), (images, len(info) // images)), ANCHORS,
        deltas or zeros('T', images, 4, 1, 2), scores],
       [t([v for _, box in boxes for v in box], (len(boxes), 4)),
        t([s for s, _ in boxes], (len(boxes),)), index(counts or [len(boxes)])],
       types=types, roi_num_type=kind, **{**GENERATE, 'nms_threshold': 0.5, **attributes})


for KIND in INDICES.split():
    generated([RIGHT, LEFT], KIND, REAL)
generated([RIGHT], nms_threshold=0.3)
generated([RIGHT], pre_nms_count=1)
generated([RIGHT], post_nms_count=1)
generated([], post_nms_count=0)
generated([LEFT], min_size=7)
generated([LEFT], info=(8, 10, 0.5, 7))  # at least 7 wide and half a pixel high
generated([], info=(8, 10, 9, 0.5))
generated([(0.75, [4, 0, 9, 7]), (0.5, [0, 0, 8, 7])], normalized=False, nms_threshold=0.6)
generated([RIGHT], nms_threshold=0.75, nms_eta=0.5)
generated([RIGHT, LEFT], nms_threshold=0.75, nms_eta=1)
# Growth is limited to 1000 / 16: the first covers the whole image.
generated([(0.75, [4, 0, 10, 8]), (0.5, [0, 0, 10, 8])], nms_threshold=0.9,
          deltas=t([0, 0, 0, 0, 50, 0, 50, 0], (1, 4, 1, 2)))
generated([LEFT, (0.375, RIGHT[1]), RIGHT, (0.25, LEFT[1])], counts=[2, 2],
          info=(8, 10, 1, 8, 10, 1), scores=t([[[[0.5, 0.375]]], [[[0.25, 0.75]]]]),
          types='f32 f16')
generated([LEFT, (0.375, RIGHT[1]), (0.25, LEFT[1])], counts=[2, 1], min_size=3.5,
          info=(8, 10, 1, 8, 10, 2), scores=t([[[[0.5, 0.375]]], [[[0.25, 0.75]]]]))


def refused_generate(*inputs, **attributes):
    bad('GenerateProposals', 9, inputs, 3, types='f32',
        **{**GENERATE, 'nms_threshold': 0.5, **attributes})


INFO, DELTAS, SCORE = zeros('T', 1, 3), zeros('T', 1, 4, 1, 2), zeros('T', 1, 1, 1, 2)
refused_generate(zeros('T', 1, 2), ANCHORS, DELTAS, SCORE)
refused_generate(zeros('T', 2, 3), ANCHORS, DELTAS, SCORE)
refused_generate(INFO, zeros('T', 1, 2, 1, 5), DELTAS, SCORE)
refused_generate(INFO, zeros('T', 2, 2, 1, 4), DELTAS, SCORE)
refused_generate(INFO, ANCHORS, zeros('T', 1, 5, 1, 2), SCORE)
refused_generate(INFO, ANCHORS, DELTAS, SCORE, roi_num_type='f32')
refused_generate(INFO, ANCHORS, DELTAS, SCORE, nms_eta=1.5)
refused_generate(INFO, ANCHORS, DELTAS, SCORE, post_nms_count=-1)

# --- ExperimentalDetectron… -----------------------------------------------------------

SINGLE = 'ExperimentalDetectronGenerateProposalsSingleImage'


def single(boxes, types='f32', **attributes):
    attributes = {**GENERATE, 'nms_threshold': 0.5, **attributes}
    count = attributes['post_nms_count']
    values = [v for _, box in boxes for v in box]
    ok(SINGLE, 6, [t([8, 10, 1]), t([[0, 0, 8, 8], [4, 0, 12, 8]]), zeros('T', 4, 1, 2),
                   t([[[0.5, 0.75]]])],
       [t(values + [0] * (4 * count - len(values)), (count, 4)),
        t([s for s, _ in boxes] + [0] * (count - len(boxes)), (count,))], types=types,
       **attributes)


# A box of n pixels ends at n - 1; overlapping by 28 / 63.
single([(0.75, [4, 0, 9, 7]), (0.5, [0, 0, 8, 7])], REAL)
single([(0.75, [4, 0, 9, 7])], nms_threshold=0.4)
single([(0.75, [4, 0, 9, 7])], pre_nms_count=1)
single([(0.75, [4, 0, 9, 7])], post_nms_count=1)
single([(0.5, [0, 0, 8, 7]), (0, [4, 0, 9, 7])], min_size=7)
single([], post_nms_count=0)
bad(SINGLE, 6, [zeros('f32', 4), zeros('f32', 2, 4), zeros('f32', 4, 1, 2), zeros('f32', 1, 1, 2)],
    2, nms_threshold=0.5, **GENERATE)
bad(SINGLE, 6, [zeros('f32', 3), zeros('f32', 3, 4), zeros('f32', 4, 1, 2), zeros('f32', 1, 1, 2)],
    2, nms_threshold=0.5, **GENERATE)
bad(SINGLE, 6, [zeros('f32', 3), zeros('f32', 2, 4), zeros('f32', 5, 1, 2), zeros('f32', 1, 1, 2)],
    2, nms_threshold=0.5, **GENERATE)
bad(SINGLE, 6, [zeros('f32', 3), zeros('f32', 2, 4), zeros('f32', 4, 1, 2), zeros('f32', 1, 1, 2)],
    2, **GENERATE)

OUTPUT = 'ExperimentalDetectronDetectionOutput'
# The first two overlap by 90 / 110.
ROIS = [[0, 0, 9, 9], [1, 0, 10, 9], [20, 20, 29, 29], [5, 5, 5, 9]]
CHANCES = [[0.9375, 0.5, 0.25], [0.9375, 0.75, 0.0625], [0.9375, 0.375, 0.625], [0, 1, 1]]
OPTIONS = dict(num_classes=3, score_threshold=0.125, nms_threshold=0.5, post_nms_count=10,
               max_detections_per_image=5, max_delta_log_wh=math.log(2),
               deltas_weights='10,10,5,5')


def output(boxes, types='f32', deltas=None, **attributes):
    """(class, score, box)"""
    attributes = {**OPTIONS, **attributes}
    count = attributes['max_detections_per_image']
    none = [0] * (count - len(boxes))
    ok(OUTPUT, 6, [t(ROIS), t(deltas or [0] * 48, (4, 12)), t(CHANCES), t([[100, 100, 1]])],
       [t([v for *_, box in boxes for v in box] + none * 4, (count, 4)),
        i32([c for c, *_ in boxes] + none, (count,)),
        t([s for _, s, _ in boxes] + none, (count,))], types=types, **attributes)


KEPT = [(1, 0.75, ROIS[1]), (1, 0.375, ROIS[2]), (2, 0.625, ROIS[2]), (2, 0.25, ROIS[0])]
for AGNOSTIC in (False, True):
    output(KEPT, REAL, class_agnostic_box_regression=AGNOSTIC)
output([KEPT[0], KEPT[2]], post_nms_count=1)
output([KEPT[0], KEPT[2], KEPT[1]], max_detections_per_image=3)
output([KEPT[0], KEPT[2]], score_threshold=0.5)
output([KEPT[0], (1, 0.5, ROIS[0]), *KEPT[1:]], nms_threshold=0.875)
# Shifted right by 1, up by 2; class 2 grows to at most twice its width.
MOVES = [1, -2, 0, 0], [0, 0, 50, 0]
output([(1, 0.75, [2, 0, 11, 7]), (1, 0.375, [21, 18, 30, 27]), (2, 0.625, [15, 20, 34, 29]),
        (2, 0.25, [0, 0, 14, 9])],
       'f32 f64', [v for _ in ROIS for move in ([0] * 4, *MOVES) for v in move])
for SHAPES in (((4, 5), (4, 12), (4, 3), (1, 3)), ((4, 4), (4, 13), (4, 3), (1, 3)),
               ((4, 4), (4, 12), (4, 4), (1, 3)), ((4, 4), (4, 12), (3, 3), (1, 3)),
               ((4, 4), (4, 12), (4, 3), (1, 4))):
    bad(OUTPUT, 6, [zeros('f32', *shape) for shape in SHAPES], 3, **OPTIONS)
bad(OUTPUT, 6, [zeros('f32', 4, 4), zeros('f32', 4, 12), zeros('f32', 4, 3), zeros('f32', 1, 3)], 3,
    **{**OPTIONS, 'deltas_weights': '1,1'})

TOP = 'ExperimentalDetectronTopKROIs'
ok(TOP, 6, [t(ROIS), t([0.25, 0.75, 0.5, 0.75])], [t([ROIS[1], ROIS[3], ROIS[2]])], types=REAL,
   max_rois=3)
ok(TOP, 6, [t(ROIS[:2]), t([0.25, 0.75])], [t([ROIS[1], ROIS[0], [0] * 4])], types='f32 f16',
   max_rois=3)
ok(TOP, 6, [t(ROIS), t([0.25, 0.75, 0.5, 0.75])], [zeros('T', 0, 4)], types='f32')
bad(TOP, 6, [zeros('f32', 4, 5), zeros('f32', 4)], max_rois=3)
bad(TOP, 6, [zeros('f32', 4, 4), zeros('f32', 3)], max_rois=3)
bad(TOP, 6, [zeros('f32', 4, 4), zeros('f32', 4)], max_rois=-1)
