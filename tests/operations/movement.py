# SPDX-FileCopyrightText: 2026 The inferfilter authors
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Operations that move elements without changing them."""

from frame import ALL, NUMBERS, at, bad, boolean, const, f32, fill, i32, i64, ok, ramp, t, zeros

CUBE = ramp('T', 2, 3, 4)
MOVED = dict(types='f32 f16 i64 u8 boolean')


def none(kind='i64'):
    return const(t([], (0,)).as_type(kind))


# --- the same elements in another shape -------------------------------------------------

ok('Reshape', 1, [ramp('T', 2, 6), const(i64([3, 4]))], [ramp('T', 3, 4)], special_zero=False,
   types=ALL)
ok('Reshape', 1, [ramp('T', 2, 6), const(i32([-1]))], [ramp('T', 12)], special_zero=True,
   types='f32')
ok('Reshape', 1, [ramp('T', 2, 6), const(i64([0, 3, -1]))], [ramp('T', 2, 3, 2)],
   special_zero=True, types='f32')
ok('Reshape', 1, [f32([[5]]), none()], [f32(5)], special_zero=False)
ok('Reshape', 1, [zeros('f32', 0, 4), const(i64([2, 0]))], [zeros('f32', 2, 0)],
   special_zero=False)
ok('Reshape', 1, [zeros('f32', 2, 0), const(i64([0, -1]))], [zeros('f32', 2, 0)],
   special_zero=True)
ok('Reshape', 1, [ramp('f32', 2, 6), const(i64([4, -1]))], [ramp('f32', 4, 3)],
   special_zero=False, more=[([ramp('f32', 4, 5), const(i64([4, -1]))], [ramp('f32', 4, 5)])])
bad('Reshape', 1, [zeros('f32', 2, 3), const(i64([4]))], special_zero=False)
bad('Reshape', 1, [zeros('f32', 2, 3), const(i64([-1, -1]))], special_zero=False)
bad('Reshape', 1, [zeros('f32', 2, 3), const(f32([6]))], special_zero=False)
bad('Reshape', 1, [zeros('f32', 2, 3), const(i64([6]))])
bad('Reshape', 1, [zeros('f32', 2, 3), const(i64([2, 3, 0]))], special_zero=True)

ok('Squeeze', (1, 15), [ramp('T', 1, 2, 1), const(i64([0]))], [ramp('T', 2, 1)], **MOVED)
ok('Squeeze', (1, 15), [ramp('T', 1, 2, 1), const(i32([-1, 0]))], [ramp('T', 2)], types='f32')
ok('Squeeze', (1, 15), [ramp('T', 1, 2, 1), const(i32(2))], [ramp('T', 1, 2)], types='f32')
ok('Squeeze', (1, 15), [ramp('T', 1, 2, 1)], [ramp('T', 2)], types='f32')
ok('Squeeze', (1, 15), [ramp('T', 1, 2, 1), none()], [ramp('T', 2)], types='f32')
ok('Squeeze', 15, [ramp('T', 1, 2, 1), const(i64([1, 2]))], [ramp('T', 1, 2)], types='f32',
   allow_axis_skip=True)
bad('Squeeze', (1, 15), [zeros('f32', 1, 2), const(i64([1]))])
bad('Squeeze', (1, 15), [zeros('f32', 1, 2), const(i64([2]))])
ok('Unsqueeze', 1, [ramp('T', 2, 3), const(i64([0]))], [ramp('T', 1, 2, 3)], **MOVED)
ok('Unsqueeze', 1, [ramp('T', 2, 3), const(i32([-1, 1]))], [ramp('T', 2, 1, 3, 1)], types='f32')
ok('Unsqueeze', 1, [t(7), const(i64(0))], [t([7])], types='f32')
bad('Unsqueeze', 1, [zeros('f32', 2), const(i64([2]))])
bad('Unsqueeze', 1, [zeros('f32', 2), const(i64([0, 0]))])
ok('Identity', 16, [ramp('T', 2, 3)], [ramp('T', 2, 3)], types=ALL)
bad('Identity', 16, [zeros('f32', 2), zeros('f32', 2)])

ok('ShapeOf', 1, [ramp('T', 2, 3)], [i64([2, 3])], types=ALL)
ok('ShapeOf', 3, [ramp('T', 2, 0)], [i64([2, 0])], types=ALL)
ok('ShapeOf', 3, [t(1)], [i32([], (0,))], types='f32', output_type='i32')
bad('ShapeOf', 1, [])
bad('ShapeOf', 3, [zeros('f32', 2)], output_type='f32')

# --- order --------------------------------------------------------------------------------

ok('Transpose', 1, [CUBE, const(i64([2, 0, 1]))],
   [fill('T', (4, 2, 3), lambda k, i, j: at(CUBE, i, j, k))], types=ALL)
ok('Transpose', 1, [CUBE, none('i32')], [fill('T', (4, 3, 2), lambda k, j, i: at(CUBE, i, j, k))],
   **MOVED)
ok('Transpose', 1, [ramp('f32', 33, 17), const(i64([1, 0]))],
   [fill('f32', (17, 33), lambda j, i: i * 17 + j)])
ok('Transpose', 1, [zeros('f32', 0, 3), const(i64([1, 0]))], [zeros('f32', 3, 0)])
ok('Transpose', 1, [ramp('f32', 2, 3), const(i64([1, 0]))], [f32([[0, 3], [1, 4], [2, 5]])],
   more=[([ramp('f32', 1, 3), const(i64([1, 0]))], [f32([[0], [1], [2]])]),
         ([ramp('f32', 2, 3), const(i64([0, 1]))], [ramp('f32', 2, 3)]),
         ([ramp('f32', 2, 2), const(i64([0, 1]))], [ramp('f32', 2, 2)]),
         ([ramp('f32', 2, 2), const(i64([1, 0]))], [f32([[0, 2], [1, 3]])])])
bad('Transpose', 1, [zeros('f32', 2, 3), const(i64([0]))])
bad('Transpose', 1, [zeros('f32', 2, 3), const(i64([0, 0]))])
bad('Transpose', 1, [zeros('f32', 2, 3), const(i64([0, 2]))])

ok('Reverse', 1, [CUBE, const(i64([1]))],
   [fill('T', (2, 3, 4), lambda i, j, k: at(CUBE, i, 2 - j, k))], mode='index', **MOVED)
ok('Reverse', 1, [CUBE, const(i32([0, -1]))],
   [fill('T', (2, 3, 4), lambda i, j, k: at(CUBE, 1 - i, j, 3 - k))], mode='index', **MOVED)
ok('Reverse', 1, [CUBE, const(boolean([False, True, True]))],
   [fill('T', (2, 3, 4), lambda i, j, k: at(CUBE, i, 2 - j, 3 - k))], mode='mask', **MOVED)
ok('Reverse', 1, [CUBE, none()], [CUBE], mode='index', types='f32')
bad('Reverse', 1, [zeros('f32', 2, 3), const(i64([2]))], mode='index')
bad('Reverse', 1, [zeros('f32', 2, 3), const(boolean([True]))], mode='mask')
bad('Reverse', 1, [zeros('f32', 2, 3), const(i64([0]))])

for LENGTHS in ('i32', 'i64', 'f32'):
    ok('ReverseSequence', 1, [CUBE, t([2, 4]).as_type(LENGTHS)],
       [fill('T', (2, 3, 4), lambda i, j, k: at(CUBE, i, j, (1 - k if k < 2 else k) if i == 0
                                                else 3 - k))],
       types='f32 i8', batch_axis=0, seq_axis=2)
ok('ReverseSequence', 1, [CUBE, i32([1, 2, 3, 1])],
   [fill('T', (2, 3, 4), lambda i, j, k: at(CUBE, i, (lambda n: n - 1 - j if j < n else j)(
       (1, 2, 3, 1)[k]), k))], batch_axis=2, seq_axis=1, **MOVED)
ok('ReverseSequence', 1, [CUBE, i32([1, 2, 2])],
   [fill('T', (2, 3, 4), lambda i, j, k: at(CUBE, i if j == 0 else 1 - i, j, k))],
   batch_axis=-2, seq_axis=-3, **MOVED)
bad('ReverseSequence', 1, [zeros('f32', 2, 3), zeros('i32', 3)], batch_axis=0, seq_axis=1)
bad('ReverseSequence', 1, [zeros('f32', 2, 3), zeros('i32', 2)], batch_axis=0, seq_axis=2)
bad('ReverseSequence', 1, [zeros('f32', 2, 3), i32([1, 4])], batch_axis=0, seq_axis=1)

ok('Roll', 7, [CUBE, const(i64(1)), const(i64(2))],
   [fill('T', (2, 3, 4), lambda i, j, k: at(CUBE, i, j, (k - 1) % 4))], **MOVED)
ok('Roll', 7, [CUBE, const(i32([-1, 5])), const(i32([0, -2]))],
   [fill('T', (2, 3, 4), lambda i, j, k: at(CUBE, (i + 1) % 2, (j - 5) % 3, k))], **MOVED)
ok('Roll', 7, [CUBE, const(i32([1, 1])), const(i32([1, 1]))],
   [fill('T', (2, 3, 4), lambda i, j, k: at(CUBE, i, (j - 2) % 3, k))], **MOVED)
ok('Roll', 7, [CUBE, const(i64([1])), const(i64([0, 1]))],
   [fill('T', (2, 3, 4), lambda i, j, k: at(CUBE, (i - 1) % 2, (j - 1) % 3, k))], types='f32')
bad('Roll', 7, [zeros('f32', 2, 3), const(i64([1])), const(i64([2]))])
bad('Roll', 7, [zeros('f32', 2, 3), const(i64([1, 2, 3])), const(i64([0, 1]))])

ok('ShuffleChannels', 1, [ramp('T', 1, 6, 2)],
   [fill('T', (1, 6, 2), lambda n, c, k: (c % 2 * 3 + c // 2) * 2 + k)], axis=1, group=2, **MOVED)
ok('ShuffleChannels', 1, [ramp('T', 1, 2, 6)],
   [fill('T', (1, 2, 6), lambda n, c, k: c * 6 + (k % 3) * 2 + k // 3)], axis=-1, group=3,
   **MOVED)
bad('ShuffleChannels', 1, [zeros('f32', 1, 5, 2)], axis=1, group=2)
bad('ShuffleChannels', 1, [zeros('f32', 1, 4, 2)], axis=3, group=2)

# --- blocks ---------------------------------------------------------------------------------

DEEP = ramp('T', 1, 8, 2, 3)
# Depth is (block row, block column, channel), or the channel first.
ok('DepthToSpace', 1, [DEEP], [fill('T', (1, 2, 4, 6), lambda n, c, y, x: at(
    DEEP, 0, (y % 2 * 2 + x % 2) * 2 + c, y // 2, x // 2))], mode='blocks_first', block_size=2,
   **MOVED)
ok('DepthToSpace', 1, [DEEP], [fill('T', (1, 2, 4, 6), lambda n, c, y, x: at(
    DEEP, 0, c * 4 + y % 2 * 2 + x % 2, y // 2, x // 2))], mode='depth_first', block_size=2,
   **MOVED)
ok('DepthToSpace', 1, [ramp('f32', 1, 4, 3)], [fill('f32', (1, 2, 6), lambda n, c, x: (
    x % 2 * 2 + c) * 3 + x // 2)], mode='blocks_first', block_size=2)
WIDE = ramp('T', 1, 2, 4, 6)
ok('SpaceToDepth', 1, [WIDE], [fill('T', (1, 8, 2, 3), lambda n, d, y, x: at(
    WIDE, 0, d % 2, y * 2 + d // 4, x * 2 + d // 2 % 2))], mode='blocks_first', block_size=2,
   **MOVED)
ok('SpaceToDepth', 1, [WIDE], [fill('T', (1, 8, 2, 3), lambda n, d, y, x: at(
    WIDE, 0, d // 4, y * 2 + d // 2 % 2, x * 2 + d % 2))], mode='depth_first', block_size=2,
   **MOVED)
bad('DepthToSpace', 1, [zeros('f32', 1, 6, 2, 2)], mode='blocks_first', block_size=2)
bad('DepthToSpace', 1, [zeros('f32', 1, 8, 2, 2)], mode='blocks', block_size=2)
bad('SpaceToDepth', 1, [zeros('f32', 1, 1, 3, 2)], mode='blocks_first', block_size=2)
bad('SpaceToDepth', 1, [zeros('f32', 1, 1, 4, 2)], mode='blocks_first', block_size=0)

FOUR = ramp('T', 4, 1, 2)
ok('BatchToSpace', 2, [FOUR, const(i64([1, 2, 2])), const(i64([0, 0, 0])), const(i64([0, 0, 1]))],
   [t([[[0, 2, 1], [4, 6, 5]]])], **MOVED)
ok('SpaceToBatch', 2, [t([[[1, 2, 3]]]), const(i64([1, 1, 2])), const(i64([0, 0, 1])),
                       const(i64([0, 0, 0]))], [t([[[0, 2]], [[1, 3]]])], types=NUMBERS)
ok('SpaceToBatch', 2, [ramp('f32', 1, 2, 4), const(i32([1, 2, 2])), const(i32([0, 0, 0])),
                       const(i32([0, 0, 0]))],
   [f32([[[0, 2]], [[1, 3]], [[4, 6]], [[5, 7]]])])
bad('BatchToSpace', 2, [zeros('f32', 3, 1, 2), const(i64([1, 2, 2])), const(i64([0, 0, 0])),
                        const(i64([0, 0, 0]))])
bad('BatchToSpace', 2, [zeros('f32', 4, 1), const(i64([1, 2])), const(i64([0, 0])),
                        const(i64([0, 3]))])
bad('SpaceToBatch', 2, [zeros('f32', 1, 1, 3), const(i64([1, 1, 2])), const(i64([0, 0, 0])),
                        const(i64([0, 0, 0]))])
bad('SpaceToBatch', 2, [zeros('f32', 1, 4), const(i64([1])), const(i64([0, 0])),
                        const(i64([0, 0]))])

# --- concatenating, splitting, tiling ----------------------------------------------------------

ok('Concat', 1, [t([[1, 2]]), t([[3, 4], [5, 6]])], [t([[1, 2], [3, 4], [5, 6]])], axis=0,
   types=ALL.replace(' boolean', ''))
ok('Concat', 1, [t([[1], [2]]), t([[3, 4], [5, 6]])], [t([[1, 3, 4], [2, 5, 6]])], axis=-1,
   types='f32 i8')
ok('Concat', 1, [t([[1], [2]]), t([], (2, 0)), const(t([[3], [4]]))], [t([[1, 3], [2, 4]])],
   axis=1, types='f32 i64')
ok('Concat', 1, [ramp('f32', 2, 2)], [ramp('f32', 2, 2)], axis=1)
ok('Concat', 1, [boolean([True]), boolean([False])], [boolean([True, False])], axis=0)
bad('Concat', 1, [zeros('f32', 2, 2), zeros('f32', 2, 3)], axis=0)
bad('Concat', 1, [zeros('f32', 2, 2), zeros('f32', 2)], axis=0)
bad('Concat', 1, [zeros('f32', 2), zeros('i32', 2)], axis=0)
bad('Concat', 1, [zeros('f32', 2), zeros('f32', 2)], axis=1)
bad('Concat', 1, [zeros('f32', 2), zeros('f32', 2)])

ok('Split', 1, [ramp('T', 2, 4), const(i64(1))], [t([[0, 1], [4, 5]]), t([[2, 3], [6, 7]])],
   num_splits=2, **MOVED)
ok('Split', 1, [ramp('T', 2, 4), const(i32(-2))], [t([[0, 1, 2, 3]]), t([[4, 5, 6, 7]])],
   num_splits=2, types='f32')
ok('Split', 1, [ramp('f32', 2, 2), const(i64(0))], [f32([[0, 1]]), f32([[2, 3]])], num_splits=2,
   more=[([ramp('f32', 2, 2), const(i64(1))], [f32([[0], [2]]), f32([[1], [3]])])])
bad('Split', 1, [zeros('f32', 2, 3), const(i64(1))], 2, num_splits=2)
bad('Split', 1, [zeros('f32', 2, 3), const(i64(2))], 3, num_splits=3)
bad('Split', 1, [zeros('f32', 2, 4), const(i64(1))], 2, num_splits=4)

ok('VariadicSplit', 1, [ramp('T', 2, 4), const(i64(1)), const(i64([1, 3]))],
   [t([[0], [4]]), t([[1, 2, 3], [5, 6, 7]])], **MOVED)
ok('VariadicSplit', 1, [ramp('T', 2, 4), const(i32(-1)), const(i32([1, -1, 0]))],
   [t([[0], [4]]), t([[1, 2, 3], [5, 6, 7]]), t([], (2, 0))], types='f32')
bad('VariadicSplit', 1, [zeros('f32', 2, 4), const(i64(1)), const(i64([1, 2]))], 2)
bad('VariadicSplit', 1, [zeros('f32', 2, 4), const(i64(1)), const(i64([-1, -1]))], 2)
bad('VariadicSplit', 1, [zeros('f32', 2, 4), const(i64(1)), const(i64([4]))], 2)

ok('Tile', 1, [t([[1, 2]]), const(i64([2, 2]))], [t([[1, 2, 1, 2]] * 2)], types=ALL)
ok('Tile', 1, [t([[1], [2]]), const(i32([2]))], [t([[1, 1], [2, 2]])], types='f32')
ok('Tile', 1, [t([1, 2]), const(i64([2, 1, 1]))], [t([[[1, 2]]] * 2)], types='f32')
ok('Tile', 1, [t([1, 2]), const(i64([0]))], [t([], (0,))], types='f32')
bad('Tile', 1, [zeros('f32', 2), const(f32([2]))])
bad('Tile', 1, [zeros('f32', 2), const(zeros('i64', 2, 2))])

ok('Broadcast', (1, 3), [t([[1], [2]]), const(i64([2, 2, 3]))], [t([[[1] * 3, [2] * 3]] * 2)],
   types=ALL)
ok('Broadcast', (1, 3), [t([1, 2]), const(i32([2, 3])), const(i32([0]))],
   [t([[1] * 3, [2] * 3])], types='f32 u8', mode='explicit')
ok('Broadcast', 1, [t([1, 2]), const(i32([2, 3])), const(i32([0]))], [t([[1] * 3, [2] * 3])],
   types='f32', mode='none')
ok('Broadcast', 3, [t([[1], [2]]), const(i64([1, 3]))], [t([[1] * 3, [2] * 3])],
   types='f32 i64 boolean', mode='bidirectional')
ok('Broadcast', 3, [t([1, 2]), const(i64([1]))], [t([1, 2])], types='f32', mode='bidirectional')
ok('Broadcast', (1, 3), [t(5), const(i64([2]))], [t([5, 5])], types='f32')
ok('Broadcast', (1, 3), [t([5]), const(i64([2, 0]))], [t([], (2, 0))], types='f32')
bad('Broadcast', (1, 3), [zeros('f32', 2), const(i64([3]))])
bad('Broadcast', (1, 3), [zeros('f32', 2, 2), const(i64([2]))])
bad('Broadcast', (1, 3), [zeros('f32', 2), const(i64([2, 3]))], mode='explicit')
bad('Broadcast', 1, [zeros('f32', 2), const(i64([-1]))])

# --- pieces -----------------------------------------------------------------------------------

ok('Slice', 8, [CUBE, const(i64([1])), const(i64([3])), const(i64([1])), const(i64([2]))],
   [fill('T', (2, 3, 2), lambda i, j, k: at(CUBE, i, j, k + 1))], **MOVED)
ok('Slice', 8, [CUBE, const(i32([-1, 3])), const(i32([-9, 0])), const(i32([-1, -2])),
                const(i32([0, -1]))],
   [fill('T', (2, 3, 2), lambda i, j, k: at(CUBE, 1 - i, j, 3 - 2 * k))], **MOVED)
ok('Slice', 8, [CUBE, const(i64([1, 0])), const(i64([2 ** 62, 2])), const(i64([1, 1]))],
   [fill('T', (1, 2, 4), lambda i, j, k: at(CUBE, 1, j, k))], **MOVED)
ok('Slice', 8, [ramp('f32', 4), const(i64([3])), const(i64([1])), const(i64([1]))],
   [f32([], (0,))])
ok('Slice', 8, [ramp('f32', 4), const(i64([0])), const(i64([-1])), const(i64([1]))],
   [f32([0, 1, 2])], more=[([ramp('f32', 3), const(i64([0])), const(i64([-1])),
                             const(i64([1]))], [f32([0, 1])]),
                           ([ramp('f32', 4), const(i64([1])), const(i64([4])),
                             const(i64([1]))], [f32([1, 2, 3])])])
bad('Slice', 8, [zeros('f32', 4), const(i64([0])), const(i64([1])), const(i64([0]))])
bad('Slice', 8, [zeros('f32', 4), const(i64([0, 0])), const(i64([1])), const(i64([1]))])
bad('Slice', 8, [zeros('f32', 4), const(i64([0])), const(i64([1])), const(i64([1])),
                 const(i64([1]))])
bad('Slice', 8, [zeros('f32', 4, 4), const(i64([0, 0])), const(i64([1, 1])), const(i64([1, 1])),
                 const(i64([1, -1]))])


def strided(data, begin, end, strides, out, types='f32', **masks):
    names = dict(begin_mask=[], end_mask=[], new_axis_mask=[], shrink_axis_mask=[],
                 ellipsis_mask=[])
    names.update(masks)
    ok('StridedSlice', 1, [data, const(i64(begin)), const(i64(end)), const(i64(strides))], [out],
       types=types, **names)


strided(CUBE, [0, 1, 1], [2, 3, 4], [1, 1, 2],
        fill('T', (2, 2, 2), lambda i, j, k: at(CUBE, i, j + 1, 1 + 2 * k)), MOVED['types'])
# A set bit of begin_mask or end_mask: from the first, to the last element.
strided(CUBE, [1, 1, 1], [1, 2, 2], [1, 1, 1],
        fill('T', (2, 1, 1), lambda i, j, k: at(CUBE, i, 1, 1)), begin_mask=[1, 0, 0],
        end_mask=[1, 0, 0])
strided(CUBE, [0, 2, 0], [0, 0, 0], [1, -1, 1],
        fill('T', (2, 3, 4), lambda i, j, k: at(CUBE, i, 2 - j, k)), begin_mask=[1, 1, 1],
        end_mask=[1, 1, 1])
strided(CUBE, [1, 0], [2, 0], [1, 1], fill('T', (3, 4), lambda j, k: at(CUBE, 1, j, k)),
        shrink_axis_mask=[1, 0], end_mask=[0, 1])
strided(CUBE, [-1], [0], [1], fill('T', (3, 4), lambda j, k: at(CUBE, 1, j, k)),
        shrink_axis_mask=[1])
strided(CUBE, [0, 0, 1], [0, 0, 2], [1, 1, 1],
        fill('T', (1, 2, 3, 1), lambda n, i, j, k: at(CUBE, i, j, 1)),
        new_axis_mask=[1, 0, 0], ellipsis_mask=[0, 1, 0])
ok('StridedSlice', 1, [ramp('f32', 4), const(i64([1])), const(i64([3]))], [f32([1, 2])],
   begin_mask=[0], end_mask=[0])
bad('StridedSlice', 1, [zeros('f32', 4), const(i64([0, 0])), const(i64([1, 1])),
                        const(i64([1, 1]))], begin_mask=[], end_mask=[])
bad('StridedSlice', 1, [zeros('f32', 4), const(i64([0])), const(i64([1])), const(i64([0]))],
    begin_mask=[], end_mask=[])
bad('StridedSlice', 1, [zeros('f32', 4), const(i64([0])), const(i64([1, 2])), const(i64([1]))],
    begin_mask=[], end_mask=[])
bad('StridedSlice', 1, [zeros('f32', 4), const(i64([4])), const(i64([5])), const(i64([1]))],
    begin_mask=[], end_mask=[], shrink_axis_mask=[1])

FIVE = ramp('T', 3, 5)
ok('SliceScatter', 15, [FIVE, t([[10, 20], [30, 40]]), const(i64([0, 1])), const(i64([3, 5])),
                        const(i64([2, 2]))],
   [t([[0, 10, 2, 20, 4], [5, 6, 7, 8, 9], [10, 30, 12, 40, 14]])], types=NUMBERS)
ok('SliceScatter', 15, [FIVE, t([[1], [2], [3]]), const(i32([-1])), const(i32([-2])),
                        const(i32([-1])), const(i32([-1]))],
   [t([[0, 1, 2, 3, 1], [5, 6, 7, 8, 2], [10, 11, 12, 13, 3]])], types='f32 i64')
ok('SliceScatter', 15, [ramp('T', 4), t([9, 8]), const(i64([-25])), const(i64([25])),
                        const(i64([2]))], [t([9, 1, 8, 3])], types='f32')
ok('SliceScatter', 15, [ramp('T', 4), t([9, 8]), const(i64([3])), const(i64([-25])),
                        const(i64([-2]))], [t([0, 8, 2, 9])], types='f32 u8')
ok('SliceScatter', 15, [ramp('f32', 4), f32([], (0,)), const(i64([3])), const(i64([1])),
                        const(i64([1]))], [ramp('f32', 4)])
bad('SliceScatter', 15, [zeros('f32', 4), zeros('f32', 2), const(i64([0])), const(i64([3])),
                         const(i64([1]))])
bad('SliceScatter', 15, [zeros('f32', 4), zeros('i32', 2), const(i64([0])), const(i64([2])),
                         const(i64([1]))])
bad('SliceScatter', 15, [zeros('f32', 4), zeros('f32', 2), const(i64([0])), const(i64([2])),
                         const(i64([1])), const(i64([1]))])

# The input is aligned with an axis of the target.
ok('Broadcast', (1, 3), [t([1, 2]), const(i64([3, 2, 2]))], [t([[[1, 1], [2, 2]]] * 3)],
   types='f32', mode='pdpd', axis=1)
ok('Broadcast', (1, 3), [t([1, 2]), const(i64([3, 2, 2]))], [t([[[1, 2], [1, 2]]] * 3)],
   types='f32', mode='pdpd')
bad('Broadcast', (1, 3), [zeros('f32', 2), const(i64([2, 2]))], mode='pdpd', axis=2)
ok('Tile', 1, [t(5), const(i64([3]))], [t([5, 5, 5])], types='f32')
ok('Transpose', 1, [t(5), none()], [t(5)], types='f32')
ok('Concat', 1, [t([], (0,)), t([1])], [t([1])], axis=0, types='f32')
ok('Split', 1, [t([], (0,)), const(i64(0))], [t([], (0,)), t([], (0,))], num_splits=2,
   types='f32')
bad('SliceScatter', 15, [zeros('f32', 4), zeros('f32', 2), i64([0]), i64([3]), i64([1])])
