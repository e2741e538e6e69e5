# SPDX-FileCopyrightText: 2026 The inferfilter authors
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Tensors of rank six and seven, along and across each axis."""

import math

from frame import at, const, fill, i64, indices, ok, ramp, t

LEFT, RIGHT = ramp('T', 2, 1, 3, 1, 2, 1, 2), ramp('T', 1, 2, 1, 2, 1, 3, 1, start=1)


def wrapped(tensor, index):
    return at(tensor, *(i % n for i, n in zip(index, tensor.shape)))


ok('Add', 1, [LEFT, RIGHT], [fill('T', (2, 2, 3, 2, 2, 3, 2),
                                  lambda *i: wrapped(LEFT, i) + wrapped(RIGHT, i))],
   types='f32 i32 i64 f64 u8')

SEVEN = ramp('T', 2, 3, 1, 2, 2, 3, 2)
for ORDER in ([6, 5, 4, 3, 2, 1, 0], [0, 2, 1, 4, 3, 6, 5], [3, 0, 6, 1, 5, 2, 4]):
    ok('Transpose', 1, [SEVEN, const(i64(ORDER))],
       [fill('T', [SEVEN.shape[axis] for axis in ORDER],
             lambda *i: at(SEVEN, *(i[ORDER.index(d)] for d in range(7))))], types='f32 u8 i64')
for AXES in ([0, 2, 4, 6], [1, 3, 5], [0, 6], [3]):
    KEPT = [d for d in range(7) if d not in AXES]
    GROUPS = {}
    for INDEX in indices(*SEVEN.shape):
        GROUPS.setdefault(tuple(INDEX[d] for d in KEPT), []).append(at(SEVEN, *INDEX))
    for KIND, FORMULA in (('ReduceSum', sum), ('ReduceMax', max)):
        ok(KIND, 1, [SEVEN, const(i64(AXES))],
           [fill('T', [SEVEN.shape[d] for d in KEPT], lambda *i: FORMULA(GROUPS[i]))],
           types='f32 i32 f64')

SIX = t([i * 7 % 13 / 4 for i in range(144)], (2, 2, 3, 2, 3, 2))
RISING = ramp('T', *SIX.shape)
for AXIS, LENGTH in enumerate(SIX.shape):
    def line(tensor, index):
        """All elements along the axis."""
        return [at(tensor, *index[:AXIS], k, *index[AXIS + 1:]) for k in range(LENGTH)]

    def softmax(*i):
        return math.exp(at(SIX, *i)) / sum(map(math.exp, line(SIX, i)))

    def resized(length):
        return [length if d == AXIS else n for d, n in enumerate(SIX.shape)]

    ok('SoftMax', 8, [SIX], [fill('T', SIX.shape, softmax)], types='f32', axis=AXIS)
    ok('LogSoftmax', 5, [SIX], [fill('T', SIX.shape, lambda *i: math.log(softmax(*i)))],
       types='f32', axis=AXIS - 6)
    ok('Concat', 1, [SIX, SIX], [fill('T', resized(2 * LENGTH), lambda *i: wrapped(SIX, i))],
       types='f32', axis=AXIS)
    ok('CumSum', 3, [SIX, const(i64(AXIS))],
       [fill('T', SIX.shape, lambda *i: sum(line(SIX, i)[:i[AXIS] + 1]))], types='f32')
    ok('Gather', 8, [SIX, i64([1, 0, 1]), const(i64(AXIS))],
       [fill('T', resized(3), lambda *i: line(SIX, i)[(1, 0, 1)[i[AXIS]]])], types='f32')
    ok('TopK', 11, [RISING, const(i64(2))],
       [fill('T', resized(2), lambda *i: line(RISING, i)[::-1][i[AXIS]]),
        fill('i32', resized(2), lambda *i: LENGTH - 1 - i[AXIS])], types='f32', axis=AXIS,
       mode='max', sort='value')

SMALL = ramp('T', 2, 1, 2, 1, 2, 2)
BEGIN, END = [1, 0, 1, 0, 0, 1], [0, 1, 0, 0, 1, 0]


def padded(*index):
    index = [i - b for i, b in zip(index, BEGIN)]
    inside = all(0 <= i < n for i, n in zip(index, SMALL.shape))
    return at(SMALL, *index) if inside else 9


ok('Pad', 12, [SMALL, const(i64(BEGIN)), const(i64(END)), const(t(9))],
   [fill('T', [n + b + e for n, b, e in zip(SMALL.shape, BEGIN, END)], padded)],
   types='f32 u8', pad_mode='constant')
A = t([i % 5 - 2 for i in range(36)], (2, 1, 3, 2, 3))
B = t([i % 7 - 3 for i in range(72)], (1, 4, 1, 3, 6))
ok('MatMul', 1, [A, B], [fill('T', (2, 4, 3, 2, 6), lambda a, b, c, i, j: sum(
    at(A, a, 0, c, i, k) * at(B, 0, b, 0, k, j) for k in range(3)))], types='f32 i32 f64')
