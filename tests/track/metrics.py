# SPDX-FileCopyrightText: 2026 The inferfilter authors
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Metrics of multi-object tracking, from boxes in MOTChallenge's text.

MOTA: Bernardin and Stiefelhagen, "Evaluating multiple object tracking
performance", 2008.  IDF1: Ristani et al., "Performance measures and a data set
for multi-target, multi-camera tracking", 2016.  HOTA: Luiten et al., "HOTA: a
higher order metric for evaluating multi-object tracking", 2021.
"""

import numpy as np

EPSILON = np.finfo(float).eps
ALPHAS = np.arange(0.05, 0.99, 0.05)


def assign(gains):
    """The rows and columns of the pairs with the greatest sum (shortest
    augmenting paths on the costs, with potentials)."""
    gains = np.asarray(gains, float)
    if gains.size == 0:
        return np.zeros(0, int), np.zeros(0, int)
    if gains.shape[0] > gains.shape[1]:
        columns, rows = assign(gains.T)
        order = np.argsort(rows)
        return rows[order], columns[order]
    cost = gains.max() - gains
    n, m = cost.shape
    u, v = np.zeros(n + 1), np.zeros(m + 1)
    row_of, way = np.zeros(m + 1, int), np.zeros(m + 1, int)
    for i in range(1, n + 1):
        row_of[0], j0 = i, 0
        least, used = np.full(m + 1, np.inf), np.zeros(m + 1, bool)
        while True:
            used[j0] = True
            free = ~used
            free[0] = False
            reduced = np.full(m + 1, np.inf)
            reduced[1:] = cost[row_of[j0] - 1] - u[row_of[j0]] - v[1:]
            better = free & (reduced < least)
            least[better], way[better] = reduced[better], j0
            j1 = int(np.argmin(np.where(free, least, np.inf)))
            delta = least[j1]
            u[row_of[used]] += delta
            v[used] -= delta
            least[~used] -= delta
            j0 = j1
            if row_of[j0] == 0:
                break
        while j0:
            row_of[j0], j0 = row_of[way[j0]], way[j0]
    pairs = sorted((row_of[j] - 1, j - 1) for j in range(1, m + 1) if row_of[j])
    rows, columns = zip(*pairs)
    return np.array(rows), np.array(columns)


def read(path):
    """{frame: (ids, boxes [n, 4])} of a file; boxes: left, top, right, bottom."""
    frames = {}
    for line in open(path):
        values = [float(v) for v in line.split(",")]
        x, y, w, h = values[2:6]
        frames.setdefault(int(values[0]), []).append((int(values[1]),
                                                      (x, y, x + w, y + h)))
    return {f: (np.array([i for i, _ in rows]), np.array([b for _, b in rows]))
            for f, rows in frames.items()}


def overlaps(a, b):
    """IoU of each of @a with each of @b."""
    low = np.maximum(a[:, None, :2], b[None, :, :2])
    high = np.minimum(a[:, None, 2:], b[None, :, 2:])
    both = np.prod(np.clip(high - low, 0, None), axis=2)
    area = [np.prod(x[:, 2:] - x[:, :2], axis=1) for x in (a, b)]
    return both / (area[0][:, None] + area[1][None, :] - both)


def prepare(truth, found):
    """The form that TrackEval's metrics take."""
    numbers = [{}, {}]
    data = {"gt_ids": [], "tracker_ids": [], "similarity_scores": []}
    none = (np.zeros(0, int), np.zeros((0, 4)))
    for frame in range(1, max([*truth, *found]) + 1):
        boxes = []
        for k, (name, rows) in enumerate((("gt_ids", truth),
                                          ("tracker_ids", found))):
            ids, here = rows.get(frame, none)
            data[name].append(np.array(
                [numbers[k].setdefault(i, len(numbers[k])) for i in ids], int))
            boxes.append(here)
        data["similarity_scores"].append(overlaps(*boxes))
    data["num_timesteps"] = len(data["gt_ids"])
    for k, name in enumerate(("gt", "tracker")):
        data[f"num_{name}_ids"] = len(numbers[k])
        data[f"num_{name}_dets"] = sum(map(len, data[f"{name}_ids"]))
    return data


def frames_of(data):
    return zip(data["gt_ids"], data["tracker_ids"], data["similarity_scores"])


def mota(data):
    last = np.full(data["num_gt_ids"], -1)
    before = last.copy()  # of the frame before
    hits = switches = 0
    for gt, tracker, iou in frames_of(data):
        score = 1000.0 * (tracker[None, :] == before[gt][:, None]) + iou
        score[iou < 0.5 - EPSILON] = 0
        rows, columns = assign(score)
        real = score[rows, columns] > EPSILON if len(rows) else np.zeros(0, bool)
        gt_ids, ids = gt[rows[real]], tracker[columns[real]]
        switches += np.sum((last[gt_ids] >= 0) & (last[gt_ids] != ids))
        hits += len(ids)
        last[gt_ids] = ids
        before[:] = -1
        before[gt_ids] = ids
    misses = data["num_gt_dets"] - hits
    false = data["num_tracker_dets"] - hits
    return 1 - (misses + false + switches) / data["num_gt_dets"]


def idf1(data):
    together = np.zeros((data["num_gt_ids"], data["num_tracker_ids"]))
    for gt, tracker, iou in frames_of(data):
        rows, columns = np.nonzero(iou >= 0.5)
        np.add.at(together, (gt[rows], tracker[columns]), 1)
    rows, columns = assign(together)
    return 2 * together[rows, columns].sum() / (
        data["num_gt_dets"] + data["num_tracker_dets"])


def hota(data):
    """HOTA, DetA and AssA: means over the thresholds."""
    shape = data["num_gt_ids"], data["num_tracker_ids"]
    together, gt_count, count = np.zeros(shape), np.zeros(shape[0]), np.zeros(
        shape[1])
    for gt, tracker, iou in frames_of(data):
        whole = iou.sum(0)[None, :] + iou.sum(1)[:, None] - iou
        share = np.divide(iou, whole, out=np.zeros_like(iou),
                          where=whole > EPSILON)
        np.add.at(together, (gt[:, None], tracker[None, :]), share)
        gt_count[gt] += 1
        count[tracker] += 1
    alike = together / (gt_count[:, None] + count[None, :] - together)
    matches = np.zeros((len(ALPHAS), *shape))
    for gt, tracker, iou in frames_of(data):
        rows, columns = assign(alike[gt[:, None], tracker[None, :]] * iou)
        for a, alpha in enumerate(ALPHAS):
            real = (iou[rows, columns] >= alpha - EPSILON if len(rows)
                    else np.zeros(0, bool))
            matches[a, gt[rows[real]], tracker[columns[real]]] += 1
    hits = matches.sum((1, 2))
    detection = hits / (data["num_gt_dets"] + data["num_tracker_dets"] - hits)
    kept = matches / np.maximum(
        1, gt_count[None, :, None] + count[None, None, :] - matches)
    association = (matches * kept).sum((1, 2)) / np.maximum(1, hits)
    return (np.sqrt(detection * association).mean(), detection.mean(),
            association.mean())
