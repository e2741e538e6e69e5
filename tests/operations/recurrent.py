# SPDX-FileCopyrightText: 2026 The inferfilter authors
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Recurrent cells, and sequences of them."""

import math

from frame import bad, const, i32, i64, ok, t, zeros

INPUT, HIDDEN, TIME = 3, 2, 4


def numbers(seed, *shape):
    count = math.prod(shape)
    return t([((i * 37 + seed * 11) % 23 - 11) / 16 for i in range(count)], shape)


def rows(tensor, *index):
    """The values along the last axis at an index of the others."""
    width, place = tensor.shape[-1], 0
    for i, dim in zip(index, tensor.shape):
        place = place * dim + i
    return tensor.data[place * width:(place + 1) * width]


ACTIVATIONS = {
    'sigmoid': lambda x, a, b: 1 / (1 + math.exp(-x)),
    'tanh': lambda x, a, b: math.tanh(x),
    'relu': lambda x, a, b: max(x, 0),
    'hardsigmoid': lambda x, a, b: min(max(a * x + b, 0), 1),
}


class Cell:
    """One step, from the formulas."""

    def __init__(self, kind, activations=None, clip=0, alpha=(), beta=(), linear=False):
        self.kind, self.clip, self.linear = kind, clip, linear
        self.names = activations or {'RNN': ['tanh'], 'GRU': ['sigmoid', 'tanh'],
                                     'LSTM': ['sigmoid', 'tanh', 'tanh']}[kind]
        self.alpha = list(alpha) + [0] * 3
        self.beta = list(beta) + [0] * 3
        self.gates = {'RNN': 1, 'GRU': 3, 'LSTM': 4}[kind]
        self.attributes = dict(hidden_size=HIDDEN)
        if activations:
            self.attributes.update(activations=activations)
        if alpha:
            self.attributes.update(activations_alpha=alpha, activations_beta=beta)
        if clip:
            self.attributes.update(clip=clip)
        if linear:
            self.attributes.update(linear_before_reset=True)

    def act(self, i, x):
        if self.clip:
            x = min(max(x, -self.clip), self.clip)
        return ACTIVATIONS[self.names[i]](x, self.alpha[i], self.beta[i])

    def step(self, x, states, w, r, b):
        def gate(g, j, hidden, reset=None, part='xhb'):
            row = g * HIDDEN + j
            total = sum(p * q for p, q in zip(x, w[row])) if 'x' in part else 0
            total += sum(p * q for p, q in zip(hidden, r[row])) if 'h' in part else 0
            return total + (b[row] if 'b' in part else 0)

        h = states[0]
        if self.kind == 'RNN':
            return [[self.act(0, gate(0, j, h)) for j in range(HIDDEN)]]
        if self.kind == 'LSTM':
            f, i, o = ([self.act(0, gate(g, j, h)) for j in range(HIDDEN)] for g in (0, 1, 3))
            c = [f[j] * states[1][j] + i[j] * self.act(1, gate(2, j, h)) for j in range(HIDDEN)]
            unclipped, self.clip = self.clip, 0
            h = [o[j] * self.act(2, c[j]) for j in range(HIDDEN)]
            self.clip = unclipped
            return [h, c]
        z, reset = ([self.act(0, gate(g, j, h)) for j in range(HIDDEN)] for g in (0, 1))
        result = []
        for j in range(HIDDEN):
            if self.linear:
                inner = reset[j] * (gate(2, j, h, part='h') + b[3 * HIDDEN + j])
                inner += gate(2, j, h, part='xb')
            else:
                inner = gate(2, j, [p * q for p, q in zip(reset, h)])
            result.append((1 - z[j]) * self.act(1, inner) + z[j] * h[j])
        return [result]

    def weights(self, directions):
        biases = self.gates + self.linear
        return (numbers(3, directions, self.gates * HIDDEN, INPUT),
                numbers(5, directions, self.gates * HIDDEN, HIDDEN),
                numbers(7, directions, biases * HIDDEN))

    def run(self, x, starts, lengths, weights, direction):
        """Y [batch, directions, time, hidden] and the last states."""
        batch, time = x.shape[:2]
        ways = {'forward': [1], 'reverse': [-1], 'bidirectional': [1, -1]}[direction]
        y = zeros('T', batch, len(ways), time, HIDDEN)
        last = [zeros('T', batch, len(ways), HIDDEN) for _ in starts]
        for n in range(batch):
            for d, way in enumerate(ways):
                w, r = ([rows(m, d, g) for g in range(self.gates * HIDDEN)] for m in weights[:2])
                states = [rows(s, n, d) for s in starts]
                for k in range(lengths[n])[::way]:
                    states = self.step(rows(x, n, k), states, w, r, rows(weights[2], d))
                    at = ((n * len(ways) + d) * time + k) * HIDDEN
                    y.data[at:at + HIDDEN] = states[0]
                at = (n * len(ways) + d) * HIDDEN
                for s, state in enumerate(states):
                    last[s].data[at:at + HIDDEN] = state
        return [y, *last]


CELLS = [
    Cell('RNN'), Cell('RNN', clip=0.4), Cell('RNN', ['relu']),
    Cell('RNN', ['hardsigmoid'], 0, [0.25], [0.5]),
    Cell('GRU'), Cell('GRU', clip=0.4), Cell('GRU', linear=True),
    Cell('GRU', ['tanh', 'relu'], linear=True, clip=0.5),
    Cell('LSTM'), Cell('LSTM', clip=0.4), Cell('LSTM', ['relu', 'sigmoid', 'tanh']),
    Cell('LSTM', ['hardsigmoid', 'tanh', 'relu'], 0, [0.25, 1, 1], [0.5, 0, 0]),
]
OPSETS = {'RNNCell': 1, 'GRUCell': 3, 'LSTMCell': (1, 4), 'RNNSequence': 5, 'GRUSequence': 5,
          'LSTMSequence': (1, 5)}
LOOSE = dict(tol=(1e-3, 1e-3))


def flat(tensor, *shape):
    return t(tensor.data, shape)


for CELL in CELLS:
    N_STATES = 2 if CELL.kind == 'LSTM' else 1
    BATCH = 2
    WEIGHTS = CELL.weights(1)
    X = numbers(1, BATCH, 1, INPUT)
    STARTS = [numbers(2 + s, BATCH, 1, HIDDEN) for s in range(N_STATES)]
    OUT = CELL.run(X, STARTS, [1] * BATCH, WEIGHTS, 'forward')[1:]
    KIND = CELL.kind + 'Cell'
    ok(KIND, OPSETS[KIND],
       [flat(X, BATCH, INPUT), *(flat(s, BATCH, HIDDEN) for s in STARTS),
        *(const(flat(w, *w.shape[1:])) for w in WEIGHTS)],
       [flat(o, BATCH, HIDDEN) for o in OUT], types='f32 f16 f64', **LOOSE, **CELL.attributes)
    for DIRECTION in ('forward', 'reverse', 'bidirectional'):
        WAYS = 2 if DIRECTION == 'bidirectional' else 1
        WEIGHTS = CELL.weights(WAYS)
        X = numbers(1, BATCH, TIME, INPUT)
        STARTS = [numbers(2 + s, BATCH, WAYS, HIDDEN) for s in range(N_STATES)]
        SETS = []
        for LENGTHS in ([TIME] * BATCH, [2, TIME]):
            SETS.append(([X, *STARTS, i32(LENGTHS), *map(const, WEIGHTS)],
                         CELL.run(X, STARTS, LENGTHS, WEIGHTS, DIRECTION)))
        KIND = CELL.kind + 'Sequence'
        ok(KIND, OPSETS[KIND], *SETS[0], types='f32 f16', more=SETS[1:], direction=DIRECTION,
           **LOOSE, **CELL.attributes)
        INPUTS, OUTPUTS = SETS[1]
        INPUTS = [const(i64(x.data)) if x.kind == 'i32' else x for x in INPUTS]
        ok(KIND, OPSETS[KIND], INPUTS, OUTPUTS, types='f32', direction=DIRECTION, **LOOSE,
           **CELL.attributes)
# Without a bias.
CELL = Cell('LSTM')
X, STARTS, WEIGHTS = numbers(1, 1, 1, INPUT), [numbers(2, 1, 1, HIDDEN)] * 2, CELL.weights(1)
OUT = CELL.run(X, STARTS, [1], (*WEIGHTS[:2], zeros('T', 1, 8)), 'forward')[1:]
ok('LSTMCell', 4, [flat(X, 1, INPUT), *(flat(s, 1, HIDDEN) for s in STARTS),
                   *(const(flat(w, *w.shape[1:])) for w in WEIGHTS[:2])],
   [flat(o, 1, HIDDEN) for o in OUT], types='f32', **LOOSE, **CELL.attributes)

for KIND, GATES, STATES in (('RNN', 1, 1), ('GRU', 3, 1), ('LSTM', 4, 2)):
    W, R, B = zeros('f32', GATES * 2, 3), zeros('f32', GATES * 2, 2), zeros('f32', GATES * 2)
    H = [zeros('f32', 1, 2)] * STATES
    for INPUTS in ([zeros('f32', 1, 4), *H, W, R, B], [zeros('f32', 1, 3), *H, R, W, B],
                   [zeros('f32', 2, 3), *H, W, R, B], [zeros('f16', 1, 3), *H, W, R, B]):
        bad(KIND + 'Cell', OPSETS[KIND + 'Cell'], INPUTS, STATES, hidden_size=2)
    bad(KIND + 'Cell', OPSETS[KIND + 'Cell'], [zeros('f32', 1, 3), *H, W, R, B], STATES)
    bad(KIND + 'Cell', OPSETS[KIND + 'Cell'], [zeros('f32', 1, 3), *H, W, R, B], STATES,
        hidden_size=2, activations=['sine'] * 3)
    SEQUENCE = [zeros('f32', 1, 4, 3), *[zeros('f32', 1, 1, 2)] * STATES, i32([4])]
    WEIGHTS = [zeros('f32', 1, *w.shape) for w in (W, R, B)]
    bad(KIND + 'Sequence', OPSETS[KIND + 'Sequence'], [*SEQUENCE, *WEIGHTS], STATES + 1,
        hidden_size=2, direction='bidirectional')
    bad(KIND + 'Sequence', OPSETS[KIND + 'Sequence'], [*SEQUENCE, *WEIGHTS], STATES + 1,
        hidden_size=2, direction='sideways')
    bad(KIND + 'Sequence', OPSETS[KIND + 'Sequence'],
        [*SEQUENCE[:-1], zeros('f32', 1), *WEIGHTS], STATES + 1, hidden_size=2,
        direction='forward')
    bad(KIND + 'Sequence', OPSETS[KIND + 'Sequence'],
        [*SEQUENCE[:-1], zeros('i32', 2), *WEIGHTS], STATES + 1, hidden_size=2,
        direction='forward')
