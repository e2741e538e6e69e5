# SPDX-FileCopyrightText: 2026 The inferfilter authors
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Convolutions of all kinds, and poolings."""

import itertools
import math

from frame import at, bad, const, f32, fill, i32, i64, indices, ok, ramp, t, zeros

# Small integers, exact in every type.


def pattern(kind, *shape):
    count = math.prod(shape)
    return t([(i * 7 + i // 5) % 5 - 2 for i in range(count)], shape).as_type(kind)


class Window:
    def __init__(self, spatial, strides=None, pads_begin=None, pads_end=None, dilations=None):
        ones, none = [1] * spatial, [0] * spatial
        self.strides, self.dilations = strides or ones, dilations or ones
        self.pads_begin, self.pads_end = pads_begin or none, pads_end or none

    def attributes(self):
        return dict(strides=self.strides, pads_begin=self.pads_begin, pads_end=self.pads_end,
                    dilations=self.dilations)


def convolution(data, filters, window, groups=1):
    """Filters [O, I / groups, …]."""
    kernel = filters.shape[2:]
    per_group, outputs = filters.shape[1], filters.shape[0] // groups
    sizes = [(n + b + e - (k - 1) * d - 1) // s + 1 for n, b, e, k, d, s in zip(
        data.shape[2:], window.pads_begin, window.pads_end, kernel, window.dilations,
        window.strides)]

    def value(n, o, *place):
        total = 0
        for tap in indices(*kernel):
            where = [p * s + k * d - b for p, s, k, d, b in zip(
                place, window.strides, tap, window.dilations, window.pads_begin)]
            if all(0 <= w < size for w, size in zip(where, data.shape[2:])):
                for c in range(per_group):
                    total += (at(data, n, o // outputs * per_group + c, *where)
                              * at(filters, o, c, *tap))
        return total
    return fill('T', (data.shape[0], filters.shape[0], *sizes), value)


def transposed(data, filters, window, groups=1, output_padding=None):
    """Filters [I, O / groups, …]."""
    kernel = filters.shape[2:]
    per_group, inputs = filters.shape[1], filters.shape[0] // groups
    sizes = [(n - 1) * s + (k - 1) * d + 1 - b - e + o for n, s, k, d, b, e, o in zip(
        data.shape[2:], window.strides, kernel, window.dilations, window.pads_begin,
        window.pads_end, output_padding or [0] * len(kernel))]
    result = zeros('T', data.shape[0], per_group * groups, *sizes)
    strides = [math.prod(result.shape[i + 1:]) for i in range(len(result.shape))]
    for n, c, *place in indices(*data.shape):
        for o in range(per_group):
            for tap in indices(*kernel):
                where = [p * s + k * d - b for p, s, k, d, b in zip(
                    place, window.strides, tap, window.dilations, window.pads_begin)]
                if all(0 <= w < size for w, size in zip(where, sizes)):
                    spot = (n, c // inputs * per_group + o, *where)
                    result.data[sum(map(int.__mul__, spot, strides))] += (
                        at(data, n, c, *place) * at(filters, c, o, *tap))
    return result


def grouped(tensor, groups):
    return t(tensor.data, (groups, tensor.shape[0] // groups, *tensor.shape[1:]))


WINDOWS = [
    (1, (7,), (3,), Window(1)),
    (1, (9,), (3,), Window(1, [2], [1], [2], [2])),
    (2, (5, 6), (3, 3), Window(2, None, [1, 1], [1, 1])),
    (2, (5, 6), (3, 2), Window(2, [2, 1], [0, 1], [2, 0])),
    (2, (6, 6), (2, 3), Window(2, [1, 3], [1, 0], [0, 2], [3, 1])),
    (2, (4, 4), (1, 1), Window(2)),
    (2, (4, 4), (2, 2), Window(2, None, [-1, 0], [0, -1])),
    (3, (3, 4, 3), (2, 2, 2), Window(3, [1, 2, 1], [0, 1, 0], [1, 0, 1])),
]
CONVOLUTION_TYPES = 'f32 f16 bf16 f64'
for SPATIAL, SIZE, KERNEL, WINDOW in WINDOWS:
    DATA, FILTERS = pattern('T', 2, 4, *SIZE), pattern('T', 6, 4, *KERNEL)
    ok('Convolution', 1, [DATA, const(FILTERS)], [convolution(DATA, FILTERS, WINDOW)],
       types=CONVOLUTION_TYPES, **WINDOW.attributes())
    for GROUPS, OUT in ((2, 6), (4, 4), (4, 8)):
        FILTERS = pattern('T', OUT, 4 // GROUPS, *KERNEL)
        ok('GroupConvolution', 1, [DATA, const(grouped(FILTERS, GROUPS))],
           [convolution(DATA, FILTERS, WINDOW, GROUPS)], types='f32 f16', **WINDOW.attributes())
    if min(WINDOW.pads_begin + WINDOW.pads_end) < 0:
        continue
    FILTERS = pattern('T', 4, 3, *KERNEL)
    ok('ConvolutionBackpropData', 1, [DATA, const(FILTERS)], [transposed(DATA, FILTERS, WINDOW)],
       types=CONVOLUTION_TYPES, **WINDOW.attributes())
    for GROUPS in (2, 4):
        ok('GroupConvolutionBackpropData', 1, [DATA, const(grouped(FILTERS, GROUPS))],
           [transposed(DATA, FILTERS, WINDOW, GROUPS)], types='f32 f16', **WINDOW.attributes())

# Enough channels for blocked and vector kernels, with and without a remainder.
for CHANNELS, OUT in ((16, 32), (3, 17), (33, 5)):
    WINDOW = Window(2, [2, 2], [1, 1], [1, 1])
    DATA, FILTERS = pattern('T', 1, CHANNELS, 5, 5), pattern('T', OUT, CHANNELS, 3, 3)
    ok('Convolution', 1, [DATA, const(FILTERS)], [convolution(DATA, FILTERS, WINDOW)],
       types='f32', **WINDOW.attributes())
    FILTERS = pattern('T', CHANNELS, 1, 3, 3)
    ok('GroupConvolution', 1, [DATA, const(grouped(FILTERS, CHANNELS))],
       [convolution(DATA, FILTERS, WINDOW, CHANNELS)], types='f32', **WINDOW.attributes())

# auto_pad: an odd pixel at the end or at the start; explicit pads are ignored.
DATA, FILTERS = pattern('T', 1, 2, 5, 5), pattern('T', 3, 2, 2, 2)
for PAD, BEGIN, END in (('same_upper', 0, 1), ('same_lower', 1, 0), ('valid', 0, 0)):
    WANT = convolution(DATA, FILTERS, Window(2, None, [BEGIN] * 2, [END] * 2))
    ok('Convolution', 1, [DATA, const(FILTERS)], [WANT], types='f32', auto_pad=PAD,
       strides=[1, 1], dilations=[1, 1], pads_begin=[3, 3], pads_end=[3, 3])
    ok('GroupConvolution', 1, [DATA, const(grouped(FILTERS, 1))], [WANT], types='f32',
       auto_pad=PAD, strides=[1, 1], dilations=[1, 1], pads_begin=[3, 3], pads_end=[3, 3])
PLAIN = Window(2).attributes()
ok('Convolution', 1, [zeros('f32', 0, 2, 5, 5), const(zeros('f32', 3, 2, 2, 2))],
   [zeros('f32', 0, 3, 4, 4)], **PLAIN)
for KIND, FILTERS in (('Convolution', zeros('f32', 3, 2, 2, 2)),
                      ('GroupConvolution', zeros('f32', 1, 3, 2, 2, 2)),
                      ('ConvolutionBackpropData', zeros('f32', 2, 3, 2, 2)),
                      ('GroupConvolutionBackpropData', zeros('f32', 1, 2, 3, 2, 2))):
    bad(KIND, 1, [zeros('f32', 1, 3, 5, 5), FILTERS], **PLAIN)
    bad(KIND, 1, [zeros('f32', 1, 2, 5), FILTERS], **PLAIN)
    bad(KIND, 1, [zeros('f16', 1, 2, 5, 5), FILTERS], **PLAIN)
    bad(KIND, 1, [zeros('f32', 1, 2, 5, 5), FILTERS], **{**PLAIN, 'strides': [0, 1]})
    bad(KIND, 1, [zeros('f32', 1, 2, 5, 5), FILTERS], **{**PLAIN, 'dilations': [1]})
bad('Convolution', 1, [zeros('f32', 1, 2, 1, 1), zeros('f32', 3, 2, 2, 2)], **PLAIN)

# The requested size determines the pads, half on each side.
DATA, FILTERS = pattern('T', 1, 2, 3, 3), pattern('T', 2, 3, 3, 3)
STRIDED = dict(strides=[2, 2], dilations=[1, 1], pads_begin=[0, 0], pads_end=[0, 0])
for KIND, GIVEN in (('ConvolutionBackpropData', FILTERS),
                    ('GroupConvolutionBackpropData', grouped(FILTERS, 1))):
    ok(KIND, 1, [DATA, const(GIVEN), const(i32([5, 5]))],
       [transposed(DATA, FILTERS, Window(2, [2, 2], [1, 1], [1, 1]))], types='f32',
       auto_pad='same_upper', **STRIDED)
    ok(KIND, 1, [DATA, const(GIVEN)],
       [transposed(DATA, FILTERS, Window(2, [2, 2], [1, 1], [1, 1]), 1, [1, 0])], types='f32',
       **{**STRIDED, 'pads_begin': [1, 1], 'pads_end': [1, 1], 'output_padding': [1, 0]})
    bad(KIND, 1, [DATA.as_type('f32'), const(GIVEN.as_type('f32')), const(i64([5]))],
        auto_pad='same_upper', **STRIDED)

# --- deformable ---------------------------------------------------------------------------

DATA, FILTERS = pattern('T', 1, 2, 4, 4), pattern('T', 3, 2, 2, 2)
STILL = const(zeros('T', 1, 8, 3, 3))
ok('DeformableConvolution', (1, 8), [DATA, STILL, const(FILTERS)],
   [convolution(DATA, FILTERS, Window(2))], types='f32 f16', **PLAIN)
# Every tap one to the right: as if the picture were shifted by one.
RIGHT = t([k % 2 for k in range(8) for _ in range(9)], (1, 8, 3, 3))
SHIFTED = fill('T', (1, 2, 4, 4), lambda n, c, y, x: at(DATA, n, c, y, x + 1) if x < 3 else 0)
ok('DeformableConvolution', (1, 8), [DATA, const(RIGHT), const(FILTERS)],
   [convolution(SHIFTED, FILTERS, Window(2))], types='f32', **PLAIN)
# Half a pixel down: the mean of two rows; the last with zeros.
DOWN = t([(1 - k % 2) / 2 for k in range(8) for _ in range(9)], (1, 8, 3, 3))
BETWEEN = fill('T', (1, 2, 4, 4), lambda n, c, y, x: (
    at(DATA, n, c, y, x) + (at(DATA, n, c, y + 1, x) if y < 3 else 0)) / 2)
ok('DeformableConvolution', 8, [DATA, const(DOWN), const(FILTERS)],
   [convolution(BETWEEN, FILTERS, Window(2))], types='f32', bilinear_interpolation_pad=True,
   **PLAIN)
MASK = const(t([0.5], (1, 4, 3, 3)))
ok('DeformableConvolution', 8, [DATA, STILL, const(FILTERS), MASK],
   [t([x / 2 for x in convolution(DATA, FILTERS, Window(2)).data], (1, 3, 3, 3))],
   types='f32 f16', **PLAIN)
ok('DeformableConvolution', (1, 8), [DATA, const(zeros('T', 1, 16, 3, 3)),
                                     const(pattern('T', 4, 1, 2, 2))],
   [convolution(DATA, pattern('T', 4, 1, 2, 2), Window(2), 2)], types='f32', group=2,
   deformable_group=2, **PLAIN)
bad('DeformableConvolution', (1, 8), [zeros('f32', 1, 2, 4, 4), zeros('f32', 1, 4, 3, 3),
                                      zeros('f32', 3, 2, 2, 2)], **PLAIN)
bad('DeformableConvolution', (1, 8), [zeros('f32', 1, 3, 4, 4), zeros('f32', 1, 8, 3, 3),
                                      zeros('f32', 3, 2, 2, 2)], **PLAIN)

# --- binary: equal bits minus different bits -------------------------------------------

BITS = t([1, 0, 1, 1, 0, 0, 1, 0, 1], (1, 1, 3, 3))
FILTER = [1, 0, 0, 1, 1, 1, 0, 1]


def agree(n, o, y, x):
    pairs = [(BITS.data[(y + a) * 3 + x + b], FILTER[o * 4 + a * 2 + b])
             for a, b in itertools.product(range(2), range(2))]
    return sum(1 if p == q else -1 for p, q in pairs)


# Only this operation reads the lowest bit first.
ok('BinaryConvolution', 1, [BITS, const(t(FILTER[::-1], (2, 1, 2, 2)).as_type('u1'))],
   [fill('T', (1, 2, 2, 2), agree)], types='f32 f16', variants='sdf', mode='xnor-popcount',
   pad_value=0, **PLAIN)
bad('BinaryConvolution', 1, [zeros('f32', 1, 1, 3, 3), zeros('f32', 1, 1, 2, 2)],
    mode='xnor-popcount', pad_value=0, **PLAIN)
bad('BinaryConvolution', 1, [zeros('f32', 1, 1, 3, 3), const(zeros('u1', 1, 1, 2, 2))],
    mode='xor', pad_value=0, **PLAIN)

# --- pooling ------------------------------------------------------------------------------------


def pool(data, kernel, window, what, rounding='floor', pad_counts=False):
    """what (values inside, number of taps counted)"""
    sizes = []
    for n, b, e, k, d, s in zip(data.shape[2:], window.pads_begin, window.pads_end, kernel,
                                window.dilations, window.strides):
        room = n + b + e - (k - 1) * d - 1
        out = (room + (s - 1 if rounding != 'floor' else 0)) // s + 1
        if rounding == 'ceil_torch' and (out - 1) * s >= n + b:
            out -= 1
        sizes.append(out)

    def value(n, c, *place):
        inside, count = [], 0
        for tap in indices(*kernel):
            where = [p * s + k * d - b for p, s, k, d, b in zip(
                place, window.strides, tap, window.dilations, window.pads_begin)]
            count += all(w < size + e for w, size, e in zip(where, data.shape[2:],
                                                             window.pads_end))
            if all(0 <= w < size for w, size in zip(where, data.shape[2:])):
                flat = 0
                for w, size in zip(where, data.shape[2:]):
                    flat = flat * size + w
                inside.append((at(data, n, c, *where), flat))
        return what(inside, count)
    return fill('T', (*data.shape[:2], *sizes), value)


def greatest(inside, count):
    return max(x for x, _ in inside)


def first_greatest(inside, count):
    return max(inside, key=lambda pair: (pair[0], -pair[1]))[1]


def mean_inside(inside, count):
    return sum(x for x, _ in inside) / len(inside)


def mean_padded(inside, count):
    return sum(x for x, _ in inside) / count


POOLS = [
    ((7,), (3,), Window(1, [2])),
    ((5, 6), (2, 3), Window(2, [1, 2], [1, 1], [0, 1])),
    ((6, 6), (3, 3), Window(2, [2, 2], [1, 1], [1, 1])),
    ((4, 4, 4), (2, 2, 2), Window(3, [2, 1, 2], [0, 1, 0], [1, 0, 0])),
]
for SIZE, KERNEL, WINDOW in POOLS:
    DATA = pattern('T', 2, 3, *SIZE)
    GIVEN = dict(kernel=KERNEL, strides=WINDOW.strides, pads_begin=WINDOW.pads_begin,
                 pads_end=WINDOW.pads_end)
    ok('MaxPool', 1, [DATA], [pool(DATA, KERNEL, WINDOW, greatest)], types='f32 f16 bf16 i8 i32',
       rounding_type='floor', **GIVEN)
    ok('AvgPool', (1, 14, 16), [DATA], [pool(DATA, KERNEL, WINDOW, mean_inside)],
       types='f32 f16', **{**GIVEN, 'exclude-pad': True})
    ok('AvgPool', (1, 14, 16), [DATA], [pool(DATA, KERNEL, WINDOW, mean_padded)],
       types='f32 f16', **{**GIVEN, 'exclude-pad': False})
    ok('MaxPool', (8, 14), [DATA], [pool(DATA, KERNEL, WINDOW, greatest),
                                    pool(DATA, KERNEL, WINDOW, first_greatest).as_type('i64')],
       types='f32 f16 i8', axis=2, **GIVEN)
# 6 wide, windows of 3 in steps of 2 with one pixel of padding: 3 or, rounded up, 4; the
# fourth begins in the padding, which PyTorch does not want.
DATA = pattern('T', 1, 1, 6)
for OPSET, ROUNDING in ((1, 'floor'), (1, 'ceil'), (8, 'ceil'), (14, 'ceil'), (14, 'ceil_torch')):
    for PADS in (0, 1):
        WINDOW = Window(1, [2], [PADS], [PADS])
        OUT = [pool(DATA, (3,), WINDOW, greatest, ROUNDING)]
        OUT += [pool(DATA, (3,), WINDOW, first_greatest, ROUNDING).as_type('i32')] * (OPSET > 1)
        ok('MaxPool', OPSET, [DATA], OUT, types='f32', kernel=[3], strides=[2],
           pads_begin=[PADS], pads_end=[PADS], rounding_type=ROUNDING,
           **({'index_element_type': 'i32'} if OPSET > 1 else {}))
        if OPSET != 8:
            ok('AvgPool', OPSET, [DATA], [pool(DATA, (3,), WINDOW, mean_inside, ROUNDING)],
               types='f32', kernel=[3], strides=[2], pads_begin=[PADS], pads_end=[PADS],
               rounding_type=ROUNDING, **{'exclude-pad': True})
WINDOW = Window(2, [1, 1], [0, 0], [0, 0], [2, 2])
DATA = pattern('T', 2, 2, 5, 5)
# The index counts from axis 2, 1 or 0: the channel, then the batch come in.
for AXIS, IN_CHANNEL, IN_BATCH in ((2, 0, 0), (-3, 25, 0), (1, 25, 0), (0, 25, 50)):
    INDEX = pool(DATA, (2, 2), WINDOW, first_greatest)
    INDEX = i64([x + i // 9 % 2 * IN_CHANNEL + i // 18 * IN_BATCH
                 for i, x in enumerate(INDEX.data)], INDEX.shape)
    ok('MaxPool', (8, 14), [DATA], [pool(DATA, (2, 2), WINDOW, greatest), INDEX], types='f32',
       kernel=[2, 2], strides=[1, 1], dilations=[2, 2], pads_begin=[0, 0], pads_end=[0, 0],
       axis=AXIS)
bad('MaxPool', (8, 14), [zeros('f32', 1, 1, 2)], 2, kernel=[1], strides=[1], pads_begin=[0],
    pads_end=[0], axis=3)
ok('MaxPool', 1, [t([[[5, 1, 2]]])], [t([[[5, 5, 2]]])], types='f32', kernel=[2], strides=[1],
   pads_begin=[0], pads_end=[0], auto_pad='same_lower')
ok('MaxPool', 1, [t([[[5, 1, 2]]])], [t([[[5, 2, 2]]])], types='f32', kernel=[2], strides=[1],
   pads_begin=[0], pads_end=[0], auto_pad='same_upper')
for KIND, OPSETS, OUTPUTS, MORE in (('MaxPool', (1,), 1, {}), ('MaxPool', (8, 14), 2, {}),
                                    ('AvgPool', (1, 14, 16), 1, {'exclude-pad': True})):
    bad(KIND, OPSETS, [zeros('f32', 1, 1, 1)], OUTPUTS, kernel=[2], strides=[1], pads_begin=[0],
        pads_end=[0], **MORE)
    bad(KIND, OPSETS, [zeros('f32', 1, 1)], OUTPUTS, kernel=[1], strides=[1], pads_begin=[0],
        pads_end=[0], **MORE)
    bad(KIND, OPSETS, [zeros('boolean', 1, 1, 2)], OUTPUTS, kernel=[1], strides=[1],
        pads_begin=[0], pads_end=[0], **MORE)
    bad(KIND, OPSETS, [zeros('f32', 1, 1, 2)], OUTPUTS, kernel=[1], strides=[0], pads_begin=[0],
        pads_end=[0], **MORE)
    bad(KIND, OPSETS, [zeros('f32', 1, 1, 2)], OUTPUTS, strides=[1], pads_begin=[0], pads_end=[0],
        **MORE)
bad('AvgPool', (1, 14, 16), [zeros('f32', 1, 1, 2)], kernel=[1], strides=[1], pads_begin=[0],
    pads_end=[0])

# Windows from floor (i n / m) to ceil ((i + 1) n / m).
ROW = [3, 1, 4, 1, 5, 9, 2]


def adaptive(size, what):
    return [what(ROW[i * 7 // size:-(-(i + 1) * 7 // size)]) for i in range(size)]


def spot(size):
    return [max(range(i * 7 // size, -(-(i + 1) * 7 // size)), key=lambda j: (ROW[j], -j))
            for i in range(size)]


for SIZE in (1, 3, 7, 9):
    ok('AdaptiveAvgPool', 8, [t([[ROW]]), const(i64([SIZE]))],
       [t([[adaptive(SIZE, lambda part: sum(part) / len(part))]])], types='f32 f16')
    ok('AdaptiveMaxPool', 8, [t([[ROW]]), const(i32([SIZE]))],
       [t([[adaptive(SIZE, max)]]), i64([[spot(SIZE)]])], types='f32 f16')
SQUARE = ramp('T', 1, 2, 4, 4)
ok('AdaptiveAvgPool', 8, [SQUARE, const(i64([2, 1]))], [t([[[[3.5], [11.5]], [[19.5], [27.5]]]])],
   types='f32')
ok('AdaptiveMaxPool', 8, [SQUARE, const(i64([2, 1]))],
   [t([[[[7], [15]], [[23], [31]]]]), i32([[[[7], [15]], [[7], [15]]]])], types='f32',
   index_element_type='i32')
ok('AdaptiveAvgPool', 8, [ramp('f32', 1, 1, 2, 2, 2), const(i64([1, 1, 1]))],
   [f32([[[[[3.5]]]]])])
for KIND, OUTPUTS in (('AdaptiveAvgPool', 1), ('AdaptiveMaxPool', 2)):
    bad(KIND, 8, [zeros('f32', 1, 1, 4), const(i64([2, 2]))], OUTPUTS)
    bad(KIND, 8, [zeros('f32', 1, 4), const(i64([2]))], OUTPUTS)
    bad(KIND, 8, [zeros('f32', 1, 1, 4), const(f32([2]))], OUTPUTS)

# Padding counts as less than any number.
ok('MaxPool', 1, [t([[[-5, -7, -6]]])], [t([[[-5, -5, -6, -6]]])], types='f32 i8 i32', kernel=[2],
   strides=[1], pads_begin=[1], pads_end=[1])
for STRIDE, DILATION, SIZE in itertools.product((1, 2, 3), (1, 2), (5, 6, 7)):
    TOTAL = max((-(-SIZE // STRIDE) - 1) * STRIDE + 2 * DILATION + 1 - SIZE, 0)
    DATA, FILTERS = pattern('T', 1, 2, SIZE), pattern('T', 3, 2, 3)
    for PAD, BEGIN in (('same_upper', TOTAL // 2), ('same_lower', TOTAL - TOTAL // 2)):
        ok('Convolution', 1, [DATA, const(FILTERS)],
           [convolution(DATA, FILTERS, Window(1, [STRIDE], [BEGIN], [TOTAL - BEGIN], [DILATION]))],
           types='f32', strides=[STRIDE], dilations=[DILATION], pads_begin=[0], pads_end=[0],
           auto_pad=PAD)
