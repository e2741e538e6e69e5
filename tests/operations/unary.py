# SPDX-FileCopyrightText: 2026 The inferfilter authors
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Element-wise operations of one operand."""

import math

from frame import (ALL, NUMBERS, REAL, SIGNED, Graph, bad, bf16, boolean, const, f16, f32,
                   graph_case, i8, i16, i32, ok, t, u8, zeros)

HALVES = [-2.5, -1.5, -0.5, -0.0, 0.25, 0.5, 1.5, 2.5]
inf, nan = math.inf, math.nan


def sigmoid(x):
    return 1 / (1 + math.exp(-x))


def gelu_tanh(x):
    return 0.5 * x * (1 + math.tanh(math.sqrt(2 / math.pi) * (x + 0.044715 * x ** 3)))


def round_even(x):
    return float(round(x))


def round_away(x):
    return math.copysign(math.floor(abs(x) + 0.5), x)


# Type, opset, function, domain, attributes.
FORMULAS = [
    ('Acos', 1, math.acos, [-1, -0.5, 0, 0.75, 1], {}),
    ('Acosh', 4, math.acosh, [1, 1.5, 4, 100], {}),
    ('Asin', 1, math.asin, [-1, -0.5, 0, 0.75, 1], {}),
    ('Asinh', 4, math.asinh, [-100, -1, 0, 0.5, 3], {}),
    ('Atan', 1, math.atan, [-100, -1, 0, 0.5, 3], {}),
    ('Atanh', 4, math.atanh, [-0.75, 0, 0.5], {}),
    ('Ceiling', 1, math.ceil, HALVES, {}),
    ('Cos', 1, math.cos, [-3, -0.5, 0, 1, 6.25], {}),
    ('Cosh', 1, math.cosh, [-3, -0.5, 0, 1, 4], {}),
    ('Elu', 1, lambda x: x if x >= 0 else 1.5 * (math.exp(x) - 1), HALVES, {'alpha': 1.5}),
    ('Erf', 1, math.erf, [-4, -0.5, 0, 0.125, 1, 3], {}),
    ('Exp', 1, math.exp, [-5, -0.5, 0, 1, 4.5], {}),
    ('Floor', 1, math.floor, HALVES, {}),
    ('Gelu', 2, lambda x: 0.5 * x * (1 + math.erf(x / math.sqrt(2))), HALVES, {}),
    ('Gelu', 7, lambda x: 0.5 * x * (1 + math.erf(x / math.sqrt(2))), HALVES,
     {'approximation_mode': 'ERF'}),
    ('Gelu', 7, gelu_tanh, HALVES, {'approximation_mode': 'TANH'}),
    ('HSigmoid', 5, lambda x: min(max(x + 3, 0), 6) / 6, [-5, -3, -1, 0, 2, 3, 7], {}),
    ('HSwish', 4, lambda x: x * min(max(x + 3, 0), 6) / 6, [-5, -3, -1, 0, 2, 3, 7], {}),
    ('Log', 1, math.log, [0.125, 0.5, 1, 3, 100], {}),
    ('Mish', 4, lambda x: x * math.tanh(math.log1p(math.exp(x))), [-5, -0.5, 0, 1, 6], {}),
    ('Round', 5, round_even, HALVES, {'mode': 'half_to_even'}),
    ('Round', 5, round_even, HALVES, {}),
    ('Round', 5, round_away, HALVES, {'mode': 'half_away_from_zero'}),
    ('Sigmoid', 1, sigmoid, [-9, -0.5, 0, 1, 7], {}),
    ('Sin', 1, math.sin, [-3, -0.5, 0, 1, 6.25], {}),
    ('Sinh', 1, math.sinh, [-3, -0.5, 0, 1, 4], {}),
    ('SoftPlus', 4, lambda x: math.log1p(math.exp(x)), [-9, -0.5, 0, 1, 6], {}),
    ('SoftSign', 9, lambda x: x / (1 + abs(x)), [-9, -0.5, 0, 1, 6], {}),
    ('Sqrt', 1, math.sqrt, [0, 0.25, 1, 2, 100], {}),
    ('Swish', 4, lambda x: x * sigmoid(x), [-9, -0.5, 0, 1, 6], {}),
    ('Tan', 1, math.tan, [-1.25, -0.5, 0, 1], {}),
    ('Tanh', 1, math.tanh, [-4, -0.5, 0, 1, 4], {}),
]
for KIND, OPSET, FORMULA, POINTS, ATTRIBUTES in FORMULAS:
    ok(KIND, OPSET, [t(POINTS)], [t(list(map(FORMULA, POINTS)))], types=REAL, **ATTRIBUTES)
    ok(KIND, OPSET, [t(POINTS[1])], [t(FORMULA(POINTS[1]))], types='f32', **ATTRIBUTES)
    ok(KIND, OPSET, [zeros('f32', 2, 0)], [zeros('f32', 2, 0)], **ATTRIBUTES)
    bad(KIND, OPSET, [boolean([True])], **ATTRIBUTES)
    bad(KIND, OPSET, [f32([0]), f32([0]), f32([0]), f32([0])], **ATTRIBUTES)
# Longer than any vector, not a multiple.
for KIND, FORMULA in (('Exp', math.exp), ('Tanh', math.tanh), ('Sigmoid', sigmoid),
                      ('Erf', math.erf)):
    POINTS = [(i - 33) / 8 for i in range(67)]
    ok(KIND, 1, [t(POINTS)], [t(list(map(FORMULA, POINTS)))], types='f32 f64 f16')
ok('Exp', 1, [f32([-inf, inf, nan, -200, 200])], [f32([0, inf, nan, 0, inf])])
ok('Tanh', 1, [f32([-inf, inf, nan, 50])], [f32([-1, 1, nan, 1])])
ok('Sigmoid', 1, [f32([-inf, inf, nan, -200])], [f32([0, 1, nan, 0])])
ok('Log', 1, [f32([0, -1, inf])], [f32([-inf, nan, inf])])
ok('Sqrt', 1, [f32([-1, inf])], [f32([nan, inf])])

# --- integers too ---------------------------------------------------------------

ok('Abs', 1, [t([-3, 0, 2])], [t([3, 0, 2])], types=SIGNED)
ok('Abs', 1, [t([3, 0, 200])], [t([3, 0, 200])], types='u8 u16 u32 u64')
ok('Negative', 1, [t([-3, 0, 2])], [t([3, 0, -2])], types=SIGNED)
ok('Sign', 1, [t([-3, 0, 2])], [t([-1, 0, 1])], types=SIGNED)
ok('Sign', 1, [t([0, 200])], [t([0, 1])], types='u8 u16 u32 u64')
ok('ReLU', 1, [t([-3, 0, 2])], [t([0, 0, 2])], types=SIGNED)
ok('ReLU', 1, [t([0, 200])], [t([0, 200])], types='u8 u16 u32 u64')
ok('Floor', 1, [t([-3, 0, 2])], [t([-3, 0, 2])], types='i8 i16 i32 i64')
ok('Ceiling', 1, [t([0, 200])], [t([0, 200])], types='u8 u16 u32 u64')
ok('Round', 5, [t([-3, 0, 2])], [t([-3, 0, 2])], types='i8 i16 i32 i64')
ok('Clamp', 1, [t([-9, -1, 0, 1, 9])], [t([-2, -1, 0, 1, 3])], types=SIGNED, min=-2, max=3)
ok('Clamp', 1, [t([0, 1, 9])], [t([1, 1, 3])], types='u8 u16 u32 u64', min=1, max=3)
# Bounds are rounded inwards for integers.
ok('Clamp', 1, [t([-9, 0, 9])], [t([-1, 0, 2])], types='i32 i64 i8', min=-1.5, max=2.7)
ok('Clamp', 1, [f32([-inf, inf])], [f32([-1.5, 2.75])], min=-1.5, max=2.75)
for KIND in ('Abs', 'Negative', 'Sign', 'ReLU'):
    bad(KIND, 1, [boolean([True])])
    bad(KIND, 1, [])
bad('Clamp', 1, [f32([1])], min=2, max=1)
bad('Clamp', 1, [f32([1])], min=2)
bad('Elu', 1, [f32([1])])
bad('Round', 5, [f32([1])], mode='up')
bad('Gelu', 7, [f32([1])], approximation_mode='none')
bad('Elu', 1, [i32([1])], alpha=1)

# --- with parameters -------------------------------------------------------------------

ok('Swish', 4, [t([-2, 0, 3]), const(t(0.5))],
   [t([x * sigmoid(0.5 * x) for x in (-2, 0, 3)])], types=REAL)
ok('Swish', 4, [f32([-2, 0, 3]), const(f32([0.5]))],
   [f32([x * sigmoid(0.5 * x) for x in (-2, 0, 3)])])
ok('HardSigmoid', 1, [t([-9, -1, 0, 1, 9]), const(t(0.25)), const(t(0.5))],
   [t([0, 0.25, 0.5, 0.75, 1])], types=REAL)
ok('Selu', 1, [t([-1, 0, 2]), const(t(2)), const(t(3))],
   [t([3 * (2 * math.exp(-1) - 2), 0, 6])], types=REAL)
bad('Swish', 4, [f32([1]), const(f32([1, 2]))])
bad('HardSigmoid', 1, [f32([1]), f16(0), f32(0)])
bad('Selu', 1, [f32([1]), f32([1, 2]), f32(0)])
bad('Selu', 1, [f32([1]), f32(2)])
bad('HardSigmoid', 1, [f32([1])])

# --- predicates ---------------------------------------------------------------------------

ODD = t([0, -inf, inf, nan, 1])
ok('IsFinite', 10, [ODD], [boolean([1, 0, 0, 0, 1])], types=REAL)
ok('IsNaN', 10, [ODD], [boolean([0, 0, 0, 1, 0])], types=REAL)
ok('IsInf', 10, [ODD], [boolean([0, 1, 1, 0, 0])], types=REAL)
ok('IsInf', 10, [ODD], [boolean([0, 1, 0, 0, 0])], types='f32', detect_positive=False)
ok('IsInf', 10, [ODD], [boolean([0, 0, 1, 0, 0])], types='f32', detect_negative=False)
ok('IsInf', 10, [ODD], [boolean([0, 0, 0, 0, 0])], types='f32', detect_negative=False,
   detect_positive=False)
for KIND in ('IsFinite', 'IsNaN', 'IsInf'):
    bad(KIND, 10, [i32([1])])

ok('ErfInv', 17, [t([math.erf(x) for x in (-1.5, -0.5, 0, 0.25, 1.25)])],
   [t([-1.5, -0.5, 0, 0.25, 1.25])], types='f32 f64', tol=(1e-4, 1e-5))
ok('ErfInv', 17, [f32([-1, 1, 2])], [f32([-inf, inf, nan])])
bad('ErfInv', 17, [i32([1])])

ok('LogicalNot', 1, [boolean([[True], [False]])], [boolean([[False], [True]])])
bad('LogicalNot', 1, [i32([1])])
ok('BitwiseNot', 13, [t([-1, 0, 5])], [t([0, -1, -6])], types='i8 i16 i32 i64')
ok('BitwiseNot', 13, [u8([0, 5])], [u8([255, 250])])
ok('BitwiseNot', 13, [boolean([True, False])], [boolean([False, True])])
bad('BitwiseNot', 13, [f32([1])])

# --- types ---------------------------------------------------------------------------------

SMALL = [0, 1, 100]
for TARGET in ALL.split():
    if TARGET != 'boolean':
        ok('Convert', 1, [t(SMALL)], [t(SMALL).as_type(TARGET)], types=NUMBERS,
           destination_type=TARGET)
ok('Convert', 1, [t([0, 1, 100])], [boolean([False, True, True])], types=NUMBERS,
   destination_type='boolean')
ok('Convert', 1, [boolean([True, False])], [f32([1, 0])], destination_type='f32')
ok('Convert', 1, [f32([-1.75, -0.5, 0.5, 1.75])], [i32([-1, 0, 0, 1])], destination_type='i32')
ok('Convert', 1, [t([0.25, -0.5])], [boolean([True, True])], types=REAL,
   destination_type='boolean')
ok('Convert', 1, [i32([-1, 300])], [u8([255, 44])], destination_type='u8')


def through(kind, shape):
    """f32 converted to another type and back."""
    graph = Graph()
    port = graph.op('Convert', 1, [graph.parameter('f32', shape)], destination_type=kind)
    graph.result(graph.op('Convert', 1, [port], destination_type='f32'))
    return graph


# More elements than are converted at a time.
for KIND, GIVEN, WANT in (
        ('f16', [1.0009765625, 1.0004, 70000, -0.0, 2.0 ** -26], [1.0009765625, 1, math.inf, -0.0, 0]),
        ('i32', [-1.75, -0.5, 0.5, 1.75, 3], [-1, 0, 0, 1, 3]),
        ('u8', [0.25, 1, 99.5, 200, 255], [0, 1, 99, 200, 255]),
        ('bf16', [1, 1.001, -2.5, 3, 0], [1, 1, -2.5, 3, 0])):
    graph_case([('Convert', 1)], through(KIND, '13,100'), [f32(GIVEN * 260, (13, 100))],
               [f32(WANT * 260, (13, 100))])
ok('Convert', 1, [i16([-1, 300])], [i8([-1, 44])], destination_type='i8')
ok('Convert', 1, [f32([65519, 65520, 1e-8, 0.1])], [f16([65504, inf, 0, 0.0999755859375])],
   destination_type='f16', tol=(0, 0))
ok('Convert', 1, [f32([1.00390625, 1.01171875])], [bf16([1, 1.015625])],  # ties: to even
   destination_type='bf16', tol=(0, 0))
NIBBLES = list(range(16))
SIGNED_NIBBLES = [x - 16 if x > 7 else x for x in NIBBLES]
NF4 = [-1, -0.6961928009986877, -0.5250730514526367, -0.39491748809814453, -0.28444138169288635,
       -0.18477343022823334, -0.09105003625154495, 0, 0.07958029955625534, 0.16093020141124725,
       0.24611230194568634, 0.33791524171829224, 0.44070982933044434, 0.5626170039176941,
       0.7229568362236023, 1]
E2M1 = [0, 0.5, 1, 1.5, 2, 3, 4, 6, -0.0, -0.5, -1, -1.5, -2, -3, -4, -6]
for KIND, VALUES in (('u4', NIBBLES), ('i4', SIGNED_NIBBLES), ('nf4', NF4), ('f4e2m1', E2M1)):
    packed = const(t(NIBBLES).as_type(KIND))
    ok('Convert', 1, [packed], [f32(VALUES)], variants='f', destination_type='f32')
ok('Convert', 1, [const(t([0, 1, 2, 3, 3]).as_type('u2'))], [i32([0, 1, 2, 3, 3])], variants='f',
   destination_type='i32')
ok('Convert', 1, [const(t([1, 0, 0, 1, 1, 0, 0, 0, 1]).as_type('u1'))],
   [u8([1, 0, 0, 1, 1, 0, 0, 0, 1])], variants='f', destination_type='u8')
# 0x38: exponent 7 of bias 7; 0x7e: the greatest; 1: the smallest.
ok('Convert', 1, [const(t([0x38, 0x7e, 1, 0xb8]).as_type('f8e4m3'))],
   [f32([1, 448, 2 ** -9, -1])], variants='f', destination_type='f32')
ok('Convert', 1, [const(t([0x3c, 0x7b, 1, 0xfc]).as_type('f8e5m2'))],
   [f32([1, 57344, 2 ** -16, -inf])], variants='f', destination_type='f32')
ok('Convert', 1, [const(t([127, 128, 126]).as_type('f8e8m0'))], [f32([1, 2, 0.5])], variants='f',
   destination_type='f32')
bad('Convert', 1, [f32([1])])
bad('Convert', 1, [f32([1])], destination_type='f31')

ok('ConvertLike', 1, [t([0, 1, 100]), zeros('i16', 2, 2)], [i16([0, 1, 100])], types=NUMBERS)
ok('ConvertLike', 1, [f32([-1.75, 2]), boolean(True)], [boolean([True, True])])
bad('ConvertLike', 1, [f32([1])])

PROMOTED = [('f32', 'i64', 'f32'), ('f16', 'i32', 'f16'), ('i8', 'u8', 'i16'),
            ('i32', 'u16', 'i32'), ('f16', 'bf16', 'f32'), ('boolean', 'u8', 'u8')]
for LEFT, RIGHT, COMMON in PROMOTED:
    ok('ConvertPromoteTypes', 14, [t([1, 0]).as_type(LEFT), t([1]).as_type(RIGHT)],
       [t([1, 0]).as_type(COMMON), t([1]).as_type(COMMON)], promote_unsafe=True)
ok('ConvertPromoteTypes', 14, [t([1]).as_type('f16'), t(2).as_type('f32')],
   [t([1]).as_type('f16'), t(2).as_type('f16')], promote_unsafe=True,
   pytorch_scalar_promotion=True, variants='sdf')
ok('ConvertPromoteTypes', 14, [t([1]).as_type('u64'), t([2]).as_type('i32')],
   [t([1]).as_type('i64'), t([2]).as_type('i64')], promote_unsafe=True,
   u64_integer_promotion_target='i64')
bad('ConvertPromoteTypes', 14, [t([1]).as_type('f16'), t([2]).as_type('i64')], 2)

# --- quantisation ----------------------------------------------------------------------------

RANGE = [const(t(x)) for x in (0, 3, 0, 6)]
ok('FakeQuantize', 1, [t([-1, 0.4, 0.6, 1.5, 2, 9]), *RANGE], [t([0, 0, 2, 4, 4, 6])],
   types='f32 f16 f64', levels=4)  # ties to even
ok('FakeQuantize', 1,
   [f32([[1, 2], [1, 2]]), const(f32([[0], [0]])), const(f32([[1], [4]])), const(f32([0])),
    const(f32([[10], [4]]))], [f32([[10, 10], [0, 0]])], levels=2, tol=(0, 0), variants='sdf')
ok('FakeQuantize', 1, [f32([[-9, 9], [0.2, 0.8]]), const(f32(0.5)), const(f32(0.5)),
                       const(f32(-1)), const(f32(1))], [f32([[-1, 1], [-1, 1]])], levels=2)
bad('FakeQuantize', 1, [zeros('f32', 2), *[const(f32(0))] * 4], levels=1)
bad('FakeQuantize', 1, [zeros('f32', 2), *[const(f32(0))] * 4])
bad('FakeQuantize', 1, [zeros('f32', 2), *[const(zeros('f32', 3))] * 4], levels=4)
bad('FakeQuantize', 1, [zeros('i32', 2), *[const(i32(0))] * 4], levels=4)

ok('FakeConvert', 13, [t([1, 1.0625, 1.1, 3.2]), const(t(1))], [t([1, 1, 1.125, 3.25])],
   types='f32 f16', destination_type='f8e4m3')
ok('FakeConvert', 13, [f32([1, 1.1, 1.2, 3.2]), const(f32(2)), const(f32(0))],
   [f32([1, 1, 1.25, 3])], destination_type='f8e5m2')
bad('FakeConvert', 13, [f32([1]), f32(1)], destination_type='f16')
bad('FakeConvert', 13, [i32([1]), i32(1)], destination_type='f8e4m3')

ok('Sqrt', 1, [t([16, 9])], [t([4, 3])], types='i32 i64 u8')
ok('Clamp', 1, [t([1, 5, 9])], [t([1, 5, 9])], types='i32 u8 i64', min=-1e30, max=1e30)
