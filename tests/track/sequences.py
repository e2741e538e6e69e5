# SPDX-FileCopyrightText: 2026 The inferfilter authors
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Generated sequences in MOTChallenge's text: people that cross, are hidden and
come back, with misses, false detections and noise.

With @turns they turn about as they like, also behind walls that hide all of
them, and each detection has an appearance: APPEARANCE numbers more."""

import math
import random

WIDTH, HEIGHT, FRAMES, PEOPLE = 1280, 720, 250, 14
APPEARANCE = 16
WALLS = (300, 450), (800, 950)  # from, to


def walk(rng, turns):
    """Boxes of a person, by frame."""
    w = rng.uniform(30, 70)
    h = w * rng.uniform(2, 2.6)
    x, y = rng.uniform(0, WIDTH), rng.uniform(0, HEIGHT - h)
    vx, vy = rng.uniform(-5, 5), rng.uniform(-1.5, 1.5)
    begin = rng.randrange(0, 100)
    for frame in range(begin, rng.randrange(begin + 60, FRAMES + 60)):
        vx += rng.gauss(0, 0.15)
        vy += rng.gauss(0, 0.05)
        if turns and rng.random() < 0.03:
            vx, vy = rng.uniform(-6, 6), rng.uniform(-1.5, 1.5)
        x, y = x + vx, y + vy
        if frame < FRAMES and -w < x < WIDTH and -h < y < HEIGHT:
            yield frame + 1, (x, y, w, h)


def covered(box, others):
    """The largest part of @box that one of @others, nearer to the camera,
    hides."""
    x, y, w, h = box
    most = 0
    for a, b, c, d in others:
        if b + d <= y + h:
            continue
        both = (max(0, min(x + w, a + c) - max(x, a))
                * max(0, min(y + h, b + d) - max(y, b)))
        most = max(most, both / (w * h))
    return most


def look(rng, of=None):
    """A direction at random; @of: near that one."""
    values = [rng.gauss(0, 1) for _ in range(APPEARANCE)]
    if of is not None:
        values = [o + 0.12 * v for o, v in zip(of, values)]
    length = math.sqrt(sum(v * v for v in values))
    return [v / length for v in values]


def is_behind_wall(box):
    return any(a < box[0] + box[2] / 2 < b for a, b in WALLS)


def write(folder, seed, turns=False):
    """gt.txt and det.txt in @folder."""
    rng = random.Random(seed)
    looks = [look(rng) for _ in range(PEOPLE)] if turns else None
    frames = [[] for _ in range(FRAMES + 1)]
    for person in range(PEOPLE):
        for frame, box in walk(rng, turns):
            frames[frame].append((person + 1, box))
    with open(folder / "gt.txt", "w") as gt, open(folder / "det.txt", "w") as det:
        for frame, people in enumerate(frames[1:], 1):
            if turns:
                people = [p for p in people if not is_behind_wall(p[1])]
            found = []
            for person, box in people:
                print(frame, person, *(f"{v:.3f}" for v in box), 1, 1, 1,
                      sep=",", file=gt)
                hidden = covered(box, [b for p, b in people if p != person])
                if rng.random() < 0.04 + 0.9 * max(0, hidden - 0.4):
                    continue
                noise = [rng.gauss(0, 0.02 * box[2 + i % 2]) for i in range(4)]
                found.append(([v + n for v, n in zip(box, noise)],
                              min(0.99, max(0.15, rng.gauss(0.85 - 0.5 * hidden,
                                                            0.1))),
                              look(rng, looks[person - 1]) if turns else ()))
            if rng.random() < 0.3:
                found.append(((rng.uniform(0, WIDTH), rng.uniform(0, HEIGHT), 40,
                               90), rng.uniform(0.1, 0.6),
                              look(rng) if turns else ()))
            for box, score, appearance in found:
                print(frame, -1, *(f"{v:.3f}" for v in box), f"{score:.4f}", -1,
                      -1, -1, *(f"{v:.4f}" for v in appearance), sep=",",
                      file=det)
