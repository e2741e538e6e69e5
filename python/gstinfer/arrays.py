# SPDX-FileCopyrightText: 2026 The inferfilter authors
# SPDX-License-Identifier: LGPL-2.1-or-later
"""NumPy arrays over tensors, without copies."""

from typing import Any, Optional, Sequence

import numpy as np
import numpy.typing as npt

from ._load import Gst, GstInfer, Infer

Array = npt.NDArray[Any]

_DTYPES = {
    Infer.Type.BOOLEAN: "?",
    Infer.Type.F64: "f8",
    Infer.Type.F32: "f4",
    Infer.Type.F16: "f2",
    Infer.Type.I64: "i8",
    Infer.Type.I32: "i4",
    Infer.Type.I16: "i2",
    Infer.Type.I8: "i1",
    Infer.Type.U64: "u8",
    Infer.Type.U32: "u4",
    Infer.Type.U16: "u2",
    Infer.Type.U8: "u1",
}
_TYPES = {np.dtype(name): type_ for type_, name in _DTYPES.items()}


class _Memory:
    """Keeps the tensor alive; NumPy holds it as the base of the array."""

    def __init__(self, kept: Any, interface: dict[str, Any]) -> None:
        self.kept = kept
        self.__array_interface__ = interface


def dtype_of(type_: int) -> "np.dtype[Any]":
    """The NumPy type of an ``Infer.Type``."""
    try:
        return np.dtype(_DTYPES[type_])
    except KeyError:
        raise TypeError(
            f"NumPy has no type for {Infer.type_name(type_)}: "
            "convert (tensor, Infer.Type.F32) makes a copy that it has one for"
        ) from None


def type_of(dtype: npt.DTypeLike) -> Any:
    """The ``Infer.Type`` of a NumPy type."""
    try:
        return _TYPES[np.dtype(dtype).newbyteorder("=")]
    except KeyError:
        raise TypeError(f"tensors have no type for {np.dtype(dtype)}") from None


def array(tensor: Any, *, writable: bool = False) -> Array:
    """The elements of an ``Infer.Tensor``; memory is shared, and lives as long
    as the array.

    ``writable``: only for tensors of ``empty``; results of elements are never
    written again.
    """
    dtype = dtype_of(tensor.get_element_type())
    dims = tuple(tensor.get_dims())
    if 0 in dims:
        return np.empty(dims, dtype)
    return np.asarray(_Memory(tensor, {
        "version": 3,
        "shape": dims,
        "typestr": dtype.str,
        "data": (tensor.get_address(), not writable),
        "strides": tuple(tensor.get_strides()),
    }))


def empty(shape: Sequence[int], dtype: npt.DTypeLike) -> Any:
    """A new ``Infer.Tensor`` of zeros; ``array (tensor, writable=True)`` fills
    it."""
    return Infer.Tensor.new(type_of(dtype), Infer.Shape.new(list(shape)))


def tensor(values: npt.ArrayLike, type_: Optional[int] = None) -> Any:
    """A new ``Infer.Tensor`` with a copy of ``values``, as ``type_``."""
    given = np.asarray(values)
    made = empty(given.shape, given.dtype)
    if given.size > 0:
        array(made, writable=True)[...] = given
    return made if type_ is None else convert(made, type_)


def convert(given: Any, type_: int) -> Any:
    """A copy of an ``Infer.Tensor`` with elements of another type."""
    made = Infer.Tensor.new(type_, Infer.Shape.new(given.get_dims()))
    made.copy(given)
    return made


def tensors(sample: Any) -> list[Array]:
    """The tensors of a ``Gst.Sample`` with ``other/tensors`` caps; memory is
    shared."""
    caps = sample.get_caps()
    n = caps.get_structure(0).get_int("num_tensors")[1]
    return [array(GstInfer.buffer_get_tensor(sample.get_buffer(), caps, i))
            for i in range(n)]


def sample(*values: npt.ArrayLike) -> Any:
    """A ``Gst.Sample`` of tensors, for appsrc and the signal ``set-state``."""
    return GstInfer.sample_new_tensors([tensor(v) for v in values])


__all__ = ["Gst", "array", "convert", "empty", "sample", "tensor", "tensors"]
