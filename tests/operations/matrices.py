# SPDX-FileCopyrightText: 2026 The inferfilter authors
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Products of matrices, and attention."""

import math

from frame import REAL, SIGNED, at, bad, boolean, const, fill, i32, ok, t, zeros

# --- MatMul ------------------------------------------------------------------------------

A, B = [[1, 2, -3], [4, 0, 1]], [[2, 1], [0, 3], [1, -1]]
AB = [[-1, 10], [9, 3]]
SWAPPED_A, SWAPPED_B = [list(r) for r in zip(*A)], [list(r) for r in zip(*B)]
for LEFT, TRANSPOSE_A in ((A, False), (SWAPPED_A, True)):
    for RIGHT, TRANSPOSE_B in ((B, False), (SWAPPED_B, True)):
        ok('MatMul', 1, [t(LEFT), t(RIGHT)], [t(AB)], types=SIGNED, transpose_a=TRANSPOSE_A,
           transpose_b=TRANSPOSE_B)
        ok('MatMul', 1, [t([LEFT, LEFT]), const(t(RIGHT))], [t([AB, AB])], types='f32 f16',
           transpose_a=TRANSPOSE_A, transpose_b=TRANSPOSE_B)
ok('MatMul', 1, [t([[200, 2]]), t([[1], [3]])], [t([[206]])], types='u8 u16 u32 u64')
ok('MatMul', 1, [t([1, 2, -3]), t(B)], [t([-1, 10])], types='f32 i32')
ok('MatMul', 1, [t(A), t([2, 0, 1])], [t([-1, 9])], types='f32 i32')
ok('MatMul', 1, [t([1, 2]), t([3, 4])], [t(11)], types='f32 i32')
ok('MatMul', 1, [t([[[1, 2]], [[3, 4]]]), t([[[[1], [1]]], [[[2], [0]]]])],
   [t([[[[3]], [[7]]], [[[2]], [[6]]]])], types='f32 i32')
ok('MatMul', 1, [zeros('f32', 2, 0), zeros('f32', 0, 3)], [zeros('f32', 2, 3)])
ok('MatMul', 1, [zeros('f32', 0, 2), zeros('f32', 2, 3)], [zeros('f32', 0, 3)])
for M, K, N in ((1, 33, 17), (5, 64, 40), (19, 7, 3)):
    LEFT = t([(i * 5) % 7 - 3 for i in range(M * K)], (M, K))
    RIGHT = t([(i * 3) % 5 - 2 for i in range(K * N)], (K, N))
    WANT = fill('T', (M, N), lambda i, j: sum(at(LEFT, i, k) * at(RIGHT, k, j)
                                              for k in range(K)))
    ok('MatMul', 1, [LEFT, const(RIGHT)], [WANT], types=REAL + ' i32')
bad('MatMul', 1, [zeros('f32', 2, 3), zeros('f32', 2, 3)])
bad('MatMul', 1, [zeros('f32', 2, 3), zeros('f16', 3, 2)])
bad('MatMul', 1, [zeros('f32', 2, 2, 3), zeros('f32', 3, 3, 2)])
bad('MatMul', 1, [zeros('f32'), zeros('f32', 3)])

# --- Einsum --------------------------------------------------------------------------------

ok('Einsum', 7, [t(A), t(B)], [t(AB)], equation='ij,jk->ik', types='f32 f16 i32')
ok('Einsum', 7, [t(A), t(B)], [t(AB)], equation='ab,bc', types='f32')
ok('Einsum', 7, [t(A)], [t(SWAPPED_A)], equation='ij->ji', types='f32')
ok('Einsum', 7, [t(A)], [t([0, 5])], equation='ij->i', types='f32 i32')
ok('Einsum', 7, [t([[1, 2], [3, 4]])], [t([1, 4])], equation='ii->i', types='f32')
ok('Einsum', 7, [t([[1, 2], [3, 4]])], [t(5)], equation='ii', types='f32')
ok('Einsum', 7, [t([1, 2]), t([3, 4, 5])], [t([[3, 4, 5], [6, 8, 10]])], equation='i, j -> ij',
   types='f32')
ok('Einsum', 7, [t([A, A]), t([B])], [t([AB, AB])], equation='...ij,...jk->...ik', types='f32')
ok('Einsum', 7, [t([1, 2]), t([3, 4]), t([5, 6])], [t(1 * 3 * 5 + 2 * 4 * 6)],
   equation='i,i,i->', types='f32')
bad('Einsum', 7, [zeros('f32', 2, 3), zeros('f32', 2, 3)], equation='ij,jk->ik')
bad('Einsum', 7, [zeros('f32', 2, 3)], equation='ijk->i')
bad('Einsum', 7, [zeros('f32', 2, 3)], equation='ij->k')
bad('Einsum', 7, [zeros('f32', 2, 3)])

# --- groups, inverses ------------------------------------------------------------------------

ok('GroupedMatMul', 17, [t([A, A]), t([SWAPPED_B, [[0, 0, 0], [1, 1, 1]]])],
   [t([AB, [[0, 0], [0, 5]]])], types='f32 f16')
# Group sizes 2, 0 and 1.
ROWS = [[1, 0], [0, 1], [1, 1]]
WEIGHTS = [[[1, 2], [3, 4], [9, 9]], [[5, 6], [7, 8], [9, 9]], [[1, 1], [2, 2], [3, 3]]]
ok('GroupedMatMul', 17, [t(ROWS), t(WEIGHTS), i32([2, 2, 3])],
   [t([[1, 3, 9], [2, 4, 9], [2, 4, 6]])], types='f32 f16')
bad('GroupedMatMul', 17, [zeros('f32', 2, 2, 3), zeros('f32', 3, 2, 3)])
bad('GroupedMatMul', 17, [zeros('f32', 2, 3), zeros('f32', 3, 2, 3)])
bad('GroupedMatMul', 17, [zeros('f32', 2, 2), zeros('f32', 1, 2, 2), i32([3])])

ok('Inverse', 14, [t([[2, 0], [0, 4]])], [t([[0.5, 0], [0, 0.25]])], types=REAL, adjoint=False)
ok('Inverse', 14, [t([[[0, 1, 0], [1, 0, 0], [0, 0, 2]]])],
   [t([[[0, 1, 0], [1, 0, 0], [0, 0, 0.5]]])], types='f32 f64', adjoint=False)
# The adjoint of the inverse.
ok('Inverse', 14, [t([[1, 2], [3, 4]])], [t([[-2, 1.5], [1, -0.5]])], types='f32', adjoint=True)
bad('Inverse', 14, [zeros('f32', 2, 3)], adjoint=False)
bad('Inverse', 14, [zeros('i32', 2, 2)], adjoint=False)

# --- attention ---------------------------------------------------------------------------------


def attention(q, k, v, scale=None, mask=None):
    scale = scale if scale is not None else 1 / math.sqrt(len(q[0]))
    result = []
    for i, row in enumerate(q):
        scores = [scale * sum(map(float.__mul__, map(float, row), map(float, other)))
                  + (mask[i][j] if mask else 0) for j, other in enumerate(k)]
        powers = [math.exp(s - max(scores)) for s in scores]
        result.append([sum(p * value[c] for p, value in zip(powers, v)) / sum(powers)
                       for c in range(len(v[0]))])
    return result


Q, K, V = [[1, 0], [0.5, 2]], [[1, 1], [0, 2], [3, -1]], [[1, 0, 2], [0, 4, 1], [2, 2, -2]]
none, low = 0, -math.inf
ATTENTION = dict(types='f32 f16 bf16')
ok('ScaledDotProductAttention', 13, [t([Q]), t([K]), t([V])], [t([attention(Q, K, V)])],
   causal=False, **ATTENTION)
ok('ScaledDotProductAttention', 13, [t([Q]), t([K]), t([V]), t([[[1, 0, -1], [0, 2, 0]]])],
   [t([attention(Q, K, V, None, [[1, 0, -1], [0, 2, 0]])])], causal=False, **ATTENTION)
ok('ScaledDotProductAttention', 13, [t([Q]), t([K]), t([V]), t(0), const(t(0.25))],
   [t([attention(Q, K, V, 0.25)])], causal=False, **ATTENTION)
ok('ScaledDotProductAttention', 13,
   [t([Q]), t([K]), t([V]), boolean([[[True, False, True], [False, True, True]]])],
   [t([attention(Q, K, V, None, [[0, low, 0], [low, 0, 0]])])], causal=False, **ATTENTION)
ok('ScaledDotProductAttention', 13, [t([Q]), t([K]), t([V])],
   [t([attention(Q, K, V, None, [[0, low, low], [0, 0, low]])])], causal=True, **ATTENTION)
ok('ScaledDotProductAttention', 13, [t([[Q], [Q]]), t([[K], [K]]), t([[V], [V]])],
   [t([[attention(Q, K, V)]] * 2)], causal=False, **ATTENTION)
bad('ScaledDotProductAttention', 13, [zeros('f32', 1, 2, 2), zeros('f32', 1, 3, 3),
                                      zeros('f32', 1, 3, 2)], causal=False)
bad('ScaledDotProductAttention', 13, [zeros('f32', 1, 2, 2), zeros('f32', 1, 3, 2),
                                      zeros('f32', 1, 4, 2)], causal=False)
bad('ScaledDotProductAttention', 13, [zeros('i32', 1, 2, 2), zeros('i32', 1, 3, 2),
                                      zeros('i32', 1, 3, 2)], causal=False)
bad('ScaledDotProductAttention', 13, [zeros('f32', 1, 2, 2), zeros('f32', 1, 3, 2),
                                      zeros('f32', 1, 3, 2), zeros('i32', 2, 3)], causal=False)
