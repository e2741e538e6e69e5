# SPDX-FileCopyrightText: 2026 The inferfilter authors
# SPDX-License-Identifier: LGPL-2.1-or-later
"""A model without a pipeline."""

import dataclasses
from typing import Any, Mapping, Optional, Sequence, Union

import numpy.typing as npt

from ._load import Infer
from .arrays import Array, array, convert, tensor


@dataclasses.dataclass(frozen=True)
class Port:
    """An input or an output; -1 is a dim that is not known."""
    name: str
    type: str  # "f32", …
    shape: Optional[tuple[int, ...]]  # None: not even the rank is known


@dataclasses.dataclass(frozen=True)
class Operation:
    """What an operation took in the last run."""
    name: str
    type: str  # "Convolution", …
    kernel: str  # "optimized out": fused, or a view
    ns: int
    device: str


def _port(name: str, desc: Any) -> Port:
    shape = desc.get_shape()
    dims = None if shape.rank < 0 else tuple(shape.get_dims())
    return Port(name, Infer.type_name(desc.get_element_type()), dims)


class Session:
    """A model on a device, and the variables of one sequence.

    ``device`` and ``config`` are those of ``Infer.Runtime.new``.  One thread at
    a time.
    """

    def __init__(self, path: str, weights: Optional[str] = None, *,
                 device: Optional[str] = None,
                 config: Optional[str] = None) -> None:
        self.runtime = Infer.Runtime.new(device, config)
        self.model = self.runtime.load(path, weights)
        self.request = Infer.Request.new(
            Infer.Executable.new(self.model, self.runtime))
        model = self.model
        self.inputs = [_port(model.input_name(i), model.input_desc(i))
                       for i in range(model.n_inputs())]
        self.outputs = [_port(model.output_name(i), model.output_desc(i))
                        for i in range(model.n_outputs())]

    def run(self, inputs: Union[Mapping[str, npt.ArrayLike],
                                Sequence[npt.ArrayLike]]
            ) -> dict[str, Array]:
        """Computes the outputs, by name.  Later runs do not change them.

        Inputs, by name or in order, are copied once.
        """
        given = (inputs.items() if isinstance(inputs, Mapping)
                 else ((str(i), value) for i, value in enumerate(inputs)))
        for name, value in given:
            self.request.set_input(self.model.find_input(name), tensor(value))
        self.request.infer()
        return {port.name: self._take(i)
                for i, port in enumerate(self.outputs)}

    def _take(self, index: int) -> Array:
        found = self.request.get_output(index)
        if found.get_element_type() == Infer.Type.BF16:
            found = convert(found, Infer.Type.F32)
        return array(found)

    def operations(self) -> list[Operation]:
        """The times of the last run; none without config="PERF_COUNT=YES"."""
        return [Operation(*timing)
                for timing in self.request.get_op_timings().unpack()]

    # --- variables ---

    def _states(self) -> Any:
        states = self.request.get_states()
        if states is None:
            raise LookupError(f"{self.model.get_path()} has no variables")
        return states

    def state_names(self) -> list[str]:
        """The variables of the model; none for a model without."""
        states = self.request.get_states()
        return list(states.list_names()) if states is not None else []

    def get_state(self, name: str) -> Array:
        """A copy of the value of a variable."""
        return array(self._states().get_value(name))

    def set_state(self, name: str, value: npt.ArrayLike) -> None:
        """Sets a variable for the next run."""
        self._states().set_value(name, tensor(value))

    def reset(self) -> None:
        """The next run starts from the initial values."""
        self._states().reset()
