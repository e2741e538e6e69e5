/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Products by tiles in local memory (ocl/kernels/tile.cl), for devices that
 * have such memory on their chip. */

#pragma once

#include "ocl/plan/step.h"

/* Rows and columns of the output and elements of k that a group computes with
 * at a time, and the part of the output of each work-item. */
typedef struct
{
  guint rows, columns, depth;
  guint item_rows, item_columns;
  double rate; /* multiply-adds, of the most that a compute unit does */
} OclTile;

/* @batch products of @m × @n elements, each the sum of @k. */
typedef struct
{
  gint64 m, n, k, batch;
} OclTileSize;

/* A tile, and in how many parts groups share k. */
typedef struct
{
  const OclTile *tile;
  guint parts;
} OclTiling;

/* All tiles, fastest first. */
const OclTile *ocl_tiles (guint *n);
/* The fastest by a model of @device.  FALSE: none fits it. */
gboolean ocl_tiling_choose (
    const OclDevice *device, const OclTileSize *size, OclTiling *tiling);

/* Compiler options: @kernel and the tile, "-DBM=… …". */
GString *ocl_tiling_options (const OclTiling *tiling, const char *kernel);
/* The value that the kernel writes: @out, or, if groups share k, scratch memory
 * for all parts, which ocl_tiling_join adds. */
OclValue *ocl_tiling_out (OclStep *step, const OclTiling *tiling,
    const OclTileSize *size, OclValue *out);
/* Sets the range of the kernel. */
void ocl_tiling_launch (
    OclLaunch *launch, const OclTiling *tiling, const OclTileSize *size);

/* How parts become the output. */
typedef struct
{
  OclValue *parts, *out;
  double scale;
  gint64
      groups; /* rows are filters of so many groups; 0: columns are channels */
  const char *post;
  gboolean posts;
} OclTileJoin;

/* Appends the launch that adds the parts, if there are any. */
void ocl_tiling_join (OclStep *step, const OclTiling *tiling,
    const OclTileSize *size, const OclTileJoin *join);
