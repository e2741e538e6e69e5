# SPDX-FileCopyrightText: 2026 The inferfilter authors
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Tiny models of one operation, with inputs and expected outputs.

The case files in this folder declare, in a few lines each,

    ok('Abs', 1, [t([-1, 2])], [t([1, 2])], types=SIGNED)
    bad('Abs', 1, [boolean([True])])

`ok` makes several models: with static shapes, with all dimensions dynamic, fully
dynamic (also the rank; constants become inputs; all cases of such a model run
one after another), and with constants only.  `bad` must fail when it is loaded
or run, with an error that names the operation.  Models with bodies or variables
are made with `Graph`.

Expected values are written out or computed by the case file, never by the
program under test.  Only Python's standard library is needed.
"""

import copy
import itertools
import struct

FORMATS = {'boolean': '?', 'f64': 'd', 'f32': 'f', 'f16': 'e', 'bf16': 'H', 'i64': 'q', 'i32': 'i',
           'i16': 'h', 'i8': 'b', 'u64': 'Q', 'u32': 'I', 'u16': 'H', 'u8': 'B', 'f8e4m3': 'B',
           'f8e5m2': 'B', 'f8e8m0': 'B'}
# Sub-byte constants: lowest bits first.
PACKED = {'i4': 4, 'u4': 4, 'nf4': 4, 'f4e2m1': 4, 'u2': 2, 'u1': 1}
NUMPY = {'boolean': '|b1', 'f64': '<f8', 'f32': '<f4', 'f16': '<f2', 'bf16': '<u2', 'i64': '<i8',
         'i32': '<i4', 'i16': '<i2', 'i8': '|i1', 'u64': '<u8', 'u32': '<u4', 'u16': '<u2',
         'u8': '|u1'}
TOLERANCES = {'f32': (1e-5, 1e-6), 'f64': (1e-6, 1e-9), 'f16': (2e-3, 1e-3), 'bf16': (2e-2, 1e-2)}

REAL = 'f32 f64 f16 bf16'
SIGNED = REAL + ' i64 i32 i16 i8'
NUMBERS = SIGNED + ' u64 u32 u16 u8'
ALL = NUMBERS + ' boolean'
INDICES = 'i32 i64'


# --- tensors ---------------------------------------------------------------------


class Tensor:
    """Values of a type, flat, row-major; the type 'T' is filled in by `types`."""

    def __init__(self, kind, values, shape=None):
        self.kind = kind
        self.shape = tuple(shape) if shape is not None else shape_of(values)
        self.data = list(flatten(values))
        self.constant = False
        count = 1
        for dim in self.shape:
            count *= dim
        if len(self.data) == 1 and count != 1:
            self.data *= count
        assert len(self.data) == count, f'{len(self.data)} values for {self.shape}'

    def as_type(self, kind):
        result = copy.copy(self)
        if kind and self.kind == 'T':
            result.kind = kind
        return result

    def bytes(self):
        if self.kind in PACKED:
            return pack_bits(self.data, PACKED[self.kind])
        values = self.data
        if self.kind == 'bf16':
            values = [to_bf16(value) for value in values]
        elif self.kind == 'boolean':
            values = [bool(value) for value in values]
        elif self.kind[0] != 'f':
            values = [int(value) for value in values]
        return struct.pack(f'<{len(values)}{FORMATS[self.kind]}', *values)

    def shape_text(self, alike):
        """Element type for a port whose other values are `alike`."""
        if any(other.shape != self.shape for other in alike):
            return '[...]'
        return '[' + ','.join(map(str, self.shape)) + ']'


def shape_of(values):
    if not isinstance(values, (list, tuple)):
        return ()
    return (len(values),) + (shape_of(values[0]) if values else ())


def flatten(values):
    if isinstance(values, (list, tuple)):
        for value in values:
            yield from flatten(value)
    else:
        yield values


def to_bf16(value):
    bits = struct.unpack('<I', struct.pack('<f', value))[0]
    return (bits + 0x7fff + (bits >> 16 & 1)) >> 16 & 0xffff


def pack_bits(values, bits):
    packed = bytearray((len(values) * bits + 7) // 8)
    for i, value in enumerate(values):
        at = i * bits
        # Only u1 starts with the highest bit.
        shift = 7 - at % 8 if bits == 1 else at % 8
        packed[at // 8] |= (int(value) & ((1 << bits) - 1)) << shift
    return bytes(packed)


def maker(kind):
    return lambda values, shape=None: Tensor(kind, values, shape)


t = maker('T')
f32, f64, f16, bf16 = map(maker, ('f32', 'f64', 'f16', 'bf16'))
i64, i32, i16, i8 = map(maker, ('i64', 'i32', 'i16', 'i8'))
u64, u32, u16, u8 = map(maker, ('u64', 'u32', 'u16', 'u8'))
boolean = maker('boolean')


def const(tensor):
    result = copy.copy(tensor)
    result.constant = True
    return result


def zeros(kind, *shape):
    return Tensor(kind, [0], shape)


def ramp(kind, *shape, start=0, step=1):
    """start, start + step, …"""
    count = 1
    for dim in shape:
        count *= dim
    return Tensor(kind, [start + i * step for i in range(count)], shape)


def indices(*shape):
    """Every index of a shape, in order."""
    return itertools.product(*map(range, shape))


def fill(kind, shape, value):
    """A tensor of value (i, j, …)."""
    return Tensor(kind, [value(*index) for index in indices(*shape)], shape)


def at(tensor, *index):
    place = 0
    for i, dim in zip(index, tensor.shape):
        place = place * dim + i
    return tensor.data[place]


# --- graphs ----------------------------------------------------------------------


class Graph:
    """Layers in the order of addition; a port is (layer, number)."""

    def __init__(self):
        self.layers = []
        self.edges = []
        self.weights = bytearray()

    def layer(self, kind, opset, inputs, outputs, attributes=(), name=None, inner=''):
        """`outputs`: number of outputs. Returns the layer's number."""
        number = len(self.layers)
        data = ''.join(f' {key}="{text(value)}"' for key, value in dict(attributes).items())
        ports = len(inputs)
        lines = [f'<layer id="{number}" name="{name or kind + str(number)}" type="{kind}"'
                 f' version="opset{opset}">', f'<data{data}/>' if data else '']
        if inputs:
            lines.append('<input>' + ''.join(f'<port id="{i}"/>' for i in range(ports))
                         + '</input>')
        if outputs:
            lines.append('<output>' + ''.join(f'<port id="{ports + k}"/>' for k in range(outputs))
                         + '</output>')
        lines += [inner, '</layer>']
        self.layers.append((ports, ''.join(lines)))
        for i, (source, k) in enumerate(inputs):
            self.edges.append((source, self.layers[source][0] + k, number, i))
        return number

    def parameter(self, kind, shape):
        """The shape as in the IR: '2,3', '?,3', '...'."""
        return self.layer('Parameter', 1, [], 1, {'shape': shape, 'element_type': kind}), 0

    def nested(self):
        """A body: a graph that shares this one's constants."""
        body = Graph()
        body.weights = self.weights
        return body

    def const(self, tensor):
        data = tensor.bytes()
        attributes = {'element_type': tensor.kind, 'shape': ','.join(map(str, tensor.shape)),
                      'offset': len(self.weights), 'size': len(data)}
        self.weights += data + bytes(-len(data) % 8)
        return self.layer('Const', 1, [], 1, attributes), 0

    def op(self, kind, opset, inputs, outputs=1, inner='', **attributes):
        """Returns its port, or a list of ports."""
        number = self.layer(kind, opset, inputs, outputs, attributes, inner=inner)
        return (number, 0) if outputs == 1 else [(number, k) for k in range(outputs)]

    def result(self, port):
        """Returns the layer's number, which identifies results of bodies."""
        return self.layer('Result', 1, [port], 0)

    def body(self):
        return (f'<layers>{"".join(layer for _, layer in self.layers)}</layers><edges>' + ''.join(
            f'<edge from-layer="{a}" from-port="{p}" to-layer="{b}" to-port="{q}"/>'
            for a, p, b, q in self.edges) + '</edges>')

    def xml(self):
        return f'<?xml version="1.0"?><net name="case" version="11">{self.body()}</net>\n'


