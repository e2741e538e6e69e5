# SPDX-FileCopyrightText: 2026 The inferfilter authors
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Interpolate of every version: each mode along one axis; several axes multiply."""

import itertools
import math

from frame import at, bad, const, f32, fill, i32, i64, ok, t, zeros

# --- coordinate transformation ---------------------------------------------------------

COORDINATES = {
    'half_pixel': lambda x, scale, out, size: (x + 0.5) / scale - 0.5,
    'pytorch_half_pixel': lambda x, scale, out, size: (x + 0.5) / scale - 0.5 if out > 1 else 0,
    'asymmetric': lambda x, scale, out, size: x / scale,
    'tf_half_pixel_for_nn': lambda x, scale, out, size: (x + 0.5) / scale,
    'align_corners': lambda x, scale, out, size: x * (size - 1) / (out - 1) if out > 1 else 0,
}


def prefer(x, up):
    down = math.floor(x)
    return down + 1 if x - down > 0.5 or (x - down == 0.5 and up) else down


NEAREST = {
    'round_prefer_floor': lambda x, scale: prefer(x, False),
    'round_prefer_ceil': lambda x, scale: prefer(x, True),
    'floor': lambda x, scale: math.floor(x),
    'ceil': lambda x, scale: math.ceil(x),
    'simple': lambda x, scale: math.ceil(x) if scale < 1 else int(x),
}


# --- the weights of one output pixel along one axis: {input pixel: weight} --------------


def clip(x, size):
    return min(max(x, 0), size - 1)


def nearest(x, scale, size, how, **_):
    return {clip(NEAREST[how](x, scale), size): 1}


def linear_onnx(x, scale, size, **_):
    x = clip(x, size)
    low = int(x)
    return {low: 1} if low == size - 1 else {low: low + 1 - x, low + 1: x - low}


def linear(x, scale, size, antialias=False, **_):
    a = scale if antialias else 1
    reach = 2 if scale > 1 else math.ceil(2 / a)
    middle = prefer(x, True)
    weights = {i: max(0, 1 - abs(a * (x - i))) for i in range(middle - reach, middle + reach + 1)
               if 0 <= i < size}
    total = sum(weights.values())
    return {i: w / total for i, w in weights.items()} if total else {0: 0}


def keys(d, a):
    d = abs(d)
    if d < 1:
        return (a + 2) * d ** 3 - (a + 3) * d ** 2 + 1
    return a * d ** 3 - 5 * a * d ** 2 + 8 * a * d - 4 * a if d < 2 else 0


def cubic(x, scale, size, a=-0.75, **_):
    weights = {}
    for i in range(math.floor(x) - 1, math.floor(x) + 3):
        weights[clip(i, size)] = weights.get(clip(i, size), 0) + keys(x - i, a)
    return weights


def pillow(kernel, support):
    def along(x, scale, size, out, place, a=-0.75):
        ratio = size / out
        stretch = max(ratio, 1)
        centre = (place + 0.5) * ratio
        weights = {i: kernel((i + 0.5 - centre) / stretch, a)
                   for i in range(max(0, int(centre - support * stretch + 0.5)),
                                  min(size, int(centre + support * stretch + 0.5)))}
        total = sum(weights.values())
        return {i: w / total for i, w in weights.items()}
    return along


def area(x, scale, size, out, place, **_):
    begin, end = place * size / out, (place + 1) * size / out
    covered = {i: min(end, i + 1) - max(begin, i) for i in range(size)}
    return {i: w * out / size for i, w in covered.items() if w > 0}


MODES = {'nearest': nearest, 'linear': linear, 'linear_onnx': linear_onnx, 'cubic': cubic,
         'bilinear_pillow': pillow(lambda d, a: max(0, 1 - abs(d)), 1),
         'bicubic_pillow': pillow(keys, 2), 'area': area}


def interpolate(data, axes, sizes, mode, scales=None, coordinate='half_pixel',
                how='round_prefer_floor', antialias=False, a=-0.75):
    scales = scales or [size / data.shape[axis] for axis, size in zip(axes, sizes)]
    antialias = antialias and min(scales) < 1
    tables = []
    for axis, out, scale in zip(axes, sizes, scales):
        size = data.shape[axis]
        tables.append([])
        for place in range(out):
            x = COORDINATES[coordinate](place, scale, out, size)
            if mode in ('bilinear_pillow', 'bicubic_pillow', 'area'):
                weights = MODES[mode](x, scale, size, out=out, place=place, a=a)
            else:
                weights = MODES[mode](x, scale, size, how=how, antialias=antialias, a=a)
            tables[-1].append(list(weights.items()))
    shape = list(data.shape)
    for axis, out in zip(axes, sizes):
        shape[axis] = out

    def value(*index):
        total = 0
        for taps in itertools.product(*(table[index[axis]] for axis, table in zip(axes, tables))):
            where = list(index)
            for axis, (i, _) in zip(axes, taps):
                where[axis] = i
            total += at(data, *where) * math.prod(w for _, w in taps)
        return total
    return fill('T', shape, value)


def padded(data, begin, end):
    shape = [n + b + e for n, b, e in zip(data.shape, begin, end)]
    return fill('T', shape, lambda *index: at(data, *(i - b for i, b in zip(index, begin))) if all(
        0 <= i - b < n for i, b, n in zip(index, begin, data.shape)) else 0)


def picture(*shape):
    return t([(i * 13 + i // 7) % 11 for i in range(math.prod(shape))], shape)


def later(opset, data, axes, sizes, mode, types='f32', scales=None, pads=None, constant_axes=True,
          **more):
    """Opsets 4 and 11."""
    attributes = dict(mode=mode, shape_calculation_mode='scales' if scales else 'sizes')
    names = dict(coordinate='coordinate_transformation_mode', how='nearest_mode',
                 antialias='antialias', a='cube_coeff')
    attributes.update({names[key]: value for key, value in more.items()})
    source = data
    if pads:
        attributes.update(pads_begin=pads[0], pads_end=pads[1])
        source = padded(data, *pads)
    want = interpolate(source, axes, sizes, mode, scales=scales, **more)
    given = const(i64(axes))
    if opset == 4:
        counts = scales or [s / source.shape[axis] for axis, s in zip(axes, sizes)]
        inputs = [data, const(i64(sizes)), const(f32(counts)), given]
    else:
        inputs = [data, const(f32(scales)) if scales else const(i32(sizes)), given]
    ok('Interpolate', opset, inputs, [want], types=types, tol=(2e-3, 2e-3), **attributes)


DATA = picture(1, 2, 4, 5)
for OPSET in (4, 11):
    for MODE in ('nearest', 'linear', 'linear_onnx', 'cubic'):
        for COORDINATE in COORDINATES:
            for SIZES in ([7, 8], [2, 3], [1, 9]):
                if COORDINATE != 'half_pixel' and SIZES == [2, 3] and MODE == 'cubic':
                    continue
                later(OPSET, DATA, [2, 3], SIZES, MODE, coordinate=COORDINATE)
    for HOW in NEAREST:
        for COORDINATE in ('half_pixel', 'asymmetric'):
            for SIZES in ([8, 10], [2, 3], [3, 7]):
                later(OPSET, DATA, [2, 3], SIZES, 'nearest', how=HOW, coordinate=COORDINATE)
    for MODE in ('nearest', 'linear', 'linear_onnx', 'cubic'):
        later(OPSET, DATA, [2, 3], [6, 7], MODE, scales=[1.5, 1.5])
        later(OPSET, DATA, [2, 3], [2, 2], MODE, scales=[0.5, 0.5])
        later(OPSET, DATA, [2, 3], [9, 8], MODE,
              pads=([0, 0, 1, 0], [0, 0, 1, 2]), types='f32 f16 f64')
    later(OPSET, DATA, [2, 3], [2, 2], 'linear', antialias=True)
    later(OPSET, DATA, [2, 3], [2, 9], 'linear', antialias=True)
    later(OPSET, DATA, [2, 3], [6, 3], 'cubic', a=-0.5)
    # One axis, other axes, another order.
    for MODE in ('nearest', 'linear', 'cubic'):
        later(OPSET, DATA, [3], [8], MODE)
        later(OPSET, DATA, [1], [3], MODE)
        later(OPSET, DATA, [3, 2], [8, 3], MODE)
        later(OPSET, DATA, [0, 1, 2, 3], [2, 3, 3, 6], MODE)
    later(OPSET, picture(1, 1, 2, 3, 4), [2, 3, 4], [4, 5, 3], 'linear_onnx')
    later(OPSET, picture(1, 1, 2, 3, 4), [2, 3, 4], [4, 5, 3], 'cubic')
    later(OPSET, picture(3, 4), [0, 1], [5, 2], 'linear_onnx')
    later(OPSET, DATA, [2, 3], [8, 10], 'nearest', types='u8 i8 i32 i64')
    SIZED = [DATA.as_type('f32'), const(i64([2, 2]))]
    SIZED += [const(f32([1, 1])), const(i64([2, 3]))] if OPSET == 4 else [const(i64([2, 3]))]
    GIVEN = dict(shape_calculation_mode='sizes')
    bad('Interpolate', OPSET, SIZED, mode='lanczos', **GIVEN)
    bad('Interpolate', OPSET, SIZED, mode='area', **GIVEN)
    bad('Interpolate', OPSET, SIZED, mode='nearest')
    bad('Interpolate', OPSET, SIZED, mode='nearest', coordinate_transformation_mode='x', **GIVEN)
    bad('Interpolate', OPSET, [*SIZED[:-1], const(i64([2, 4]))], mode='nearest', **GIVEN)
    bad('Interpolate', OPSET, [*SIZED[:-1], const(i64([2]))], mode='nearest', **GIVEN)
    bad('Interpolate', OPSET, [*SIZED[:-1], const(i64([2, 2]))], mode='nearest', **GIVEN)
for MODE in ('bilinear_pillow', 'bicubic_pillow'):
    for SIZES in ([7, 8], [2, 3], [3, 10], [4, 5]):
        later(11, DATA, [2, 3], SIZES, MODE, a=-0.5, types='f32 f16')
    later(11, picture(9, 11), [0, 1], [3, 2], MODE, a=-0.5)
    bad('Interpolate', 4, [zeros('f32', 2, 2), const(i64([3, 3])), const(f32([1, 1]))], mode=MODE,
        shape_calculation_mode='sizes')
# Without axes: all of them.
ok('Interpolate', 11, [f32([[1, 2]]), const(i64([2, 4]))], [f32([[1, 1, 2, 2]] * 2)],
   mode='nearest', shape_calculation_mode='sizes')

for MODE in ('nearest', 'linear', 'cubic', 'area'):
    for SIZES in ([8, 10], [2, 3], [4, 5]):
        for CORNERS in (True, False):
            WANT = interpolate(DATA, [2, 3], SIZES, 'linear_onnx' if MODE == 'linear' else MODE,
                               coordinate='align_corners' if CORNERS else 'asymmetric',
                               how='simple')
            ok('Interpolate', 1, [DATA, const(i64(SIZES))], [WANT], types='f32 f16', axes=[2, 3],
               mode=MODE, align_corners=CORNERS, tol=(2e-3, 2e-3))
WANT = interpolate(padded(DATA, [0, 0, 1, 1], [0, 0, 1, 1]), [2, 3], [9, 4], 'nearest',
                   coordinate='asymmetric', how='simple')
ok('Interpolate', 1, [DATA, const(i32([9, 4]))], [WANT], types='f32', axes=[2, 3], mode='nearest',
   align_corners=False, pads_begin=[1], pads_end=[1])
bad('Interpolate', 1, [DATA.as_type('f32'), const(i64([2, 2]))], mode='nearest')
bad('Interpolate', 1, [DATA.as_type('f32'), const(i64([2]))], axes=[2, 3], mode='nearest')
bad('Interpolate', 1, [DATA.as_type('f32'), const(i64([2]))], axes=[4], mode='nearest')
bad('Interpolate', 1, [DATA.as_type('f32'), const(i64([2]))], axes=[2], mode='linear_onnx')
