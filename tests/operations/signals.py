# SPDX-FileCopyrightText: 2026 The inferfilter authors
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Fourier transforms and CTC."""

import cmath
import itertools
import math

from frame import bad, const, f32, i32, i64, ok, t, zeros

TOLERANCE = dict(tol=(1e-3, 1e-4))


def dft(values, sign=-1, size=None):
    """The values truncated or zero-padded to `size`."""
    size = size or len(values)
    values = (list(values) + [0] * size)[:size]
    result = [sum(x * cmath.exp(sign * 2j * cmath.pi * k * n / size)
                  for n, x in enumerate(values)) for k in range(size)]
    return [x / size for x in result] if sign > 0 else result


def pairs(values):
    return [[x.real, x.imag] for x in map(complex, values)]


LINE = [1 + 2j, -1, 0.5j, 3 - 1j, 2, 1 - 1j]
for KIND, SIGN in (('DFT', -1), ('IDFT', 1)):
    for SIZE in (None, 8, 3, 1):
        SIZES = [] if SIZE is None else [const(i64([SIZE]))]
        ok(KIND, 7, [t([pairs(LINE)]), const(i64([1])), *SIZES],
           [t([pairs(dft(LINE, SIGN, SIZE))])], types='f32 f16 f64', **TOLERANCE)
    TABLE = [LINE[:3], LINE[3:]]
    BOTH = [dft(row, SIGN) for row in TABLE]
    BOTH = [list(row) for row in zip(*[dft(column, SIGN) for column in zip(*BOTH)])]
    for AXES in ([0, 1], [-1, 0], [1, 0]):  # -1 is the axis before the pairs
        ok(KIND, 7, [t([pairs(row) for row in TABLE]), const(i32(AXES))],
           [t([pairs(row) for row in BOTH])], types='f32', **TOLERANCE)
    bad(KIND, 7, [zeros('f32', 2, 3), const(i64([0]))])
    bad(KIND, 7, [zeros('f32', 2, 3, 2), const(i64([2]))])
    bad(KIND, 7, [zeros('f32', 2, 3, 2), const(i64([0, 0]))])
    bad(KIND, 7, [zeros('f32', 2, 3, 2), const(i64([0])), const(i64([1, 2]))])
    bad(KIND, 7, [zeros('i32', 2, 3, 2), const(i64([0]))])

REALS = [1, -2, 3, 0.5, 4, -1]
for SIZE in (None, 8, 5):
    SIZES = [] if SIZE is None else [const(i64([SIZE]))]
    HALF = dft(REALS, -1, SIZE)[:(SIZE or 6) // 2 + 1]
    ok('RDFT', 9, [t([REALS]), const(i64([1])), *SIZES], [t([pairs(HALF)])], types='f32 f16',
       **TOLERANCE)
for SIZE in (6, 5):
    VALUES = REALS[:SIZE]
    HALF = dft(VALUES)[:SIZE // 2 + 1]
    ok('IRDFT', 9, [t([pairs(HALF)]), const(i64([1])), const(i64([SIZE]))], [t([VALUES])],
       types='f32 f16', **TOLERANCE)
ok('IRDFT', 9, [t([pairs(dft(REALS)[:4])]), const(i64([1]))], [t([REALS])], types='f32',
   **TOLERANCE)
TABLE = [REALS[:3], REALS[3:]]
ROWS = [dft(row)[:2] for row in TABLE]
BOTH = [list(row) for row in zip(*[dft(column) for column in zip(*ROWS)])]
ok('RDFT', 9, [t(TABLE), const(i64([0, 1]))], [t([pairs(row) for row in BOTH])], types='f32',
   **TOLERANCE)
ok('IRDFT', 9, [t([pairs(row) for row in BOTH]), const(i64([0, 1])), const(i64([-1, 3]))],
   [t(TABLE)], types='f32', **TOLERANCE)
bad('RDFT', 9, [zeros('f32', 2, 3), const(i64([2]))])
bad('RDFT', 9, [zeros('i32', 2, 3), const(i64([1]))])
bad('IRDFT', 9, [zeros('f32', 2, 3), const(i64([0]))])
bad('IRDFT', 9, [zeros('f32', 2, 3, 2), const(i64([2]))])

# --- short-time transforms ------------------------------------------------------------------

SIGNAL = [math.sin(i * i / 7) for i in range(16)]


def stft(signal, window, size, step):
    left = (size - len(window)) // 2
    padded = [0] * left + list(window)
    padded += [0] * (size - len(padded))
    return [dft([x * w for x, w in zip(signal[at:at + size], padded)])[:size // 2 + 1]
            for at in range(0, len(signal) - size + 1, step)]


HANN = [0.5 - 0.5 * math.cos(2 * math.pi * i / 6) for i in range(6)]
for WINDOW, SIZE, STEP in ((HANN, 6, 3), (HANN, 8, 4), ([1] * 5, 5, 2)):
    FRAMES = stft(SIGNAL, WINDOW, SIZE, STEP)
    INPUTS = [const(t(WINDOW)), const(i64(SIZE)), const(i64(STEP))]
    ok('STFT', 15, [t([SIGNAL]), *INPUTS], [t([[pairs(f) for f in FRAMES]])], types='f32 f16',
       transpose_frames=False, tol=(5e-3, 2e-3))
    ok('STFT', 15, [t(SIGNAL), *INPUTS], [t([pairs(b) for b in zip(*FRAMES)])], types='f32',
       transpose_frames=True, **TOLERANCE)
# Windows that add up to one restore the input, except where windows are zero.
EVEN = [0.5 - 0.5 * math.cos(2 * math.pi * i / 8) for i in range(8)]
BACK = [t([pairs(b) for b in zip(*stft(SIGNAL, EVEN, 8, 4))]), const(t(EVEN)), const(i64(8)),
        const(i64(4))]
ok('ISTFT', 16, BACK, [t([0] + SIGNAL[1:])], types='f32 f16', center=False, normalized=False,
   tol=(5e-3, 5e-3))
PADDED = [0] * 4 + SIGNAL + [0] * 4
CENTRED = [t([pairs(b) for b in zip(*stft(PADDED, EVEN, 8, 4))]), *BACK[1:]]
ok('ISTFT', 16, CENTRED, [t(SIGNAL)], types='f32', center=True, normalized=False, **TOLERANCE)
ok('ISTFT', 16, [*CENTRED, const(i64(10))], [t(SIGNAL[:10])], types='f32', center=True,
   normalized=False, **TOLERANCE)
SCALED = t([x / math.sqrt(8) for x in CENTRED[0].data], CENTRED[0].shape)
ok('ISTFT', 16, [SCALED, *BACK[1:]], [t(SIGNAL)], types='f32', center=True, normalized=True,
   **TOLERANCE)
bad('STFT', 15, [zeros('f32', 8), zeros('f32', 6), const(i64(4)), const(i64(2))],
    transpose_frames=False)
bad('STFT', 15, [zeros('f32', 8), zeros('f32', 6), const(i64(9)), const(i64(2))],
    transpose_frames=False)
bad('STFT', 15, [zeros('f32', 8), zeros('f32', 6), const(i64(6)), const(i64(0))],
    transpose_frames=False)
bad('STFT', 15, [zeros('i32', 8), zeros('i32', 6), const(i64(6)), const(i64(1))],
    transpose_frames=False)
bad('ISTFT', 16, [zeros('f32', 4, 3, 2), zeros('f32', 8), const(i64(8)), const(i64(4))],
    center=True, normalized=False)
bad('ISTFT', 16, [zeros('f32', 5, 3), zeros('f32', 8), const(i64(8)), const(i64(4))],
    center=True, normalized=False)

# --- CTC ------------------------------------------------------------------------------------

# The most probable class of each of five frames, per batch; class 3 is the blank.
PATHS = [[0, 0, 3, 0, 1], [3, 2, 2, 1, 1]]


def one_hot(path):
    return [[1 if c == best else 0 for c in range(4)] for best in path]


def collapse(path, blank, merge, length, fill=-1):
    kept = [c for i, c in enumerate(path[:length]) if c != blank
            and not (merge and i > 0 and path[i - 1] == c)]
    return kept + [fill] * (len(path) - len(kept))


for MERGE in (True, False):
    for LENGTHS in ([5, 5], [5, 3]):
        OUT = [collapse(p, 3, MERGE, n) for p, n in zip(PATHS, LENGTHS)]
        COUNTS = [sum(x >= 0 for x in row) for row in OUT]
        ok('CTCGreedyDecoderSeqLen', 6, [t([one_hot(p) for p in PATHS]), i32(LENGTHS)],
           [i32(OUT), i32(COUNTS)], types='f32 f16', merge_repeated=MERGE)
        BY_TIME = t([[one_hot(p)[k] for p in PATHS] for k in range(5)])
        MASK = t([[1 if k < n else 0 for n in LENGTHS] for k in range(5)])
        ok('CTCGreedyDecoder', 1, [BY_TIME, MASK], [t(sum(OUT, []), (2, 5, 1, 1))],
           types='f32 f16', merge_repeated=MERGE)
OUT = [collapse(p, 0, True, 5) for p in PATHS]
ok('CTCGreedyDecoderSeqLen', 6, [f32([one_hot(p) for p in PATHS]), i64([5, 5]), const(i64(0))],
   [i64(OUT), i64([sum(x >= 0 for x in row) for row in OUT])], merge_repeated=True,
   classes_index_type='i64', sequence_length_type='i64')
bad('CTCGreedyDecoder', 1, [zeros('f32', 5, 2, 4), zeros('f32', 4, 2)])
bad('CTCGreedyDecoder', 1, [zeros('f32', 5, 2), zeros('f32', 5, 2)])
bad('CTCGreedyDecoderSeqLen', 6, [zeros('f32', 2, 5, 4), zeros('i32', 3)], 2)
bad('CTCGreedyDecoderSeqLen', 6, [zeros('f32', 2, 5, 4), zeros('i32', 2)], 2,
    classes_index_type='f32')


def loss(logits, target, blank, length):
    """By enumeration of all paths."""
    total = 0
    powers = [[math.exp(x) for x in row] for row in logits[:length]]
    chances = [[x / sum(row) for x in row] for row in powers]
    for path in itertools.product(range(len(logits[0])), repeat=length):
        if [c for i, c in enumerate(path) if c != blank and (i == 0 or path[i - 1] != c)] == target:
            total += math.prod(chances[i][c] for i, c in enumerate(path))
    return -math.log(total)


LOGITS = [[[0.5, 1, -1], [1, 0, 0.25], [0, 2, 1], [-0.5, 0.5, 0]],
          [[0, 0, 0], [1, -1, 0.5], [0.25, 0, 0], [2, 1, 0]]]
ok('CTCLoss', 4, [t(LOGITS), i32([4, 3]), i32([[0, 1, 0, 0], [1, 1, 0, 0]]), i32([2, 1])],
   [t([loss(LOGITS[0], [0, 1], 2, 4), loss(LOGITS[1], [1], 2, 3)])], types='f32 f16',
   preprocess_collapse_repeated=False, ctc_merge_repeated=True, unique=False, tol=(2e-3, 1e-3))
ok('CTCLoss', 4, [t(LOGITS), i64([4, 3]), i64([[2, 1, 0, 0], [1, 1, 0, 0]]), i64([2, 1]),
                  const(i64(0))],
   [t([loss(LOGITS[0], [2, 1], 0, 4), loss(LOGITS[1], [1], 0, 3)])], types='f32')
bad('CTCLoss', 4, [zeros('f32', 2, 4, 3), zeros('i32', 3), zeros('i32', 2, 4), zeros('i32', 2)])
bad('CTCLoss', 4, [zeros('f32', 2, 4, 3), zeros('i32', 2), zeros('i32', 2, 3), zeros('i32', 2)])
bad('CTCLoss', 4, [zeros('i32', 2, 4, 3), zeros('i32', 2), zeros('i32', 2, 4), zeros('i32', 2)])