def text(value):
    if isinstance(value, bool):
        return 'true' if value else 'false'
    if isinstance(value, (list, tuple)):
        return ', '.join(map(str, value))
    return str(value)


# --- cases -----------------------------------------------------------------------


class Case:
    def __init__(self, name, graph, inputs, outputs, **more):
        self.name = name
        self.graph = graph
        self.sets = [(inputs, outputs)]  # or steps of a sequence
        self.refused = more.get('refused')
        self.tolerance = more.get('tol')
        self.steps = more.get('steps')   # [(actions, inputs, outputs, states)]
        self.variables = more.get('variables', ())

    def write(self, folder):
        path = folder / self.name
        path.mkdir()
        (path / 'model.xml').write_text(self.graph.xml())
        (path / 'model.bin').write_bytes(self.graph.weights)
        lines = ['case\t1', f'name\t{self.name}', 'ir\t11']
        lines += [f'refused\t{self.refused}'] if self.refused else []
        if self.steps:
            lines += self.write_steps(path)
        else:
            lines += self.write_sets(path)
        (path / 'case.txt').write_text('\n'.join(lines) + '\n')

    def ports(self, inputs, outputs):
        for k, value in enumerate(inputs):
            shape = value.shape_text(ins[k] for ins, _ in self.sets)
            yield f'in\t{k}\t{value.kind}\t{shape}\tin{k}'
        for k, value in enumerate(outputs):
            rtol, atol = self.tolerance or TOLERANCES.get(value.kind, (0, 0))
            shape = value.shape_text(outs[k] for _, outs in self.sets)
            yield f'out\t{k}\t{value.kind}\t{shape}\tout{k}\t{rtol}\t{atol}'

    def write_sets(self, path):
        for number, (inputs, outputs) in enumerate(self.sets):
            middle = f'{number}_' if len(self.sets) > 1 else ''
            for k, value in enumerate(inputs):
                write_npy(path / f'in_{middle}{k}.npy', value)
            for k, value in enumerate(outputs):
                write_npy(path / f'out_{middle}{k}.npy', value)
        return [f'sets\t{len(self.sets)}', *self.ports(*self.sets[0])]

    def write_steps(self, path):
        lines = ['sets\t0', f'steps\t{len(self.steps)}']
        lines += self.ports(*self.steps[0][1:3])
        lines += [f'variable\t{name}\t{kind}\t{name}' for name, kind in self.variables]
        for number, (actions, inputs, outputs, states) in enumerate(self.steps):
            for action in actions:
                lines.append(f'{action}\t{number}')
            for k, value in enumerate(inputs):
                write_npy(path / f'step_{number}_in_{k}.npy', value)
            for k, value in enumerate(outputs):
                write_npy(path / f'step_{number}_out_{k}.npy', value)
            for name, value in states.items():
                write_npy(path / f'step_{number}_state_{name}.npy', value)
        return lines


