# SPDX-FileCopyrightText: 2026 The inferfilter authors
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Elements by index: gather, scatter, search, order."""

import math

from frame import (ALL, INDICES, NUMBERS, SIGNED, at, bad, boolean, const, f32, fill, i32, i64,
                   ok, ramp, t, zeros)

CUBE = ramp('T', 2, 3, 4)

# --- Gather ---------------------------------------------------------------------------

for INDEX in INDICES.split():
    PICKS = t([[2, 0], [1, 1]]).as_type(INDEX)
    ok('Gather', (1, 7, 8), [CUBE, PICKS, const(i64(1))],
       [fill('T', (2, 2, 2, 4), lambda i, a, b, k: at(CUBE, i, ((2, 0), (1, 1))[a][b], k))],
       types='f32 f16 i64 u8 boolean')
ok('Gather', (1, 7, 8), [CUBE, i32(1), const(i32(-1))],
   [fill('T', (2, 3), lambda i, j: at(CUBE, i, j, 1))], types=ALL)
ok('Gather', (1, 7, 8), [ramp('f32', 5), const(i64([4, 2, 0])), const(i64(0))], [f32([4, 2, 0])])
ok('Gather', (1, 7, 8), [ramp('f32', 5), i64([], (0,)), const(i64([0]))], [f32([], (0,))])
# The axis changes while shapes stay the same.
ok('Gather', (1, 7, 8), [ramp('f32', 2, 2), i32([1, 0]), const(i64(0))], [f32([[2, 3], [0, 1]])],
   more=[([ramp('f32', 2, 2), i32([1, 0]), const(i64(1))], [f32([[1, 0], [3, 2]])]),
         ([ramp('f32', 2, 2), i32([0, 0]), const(i64(0))], [f32([[0, 1], [0, 1]])])])
ok('Gather', (7, 8), [CUBE, i64([[2, 0], [1, 1]]), const(i64(1))],
   [fill('T', (2, 2, 4), lambda i, a, k: at(CUBE, i, ((2, 0), (1, 1))[i][a], k))],
   types='f32 i8', batch_dims=1)
ok('Gather', (7, 8), [CUBE, i64([[3, 0], [1, 1]]), const(i64(2))],
   [fill('T', (2, 3, 2), lambda i, j, a: at(CUBE, i, j, ((3, 0), (1, 1))[i][a]))],
   types='f32 i8', batch_dims=-1)
# Windows and other grids of constant indices, and some that are none.
for GRID in ([[0, 1, 2], [1, 2, 3]], [[0, 2], [1, 3]], [[3, 2], [2, 1]], [[0, 1], [0, 1]],
             [[1, 1], [3, 3]], [[0, 1], [2, 1]], [[0, 1], [1, 3]], [[0, 1, 0]], [[3, 1], [2, 3]]):
    ok('Gather', (7, 8), [CUBE, const(i64(GRID)), const(i64(2))],
       [fill('T', (2, 3, len(GRID), len(GRID[0])), lambda i, j, a, b: at(CUBE, i, j, GRID[a][b]))],
       types='f32 u8')
    ok('Gather', (7, 8), [ramp('T', 4, 3), const(i64(GRID)), const(i64(0))],
       [fill('T', (len(GRID), len(GRID[0]), 3),
             lambda a, b, j: at(ramp('T', 4, 3), GRID[a][b], j))], types='f32 u8')
ok('Gather', 8, [ramp('f32', 4), const(i64([[0, 1], [3, 4]])), const(i64(0))],
   [f32([[0, 1], [3, 0]])])
ok('Gather', 8, [ramp('f32', 5), i64([-1, -5]), const(i64(0))], [f32([4, 0])])
ok('Gather', (7, 8), [ramp('f32', 5, start=1), i64([5, 2]), const(i64(0))], [f32([0, 3])])
bad('Gather', (1, 7, 8), [zeros('f32', 2, 3), zeros('i32', 1), const(i64(2))])
bad('Gather', (1, 7, 8), [zeros('f32', 2, 3), zeros('f32', 1), const(i64(0))])
bad('Gather', (7, 8), [zeros('f32', 2, 3), zeros('i32', 2, 1), const(i64(0))], batch_dims=1)
bad('Gather', (7, 8), [zeros('f32', 2, 3), zeros('i32', 3, 1), const(i64(1))], batch_dims=1)
bad('Gather', (1, 7, 8), [zeros('f32', 2, 3), zeros('i32', 1), const(i64([0, 1]))])

WHERE = [[[2, 0, 1, 1]], [[0, 2, 2, 1]]]
for INDEX in INDICES.split():
    ok('GatherElements', 6, [CUBE, t(WHERE).as_type(INDEX)],
       [fill('T', (2, 1, 4), lambda i, j, k: at(CUBE, i, WHERE[i][j][k], k))], axis=1, types=ALL)
ok('GatherElements', 6, [ramp('f32', 2, 2), i64([[1, -2]])], [f32([[2, 1]])], axis=-2)
bad('GatherElements', 6, [zeros('f32', 2, 3), zeros('i32', 2)], axis=1)
bad('GatherElements', 6, [zeros('f32', 2, 3), zeros('i32', 3, 3)], axis=1)
bad('GatherElements', 6, [zeros('f32', 2, 3), i32([[3]])], axis=1)
bad('GatherElements', 6, [zeros('f32', 2, 3), zeros('i32', 2, 3)], axis=2)

for INDEX in INDICES.split():
    ok('GatherND', (5, 8), [CUBE, t([[1, 2], [0, 0]]).as_type(INDEX)],
       [fill('T', (2, 4), lambda a, k: at(CUBE, *((1, 2), (0, 0))[a], k))], types=ALL)
ok('GatherND', (5, 8), [CUBE, i64([1, 2, 3])], [t(23)], types='f32')
ok('GatherND', (5, 8), [CUBE, i64([[2], [0]])],
   [fill('T', (2, 4), lambda i, k: at(CUBE, i, (2, 0)[i], k))], types='f32 i8', batch_dims=1)
BATCHED = i64([[[1], [2], [3]], [[0], [3], [1]]])
PICKED = [1, 6, 11, 12, 19, 21]
ok('GatherND', 8, [CUBE, BATCHED], [t(PICKED, (2, 3))], types='f32', batch_dims=2)
ok('GatherND', 5, [CUBE, BATCHED], [t(PICKED)], types='f32', batch_dims=2)
bad('GatherND', (5, 8), [zeros('f32', 2, 3), zeros('i32', 1, 3)])
bad('GatherND', (5, 8), [zeros('f32', 2, 3), i32([[0, 3]])])
bad('GatherND', (5, 8), [zeros('f32', 2, 3), zeros('i32', 3, 1)], batch_dims=1)
bad('GatherND', (5, 8), [zeros('f32', 2, 3), zeros('f32', 1, 1)])

# Three beams of one batch: tokens and parents per step.
STEPS, PARENTS = t([[[1, 2, 3]], [[4, 5, 6]], [[7, 8, 9]]]), t([[[0, 0, 0]], [[0, 1, 1]], [[2, 1, 2]]])
ok('GatherTree', 1, [STEPS, PARENTS, t([3]), t(10)],
   [t([[[2, 2, 2]], [[6, 5, 6]], [[7, 8, 9]]])], types='i32 i64 f32 f16')
ok('GatherTree', 1, [STEPS, PARENTS, t([2]), t(0)],
   [t([[[1, 2, 2]], [[4, 5, 6]], [[0, 0, 0]]])], types='i32 f32')
ok('GatherTree', 1, [STEPS, PARENTS, t([3]), t(5)],
   [t([[[2, 2, 2]], [[6, 5, 6]], [[7, 5, 9]]])], types='i32 f32')
bad('GatherTree', 1, [zeros('i32', 2, 1, 3), zeros('i32', 2, 1, 2), zeros('i32', 1), i32(0)])
bad('GatherTree', 1, [zeros('i32', 2, 1, 3), zeros('i32', 2, 1, 3), zeros('i32', 2), i32(0)])
bad('GatherTree', 1, [zeros('i32', 2, 1, 3), zeros('f32', 2, 1, 3), zeros('i32', 1), i32(0)])
bad('GatherTree', 1, [zeros('i32', 2, 1, 1), i32([[[0]], [[1]]]), i32([2]), i32(0)])

# --- scatter -----------------------------------------------------------------------------

for INDEX in INDICES.split():
    ok('ScatterUpdate', 3, [t([[1, 2, 3], [4, 5, 6]]), t([2, 0]).as_type(INDEX),
                            t([[7, 8], [9, 10]]), const(i64(1))], [t([[8, 2, 7], [10, 5, 9]])],
       types=NUMBERS)
ok('ScatterUpdate', 3, [t([1, 2, 3]), i64([[1], [0]]), t([[8], [9]]), const(i32([0]))],
   [t([9, 8, 3])], types='f32 u8')
ok('ScatterUpdate', 3, [t([[1, 2], [3, 4]]), i64(-1), t([8, 9]), const(i64(0))],
   [t([[1, 2], [8, 9]])], types='f32')
ok('ScatterUpdate', 3, [ramp('f32', 2, 2), i64([1]), f32([[8, 9]]), const(i64(0))],
   [f32([[0, 1], [8, 9]])])
bad('ScatterUpdate', 3, [zeros('f32', 2, 3), zeros('i32', 1), zeros('f32', 1, 2), const(i64(0))])
bad('ScatterUpdate', 3, [zeros('f32', 2, 3), zeros('i32', 1), zeros('i32', 1, 3), const(i64(0))])
bad('ScatterUpdate', 3, [zeros('f32', 2), i32([2]), zeros('f32', 1), const(i64(0))])
bad('ScatterUpdate', 3, [zeros('f32', 2), i32([0]), zeros('f32', 1), const(i64(1))])

DATA, SPOTS, NEWS = t([2, 3, 4]), [0, 2, 0], t([5, 6, 7])
for INDEX in INDICES.split():
    ok('ScatterElementsUpdate', (3, 12),
       [t([[1, 2, 3], [4, 5, 6]]), t([[2, 0], [1, 2]]).as_type(INDEX), t([[7, 8], [9, 10]]),
        const(i64(1))], [t([[8, 2, 7], [4, 9, 10]])], types=NUMBERS)
ok('ScatterElementsUpdate', (3, 12), [t([[1, 2], [3, 4]]), i64([[1, 0]]), t([[8, 9]]),
                                      const(i32([-2]))], [t([[1, 9], [8, 4]])], types='f32 u8')
for REDUCTION, KEPT, FRESH in (('sum', [14, 3, 10], [12, 3, 6]), ('prod', [70, 3, 24], [35, 3, 6]),
                               ('min', [2, 3, 4], [5, 3, 6]), ('max', [7, 3, 6], [7, 3, 6]),
                               ('mean', [14 / 3, 3, 5], [6, 3, 6])):
    TYPES = 'f32 f16 f64' if REDUCTION == 'mean' else SIGNED
    ok('ScatterElementsUpdate', 12, [DATA, i32(SPOTS), NEWS, const(i64(0))], [t(KEPT)],
       types=TYPES, reduction=REDUCTION)
    ok('ScatterElementsUpdate', 12, [DATA, i32([-3, -1, 0]), NEWS, const(i64(0))], [t(FRESH)],
       types=TYPES, reduction=REDUCTION, use_init_val=False)
bad('ScatterElementsUpdate', (3, 12), [zeros('f32', 2, 3), zeros('i32', 2), zeros('f32', 2),
                                       const(i64(0))])
bad('ScatterElementsUpdate', (3, 12), [zeros('f32', 3), zeros('i32', 2), zeros('f32', 1),
                                       const(i64(0))])
bad('ScatterElementsUpdate', (3, 12), [zeros('f32', 3), i32([3]), zeros('f32', 1),
                                       const(i64(0))])
bad('ScatterElementsUpdate', 12, [zeros('f32', 3), i32([0]), zeros('f32', 1), const(i64(0))],
    reduction='sub')

for INDEX in INDICES.split():
    ok('ScatterNDUpdate', (4, 15), [t([[1, 2], [3, 4]]), t([[1, 0], [0, 1]]).as_type(INDEX),
                                    t([8, 9])], [t([[1, 9], [8, 4]])], types=NUMBERS)
ok('ScatterNDUpdate', (4, 15), [t([[1, 2], [3, 4]]), const(i64([[1]])), t([[8, 9]])],
   [t([[1, 2], [8, 9]])], types='f32 u8')
ok('ScatterNDUpdate', (4, 15), [t([1, 2]), i64([[-1]]), t([9])], [t([1, 9])], types='f32')
ok('ScatterNDUpdate', (4, 15), [t([1, 2]), i64([], (0, 1)), t([], (0,))], [t([1, 2])],
   types='f32')
for REDUCTION, WANT in (('sum', [14, 3, 10]), ('sub', [-10, 3, -2]), ('prod', [70, 3, 24]),
                        ('min', [2, 3, 4]), ('max', [7, 3, 6]), ('none', [7, 3, 6])):
    ok('ScatterNDUpdate', 15, [DATA, i32([[0], [2], [0]]), NEWS], [t(WANT)], types=SIGNED,
       reduction=REDUCTION)
bad('ScatterNDUpdate', (4, 15), [zeros('f32', 2), zeros('i32', 1, 2), zeros('f32', 1)])
bad('ScatterNDUpdate', (4, 15), [zeros('f32', 2), zeros('i32', 1, 1), zeros('f32', 2)])
bad('ScatterNDUpdate', (4, 15), [zeros('f32', 2), i32([[2]]), zeros('f32', 1)])
bad('ScatterNDUpdate', 15, [zeros('f32', 2), i32([[0]]), zeros('f32', 1)], reduction='mean')

# --- search ---------------------------------------------------------------------------------

BUCKETS = [const(t([2, 4, 6]))]
ok('Bucketize', 3, [t([[1, 2], [5, 9]]), *BUCKETS], [i64([[0, 0], [2, 3]])], types=NUMBERS)
ok('Bucketize', 3, [t([[1, 2], [5, 9]]), *BUCKETS], [i32([[0, 1], [2, 3]])], types=NUMBERS,
   with_right_bound=False, output_type='i32')
ok('Bucketize', 3, [f32([1]), f32([], (0,))], [i64([0])])
bad('Bucketize', 3, [zeros('f32', 2), zeros('f32', 1, 1)])
bad('Bucketize', 3, [zeros('f32', 2), zeros('f32', 1)], output_type='f32')

SORTED = t([[1, 3, 5, 7], [2, 4, 6, 8]])
ok('SearchSorted', 15, [SORTED, t([[3, 6], [3, 9]])], [i64([[1, 3], [1, 4]])], types=NUMBERS)
ok('SearchSorted', 15, [SORTED, t([[3, 6], [3, 9]])], [i64([[2, 3], [1, 4]])], types=NUMBERS,
   right_mode=True)
ok('SearchSorted', 15, [t([1, 3, 5]), t([[0, 1], [4, 6]])], [i32([[0, 0], [2, 3]])], types='f32',
   output_type='i32')
bad('SearchSorted', 15, [zeros('f32', 2, 4), zeros('f32', 3, 4)])
bad('SearchSorted', 15, [zeros('f32', 2, 4), zeros('i32', 2, 4)])

ok('NonZero', 3, [t([[0, 1], [2, 0]])], [i64([[0, 1], [1, 0]])], types=NUMBERS)
ok('NonZero', 3, [boolean([True, False, True])], [i32([[0, 2]])], output_type='i32')
ok('NonZero', 3, [f32([0, 0])], [i64([], (1, 0))], more=[([f32([1, 0])], [i64([[0]])])])
ok('NonZero', 3, [f32([0, math.nan, -0.0])], [i64([[1]])])
ok('NonZero', 3, [f32(5)], [i64([], (0, 1))])
bad('NonZero', 3, [zeros('f32', 2)], output_type='u8')

REPEATED = t([3, 1, 3, 2, 1])
ok('Unique', 10, [REPEATED], [t([1, 2, 3]), i64([1, 3, 0]), i64([2, 0, 2, 1, 0]), i64([2, 1, 2])],
   types=NUMBERS)
ok('Unique', 10, [REPEATED], [t([3, 1, 2]), i64([0, 1, 3]), i64([0, 1, 0, 2, 1]), i64([2, 2, 1])],
   types=NUMBERS, sorted=False)
ok('Unique', 10, [t([[1, 2, 1], [3, 4, 3]]), const(i64(1))],
   [t([[1, 2], [3, 4]]), i32([0, 1]), i32([0, 1, 0]), i32([2, 1])], types='f32 i8',
   index_element_type='i32', count_element_type='i32')
ok('Unique', 10, [t([[5, 6], [1, 2], [5, 6]]), const(i64(0))],
   [t([[1, 2], [5, 6]]), i64([1, 0]), i64([1, 0, 1]), i64([1, 2])], types='f32 i8')
bad('Unique', 10, [zeros('f32', 2), const(i64(1))], 4)
bad('Unique', 10, [zeros('f32', 2)], 4, index_element_type='f32')

MIXED = t([[3, 9, 1, 5], [2, 4, 8, 6]])
TOP = dict(types=NUMBERS)
for OPSET in (1, 3, 11):
    ok('TopK', OPSET, [MIXED, const(i64(2))], [t([[9, 5], [8, 6]]), i32([[1, 3], [2, 3]])],
       axis=1, mode='max', sort='value', **TOP)
    ok('TopK', OPSET, [MIXED, const(i32(3))], [t([[1, 3, 5], [2, 4, 6]]),
                                               i32([[2, 0, 3], [0, 1, 3]])],
       axis=-1, mode='min', sort='value', **TOP)
    ok('TopK', OPSET, [MIXED, const(i64(2))], [t([[9, 5], [8, 6]]), i32([[1, 3], [2, 3]])],
       axis=1, mode='max', sort='index', types='f32 i32')
    ok('TopK', OPSET, [MIXED, const(i64(3))], [t([[3, 9, 5], [4, 8, 6]]),
                                               i32([[0, 1, 3], [1, 2, 3]])],
       axis=1, mode='max', sort='index', types='f32 u8')
    ok('TopK', OPSET, [MIXED, const(i64(1))], [t([[3, 9, 8, 6]]), i32([[0, 0, 1, 1]])], axis=0,
       mode='max', sort='none', types='f32')
    bad('TopK', OPSET, [zeros('f32', 3), const(i64(4))], 2, axis=0, mode='max', sort='value')
    bad('TopK', OPSET, [zeros('f32', 3), const(i64(1))], 2, axis=1, mode='max', sort='value')
    bad('TopK', OPSET, [zeros('f32', 3), const(i64(1))], 2, axis=0, mode='most', sort='value')
    bad('TopK', OPSET, [zeros('f32', 3), const(i64(-1))], 2, axis=0, mode='max', sort='value')
for OPSET in (3, 11):
    ok('TopK', OPSET, [MIXED, const(i64(0))], [t([], (2, 0)), i64([], (2, 0))], axis=1,
       mode='max', sort='value', types='f32', index_element_type='i64')
ok('TopK', 11, [t([2, 7, 2, 7, 7]), const(i64(4))], [t([7, 7, 7, 2]), i32([1, 3, 4, 0])],
   axis=0, mode='max', sort='value', stable=True, types='f32 i8')
ok('TopK', 11, [t([2, 7, 2, 7, 7]), const(i64(3))], [t([2, 2, 7]), i32([0, 2, 1])],
   axis=0, mode='min', sort='value', stable=True, types='f32 i8')
LONG = [(i * 37) % 101 for i in range(101)]
ORDER = sorted(range(101), key=lambda i: -LONG[i])[:40]
ok('TopK', 11, [f32(LONG), const(i64(40))], [f32([LONG[i] for i in ORDER]), i32(ORDER)],
   axis=0, mode='max', sort='value')
ok('TopK', 3, [zeros('T', 0, 3), const(i64(1))], [zeros('T', 0, 1), zeros('i32', 0, 1)], types='f32',
   axis=1, mode='max', sort='value')
ok('Unique', 10, [t([], (0,))], [t([], (0,)), *[i64([], (0,))] * 3], types='f32')
ok('NonZero', 3, [zeros('f32', 0, 3)], [i64([], (2, 0))])
ok('ScatterElementsUpdate', 12, [t([2, 3, 4]), i32([0, 2, 0]), t([5, 6, 9]), const(i64(0))],
   [t([5, 3, 5])], types='i32 i8 u8', reduction='mean')
ok('Gather', 8, [t([1, 2, 3]), i64([2 ** 40, 1]), const(i64(0))], [t([0, 2])], types='f32')
