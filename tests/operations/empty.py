# SPDX-FileCopyrightText: 2026 The inferfilter authors
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Tensors without elements are valid everywhere; nothing is read or divided by."""

from frame import boolean, const, f32, i32, i64, ok, zeros


def Z(*shape):
    return zeros('f32', *shape)


ok('SoftMax', 8, [Z(0, 3)], [Z(0, 3)], axis=0)
ok('MVN', 6, [Z(0, 3, 2), const(i64([2]))], [Z(0, 3, 2)], eps=1, eps_mode='inside_sqrt',
   normalize_variance=True)
ok('GroupNormalization', 12, [Z(0, 4, 2), Z(4), Z(4)], [Z(0, 4, 2)], num_groups=2, epsilon=1)
ok('NormalizeL2', 1, [Z(0, 4, 2), const(i64([1]))], [Z(0, 4, 2)], eps=1, eps_mode='add')
ok('LRN', 1, [Z(0, 4, 2, 2), const(i64([1]))], [Z(0, 4, 2, 2)], alpha=1, beta=1, bias=1, size=3)
ok('Interpolate', 4, [Z(0, 1, 2, 2), const(i64([3, 3])), const(f32([1, 1])), const(i64([2, 3]))],
   [Z(0, 1, 3, 3)], mode='linear', shape_calculation_mode='sizes')
ok('Interpolate', 4, [Z(0, 1, 2, 2), const(i64([3, 3])), const(f32([1, 1])), const(i64([2, 3]))],
   [Z(0, 1, 3, 3)], mode='nearest', shape_calculation_mode='sizes')
ok('LSTMCell', 4, [Z(0, 3), Z(0, 2), Z(0, 2), const(Z(8, 3)), const(Z(8, 2)), const(Z(8))], [Z(0,
   2), Z(0, 2)], hidden_size=2)
ok('LSTMSequence', 5, [Z(0, 4, 3), Z(0, 1, 2), Z(0, 1, 2), i32([], (0,)), const(Z(1, 8, 3)),
   const(Z(1, 8, 2)), const(Z(1, 8))], [Z(0, 1, 4, 2), Z(0, 1, 2), Z(0, 1, 2)], hidden_size=2,
   direction='forward')
ok('LSTMSequence', 5, [Z(1, 0, 3), f32([[[1, 2]]]), f32([[[3, 4]]]), i32([0]), const(Z(1, 8, 3)),
   const(Z(1, 8, 2)), const(Z(1, 8))], [Z(1, 1, 0, 2), f32([[[1, 2]]]), f32([[[3, 4]]])],
   hidden_size=2, direction='forward')
ok('GRUSequence', 5, [Z(1, 2, 3), f32([[[1, 2]]]), i32([0]), const(Z(1, 6, 3)), const(Z(1, 6, 2)),
   const(Z(1, 6))], [Z(1, 1, 2, 2), f32([[[1, 2]]])], hidden_size=2, direction='forward')
ok('MaxPool', 1, [Z(0, 2, 4)], [Z(0, 2, 3)], kernel=[2], strides=[1], pads_begin=[0], pads_end=[0])
ok('AvgPool', 1, [Z(0, 2, 4)], [Z(0, 2, 3)], kernel=[2], strides=[1], pads_begin=[0],
   pads_end=[0], **{'exclude-pad': True})
ok('DFT', 7, [Z(0, 3, 2), const(i64([1]))], [Z(0, 3, 2)])
ok('RDFT', 9, [Z(0, 4), const(i64([1]))], [Z(0, 3, 2)])
ok('Einsum', 7, [Z(0, 3), Z(3, 2)], [Z(0, 2)], equation='ij,jk->ik')
ok('Einsum', 7, [Z(2, 0), Z(0, 2)], [Z(2, 2)], equation='ij,jk->ik')
ok('ScaledDotProductAttention', 13, [Z(0, 2, 2), Z(0, 3, 2), Z(0, 3, 2)], [Z(0, 2, 2)],
   causal=False)
ok('ScaledDotProductAttention', 13, [Z(1, 0, 2), Z(1, 3, 2), Z(1, 3, 2)], [Z(1, 0, 2)],
   causal=False)
ok('CumSum', 3, [Z(0, 3), const(i64(0))], [Z(0, 3)])
ok('Roll', 7, [Z(0, 3), const(i64(1)), const(i64(0))], [Z(0, 3)])
ok('Reverse', 1, [Z(0, 3), const(i64([0]))], [Z(0, 3)], mode='index')
ok('ReverseSequence', 1, [Z(0, 3), i32([], (0,))], [Z(0, 3)], batch_axis=0, seq_axis=1)
ok('DepthToSpace', 1, [Z(0, 4, 2, 2)], [Z(0, 1, 4, 4)], mode='blocks_first', block_size=2)
ok('SpaceToDepth', 1, [Z(0, 1, 4, 4)], [Z(0, 4, 2, 2)], mode='blocks_first', block_size=2)
ok('ShuffleChannels', 1, [Z(0, 4)], [Z(0, 4)], axis=1, group=2)
ok('SpaceToBatch', 2, [Z(0, 2), const(i64([1, 2])), const(i64([0, 0])), const(i64([0, 0]))], [Z(0,
   1)])
ok('BatchToSpace', 2, [Z(0, 2), const(i64([1, 2])), const(i64([0, 0])), const(i64([0, 0]))], [Z(0,
   4)])
ok('OneHot', 1, [i64([], (0,)), const(i64(3)), const(f32(1)), const(f32(0))], [Z(0, 3)], axis=-1)
ok('OneHot', 1, [i64([1]), const(i64(0)), const(f32(1)), const(f32(0))], [Z(1, 0)], axis=-1)
ok('Bucketize', 3, [Z(0,), f32([1])], [i64([], (0,))])
ok('SearchSorted', 15, [f32([1, 2]), Z(0,)], [i64([], (0,))])
ok('ScatterUpdate', 3, [f32([1, 2]), i32([], (0,)), Z(0,), const(i64(0))], [f32([1, 2])])
ok('ScatterElementsUpdate', 12, [f32([1, 2]), i32([], (0,)), Z(0,), const(i64(0))], [f32([1, 2])],
   reduction='mean')
ok('GatherElements', 6, [Z(3, 0), i64([], (2, 0))], [Z(2, 0)], axis=0)
ok('GatherND', 8, [Z(3, 0), i64([[1]])], [Z(1, 0)])
ok('Eye', 9, [const(i64(0)), const(i64(3)), const(i64(0))], [Z(0, 3)], output_type='f32')
ok('EmbeddingBagPackedSum', 3, [Z(3, 2), i64([], (0, 2))], [Z(0, 2)])
ok('EmbeddingBagPackedSum', 3, [Z(3, 2), i64([], (2, 0))], [Z(2, 2)])
ok('EmbeddingBagOffsetsSum', 3, [Z(3, 2), i64([], (0,)), i64([], (0,))], [Z(0, 2)])
ok('EmbeddingBagOffsetsSum', 3, [f32([[1, 2]]), i64([], (0,)), i64([0, 0]), i64(0)], [f32([[1, 2],
   [1, 2]])])
ok('BatchNormInference', 5, [Z(0, 2), Z(2), Z(2), Z(2), Z(2)], [Z(0, 2)], epsilon=1)
ok('FakeQuantize', 1, [Z(0, 2), *[const(f32(x)) for x in (0, 1, 0, 1)]], [Z(0, 2)], levels=4)
ok('PReLU', 1, [Z(0, 2), f32([1, 1])], [Z(0, 2)])
ok('Select', 1, [boolean([], (0,)), Z(0), f32(1)], [Z(0)])
ok('NV12toRGB', 8, [zeros('u8', 0, 3, 4, 1)], [zeros('u8', 0, 2, 4, 3)])
ok('AdaptiveAvgPool', 8, [Z(0, 2, 4), const(i64([2]))], [Z(0, 2, 2)])
ok('ConvolutionBackpropData', 1, [Z(0, 2, 4), const(Z(2, 3, 2))], [Z(0, 3, 5)], strides=[1],
   dilations=[1], pads_begin=[0], pads_end=[0])
ok('GroupConvolution', 1, [Z(0, 2, 4), const(Z(2, 1, 1, 2))], [Z(0, 2, 3)], strides=[1],
   dilations=[1], pads_begin=[0], pads_end=[0])
ok('Range', 4, [const(i64(5)), const(i64(1)), const(i64(1))], [i64([], (0,))], output_type='i64')
ok('GatherTree', 1, [zeros('i32', 0, 1, 2), zeros('i32', 0, 1, 2), i32([0]), i32(1)],
   [zeros('i32', 0, 1, 2)])
ok('CTCGreedyDecoderSeqLen', 6, [Z(0, 3, 4), i32([], (0,))], [zeros('i32', 0, 3), i32([], (0,))])
ok('ExtractImagePatches', 3, [Z(0, 1, 4, 4)], [Z(0, 4, 2, 2)], sizes=[2, 2], strides=[2, 2],
   rates=[1, 1], auto_pad='valid')
ok('STFT', 15, [Z(0, 8), f32([1, 1, 1, 1]), const(i64(4)), const(i64(2))], [Z(0, 3, 3, 2)],
   transpose_frames=False)
ok('Inverse', 14, [Z(0, 2, 2)], [Z(0, 2, 2)], adjoint=False)
ok('DeformableConvolution', 8, [Z(0, 2, 4, 4), Z(0, 8, 3, 3), const(Z(3, 2, 2, 2))], [Z(0, 3, 3,
   3)], strides=[1, 1], dilations=[1, 1], pads_begin=[0, 0], pads_end=[0, 0])
# Axes that are only known at run time: the rows are those of the dims that are kept.
ok('ReduceSum', 1, [Z(0, 40, 5), i64([0])], [Z(40, 5)], keep_dims=False)
ok('ReduceMean', 1, [zeros('i32', 0, 40, 5), i64([0])], [zeros('i32', 40, 5)], keep_dims=False)
ok('ReduceSum', 1, [zeros('f64', 30, 0, 20), i64([1])], [zeros('f64', 30, 20)], keep_dims=False)
