# SPDX-FileCopyrightText: 2026 The inferfilter authors
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Reductions, cumulative sums, softmax, normalisations."""

import math

from frame import REAL, SIGNED, bad, boolean, const, f32, fill, i32, i64, ok, ramp, t, zeros

# --- reductions -------------------------------------------------------------------------

ROWS = [[1, -2, 3], [4, 0, -6]]


def mean(values):
    return sum(values) / len(values)


REDUCTIONS = {
    ('ReduceL1', 4): lambda values: sum(map(abs, values)),
    ('ReduceL2', 4): lambda values: math.sqrt(sum(x * x for x in values)),
    ('ReduceMax', 1): max,
    ('ReduceMean', 1): mean,
    ('ReduceMin', 1): min,
    ('ReduceProd', 1): math.prod,
    ('ReduceSum', 1): sum,
}
COLUMNS = [[row[j] for row in ROWS] for j in range(3)]
for (KIND, OPSET), FORMULA in REDUCTIONS.items():
    TYPES = REAL if KIND in ('ReduceL2', 'ReduceMean') else SIGNED
    ALL_OF = FORMULA([x for row in ROWS for x in row])
    ok(KIND, OPSET, [t(ROWS), const(i64([1]))], [t([FORMULA(row) for row in ROWS])], types=TYPES)
    ok(KIND, OPSET, [t(ROWS), const(i32(-2))], [t([list(map(FORMULA, COLUMNS))])], types=TYPES,
       keep_dims=True)
    ok(KIND, OPSET, [t(ROWS), const(i64([0, 1]))], [t(ALL_OF)], types=TYPES)
    ok(KIND, OPSET, [t(ROWS), const(i64([-1, 0]))], [t([[ALL_OF]])], types='f32', keep_dims=True)
    ok(KIND, OPSET, [ramp('f32', 2, 3, 2, start=1), const(i64([0, 2]))],
       [f32([FORMULA([1 + 2 * j, 2 + 2 * j, 7 + 2 * j, 8 + 2 * j]) for j in range(3)])])
    ok(KIND, OPSET, [ramp('f32', 2, 3, 2, start=1), const(i64([1]))],
       [f32([[FORMULA([1 + k + 6 * i, 3 + k + 6 * i, 5 + k + 6 * i]) for k in range(2)]
             for i in range(2)])])
    ok(KIND, OPSET, [ramp('f32', 33, start=1, step=0.125), const(i64([0]))],
       [f32(FORMULA([1 + i / 8 for i in range(33)]))])
    bad(KIND, OPSET, [zeros('f32', 2, 3), const(i64([2]))])
    bad(KIND, OPSET, [zeros('f32', 2, 3), const(f32([1]))])
    bad(KIND, OPSET, [zeros('boolean', 2, 3), const(i64([1]))])
ok('ReduceSum', 1, [t(ROWS), const(i64([], (0,)))], [t(ROWS)], types='f32 i32')
ok('ReduceMean', 1, [t([[1, 2], [4, 8]]), const(i64([1]))], [t([1, 6])], types='i32 i64 u8')
ok('ReduceSum', 1, [zeros('f32', 0, 2), const(i64([0]))], [f32([0, 0])])
ok('ReduceProd', 1, [zeros('f32', 0, 2), const(i64([0]))], [f32([1, 1])])
ok('ReduceL1', 4, [zeros('f32', 0, 2), const(i64([0]))], [f32([0, 0])])
ok('ReduceMax', 1, [t([[200, 3]]), const(i64([1]))], [t([200])], types='u8 u16 u32 u64')
for KIND, FORMULA in (('ReduceLogicalAnd', all), ('ReduceLogicalOr', any)):
    FLAGS = [[True, False], [True, True], [False, False]]
    ok(KIND, 1, [boolean(FLAGS), const(i64([1]))], [boolean(list(map(FORMULA, FLAGS)))])
    ok(KIND, 1, [boolean(FLAGS), const(i64([0]))],
       [boolean([list(map(FORMULA, zip(*FLAGS)))])], keep_dims=True)
    bad(KIND, 1, [zeros('i32', 2), const(i64([0]))])
    bad(KIND, 1, [zeros('boolean', 2), const(i64([1]))])

SUMS = dict(types=SIGNED)
ok('CumSum', 3, [t([[1, 2, 3], [4, 5, 6]]), const(i64(1))], [t([[1, 3, 6], [4, 9, 15]])], **SUMS)
ok('CumSum', 3, [t([[1, 2, 3], [4, 5, 6]]), const(i32(-2))], [t([[1, 2, 3], [5, 7, 9]])], **SUMS)
ok('CumSum', 3, [t([1, 2, 3]), const(i32(0))], [t([0, 1, 3])], exclusive=True, **SUMS)
ok('CumSum', 3, [t([1, 2, 3]), const(i32(0))], [t([6, 5, 3])], reverse=True, **SUMS)
ok('CumSum', 3, [t([1, 2, 3]), const(i32(0))], [t([5, 3, 0])], reverse=True, exclusive=True,
   **SUMS)
ok('CumSum', 3, [f32([[1, 2], [3, 4]])], [f32([[1, 2], [4, 6]])])
bad('CumSum', 3, [zeros('f32', 2), const(i64(1))])
bad('CumSum', 3, [zeros('f32', 2), const(f32(0))])

# --- softmax ------------------------------------------------------------------------------


def softmax(values):
    powers = [math.exp(x - max(values)) for x in values]
    return [x / sum(powers) for x in powers]


def log_softmax(values):
    return [math.log(x) for x in softmax(values)]


POINTS = [[0.5, -1, 2], [3, 3, -2]]
for KIND, OPSET, FORMULA in (('SoftMax', 1, softmax), ('SoftMax', 8, softmax),
                             ('LogSoftmax', 5, log_softmax)):
    ALONG = [FORMULA(row) for row in POINTS]
    ACROSS = [list(row) for row in zip(*map(FORMULA, zip(*POINTS)))]
    ok(KIND, OPSET, [t(POINTS)], [t(ALONG)], types=REAL, axis=1)
    ok(KIND, OPSET, [t(POINTS)], [t(ACROSS)], types=REAL, axis=0)
    ok(KIND, OPSET, [t(POINTS)], [t(ALONG)], types='f32')
    ok(KIND, OPSET, [f32([[[1000, 1000]], [[-1000, -1000]]])],
       [f32([[[FORMULA([0, 0])[0]] * 2]] * 2)], axis=2)
    LONG = [i % 7 / 2 for i in range(70)]
    ok(KIND, OPSET, [f32([LONG, LONG])], [f32([FORMULA(LONG)] * 2)], axis=1)
    ok(KIND, OPSET, [zeros('f32', 0, 3)], [zeros('f32', 0, 3)], axis=1)
    bad(KIND, OPSET, [zeros('f32', 2)], axis=1)
    bad(KIND, OPSET, [zeros('i32', 2, 2)], axis=1)
for KIND, OPSET, FORMULA in (('SoftMax', 8, softmax), ('LogSoftmax', 5, log_softmax)):
    ok(KIND, OPSET, [t(POINTS)], [t([FORMULA(row) for row in POINTS])], types='f32', axis=-1)
bad('SoftMax', 1, [zeros('f32', 2, 2)], axis=-1)

# --- normalisations -------------------------------------------------------------------------


def normalized(values, eps, inside=True):
    middle = mean(values)
    variance = mean([(x - middle) ** 2 for x in values])
    scale = math.sqrt(variance + eps) if inside else math.sqrt(variance) + eps
    return [(x - middle) / scale for x in values]


CHANNELS = [[1, 2, 4, 9], [0, 0, 2, 6]]
MVN = t([CHANNELS])
for EPS_MODE, INSIDE in (('INSIDE_SQRT', True), ('OUTSIDE_SQRT', False)):
    ok('MVN', 6, [MVN, const(i64([2]))], [t([[normalized(c, 0.5, INSIDE) for c in CHANNELS]])],
       types='f32 f16 f64', eps=0.5, eps_mode=EPS_MODE, normalize_variance=True)
ok('MVN', 6, [MVN, const(i32([-1, -2]))], [t(normalized(sum(CHANNELS, []), 0.5), (1, 2, 4))],
   types='f32', eps=0.5, eps_mode='inside_sqrt', normalize_variance=True)
ok('MVN', 6, [MVN, const(i64([2]))], [t([[[x - mean(c) for x in c] for c in CHANNELS]])],
   types='f32', eps=0.5, eps_mode='INSIDE_SQRT', normalize_variance=False)
ok('MVN', 2, [t(sum(CHANNELS, []), (1, 2, 2, 2))],
   [t(sum([normalized(c, 0.5) for c in CHANNELS], []), (1, 2, 2, 2))], types='f32 f16',
   eps=0.5, across_channels=False, normalize_variance=True)
ok('MVN', 2, [t(sum(CHANNELS, []), (1, 2, 2, 2))],
   [t(normalized(sum(CHANNELS, []), 0.5), (1, 2, 2, 2))], types='f32',
   eps=0.5, across_channels=True, normalize_variance=True)
bad('MVN', 6, [zeros('f32', 1, 2, 3), const(i64([3]))], eps=0.5, eps_mode='INSIDE_SQRT',
    normalize_variance=True)
bad('MVN', 6, [zeros('i32', 1, 2, 3), const(i64([2]))], eps=0.5, eps_mode='INSIDE_SQRT',
    normalize_variance=True)
bad('MVN', 2, [zeros('i32', 1, 2, 3, 3)], eps=0.5, across_channels=True, normalize_variance=True)

GROUPED = [[1, 2, 4, 9], [0, 0, 2, 6], [5, 5, 5, 5], [1, 0, 1, 0]]


def group_norm(groups, scale, bias):
    size = len(GROUPED) // groups
    result = []
    for g in range(groups):
        flat = normalized(sum(GROUPED[g * size:(g + 1) * size], []), 0.5)
        for c in range(size):
            channel = g * size + c
            result += [x * scale[channel] + bias[channel] for x in flat[c * 4:c * 4 + 4]]
    return result


for GROUPS in (1, 2, 4):
    ok('GroupNormalization', 12,
       [t(sum(GROUPED, []), (1, 4, 2, 2)), const(t([1, 2, 3, 4])), const(t([0, 1, 0, -1]))],
       [t(group_norm(GROUPS, [1, 2, 3, 4], [0, 1, 0, -1]), (1, 4, 2, 2))], types='f32 f16',
       num_groups=GROUPS, epsilon=0.5)
bad('GroupNormalization', 12, [zeros('f32', 1, 4, 2), zeros('f32', 4), zeros('f32', 4)],
    num_groups=3, epsilon=0.5)
bad('GroupNormalization', 12, [zeros('f32', 1, 4, 2), zeros('f32', 3), zeros('f32', 4)],
    num_groups=2, epsilon=0.5)

PARTS = [const(t(x)) for x in ([2, 4], [1, -1], [1, 0], [3.5, 8])]  # gamma, beta, mean, variance
BATCH = t([[1, 2], [3, 0]])
SCALES = [2 / 2, 4 / math.sqrt(8.5)]
NORMED = t([[(1 - 1) * SCALES[0] + 1, 2 * SCALES[1] - 1], [(3 - 1) * SCALES[0] + 1, -1]])
ok('BatchNormInference', 5, [BATCH, *PARTS], [NORMED], types='f32 f16 f64', epsilon=0.5)
ok('BatchNormInference', 1, [PARTS[0], PARTS[1], BATCH, PARTS[2], PARTS[3]], [NORMED],
   types='f32 f16', epsilon=0.5)
bad('BatchNormInference', 5, [zeros('f32', 1, 3), *[zeros('f32', 2)] * 4], epsilon=0.5)
bad('BatchNormInference', 1, [zeros('f32', 2), zeros('f32', 2), zeros('f32', 1, 3),
                              zeros('f32', 2), zeros('f32', 2)], epsilon=0.5)

L2 = t([[[3], [4]]])
ok('NormalizeL2', 1, [L2, const(i64([1]))], [t([[[0.6], [0.8]]])], types='f32 f16', eps=1e-10,
   eps_mode='add')
ok('NormalizeL2', 1, [L2, const(i64([1]))], [t([[[0.3], [0.4]]])], types='f32', eps=100,
   eps_mode='max')
ok('NormalizeL2', 1, [L2, const(i64([1]))], [t([[[3 / 13], [4 / 13]]])], types='f32', eps=144,
   eps_mode='add')
# Without axes, each element is divided by its own magnitude.
ok('NormalizeL2', 1, [f32([[2, -3]]), const(i64([], (0,)))], [f32([[1, 1]])], eps=1e-10,
   eps_mode='add')
bad('NormalizeL2', 1, [L2.as_type('f32'), const(i64([3]))], eps=1, eps_mode='add')
bad('NormalizeL2', 1, [L2.as_type('f32'), const(i64([1]))], eps=1, eps_mode='mul')

# alpha / size * sum of squares within the window
LRN = [1, 2, 3, 4]
ok('LRN', 1, [t(LRN, (1, 4, 1, 1)), const(i64([1]))],
   [t([x / (2 + 3 / 3 * sum(y * y for y in LRN[max(0, i - 1):i + 2])) ** 0.5
       for i, x in enumerate(LRN)], (1, 4, 1, 1))], types='f32 f16', alpha=3, beta=0.5, bias=2,
   size=3)
bad('LRN', 1, [zeros('f32', 1, 4, 1, 1), const(i64([4]))], alpha=3, beta=0.5, bias=2, size=3)
bad('LRN', 1, [zeros('f32', 1, 4, 1, 1), const(i64([1]))], alpha=3, beta=0.5, bias=2)

ok('GRN', 1, [t([3, 0, 4, 2], (1, 2, 1, 2))],
   [t([3 / math.sqrt(26), 0, 4 / math.sqrt(26), 2 / math.sqrt(5)], (1, 2, 1, 2))],
   types='f32 f16', bias=1)
bad('GRN', 1, [zeros('i32', 1, 2, 1, 2)], bias=1)

SQUARE = t([1, 2, 3, 4, 5, 6, 7, 8, 9], (1, 1, 3, 3))


def around(n, c, i, j):
    near = [SQUARE.data[a * 3 + b] ** 2 for a in range(max(0, i - 1), min(3, i + 2))
            for b in range(max(0, j - 1), min(3, j + 2))]
    return SQUARE.data[i * 3 + j] / (1 + 2 / 9 * sum(near)) ** 0.75


ok('LRN', 1, [SQUARE, const(i64([2, 3]))], [fill('T', (1, 1, 3, 3), around)], types='f32', alpha=2,
   beta=0.75, bias=1, size=3)
ok('LRN', 1, [SQUARE, const(i64([], (0,)))],
   [t([x / (1 + 2 * x * x) ** 0.75 for x in SQUARE.data], (1, 1, 3, 3))], types='f32', alpha=2,
   beta=0.75, bias=1, size=3)
ok('NormalizeL2', 1, [SQUARE, const(i64([2, 3]))],
   [t([x / math.sqrt(286) for x in SQUARE.data], (1, 1, 3, 3))], types='f32', eps=1,
   eps_mode='add')
ok('ReduceMean', 1, [t([[1, 2], [-4, -7]]), const(i64([1]))], [t([1, -5])], types='i32 i8')
ok('ReduceL2', 4, [t([[3, 4]]), const(i64([1]))], [t([5])], types='i32 u8')
ok('CumSum', 3, [t([200, 100]), const(i64(0))], [t([200, 44])], types='u8')
