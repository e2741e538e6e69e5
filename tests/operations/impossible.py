# SPDX-FileCopyrightText: 2026 The inferfilter authors
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Run-time values that make an operation impossible: the run must fail."""

from frame import bad, f32, i32, i64, zeros


def Z(*shape):
    return zeros('f32', *shape)


bad('GRUSequence', 5, [Z(1, 2, 3), Z(1, 1, 2), i32([5]), Z(1, 6, 3), Z(1, 6, 2), Z(1, 6)], 2,
    hidden_size=2, direction='forward')
bad('GRUSequence', 5, [Z(1, 2, 3), Z(1, 1, 2), i32([-1]), Z(1, 6, 3), Z(1, 6, 2), Z(1, 6)], 2,
    hidden_size=2, direction='forward')
bad('CTCLoss', 4, [Z(1, 4, 3), i32([9]), zeros('i32', 1, 4), i32([1])])
bad('CTCLoss', 4, [Z(1, 4, 3), i32([4]), zeros('i32', 1, 4), i32([9])])
bad('CTCLoss', 4, [Z(1, 4, 3), i32([4]), i32([[7, 0, 0, 0]]), i32([1])])
bad('Gather', 8, [Z(2, 3), i64([0]), i64(5)])
bad('Squeeze', 1, [Z(2, 1), i64([0])])
bad('Reshape', 1, [Z(2, 3), i64([4, -1])], special_zero=False)
bad('Reshape', 1, [Z(2, 3), i64([-2])], special_zero=False)
bad('Transpose', 1, [Z(2, 3), i64([0, 5])])
bad('TopK', 3, [Z(3), i64(9)], 2, axis=0, mode='max', sort='value')
bad('Pad', 12, [Z(3), i64([2 ** 62]), i64([2 ** 62])], pad_mode='constant')
bad('Tile', 1, [Z(3), i64([2 ** 62])])
bad('Broadcast', 3, [Z(1), i64([2 ** 31, 2 ** 31, 2 ** 31])])
bad('Range', 4, [i64(0), i64(2 ** 62), i64(1)], output_type='i64')
bad('OneHot', 1, [i64([0]), i64(2 ** 60), f32(1), f32(0)], axis=0)
bad('Eye', 9, [i64(2 ** 40), i64(2 ** 40), i64(0)], output_type='f32')
bad('Slice', 8, [Z(3), i64([0]), i64([1]), i64([0])])
bad('VariadicSplit', 1, [Z(3), i64(0), i64([5, -1])], 2)
bad('Interpolate', 11, [Z(1, 1, 2, 2), i64([2 ** 40, 2]), i64([2, 3])], mode='nearest',
    shape_calculation_mode='sizes')
bad('Col2Im', 15, [Z(1, 4, 2), i64([2 ** 40, 3]), i64([2, 2])])
bad('SegmentMax', 16, [Z(1), i64([2 ** 40])], fill_mode='ZERO')
bad('SparseFillEmptyRows', 16, [Z(1), i64([2 ** 50, 3]), i64([[0, 0]]), f32(0)], 3)
bad('ReverseSequence', 1, [Z(2, 3), i32([-1, 2])], batch_axis=0, seq_axis=1)
bad('ScatterNDUpdate', 4, [Z(2), i32([[-3]]), Z(1)])
bad('BatchToSpace', 2, [Z(4, 2), i64([1, 2]), i64([0, 0]), i64([0, 2 ** 62])])
bad('SpaceToBatch', 2, [Z(4, 2), i64([1, 0]), i64([0, 0]), i64([0, 0])])
bad('RandomUniform', 8, [i64([2 ** 40]), f32(0), f32(1)], output_type='f32')
bad('Multinomial', 13, [Z(1, 3), i64(-1)], convert_type='i64')
bad('AdaptiveAvgPool', 8, [Z(1, 1, 4), i64([0])])
bad('ConvolutionBackpropData', 1, [Z(1, 2, 4), Z(2, 3, 2), i64([-1])], strides=[1], dilations=[1],
    pads_begin=[0], pads_end=[0])
bad('DFT', 7, [Z(2, 2), i64([0]), i64([-5])])
bad('DFT', 7, [Z(2, 2), i64([0]), i64([2 ** 50])])
bad('STFT', 15, [Z(8), Z(4), i64(2 ** 60), i64(1)], transpose_frames=False)
bad('CumSum', 3, [Z(8), i64(3)])
bad('Roll', 7, [Z(8), i64(1), i64(3)])
bad('Reverse', 1, [Z(8), i64([3])], mode='index')
bad('ReduceSum', 1, [Z(8), i64([3])])
bad('Unsqueeze', 1, [Z(8), i64([3, 9])])
bad('GroupedMatMul', 17, [Z(3, 2), Z(2, 2, 2), i32([1, 9])])
bad('NonMaxSuppression', 9, [Z(1, 2, 4), Z(1, 1, 2), i64([1, 2])], 3)
bad('GatherTree', 1, [zeros('i32', 2, 1, 2), i32([[[0, 0]], [[5, 5]]]), i32([2]), i32(0)])
bad('ScatterUpdate', 3, [Z(4), i32([-9]), Z(1), i64(0)])
bad('ScatterElementsUpdate', 12, [Z(4), i32([-9]), Z(1), i64(0)])
bad('GatherElements', 6, [Z(4), i32([-9])], axis=0)
bad('CTCGreedyDecoderSeqLen', 6, [Z(1, 4, 3), i32([9])], 2)
