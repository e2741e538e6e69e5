# SPDX-FileCopyrightText: 2026 The inferfilter authors
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Bags of embeddings, segments, sparse rows."""

from frame import INDICES, NUMBERS, bad, boolean, const, f32, i32, i64, ok, t, zeros

TABLE = t([[1, 2], [3, 4], [5, 6], [7, 8]])
SUMS = [t([[6, 8], [0, 0], [7, 8]])]  # rows 0 and 2, none, row 3

for OFFSETS in (('EmbeddingBagOffsets', 15), ('EmbeddingBagOffsetsSum', 3)):
    ok(*OFFSETS, [TABLE, i64([0, 2, 3]), i64([0, 2, 2])], SUMS, types=NUMBERS)
    ok(*OFFSETS, [TABLE, i32([0, 2, 3]), i32([0, 2, 2]), const(i32(-1))], SUMS, types='f32')
    ok(*OFFSETS, [TABLE, i32([0, 2, 3]), i32([0, 2, 2]), const(i32(1))],
       [t([[6, 8], [3, 4], [7, 8]])], types='f32 i8')
    ok(*OFFSETS, [TABLE, i32([0, 2, 3]), i32([0, 2, 2]), const(i32(1)), t([2, 1, 3])],
       [t([[7, 10], [3, 4], [21, 24]])], types=NUMBERS)
    ok(*OFFSETS, [f32([1, 2], (2, 1, 1)), i32([1, 1]), i32([0])], [f32([4], (1, 1, 1))])
    bad(*OFFSETS, [zeros('f32', 4, 2), zeros('i32', 3, 1), zeros('i32', 3)])
    bad(*OFFSETS, [zeros('f32', 4, 2), zeros('f32', 3), zeros('i32', 3)])
    bad(*OFFSETS, [zeros('f32', 4, 2), zeros('i32', 3), zeros('i32', 2), i32(0), zeros('f32', 2)])
    bad(*OFFSETS, [zeros('f32', 4, 2), i32([4, 0, 0]), i32([0, 1])])
    bad(*OFFSETS, [zeros('f32', 4, 2), i32([0, 0, 0]), i32([0, 4])])
ok('EmbeddingBagOffsets', 15, [TABLE, i64([0, 2, 3]), i64([0, 2, 2])],
   [t([[3, 4], [0, 0], [7, 8]])], types=NUMBERS, reduction='mean')
bad('EmbeddingBagOffsets', 15, [zeros('f32', 4, 2), i32([0]), i32([0]), i32(0), f32([1])],
    reduction='mean')

for PACKED in (('EmbeddingBagPacked', 15), ('EmbeddingBagPackedSum', 3)):
    ok(*PACKED, [TABLE, i64([[0, 2], [1, 3]])], [t([[6, 8], [10, 12]])], types=NUMBERS)
    ok(*PACKED, [TABLE, i32([[0, 2], [1, 3]]), t([[1, 2], [3, 1]])],
       [t([[11, 14], [16, 20]])], types=NUMBERS)
    bad(*PACKED, [zeros('f32', 4, 2), zeros('i32', 3)])
    bad(*PACKED, [zeros('f32', 4, 2), zeros('i32', 2, 2), zeros('f16', 2, 2)])
    bad(*PACKED, [zeros('f32', 4, 2), i32([[-1]])])
ok('EmbeddingBagPacked', 15, [TABLE, i64([[0, 2], [1, 3]])], [t([[3, 4], [5, 6]])],
   types=NUMBERS, reduction='mean')

ok('EmbeddingSegmentsSum', 3, [TABLE, i64([0, 2, 3]), i64([0, 0, 2]), const(i64(3))], SUMS,
   types=NUMBERS)
ok('EmbeddingSegmentsSum', 3, [TABLE, i32([0, 2, 3]), i32([0, 0, 2]), const(i32(3)), i32(1)],
   [t([[6, 8], [3, 4], [7, 8]])], types='f32 i64')
ok('EmbeddingSegmentsSum', 3,
   [TABLE, i32([0, 2, 3]), i32([0, 0, 2]), const(i32(4)), i32(1), t([2, 1, 3])],
   [t([[7, 10], [3, 4], [21, 24], [3, 4]])], types='f32 i64')
bad('EmbeddingSegmentsSum', 3, [zeros('f32', 4, 2), i32([0, 0]), i32([0]), const(i32(3))])
bad('EmbeddingSegmentsSum', 3, [zeros('f32', 4, 2), i32([0, 0]), i32([1, 0]), const(i32(3))])
bad('EmbeddingSegmentsSum', 3, [zeros('f32', 4, 2), i32([0]), i32([0]), const(i32(-1))])

# --- SegmentMax --------------------------------------------------------------------

ROWS = t([[1, 9], [3, 2], [4, 5], [7, 6]])
for INDEX in INDICES.split():
    IDS = t([0, 0, 2, 2]).as_type(INDEX)
    ok('SegmentMax', 16, [ROWS, IDS], [t([[3, 9], [0, 0], [7, 6]])], types=NUMBERS,
       fill_mode='ZERO')
    ok('SegmentMax', 16, [ROWS, IDS, const(i64(4))], [t([[3, 9], [0, 0], [7, 6], [0, 0]])],
       types='f32 i32', fill_mode='zero')
ok('SegmentMax', 16, [ROWS, i32([0, 0, 2, 2]), const(i32(2))], [t([[3, 9], [0, 0]])],
   types='f32', fill_mode='ZERO')
for KIND, LOWEST in (('f32', -3.4028234663852886e38), ('f64', -1.7976931348623157e308),
                     ('f16', -65504), ('i8', -128), ('i32', -2**31), ('i64', -2**63)):
    ok('SegmentMax', 16, [t([-5]), i32([1])], [t([LOWEST, -5])], types=KIND, fill_mode='LOWEST')
ok('SegmentMax', 16, [t([251]), i32([1])], [t([0, 251])], types='u8 u64', fill_mode='LOWEST')
ok('SegmentMax', 16, [zeros('f32', 0, 2), zeros('i32', 0)], [zeros('f32', 0, 2)],
   fill_mode='ZERO')
bad('SegmentMax', 16, [zeros('f32', 3), i32([0, 1])], fill_mode='ZERO')
bad('SegmentMax', 16, [zeros('f32', 2), i32([1, 0])], fill_mode='ZERO')
bad('SegmentMax', 16, [zeros('f32', 2), zeros('i32', 2)])
bad('SegmentMax', 16, [zeros('f32', 2), zeros('i32', 2)], fill_mode='ONE')

# --- SparseFillEmptyRows -------------------------------------------------------------

for INDEX in INDICES.split():
    ok('SparseFillEmptyRows', 16,
       [t([1, 3, 2]), t([4, 6]).as_type(INDEX), t([[0, 1], [3, 2], [0, 5]]).as_type(INDEX), t(7)],
       [t([[0, 1], [0, 5], [1, 0], [2, 0], [3, 2]]).as_type(INDEX), t([1, 2, 7, 7, 3]),
        boolean([False, True, True, False])], types=NUMBERS)
bad('SparseFillEmptyRows', 16, [zeros('f32', 2), i64([3, 3]), zeros('i64', 2, 3), f32(0)], 3)
bad('SparseFillEmptyRows', 16, [zeros('f32', 1), i64([3, 3]), i64([[3, 0]]), f32(0)], 3)
bad('SparseFillEmptyRows', 16, [zeros('f32', 1), i64([3, 3]), i64([[0, 0]]), i32(0)], 3)
