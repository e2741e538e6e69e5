# SPDX-FileCopyrightText: 2026 The inferfilter authors
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Element-wise operations of two operands, and Select."""

import math

from frame import (NUMBERS, REAL, SIGNED, bad, boolean, const, f32, i8, i32, i64, ok, ramp, t, u8,
                   zeros)

inf, nan = math.inf, math.nan
UNSIGNED = 'u8 u16 u32 u64'

# --- arithmetic -----------------------------------------------------------------------

A, B = [7, -7, 6, 0], [2, 2, -3, 5]
ARITHMETIC = {
    'Add': lambda a, b: a + b,
    'Subtract': lambda a, b: a - b,
    'Multiply': lambda a, b: a * b,
    'Maximum': max,
    'Minimum': min,
    'Mod': math.fmod,
    'FloorMod': lambda a, b: a - b * math.floor(a / b),
    'SquaredDifference': lambda a, b: (a - b) ** 2,
}
for KIND, FORMULA in ARITHMETIC.items():
    ok(KIND, 1, [t(A), t(B)], [t(list(map(FORMULA, A, B)))], types=SIGNED)
    ok(KIND, 1, [t([9, 5]), t([4, 5])], [t([FORMULA(9, 4), FORMULA(5, 5)])], types=UNSIGNED)
    # Both operands broadcast, a scalar, a constant.
    ok(KIND, 1, [t([[7], [-5]]), t([2, 3, 4])],
       [t([[FORMULA(a, b) for b in (2, 3, 4)] for a in (7, -5)])], types='f32 i32')
    ok(KIND, 1, [t([[7, 8]]), const(t(3))], [t([[FORMULA(7, 3), FORMULA(8, 3)]])],
       types='f32 i64', auto_broadcast='numpy')
    ok(KIND, 1, [const(t(7)), t([[[3, 2]]])], [t([[[FORMULA(7, 3), FORMULA(7, 2)]]])],
       types='f32 i64')
    ok(KIND, 1, [t([7, 5]), t([3, 2])], [t([FORMULA(7, 3), FORMULA(5, 2)])], types='f32 i32',
       auto_broadcast='none')
    ok(KIND, 1, [zeros('f32', 0, 3), f32([1, 2, 3])], [zeros('f32', 0, 3)])
    ok(KIND, 1, [ramp('f32', 3, 19, start=1), ramp('f32', 19, start=2)],
       [f32([FORMULA(i + 1, i % 19 + 2) for i in range(57)], (3, 19))])
    bad(KIND, 1, [zeros('f32', 2), zeros('f32', 3)])
    bad(KIND, 1, [zeros('f32', 2), zeros('f16', 2)])
    bad(KIND, 1, [zeros('f32', 2), zeros('f32', 1)], auto_broadcast='none')
    bad(KIND, 1, [zeros('f32', 2)])
    bad(KIND, 1, [boolean([True]), boolean([True])])
    bad(KIND, 1, [zeros('f32', 2), zeros('f32', 2)], auto_broadcast='torch')
ok('Add', 1, [i8([127]), i8([1])], [i8([-128])])
ok('Subtract', 1, [u8([0]), u8([1])], [u8([255])])
ok('Add', 1, [i64([2 ** 53]), i64([1])], [i64([2 ** 53 + 1])])
ok('Maximum', 1, [f32([-inf, 1]), f32([0, inf])], [f32([0, inf])])

# PDPD: the second operand is aligned with an axis of the first.
PDPD = [t([[[1, 2], [3, 4]], [[5, 6], [7, 8]]])]
ok('Add', 1, [*PDPD, t([10, 20])], [t([[[11, 12], [23, 24]], [[15, 16], [27, 28]]])],
   types='f32 i32', auto_broadcast='pdpd', axis=1)
ok('Add', 1, [*PDPD, t([10, 20])], [t([[[11, 12], [13, 14]], [[25, 26], [27, 28]]])],
   types='f32 i32', auto_broadcast='pdpd', axis=0)
ok('Add', 1, [*PDPD, t([10, 20])], [t([[[11, 22], [13, 24]], [[15, 26], [17, 28]]])],
   types='f32 i32', auto_broadcast='pdpd', axis=-1)
ok('Multiply', 1, [*PDPD, t([[10, 20], [1, 2]])], [t([[[10, 20], [60, 80]], [[5, 6], [14, 16]]])],
   types='f32 i32', auto_broadcast='pdpd', axis=0)
bad('Add', 1, [zeros('f32', 2, 3), zeros('f32', 2)], auto_broadcast='pdpd', axis=1)

ok('Divide', 1, [t([7, -7, 6]), t([2, 2, -4])], [t([3.5, -3.5, -1.5])], types=REAL)
ok('Divide', 1, [t([7, -7, 6]), t([2, 2, -4])], [t([3, -4, -2])], types='i8 i16 i32 i64')
ok('Divide', 1, [t([7, -7, 6]), t([2, 2, -4])], [t([3, -3, -1])], types='i8 i16 i32 i64',
   m_pythondiv=False)
ok('Divide', 1, [t([7, 200]), t([2, 3])], [t([3, 66])], types=UNSIGNED)
ok('Divide', 1, [f32([1, -1, 0]), f32([0])], [f32([inf, -inf, nan])])
ok('Divide', 1, [t([[6], [9]]), const(t([2, 3]))], [t([[3, 2], [4.5, 3]])], types='f32')
bad('Divide', 1, [zeros('f32', 2), zeros('f32', 3)])
bad('Divide', 1, [zeros('f32', 2), zeros('i32', 2)])

ok('Power', 1, [t([2, 3, 1]), t([3, 2, 0])], [t([8, 9, 1])], types=NUMBERS)
ok('Power', 1, [t([4, 2, -2]), t([0.5, -1, 3])], [t([2, 0.5, -8])], types=REAL)
ok('Power', 1, [t([[2, 3]]), const(t(2))], [t([[4, 9]])], types='f32 i32')
ok('Power', 1, [f32([-2, 0]), const(f32(0.5))], [f32([nan, 0])])
bad('Power', 1, [zeros('f32', 2), zeros('i32', 2)])
bad('Power', 1, [boolean([True]), boolean([True])])

# --- comparisons ----------------------------------------------------------------------

COMPARISONS = {
    'Equal': lambda a, b: a == b,
    'NotEqual': lambda a, b: a != b,
    'Less': lambda a, b: a < b,
    'LessEqual': lambda a, b: a <= b,
    'Greater': lambda a, b: a > b,
    'GreaterEqual': lambda a, b: a >= b,
}
for KIND, FORMULA in COMPARISONS.items():
    ok(KIND, 1, [t([1, 2, 3]), t([2, 2, 2])],
       [boolean(list(map(FORMULA, (1, 2, 3), (2, 2, 2))))], types=NUMBERS)
    ok(KIND, 1, [t([[1], [3]]), t([1, 2, 3])],
       [boolean([[FORMULA(a, b) for b in (1, 2, 3)] for a in (1, 3)])], types='f32 i32')
    ok(KIND, 1, [f32([nan, 1, inf]), f32([nan, nan, inf])],
       [boolean([FORMULA(nan, nan), FORMULA(1, nan), FORMULA(inf, inf)])])
    ok(KIND, 1, [i64([2 ** 53 + 1]), i64([2 ** 53])], [boolean([FORMULA(1, 0)])])
    ok(KIND, 1, [t([-1, 1]), const(t(0))], [boolean([FORMULA(-1, 0), FORMULA(1, 0)])],
       types=SIGNED)
    bad(KIND, 1, [zeros('f32', 2), zeros('f32', 3)])
    bad(KIND, 1, [zeros('f32', 2), zeros('i32', 2)])
ok('Equal', 1, [boolean([True, False]), boolean([True, True])], [boolean([True, False])])

LOGIC = {
    'LogicalAnd': lambda a, b: a and b,
    'LogicalOr': lambda a, b: a or b,
    'LogicalXor': lambda a, b: a != b,
    'Xor': lambda a, b: a != b,
}
for KIND, FORMULA in LOGIC.items():
    ok(KIND, 1, [boolean([[True], [False]]), boolean([True, False])],
       [boolean([[FORMULA(a, b) for b in (True, False)] for a in (True, False)])])
    bad(KIND, 1, [i32([1]), i32([1])])
    bad(KIND, 1, [zeros('boolean', 2), zeros('boolean', 3)])

# --- bits -----------------------------------------------------------------------------

BITS = {
    'BitwiseAnd': lambda a, b: a & b,
    'BitwiseOr': lambda a, b: a | b,
    'BitwiseXor': lambda a, b: a ^ b,
}
for KIND, FORMULA in BITS.items():
    ok(KIND, 13, [t([12, 5, -1]), t([10, -4, 3])],
       [t(list(map(FORMULA, (12, 5, -1), (10, -4, 3))))], types='i8 i16 i32 i64')
    ok(KIND, 13, [t([[12], [5]]), t([10, 3])],
       [t([[FORMULA(a, b) for b in (10, 3)] for a in (12, 5)])], types=UNSIGNED)
    ok(KIND, 13, [boolean([True, False]), const(boolean(True))],
       [boolean([FORMULA(True, True), FORMULA(False, True)])])
    bad(KIND, 13, [f32([1]), f32([1])])
    bad(KIND, 13, [i32([1]), i64([1])])
ok('BitwiseLeftShift', 15, [t([1, 5]), t([3, 1])], [t([8, 10])], types='i8 i32 i64 u8 u16')
ok('BitwiseRightShift', 15, [t([16, 5]), t([3, 1])], [t([2, 2])], types='i8 i32 i64 u8 u16')
ok('BitwiseRightShift', 15, [i32([-16]), i32([2])], [i32([-4])])
bad('BitwiseLeftShift', 15, [f32([1]), f32([1])])
bad('BitwiseRightShift', 15, [boolean([True]), boolean([True])])

# --- PReLU, Select ----------------------------------------------------------------------

ok('PReLU', 1, [t([[-2, 4], [-6, 8]]), const(t([0.5, 0.25]))], [t([[-1, 4], [-3, 8]])],
   types=REAL)
ok('PReLU', 1, [t([[[-2, -2], [-2, -2]]]), const(t([0.5, 1]))], [t([[[-1, -1], [-2, -2]]])],
   types='f32')  # one slope per channel
ok('PReLU', 1, [f32([[-2, 4, -8]]), const(f32(0.5))], [f32([[-1, 4, -4]])])
ok('PReLU', 1, [f32([[-2, -4]]), f32([[0.5, 1]])], [f32([[-1, -4]])])
bad('PReLU', 1, [zeros('f32', 1, 3), zeros('f32', 4)])
bad('PReLU', 1, [zeros('i32', 1, 3), zeros('i32', 3)])

ok('Select', 1, [boolean([True, False, True]), t([1, 2, 3]), t([7, 8, 9])], [t([1, 8, 3])],
   types=NUMBERS)
ok('Select', 1, [boolean([[True], [False]]), t([1, 2]), const(t(9))], [t([[1, 2], [9, 9]])],
   types='f32 i64 boolean')
ok('Select', 1, [boolean(True), t([1, 2]), t([[3, 4], [5, 6]])], [t([[1, 2], [1, 2]])],
   types='f32 u8')
ok('Select', 1, [boolean([True, False]), f32([1, 2]), f32([3, 4])], [f32([1, 4])],
   auto_broadcast='none')
ok('Select', 1, [boolean([True, False]), t([[1, 2], [3, 4]]), t([[5, 6], [7, 8]])],
   [t([[1, 6], [3, 8]])], types='f32', auto_broadcast='pdpd')
bad('Select', 1, [i32([1]), f32([1]), f32([1])])
bad('Select', 1, [boolean([True]), f32([1]), i32([1])])
bad('Select', 1, [boolean([True]), f32([1, 2]), f32([1, 2, 3])])
ok('Power', 1, [t([2, 3]), t([10, 4])], [t([1024, 81])], types='i32 i64 u16 u32 u64')
ok('Mod', 1, [t([7.5, -7.5]), t([2, 2])], [t([1.5, -1.5])], types='f32 f64')
