#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 The inferfilter authors
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Writes features-KIND.npy: the kinds of features of the first 8117 samples
of a recording, straight from their definitions, without numpy.

usage: make-features.py SOURCE_ROOT
"""

import array
import math
import pathlib
import struct
import sys
import wave

RATE, SAMPLES = 16000, 8117
WINDOW, HOP = 400, 160
EPSILON = 2.0 ** -23  # of float32


def power(samples, points):
    """|DFT|^2 of the samples followed by zeros, up to half the rate."""
    cos = [math.cos(2 * math.pi * k / points) for k in range(points)]
    sin = [math.sin(2 * math.pi * k / points) for k in range(points)]
    spectrum = []
    for k in range(points // 2 + 1):
        re = sum(x * cos[k * i % points] for i, x in enumerate(samples))
        im = sum(x * sin[k * i % points] for i, x in enumerate(samples))
        spectrum.append(re * re + im * im)
    return spectrum


# --- Kaldi ---

def kaldi_mel(hz):
    return 1127.0 * math.log(1.0 + hz / 700.0)


def kaldi_bank(bands, points, fmin, fmax):
    low, high = kaldi_mel(fmin), kaldi_mel(fmax)
    delta = (high - low) / (bands + 1)
    bank = []
    for m in range(bands):
        left, center, right = (low + (m + i) * delta for i in range(3))
        row = []
        for k in range(points // 2):
            mel = kaldi_mel(k * RATE / points)
            if left < mel <= center:
                row.append((mel - left) / (center - left))
            elif center < mel < right:
                row.append((right - mel) / (right - center))
            else:
                row.append(0.0)
        bank.append(row)
    return bank


def kaldi_frames(samples, snip_edges):
    if snip_edges:
        return [samples[HOP * i:HOP * i + WINDOW]
                for i in range(1 + (len(samples) - WINDOW) // HOP)]
    frames = []
    for i in range((len(samples) + HOP // 2) // HOP):
        start = HOP * i + HOP // 2 - WINDOW // 2
        frame = []
        for j in range(start, start + WINDOW):
            while not 0 <= j < len(samples):
                j = -j - 1 if j < 0 else 2 * len(samples) - 1 - j
            frame.append(samples[j])
        frames.append(frame)
    return frames


def kaldi(samples, snip_edges=True, bands=23):
    """Yields (log energy, log energies of the bands)."""
    povey = [(0.5 - 0.5 * math.cos(2 * math.pi * i / (WINDOW - 1))) ** 0.85
             for i in range(WINDOW)]
    bank = kaldi_bank(bands, 512, 20, RATE / 2)
    for frame in kaldi_frames([32768.0 * x for x in samples], snip_edges):
        mean = sum(frame) / WINDOW
        frame = [x - mean for x in frame]
        energy = sum(x * x for x in frame)
        before = [frame[0]] + frame[:-1]
        frame = [(x - 0.97 * y) * w for x, y, w in zip(frame, before, povey)]
        spectrum = power(frame, 512)
        energies = [sum(w * p for w, p in zip(row, spectrum)) for row in bank]
        yield (math.log(max(energy, EPSILON)),
               [math.log(max(e, EPSILON)) for e in energies])


def fbank(samples):
    return [energies for _, energies in kaldi(samples)]


def fbank_mirrored(samples):
    return [energies for _, energies in kaldi(samples, snip_edges=False)]


def mfcc(samples):
    rows = []
    for energy, logs in kaldi(samples):
        n = len(logs)
        row = []
        for k in range(13):
            c = sum(x * math.cos(math.pi / n * (m + 0.5) * k)
                    for m, x in enumerate(logs))
            c *= math.sqrt((1 if k == 0 else 2) / n)
            row.append(c * (1 + 11 * math.sin(math.pi * k / 22)))
        rows.append([energy] + row[1:])
    return rows


# --- Whisper ---

def slaney_hz(mel):
    if mel < 15:
        return mel * 200 / 3
    return 1000 * math.exp((mel - 15) * math.log(6.4) / 27)


def slaney_mel(hz):
    if hz < 1000:
        return hz * 3 / 200
    return 15 + math.log(hz / 1000) * 27 / math.log(6.4)


def whisper(samples, frames=30, bands=80):
    """Utterances of `frames` frames, the last one filled with zeros; each
    [bands, frames]."""
    hann = [0.5 - 0.5 * math.cos(2 * math.pi * i / WINDOW)
            for i in range(WINDOW)]
    top = slaney_mel(8000)
    corners = [slaney_hz(top * i / (bands + 1)) for i in range(bands + 2)]
    rows = []
    length = frames * HOP
    for at in range(0, len(samples), length):
        part = samples[at:at + length]
        part = part + [0.0] * (length - len(part))
        padded = part[WINDOW // 2:0:-1] + part + part[-2:-2 - WINDOW // 2:-1]
        logs = []
        for i in range(frames):
            frame = padded[i * HOP:i * HOP + WINDOW]
            spectrum = power([x * w for x, w in zip(frame, hann)], WINDOW)
            row = []
            for m in range(bands):
                left, center, right = corners[m:m + 3]
                energy = 0.0
                for k, p in enumerate(spectrum):
                    hz = k * RATE / WINDOW
                    weight = min((hz - left) / (center - left),
                                 (right - hz) / (right - center))
                    energy += max(weight, 0) * 2 / (right - left) * p
                row.append(math.log10(max(energy, 1e-10)))
            logs.append(row)
        least = max(max(row) for row in logs) - 8
        rows += [[(max(row[m], least) + 4) / 4 for row in logs]
                 for m in range(bands)]
    return rows


# --- NeMo ---

def slaney_bank(bands, points, fmax):
    top = slaney_mel(fmax)
    corners = [slaney_hz(top * i / (bands + 1)) for i in range(bands + 2)]
    bank = []
    for left, center, right in zip(corners, corners[1:], corners[2:]):
        row = []
        for k in range(points // 2 + 1):
            hz = k * RATE / points
            weight = min((hz - left) / (center - left),
                         (right - hz) / (right - center))
            row.append(max(weight, 0) * 2 / (right - left))
        bank.append(row)
    return bank


def nemo(samples, bands=80, points=512):
    """Without normalisation: a frame for each hop, as a short-time Fourier
    transform that is centred and padded with zeros gives them."""
    hann = [0.5 - 0.5 * math.cos(2 * math.pi * i / (WINDOW - 1))
            for i in range(WINDOW)]
    bank = slaney_bank(bands, points, 8000)
    emphasised = [x - 0.97 * y for x, y in zip(samples, [0.0] + samples)]
    padded = [0.0] * (WINDOW // 2) + emphasised + [0.0] * WINDOW
    rows = []
    for i in range(len(samples) // HOP):
        frame = padded[i * HOP:i * HOP + WINDOW]
        spectrum = power([x * w for x, w in zip(frame, hann)], points)
        rows.append([math.log(sum(w * p for w, p in zip(row, spectrum))
                              + 2.0 ** -24) for row in bank])
    return rows


def write_npy(path, rows):
    header = ("{'descr': '<f4', 'fortran_order': False, "
              f"'shape': ({len(rows)}, {len(rows[0])}), }}")
    header = header.ljust(127 - 10) + "\n"
    with open(path, "wb") as f:
        f.write(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)))
        f.write(header.encode())
        for row in rows:
            f.write(struct.pack(f"<{len(row)}f", *row))


def main():
    root = pathlib.Path(sys.argv[1])
    with wave.open(
            str(root / "pipelines/recordings/bf_lily-1-snr10.wav")) as f:
        shorts = array.array("h", f.readframes(SAMPLES))
    samples = [s / 32768 for s in shorts]
    for name, kind in (("fbank", fbank), ("fbank-mirrored", fbank_mirrored),
                       ("mfcc", mfcc), ("whisper", whisper),
                       ("nemo", nemo)):
        write_npy(root / f"tests/data/features-{name}.npy", kind(samples))


if __name__ == "__main__":
    main()
