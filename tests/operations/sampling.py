# SPDX-FileCopyrightText: 2026 The inferfilter authors
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Pictures: sampling, patches, colours."""

from frame import ALL, NUMBERS, bad, const, f32, f64, i32, i64, ok, ramp, t, zeros

# --- GridSample: 2 × 2 pixels, points at pixel centres, between them, outside ---

PICTURE = t([[[[1, 2], [3, 4]]]])


def grid(*points):
    return f32([[list(map(list, points))]])


ok('GridSample', 9, [PICTURE, grid((-0.5, -0.5), (0.5, -0.5), (0.5, 0.5), (3, 0))],
   [t([[[[1, 2, 4, 0]]]])], types=NUMBERS, mode='nearest', padding_mode='zeros')
ok('GridSample', 9, [PICTURE, grid((0, -0.5), (0, 0), (-1, -0.5))],
   [t([[[[1.5, 2.5, 0.5]]]])], types='f32 f16 f64')
ok('GridSample', 9, [PICTURE, grid((-1, -1), (0, 0), (9, 9), (-9, 0))],
   [t([[[[1, 2.5, 4, 2]]]])], types='f32 bf16', align_corners=True, padding_mode='border')
# x = 2 lies on pixel 1.5 of 0 … 1: halfway from there it is mirrored at 1.
ok('GridSample', 9, [PICTURE, grid((2, -1), (3, -1))], [t([[[[1.5, 1]]]])], types='f32',
   align_corners=True, padding_mode='reflection')
ok('GridSample', 9, [PICTURE, grid((1.5, -0.5), (2.5, -0.5))], [t([[[[2, 1]]]])], types='f32',
   padding_mode='reflection', mode='nearest')
# Cubic weights add up to one, and are 0 or 1 at a pixel.
ok('GridSample', 9, [t([[[[5, 5, 5], [5, 5, 5]]]]), grid((0.1, 0.3), (-0.7, 0.9))],
   [t([[[[5, 5]]]])], types='f32 f16', mode='bicubic', padding_mode='border')
ok('GridSample', 9, [PICTURE, grid((-0.5, 0.5))], [t([[[[3]]]])], types='f32 f64',
   mode='bicubic')
# Halfway between two pixels: weights -0.09375 and 0.59375 on each side.
ok('GridSample', 9, [f32([[[[0, 0, 1, 0]]]]), f64([[[[0, 0]]]])], [f32([[[[0.59375]]]])],
   mode='bicubic', padding_mode='border')
ok('GridSample', 9, [zeros('f32', 0, 3, 2, 2), zeros('f32', 0, 1, 1, 2)],
   [zeros('f32', 0, 3, 1, 1)])
bad('GridSample', 9, [zeros('f32', 1, 1, 2, 2), zeros('f32', 1, 1, 1, 3)])
bad('GridSample', 9, [zeros('f32', 1, 1, 2, 2), zeros('i32', 1, 1, 1, 2)])
bad('GridSample', 9, [zeros('f32', 1, 1, 2, 2), zeros('f32', 1, 1, 1, 2)], mode='linear')

# --- patches ---------------------------------------------------------------------

PATCHES = dict(sizes=[2, 2], strides=[2, 2], rates=[1, 1])
ok('ExtractImagePatches', 3, [ramp('T', 1, 1, 4, 4)],
   [t([[[[0, 2], [8, 10]], [[1, 3], [9, 11]], [[4, 6], [12, 14]], [[5, 7], [13, 15]]]])],
   types=ALL.replace(' boolean', ''), auto_pad='valid', **PATCHES)
ok('ExtractImagePatches', 3, [ramp('f32', 1, 2, 1, 1, start=1)],
   [f32([1, 2, 0, 0, 0, 0, 0, 0], (1, 8, 1, 1))], auto_pad='same_upper', **PATCHES)
ok('ExtractImagePatches', 3, [ramp('f32', 1, 2, 1, 1, start=1)],
   [f32([0, 0, 0, 0, 0, 0, 1, 2], (1, 8, 1, 1))], auto_pad='same_lower', **PATCHES)
ok('ExtractImagePatches', 3, [ramp('f32', 1, 1, 3, 3)],
   [f32([0, 2, 6, 8], (1, 4, 1, 1))], sizes=[2, 2], strides=[1, 1], rates=[2, 2],
   auto_pad='valid')
ok('ExtractImagePatches', 3, [zeros('f32', 1, 2, 1, 3)], [zeros('f32', 1, 8, 0, 1)],
   auto_pad='valid', **PATCHES)
bad('ExtractImagePatches', 3, [zeros('f32', 1, 4, 4)], auto_pad='valid', **PATCHES)
bad('ExtractImagePatches', 3, [zeros('f32', 1, 1, 4, 4)], auto_pad='valid', sizes=[2],
    strides=[1, 1], rates=[1, 1])
bad('ExtractImagePatches', 3, [zeros('f32', 1, 1, 4, 4)], **PATCHES)

# Blocks of 2 × 2 in a picture of 2 × 3: the middle column is in both.
BLOCKS = t([[[1, 2], [3, 4], [5, 6], [7, 8]]])
ok('Col2Im', 15, [BLOCKS, const(i64([2, 3])), const(i64([2, 2]))],
   [t([[[[1, 5, 4], [5, 13, 8]]]])], types=NUMBERS)
ok('Col2Im', 15, [t([[1, 2], [3, 4], [5, 6], [7, 8]]), const(i32([2, 3])), const(i32([2, 2]))],
   [t([[[1, 5, 4], [5, 13, 8]]])], types='f32')
ok('Col2Im', 15, [f32([[[1, 2, 3, 4]]]), const(i64([3, 3])), const(i64([1, 1]))],
   [f32([[[[1, 0, 2], [0, 0, 0], [3, 0, 4]]]])], strides=[2, 2])
ok('Col2Im', 15, [f32([[[1], [2], [3], [4]]]), const(i64([3, 3])), const(i64([2, 2]))],
   [f32([[[[1, 0, 2], [0, 0, 0], [3, 0, 4]]]])], dilations=[2, 2])
ok('Col2Im', 15, [ramp('f32', 1, 4, 4, start=1), const(i64([1, 1])), const(i64([2, 2]))],
   [f32([[[[4 + 7 + 10 + 13]]]])], pads_begin=[1, 1], pads_end=[1, 1])
bad('Col2Im', 15, [zeros('f32', 1, 4, 3), const(i64([2, 3])), const(i64([2, 2]))])
bad('Col2Im', 15, [zeros('f32', 1, 5, 2), const(i64([2, 3])), const(i64([2, 2]))])
bad('Col2Im', 15, [zeros('f32', 4, 2), const(f32([2, 3])), const(i64([2, 2]))])
