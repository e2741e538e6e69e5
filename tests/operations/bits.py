# SPDX-FileCopyrightText: 2026 The inferfilter authors
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Sub-byte constants that are moved before they are converted."""

from frame import Graph, const, f32, graph_case, i64, t

CODES = list(range(16))
SIGNED = [x - 16 if x > 7 else x for x in CODES]


def moved(kind, operation, opset, *inputs, **attributes):
    """CODES, 4 × 4, through one operation, converted to f32, plus the model's input."""
    graph = Graph()
    source = graph.const(t(CODES, (4, 4)).as_type(kind))
    ports = [graph.const(x) if x.constant else graph.parameter(x.kind, ','.join(map(str, x.shape)))
             for x in inputs]
    port = graph.op(operation, opset, [source, *ports], **attributes)
    graph.result(graph.op('Convert', 1, [port], destination_type='f32'))
    return graph


for KIND, VALUES in (('u4', CODES), ('i4', SIGNED)):
    graph_case([('Gather', 8)], moved(KIND, 'Gather', 8, i64([2, 0]), const(i64(0))),
               [i64([2, 0])], [f32([VALUES[8:12], VALUES[0:4]])])
    graph_case([('Transpose', 1)], moved(KIND, 'Transpose', 1, const(i64([1, 0]))), [],
               [f32([VALUES[i::4] for i in range(4)])])
    graph_case([('Reshape', 1)],
               moved(KIND, 'Reshape', 1, const(i64([16])), special_zero=False), [], [f32(VALUES)])
