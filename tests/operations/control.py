# SPDX-FileCopyrightText: 2026 The inferfilter authors
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Bodies and variables."""

from frame import CASES, Case, Graph, bad, boolean, f16, f32, graph_case, i64, t, zeros

# --- If ---------------------------------------------------------------------------------


def make_if(condition, data_shape='2', kinds=('f32', 'f32'), constant=None):
    """condition ? x + 1 : x * 3, or branches of different types."""
    graph = Graph()
    flag = graph.const(constant) if constant else graph.parameter(*condition)
    data = graph.parameter('f32', data_shape)
    inner = ''
    for name, operation, number, kind in (('then', 'Add', 1, kinds[0]),
                                          ('else', 'Multiply', 3, kinds[1])):
        body = graph.nested()
        x = body.parameter('f32', data_shape)
        y = body.op(operation, 1, [x, body.const(f32(number))])
        if kind != 'f32':
            y = body.op('Convert', 1, [y], destination_type=kind)
        result = body.result(y)
        inner += (f'<{name}_port_map><input external_port_id="1" internal_layer_id="0"/>'
                  f'<output external_port_id="2" internal_layer_id="{result}"/></{name}_port_map>'
                  f'<{name}_body>{body.body()}</{name}_body>')
    graph.result(graph.op('If', 8, [flag, data], inner=inner))
    return graph


X = f32([1, 2])
for SHAPE in ('2', '?', '...'):
    for CONDITION in ('', '1'):
        TRUE, FALSE = (boolean([True]), boolean([False])) if CONDITION else (
            boolean(True), boolean(False))
        CASE = graph_case([('If', 8)], make_if(('boolean', CONDITION), SHAPE), [TRUE, X],
                          [f32([2, 3])])
        CASE.sets.append(([FALSE, X], [f32([3, 6])]))
graph_case([('If', 8)], make_if(None, constant=boolean(False)), [X], [f32([3, 6])])
REFUSED = dict(refused='(If opset8)')
graph_case([('If', 8)], make_if(('f32', '')), [f32(1), X], [X], **REFUSED)
graph_case([('If', 8)], make_if(('boolean', '2')), [boolean([True, True]), X], [X], **REFUSED)
graph_case([('If', 8)], make_if(('boolean', ''), kinds=('f32', 'i32')), [boolean(True), X], [X],
           **REFUSED)

# --- Loop ---------------------------------------------------------------------------------


def make_loop(trips, limit, start=True, body_type='f32'):
    """state = state * 2 while state < limit, and all intermediate states."""
    graph = Graph()
    ports = [graph.const(i64(trips)) if trips is not None else graph.parameter('i64', ''),
             graph.const(boolean(start)), graph.parameter('f32', '1')]
    body = graph.nested()
    state = body.parameter(body_type, '1')
    count = body.parameter('i64', '')
    doubled = body.op('Multiply', 1, [state, body.const(f32(2))])
    body_results = [body.result(doubled)]
    below = body.op('Less', 1, [doubled, body.const(f32([limit]))])
    body_results.append(body.result(below))
    number = body.op('Convert', 1, [count], destination_type='f32')
    body_results.append(body.result(body.op('Add', 1, [doubled, number])))
    inner = ('<port_map><input external_port_id="2" internal_layer_id="0"/>'
             '<input external_port_id="-1" internal_layer_id="1" purpose="current_iteration"/>'
             f'<output external_port_id="3" internal_layer_id="{body_results[0]}"/>'
             f'<output external_port_id="-1" internal_layer_id="{body_results[1]}"'
             ' purpose="execution_condition"/>'
             f'<output external_port_id="4" internal_layer_id="{body_results[2]}" axis="0"'
             ' start="0" end="-1" stride="1" part_size="1"/></port_map>'
             f'<back_edges><edge from-layer="{body_results[0]}" to-layer="0"/></back_edges>'
             f'<body>{body.body()}</body>')
    for port in graph.op('Loop', 5, ports, 2, inner=inner):
        graph.result(port)
    return graph


graph_case([('Loop', 5)], make_loop(4, 1000), [f32([3])], [f32([48]), f32([6, 13, 26, 51])])
graph_case([('Loop', 5)], make_loop(-1, 20), [f32([3])], [f32([24]), f32([6, 13, 26])])
graph_case([('Loop', 5)], make_loop(10, 20), [f32([3])], [f32([24]), f32([6, 13, 26])])
CASE = graph_case([('Loop', 5)], make_loop(None, 1000), [i64(2), f32([3])],
                  [f32([12]), f32([6, 13])])
CASE.sets.append(([i64(1), f32([5])], [f32([10]), f32([10])]))
REFUSED = dict(refused='(Loop opset5)')
graph_case([('Loop', 5)], make_loop(4, 10, body_type='i32'), [f32([3])], [f32([1])] * 2,
           **REFUSED)
bad('Loop', 5, [zeros('i64'), zeros('boolean')])

# --- TensorIterator -----------------------------------------------------------------------


def make_iterator(shape, stride, part, axis=1):
    """A running sum along axis 1: all sums, and the last."""
    graph = Graph()
    ports = [graph.parameter('f32', shape), graph.parameter('f32', f'2,{part}')]
    body = graph.nested()
    x, state = body.parameter('f32', f'2,{part}'), body.parameter('f32', f'2,{part}')
    total = body.op('Add', 1, [x, state])
    results = [body.result(total), body.result(total)]
    start, end = (0, -1) if stride > 0 else (-1, 0)
    walk = f'axis="{axis}" start="{start}" end="{end}" stride="{stride}" part_size="{part}"'
    inner = (f'<port_map><input external_port_id="0" internal_layer_id="0" {walk}/>'
             '<input external_port_id="1" internal_layer_id="1"/>'
             f'<output external_port_id="2" internal_layer_id="{results[0]}" {walk}/>'
             f'<output external_port_id="3" internal_layer_id="{results[1]}"/></port_map>'
             f'<back_edges><edge from-layer="{results[1]}" to-layer="1"/></back_edges>'
             f'<body>{body.body()}</body>')
    for port in graph.op('TensorIterator', 1, ports, 2, inner=inner):
        graph.result(port)
    return graph


DATA, START = f32([[1, 2, 3], [4, 5, 6]]), f32([[10], [20]])
for SHAPE in ('2,3', '2,?', '?,?'):
    graph_case([('TensorIterator', 1)], make_iterator(SHAPE, 1, 1), [DATA, START],
               [f32([[11, 13, 16], [24, 29, 35]]), f32([[16], [35]])])
    graph_case([('TensorIterator', 1)], make_iterator(SHAPE, -1, 1), [DATA, START],
               [f32([[16, 15, 13], [35, 31, 26]]), f32([[16], [35]])])
graph_case([('TensorIterator', 1)], make_iterator('2,4', 2, 2),
           [f32([[1, 2, 3, 4], [5, 6, 7, 8]]), f32([[0, 0], [0, 0]])],
           [f32([[1, 2, 4, 6], [5, 6, 12, 14]]), f32([[4, 6], [12, 14]])])
REFUSED = dict(refused='(TensorIterator opset1)')
graph_case([('TensorIterator', 1)], make_iterator('2,3', 1, 1, axis=2), [DATA, START],
           [f32([1])] * 2, **REFUSED)
bad('TensorIterator', 1, [zeros('f32', 2)])

# --- variables ------------------------------------------------------------------------------


def make_variable(opset, assign='sum', read='sum', shape='2', kind='f32', initial=True):
    """variable = variable + input, which is also the output."""
    graph = Graph()
    x = graph.parameter(kind, shape)
    attributes = dict(variable_type=kind, variable_shape=shape) if opset == 6 else {}
    start = [graph.const(t([10, 20]).as_type(kind))] if initial else []
    value = graph.op('ReadValue', opset, start, variable_id=read, **attributes)
    total = graph.op('Add', 1, [value, x])
    graph.layer('Assign', opset, [total], 1, {'variable_id': assign})
    graph.result(total)
    return graph


COVERS = [('ReadValue', 3), ('Assign', 3)], [('ReadValue', 6), ('Assign', 6)]
for COVER in COVERS:
    for MAKER in (f32, f16):
        KIND = MAKER(0).kind
        STEPS = [([], [MAKER([1, 2])], [MAKER([11, 22])], {'sum': MAKER([11, 22])}),
                 ([], [MAKER([1, 2])], [MAKER([12, 24])], {'sum': MAKER([12, 24])}),
                 (['reset'], [MAKER([5, 5])], [MAKER([15, 25])], {'sum': MAKER([15, 25])})]
        graph_case(COVER, make_variable(COVER[0][1], kind=KIND), STEPS[0][1], STEPS[0][2],
                   steps=STEPS, variables=[('sum', KIND)])
STEPS = [([], [f32([1, 2])], [f32([1, 2])], {}), ([], [f32([1, 2])], [f32([2, 4])], {})]
graph_case(COVERS[1], make_variable(6, initial=False), STEPS[0][1], STEPS[0][2], steps=STEPS)
for COVER in COVERS:
    OPSET = COVER[0][1]
    graph_case([COVER[1]], make_variable(OPSET, assign='other'), [f32([1, 2])], [f32([1, 2])],
               refused='other')
    bad('ReadValue', OPSET, [zeros('f32', 2)])
bad('ReadValue', 6, [zeros('f32', 2)], variable_id='x', variable_type='i32', variable_shape='2')
bad('ReadValue', 6, [zeros('f32', 2)], variable_id='x', variable_type='f32', variable_shape='3')

# --- unsupported cases -------------------------------------------------------------------

STRINGS = dict(refused='tensors of strings are not supported')
for KIND, INPUTS, OUTPUTS in (('StringTensorPack', ('i32', 'i32', 'u8'), 1),
                              ('StringTensorUnpack', ('u8',), 3)):
    UNKNOWN = Graph()
    UNKNOWN.layer(KIND, 15, [UNKNOWN.parameter(x, '2') for x in INPUTS], OUTPUTS)
    CASES.append(Case(KIND, UNKNOWN, [], [], **STRINGS))
TEXT = Graph()
TEXT.result(TEXT.parameter('string', '2'))
CASES.append(Case('Parameter-string', TEXT, [], [], **STRINGS))
bad('Convert', 1, [zeros('i32', 2)], destination_type='string')
