# SPDX-FileCopyrightText: 2026 The inferfilter authors
# SPDX-License-Identifier: LGPL-2.1-or-later
"""EfficientNet-Lite0 from the weights of a PyTorch checkpoint, without PyTorch
(half a gigabyte): the network is built here, after "EfficientNet: Rethinking Model
Scaling" (Tan, Le, 2019) and its Lite variant.  Usage: see plain.py.
"""

import numpy as np
import openvino
from openvino import opset13 as ops

import checkpoint
from plain import main

# kernel, stride, expansion, repeats
STAGES = ((3, 1, 1, 1), (3, 2, 6, 2), (5, 2, 6, 2), (3, 2, 6, 3),
          (5, 1, 6, 3), (5, 2, 6, 4), (3, 1, 6, 1))
EPSILON = 1e-3


class Builder:
    def __init__(self, weights):
        self.weights = weights

    def convolution(self, x, name, norm, stride=1, depthwise=False, clip=True):
        """Adds a convolution with its normalisation folded in."""
        w = self.weights
        scale = w[f"{norm}.weight"] / np.sqrt(w[f"{norm}.running_var"] + EPSILON)
        shift = w[f"{norm}.bias"] - w[f"{norm}.running_mean"] * scale
        kernel = w[f"{name}.weight"] * scale[:, None, None, None]
        arguments = ([stride, stride], [0, 0], [0, 0], [1, 1], "SAME_UPPER")
        if depthwise:
            x = ops.group_convolution(x, ops.constant(kernel[:, None]),
                                      *arguments)
        else:
            x = ops.convolution(x, ops.constant(kernel), *arguments)
        x = ops.add(x, ops.constant(shift[None, :, None, None]))
        return ops.clamp(x, 0, 6) if clip else x

    def block(self, x, name, stride, wider):
        inner = x
        if wider > 1:
            inner = self.convolution(inner, f"{name}._expand_conv",
                                     f"{name}._bn0")
        inner = self.convolution(inner, f"{name}._depthwise_conv",
                                 f"{name}._bn1", stride, depthwise=True)
        inner = self.convolution(inner, f"{name}._project_conv",
                                 f"{name}._bn2", clip=False)
        if stride == 1 and inner.shape[1] == x.shape[1]:
            inner = ops.add(inner, x)
        return inner


def read(source):
    builder = Builder(checkpoint.read(source))
    image = ops.parameter([1, 3, 224, 224], np.float32, "image")
    x = builder.convolution(image, "_conv_stem", "_bn0", 2)
    number = 0
    for kernel, stride, wider, repeats in STAGES:
        for i in range(repeats):
            name = f"_blocks.{number}"
            assert builder.weights[
                f"{name}._depthwise_conv.weight"].shape[2] == kernel
            x = builder.block(x, name, stride if i == 0 else 1, wider)
            number += 1
    x = builder.convolution(x, "_conv_head", "_bn1")
    x = ops.reduce_mean(x, ops.constant([2, 3]), keep_dims=False)
    x = ops.matmul(x, ops.constant(builder.weights["_fc.weight"]), False, True)
    x = ops.add(x, ops.constant(builder.weights["_fc.bias"][None]))
    x = ops.softmax(x, 1)
    image.output(0).set_names({"image"})
    x.output(0).set_names({"scores"})
    return openvino.Model([x], [image], "efficientnet_lite0")


main(read)