def write_npy(path, tensor):
    shape = ', '.join(map(str, tensor.shape)) + (',' if len(tensor.shape) == 1 else '')
    header = f"{{'descr': '{NUMPY[tensor.kind]}', 'fortran_order': False, 'shape': ({shape}), }}"
    header += ' ' * (-(len(header) + 11) % 64) + '\n'
    path.write_bytes(b'\x93NUMPY\x01\x00' + struct.pack('<H', len(header)) + header.encode()
                     + tensor.bytes())


WHOLE = 6  # number of an operation's cases that get every variant

CASES = []
_unknown = {}  # cases of one fully dynamic model are merged
COVERED = {'ok': set(), 'bad': set()}  # of (type, opset)
_names = {}


def unique(name):
    _names[name] = _names.get(name, 0) + 1
    return name if _names[name] == 1 else f'{name}.{_names[name]}'


def opsets_of(opset):
    return opset if isinstance(opset, (list, tuple)) else (opset,)


def graph_case(covers, graph, inputs, outputs, **more):
    """A custom graph; `covers` is [(type, opset)], the first one names the case."""
    name = unique(f'{covers[0][0]}-{covers[0][1]}')
    COVERED['bad' if 'refused' in more else 'ok'].update(covers)
    CASES.append(Case(name, graph, inputs, outputs, **more))
    return CASES[-1]


