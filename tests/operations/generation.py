# SPDX-FileCopyrightText: 2026 The inferfilter authors
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Generated values: padding, one-hot, ranges, random numbers."""

import random

from frame import (ALL, INDICES, NUMBERS, SIGNED, at, bad, boolean, const, f32, f64, fill, i32,
                   i64, ok, ramp, t, zeros)

# --- Pad ------------------------------------------------------------------------------

LINE = ramp('T', 4, start=1)
PADS = [const(i64([2])), const(i64([3]))]
for OPSET in (1, 12):
    ok('Pad', OPSET, [LINE, *PADS], [t([0, 0, 1, 2, 3, 4, 0, 0, 0])], pad_mode='constant',
       types=NUMBERS)
    ok('Pad', OPSET, [LINE, *PADS, const(t(9))], [t([9, 9, 1, 2, 3, 4, 9, 9, 9])],
       pad_mode='constant', types=NUMBERS)
    ok('Pad', OPSET, [LINE, *PADS], [t([1, 1, 1, 2, 3, 4, 4, 4, 4])], pad_mode='edge',
       types='f32 i8')
    ok('Pad', OPSET, [LINE, *PADS], [t([3, 2, 1, 2, 3, 4, 3, 2, 1])], pad_mode='reflect',
       types='f32 i8')
    ok('Pad', OPSET, [LINE, *PADS], [t([2, 1, 1, 2, 3, 4, 4, 3, 2])], pad_mode='symmetric',
       types='f32 i8')
    ok('Pad', OPSET, [ramp('T', 2, 2), const(i32([1, 0])), const(i32([0, 2])), const(t(7))],
       [t([[7, 7, 7, 7], [0, 1, 7, 7], [2, 3, 7, 7]])], pad_mode='constant', types='f32 i64')
    ok('Pad', OPSET, [ramp('T', 2, 3), const(i32([1, 1])), const(i32([1, 2]))],
       [fill('T', (4, 6), lambda i, j: at(ramp('T', 2, 3), (1, 0, 1, 0)[i],
                                          (1, 0, 1, 2, 1, 0)[j]))],
       pad_mode='reflect', types='f32 u8')
    ok('Pad', OPSET, [boolean([True]), const(i64([1])), const(i64([0]))],
       [boolean([False, True])], pad_mode='constant')
    bad('Pad', OPSET, [zeros('f32', 4), const(i64([4])), const(i64([0]))], pad_mode='reflect')
    bad('Pad', OPSET, [zeros('f32', 4), const(i64([5])), const(i64([0]))], pad_mode='symmetric')
    bad('Pad', OPSET, [zeros('f32', 4), const(i64([1, 1])), const(i64([0, 0]))],
        pad_mode='constant')
    bad('Pad', OPSET, [zeros('f32', 4), const(i64([1])), const(i64([1])), const(i32(1))],
        pad_mode='constant')
    bad('Pad', OPSET, [zeros('f32', 4), const(i64([1])), const(i64([1]))], pad_mode='wrap')
CUT = [const(i64([-1])), const(i64([2]))]
for MODE, WANT in (('constant', [2, 3, 4, 0, 0]), ('edge', [2, 3, 4, 4, 4]),
                   ('reflect', [2, 3, 4, 3, 2]), ('symmetric', [2, 3, 4, 4, 3])):
    ok('Pad', 12, [LINE, *CUT], [t(WANT)], pad_mode=MODE, types='f32 i8')
ok('Pad', 12, [LINE, const(i64([-1])), const(i64([-2]))], [t([2])], pad_mode='constant',
   types='f32')
ok('Pad', 12, [ramp('f32', 2, 3), const(i64([1, -1])), const(i64([-1, 1])), const(f32(9))],
   [f32([[9, 9, 9], [1, 2, 9]])], pad_mode='constant')
bad('Pad', 1, [zeros('f32', 4), const(i64([-1])), const(i64([0]))], pad_mode='constant')
bad('Pad', 12, [zeros('f32', 4), const(i64([-3])), const(i64([-2]))], pad_mode='constant')

# --- OneHot, Eye, Range ------------------------------------------------------------------

for INDEX in INDICES.split():
    ok('OneHot', (1, 16), [t([0, 2, 3]).as_type(INDEX), const(i64(3)), const(t(7)), const(t(1))],
       [t([[7, 1, 1], [1, 1, 7], [1, 1, 1]])], axis=-1, types=NUMBERS)
ok('OneHot', (1, 16), [i64([[0, 2]]), const(i32(3)), const(boolean(True)), const(boolean(False))],
   [boolean([[[True, False]], [[False, False]], [[False, True]]])], axis=0)
ok('OneHot', (1, 16), [i64(1), const(i64(2)), const(f32(1)), const(f32(0))], [f32([0, 1])],
   axis=0)
ok('OneHot', (1, 16), [i64([-1]), const(i64(2)), const(f32(1)), const(f32(0))], [f32([[0, 0]])],
   axis=1)
ok('OneHot', 16, [i64([-1, -2, -3]), const(i64(2)), const(f32(1)), const(f32(0))],
   [f32([[0, 1], [1, 0], [0, 0]])], axis=1, negative_indices_mode='normalize')
bad('OneHot', (1, 16), [i64([0]), const(i64(-1)), const(f32(1)), const(f32(0))], axis=0)
bad('OneHot', (1, 16), [i64([0]), const(i64(1)), const(f32(1)), const(i32(0))], axis=0)
bad('OneHot', (1, 16), [i64([0]), const(i64(1)), const(f32(1)), const(f32(0))], axis=2)
bad('OneHot', (1, 16), [f32([0]), const(i64(1)), const(f32(1)), const(f32(0))], axis=0)

for KIND in ALL.replace(' boolean', '').split():
    ok('Eye', 9, [const(i64(2)), const(i64(3)), const(i64(0))],
       [t([[1, 0, 0], [0, 1, 0]]).as_type(KIND)], output_type=KIND)
ok('Eye', 9, [const(i32(3)), const(i32([2])), const(i32(-1))], [f32([[0, 0], [1, 0], [0, 1]])],
   output_type='f32')
ok('Eye', 9, [const(i32(2)), const(i32(2)), const(i32(1)), const(i32([2]))],
   [i32([[[0, 1], [0, 0]]] * 2)], output_type='i32')
ok('Eye', 9, [const(i64(2)), const(i64(2)), const(i64(5))], [f32([[0, 0], [0, 0]])],
   output_type='f32')
bad('Eye', 9, [const(i64(-2)), const(i64(2)), const(i64(0))], output_type='f32')
bad('Eye', 9, [const(i64(2)), const(i64(2)), const(i64(0))])
bad('Eye', 9, [const(f32(2)), const(i64(2)), const(i64(0))], output_type='f32')

ok('Range', 1, [const(t(2)), const(t(9)), const(t(3))], [t([2, 5, 8])], types=NUMBERS)
ok('Range', 1, [const(t(2)), const(t(-3)), const(t(-2))], [t([2, 0, -2])], types=SIGNED)
ok('Range', 1, [const(f32(0)), const(f32(1)), const(f32(0.25))], [f32([0, 0.25, 0.5, 0.75])])
ok('Range', 1, [const(i32(3)), const(i32(3)), const(i32(1))], [i32([], (0,))])
ok('Range', 4, [const(t(2)), const(t(9)), const(t(3))], [i32([2, 5, 8])], types=NUMBERS,
   output_type='i32')
ok('Range', 4, [const(i64(0)), const(i64(3)), const(i64(1))], [f32([0, 1, 2])],
   output_type='f32')
ok('Range', 4, [const(f32(1)), const(f64(4)), const(i64(1))], [i64([1, 2, 3])],
   output_type='i64')
bad('Range', (1, 4), [const(i32(0)), const(i32(3)), const(i32(0))], output_type='i32')
bad('Range', 1, [const(i32(0)), const(f32(3)), const(i32(1))])
bad('Range', 4, [const(i32(0)), const(i32(3)), const(i32(1))])
bad('Range', (1, 4), [const(i32([0, 1])), const(i32(3)), const(i32(1))], output_type='i32')

# --- random numbers: the specification's own, and Python's Mersenne Twister -----------------

ok('RandomUniform', 8, [const(i64([3, 3])), const(f32(0)), const(f32(1))],
   [f32([[0.7011236, 0.30539632, 0.93931055], [0.9456035, 0.11694777, 0.50770056],
         [0.5197197, 0.22727466, 0.991374]])], output_type='f32', global_seed=150, op_seed=10)
ok('RandomUniform', 8, [const(i32([2, 2])), const(f64(2)), const(f64(10))],
   [f64([[5.65927959, 4.23122376], [2.67008206, 2.36423758]])], output_type='f64',
   global_seed=80, op_seed=100)
ok('RandomUniform', 8, [const(i32([2, 3])), const(i32(50)), const(i32(100))],
   [i32([[65, 70, 56], [59, 82, 92]])], output_type='i32', global_seed=80, op_seed=100)


def twister(seed):
    state = [seed]
    for i in range(1, 624):
        last = state[-1]
        state.append((1812433253 * (last ^ last >> 30) + i) & 0xffffffff)
    generator = random.Random()
    generator.setstate((3, (*state, 624), None))
    return generator


G = twister(150)
ok('RandomUniform', 8, [const(i64([7])), const(f32(-1)), const(f32(3))],
   [f32([(G.getrandbits(32) & 0xffffff) / 2 ** 24 * 4 - 1 for _ in range(7)])],
   output_type='f32', global_seed=150, op_seed=10, alignment='pytorch')
G = twister(80)
ok('RandomUniform', 8, [const(i64([2, 3])), const(i32(50)), const(i32(100))],
   [i32([G.getrandbits(32) % 50 + 50 for _ in range(6)], (2, 3))], output_type='i32',
   global_seed=80, op_seed=0, alignment='pytorch')
ok('RandomUniform', 8, [const(i64([0, 3])), const(f32(0)), const(f32(1))], [f32([], (0, 3))],
   output_type='f32', global_seed=1, op_seed=1)
bad('RandomUniform', 8, [const(i64([2])), const(f32(0)), const(f32(1))], output_type='boolean')
bad('RandomUniform', 8, [const(i64([-2])), const(f32(0)), const(f32(1))], output_type='f32')
bad('RandomUniform', 8, [const(i64([2])), const(f32([0, 1])), const(f32(1))], output_type='f32')

# One class has all the probability; without replacement every class is drawn.
ok('Multinomial', 13, [t([[0, 1, 0], [1, 0, 0]]), const(i32(3))],
   [i32([[1, 1, 1], [0, 0, 0]])], types='f32 f16', convert_type='i32', with_replacement=True,
   log_probs=False, global_seed=1, op_seed=2)
ok('Multinomial', 13, [f32([[-1e9, 0, -1e9]]), const(i64([2]))], [i64([[1, 1]])],
   convert_type='i64', with_replacement=True, log_probs=True)
bad('Multinomial', 13, [zeros('f32', 3), const(i64(2))], convert_type='i64')
bad('Multinomial', 13, [zeros('f32', 1, 3), const(i64(4))], convert_type='i64',
    with_replacement=False, log_probs=False)
bad('Multinomial', 13, [zeros('f32', 1, 3), const(i64(2))], convert_type='f32')
