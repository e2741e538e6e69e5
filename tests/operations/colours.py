# SPDX-FileCopyrightText: 2026 The inferfilter authors
# SPDX-License-Identifier: LGPL-2.1-or-later
"""NV12 and I420 to RGB and BGR, and back: BT.601 of limited range."""

from frame import bad, f32, ok, t, u8, zeros

# Two rows of four pixels: luma per pixel, a pair of chroma per 2 × 2 block.
LUMA = [[16, 60, 120, 235], [81, 145, 41, 200]]
CHROMA = [(128, 128), (90, 200)]


def clamp(x):
    return min(max(x, 0), 255)


def rgb(row, column, bgr):
    y, (u, v) = 1.164 * (LUMA[row][column] - 16), CHROMA[column // 2]
    pixel = [clamp(y + 1.596 * (v - 128)),
             clamp(y - 0.391 * (u - 128) - 0.813 * (v - 128)),
             clamp(y + 2.018 * (u - 128))]
    return pixel[::-1] if bgr else pixel


FLAT = sum(LUMA, [])
U, V = [u for u, _ in CHROMA], [v for _, v in CHROMA]
Y = t(FLAT, (1, 2, 4, 1))
for BGR, SUFFIX in ((False, 'RGB'), (True, 'BGR')):
    PIXELS = [rgb(r, c, BGR) for r in range(2) for c in range(4)]
    EXACT = t(sum(PIXELS, []), (1, 2, 4, 3))
    ROUNDED = u8([int(x + 0.5) for x in EXACT.data], (1, 2, 4, 3))
    for INPUTS, KIND in (
            ([Y, t(sum(map(list, CHROMA), []), (1, 1, 2, 2))], 'NV12to'),
            ([t(FLAT + sum(map(list, CHROMA), []), (1, 3, 4, 1))], 'NV12to'),
            ([Y, t(U, (1, 1, 2, 1)), t(V, (1, 1, 2, 1))], 'I420to'),
            ([t(FLAT + U + V, (1, 3, 4, 1))], 'I420to')):
        ok(KIND + SUFFIX, 8, INPUTS, [EXACT], types='f32', tol=(1e-3, 1e-3))
        ok(KIND + SUFFIX, 8, INPUTS, [EXACT], types='f16', tol=(1e-2, 0.2))
        ok(KIND + SUFFIX, 8, [x.as_type('u8') for x in INPUTS], [ROUNDED], tol=(0, 1))
    # Halves go to even: green is 192.5 in the first picture, red 106.5 in the second.
    for (L, CU, CV), PIXEL in (((120, 174, 18), [0, 192, 214]),
                               ((17, 193, 194), [106, 0, 132])):
        for KIND in ('NV12to', 'I420to'):
            ok(KIND + SUFFIX, 8, [u8([L] * 4 + [CU, CV], (1, 3, 2, 1))],
               [u8((PIXEL[::-1] if BGR else PIXEL) * 4, (1, 2, 2, 3))], tol=(0, 0))
    for KIND in ('NV12to', 'I420to'):
        bad(KIND + SUFFIX, 8, [zeros('u8', 1, 4, 4, 1)])
        bad(KIND + SUFFIX, 8, [zeros('u8', 1, 3, 3, 1)])
        bad(KIND + SUFFIX, 8, [zeros('u8', 1, 3, 4, 2)])
        bad(KIND + SUFFIX, 8, [zeros('i32', 1, 3, 4, 1)])
    bad('NV12to' + SUFFIX, 8, [zeros('u8', 1, 2, 4, 1), zeros('u8', 1, 1, 2, 1)])
    bad('I420to' + SUFFIX, 8, [zeros('u8', 1, 2, 4, 1), zeros('u8', 1, 1, 2, 1),
                               zeros('u8', 1, 1, 1, 1)])

    # Greys and one colour per 2 × 2 block, so that the block's mean is each pixel's.
    KIND = SUFFIX + 'toNV12'
    SQUARES = [(255, 255, 255), (200, 30, 60)]


    def luma(r, g, b):
        return 16 + 0.257 * r + 0.504 * g + 0.098 * b


    def chroma(r, g, b):
        return [128 - 0.148 * r - 0.291 * g + 0.439 * b, 128 + 0.439 * r - 0.368 * g - 0.071 * b]


    PICTURE = []
    for ROW in range(2):
        for SQUARE in SQUARES:
            PICTURE += list(SQUARE[::-1] if BGR else SQUARE) * 2
    PLANE = [luma(*SQUARES[c // 2]) for _ in range(2) for c in range(4)]
    HALVES = sum((chroma(*s) for s in SQUARES), [])
    ok(KIND, 17, [f32(PICTURE, (1, 2, 4, 3))], [f32(PLANE + HALVES, (1, 3, 4, 1))],
       tol=(1e-2, 0.5))
    ok(KIND, 17, [u8(PICTURE, (1, 2, 4, 3))],
       [u8([int(x + 0.5) for x in PLANE], (1, 2, 4, 1)),
        u8([int(x + 0.5) for x in HALVES], (1, 1, 2, 2))], single_plane=False, tol=(0, 1))
    bad(KIND, 17, [zeros('u8', 1, 3, 4, 3)])
    bad(KIND, 17, [zeros('u8', 1, 2, 4, 4)])
    bad(KIND, 17, [zeros('u8', 1, 2, 4, 3)], 2)