def single(kind, opset, tensors, n_outputs, attributes, shape_text):
    """A model of one operation; returns it and the tensors for its inputs."""
    graph = Graph()
    ports, inputs = [], []
    for tensor in tensors:
        if tensor.constant:
            ports.append(graph.const(tensor))
        else:
            ports.append(graph.parameter(tensor.kind, shape_text(tensor)))
            inputs.append(tensor)
    number = graph.layer(kind, opset, ports, n_outputs, attributes)
    for k in range(n_outputs):
        graph.result((number, k))
    return graph, inputs


def static(tensor):
    return ','.join(map(str, tensor.shape))


def unknown_dims(tensor):
    return ','.join('?' for _ in tensor.shape)


def unknown(tensor):
    return '...'


def set_constant(tensors, constant):
    result = [copy.copy(tensor) for tensor in tensors]
    for tensor in result:
        tensor.constant = constant and (tensor.kind not in PACKED or tensor.constant)
        tensor.constant = tensor.constant or (not constant and tensor.kind not in NUMPY)
    return result


# Letter in `variants` → which inputs are constant (None: as written) and how
# the shapes of the others are given.
VARIANTS = {'s': ('', None, static), 'd': ('-dims', None, unknown_dims),
            'u': ('-unknown', False, unknown), 'f': ('-folded', True, static)}


def ok(kind, opset, inputs, outputs, types='', variants='sduf', more=(), tol=None, **attributes):
    """`more`: further (inputs, outputs) for the same model; other shapes are used
    with dynamic models only.  The first cases of an operation get all four models
    for their first type, all other cases and types get two."""
    for version in opsets_of(opset):
        COVERED['ok'].add((kind, version))
        unique(f'{kind}-{version}')
        for number, T in enumerate(types.split() or ['']):
            name = unique('-'.join(filter(None, (kind, str(version), T))))
            typed = [([x.as_type(T) for x in ins], [y.as_type(T) for y in outs])
                     for ins, outs in ((inputs, outputs), *more)]
            few = [letter for letter in variants if letter in 'su']
            for letter in few if few and (number > 0 or is_late(kind, version)) else variants:
                add_variant(name, kind, version, typed, letter, tol, attributes)


def is_late(kind, version):
    return _names.get(f'{kind}-{version}', 0) > WHOLE


def add_variant(name, kind, opset, sets, letter, tol, attributes):
    suffix, constant, shape_text = VARIANTS[letter]
    inputs, outputs = sets[0]
    if constant is not None:
        inputs = set_constant(inputs, constant)
    if letter == 'd' and all(x.constant or not x.shape for x in inputs):
        return
    graph, free = single(kind, opset, inputs, len(outputs), attributes, shape_text)
    case = Case(name + suffix, graph, free, outputs, tol=tol)
    if letter == 'u' and len(free) == len(inputs):
        same = (graph.xml(), tol, tuple(y.kind for y in outputs))
        if same in _unknown:
            _unknown[same].sets += sets
            return
        _unknown[same] = case
    for ins, outs in sets[1:]:
        if letter == 'f':
            continue
        if letter == 's' and any(a.shape != b.shape for a, b in zip(inputs, ins)):
            continue
        if any(a.constant and a.data != b.data for a, b in zip(inputs, ins)):
            continue
        case.sets.append(([x for x, like in zip(ins, inputs) if not like.constant], outs))
    CASES.append(case)


def bad(kind, opset, inputs, outputs=1, types='', **attributes):
    """`outputs`: number of outputs."""
    for version in opsets_of(opset):
        COVERED['bad'].add((kind, version))
        for T in types.split() or ['']:
            typed = [x.as_type(T) for x in inputs]
            graph, free = single(kind, version, typed, outputs, attributes, static)
            CASES.append(Case(unique(f'{kind}-{version}-bad'), graph, free,
                              [zeros('f32') for _ in range(outputs)],
                              refused=f'({kind} opset{version})'))
