# SPDX-FileCopyrightText: 2026 The inferfilter authors
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Tensors of a PyTorch checkpoint in the format from before 1.6, without PyTorch.

A checkpoint is a pickle, which may call anything when it is loaded.  Here nothing
is called but what rebuilds dictionaries and tensors, and a tensor lies within its
data.
"""

import collections
import pickle

MAGIC = 0x1950a86a20f9469cfc6c
SIZES = {"FloatStorage": 4, "LongStorage": 8}

# In elements of the storage named @key.
Tensor = collections.namedtuple("Tensor", "kind key offset shape strides")


class Unpickler(pickle.Unpickler):
    def find_class(self, module, name):
        if (module, name) == ("collections", "OrderedDict"):
            return collections.OrderedDict
        if (module, name) == ("torch._utils", "_rebuild_tensor_v2"):
            return lambda storage, offset, shape, strides, *_: Tensor(
                storage[1], storage[2], offset, shape, strides)
        if module == "torch" and name in SIZES:
            return name
        raise pickle.UnpicklingError(f"a checkpoint may not use {module}.{name}")

    def persistent_load(self, identity):
        return identity  # "storage", type, key, place, count, …


def load(file):
    return Unpickler(file).load()


def is_count(value):
    return isinstance(value, int) and not isinstance(value, bool) and value >= 0


def check(name, tensor, storages):
    """Raises ValueError for a tensor that is not within its storage."""
    if not isinstance(tensor, Tensor) or tensor.key not in storages:
        raise ValueError(f"{name} is no tensor of this checkpoint")
    shape, strides = tensor.shape, tensor.strides
    if (not isinstance(shape, tuple) or not isinstance(strides, tuple)
            or len(shape) != len(strides)
            or not all(map(is_count, (tensor.offset, *shape, *strides)))):
        raise ValueError(f"{name} has a shape that is none")
    last = tensor.offset + sum((n - 1) * s for n, s in zip(shape, strides))
    if 0 not in shape and (last + 1) * SIZES[tensor.kind] > len(
            storages[tensor.key]):
        raise ValueError(f"{name} is not within its data")


def read_file(file):
    """Returns the tensors by name and the bytes of the storages by key."""
    magic, _, _ = load(file), load(file), load(file)
    if magic != MAGIC:
        raise ValueError("no checkpoint of the format from before PyTorch 1.6")
    tensors, keys = load(file), load(file)
    kinds = {t.key: t.kind for t in tensors.values() if isinstance(t, Tensor)}
    storages = {}
    for key in keys:
        if kinds.get(key) not in SIZES:
            raise ValueError(f"storage {key} is of an unknown type")
        size = int.from_bytes(file.read(8), "little") * SIZES[kinds[key]]
        storages[key] = file.read(size)
        if len(storages[key]) != size:
            raise ValueError("it is cut short")
    for name, tensor in tensors.items():
        check(name, tensor, storages)
    return tensors, storages


def read(path):
    """Returns the tensors as arrays."""
    import numpy as np
    with open(path, "rb") as file:
        tensors, storages = read_file(file)
    types = {"FloatStorage": np.float32, "LongStorage": np.int64}
    arrays = {}
    for name, t in tensors.items():
        data = np.frombuffer(storages[t.key], types[t.kind])[t.offset:]
        arrays[name] = np.ascontiguousarray(np.lib.stride_tricks.as_strided(
            data, t.shape, [s * data.itemsize for s in t.strides]))
    return arrays
