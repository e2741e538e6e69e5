/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Appearances of objects: which of those seen before looks like this one.  An
 * appearance ("look") is a direction, a vector of length 1; how different two
 * are is their cosine distance: 0 the same, 1 unrelated, 2 opposite.  A gallery
 * may be used by any thread. */

#pragma once

#include <glib.h>

#define INFER_GALLERY_MOST 4096 /* the longest unseen makes room */

/* Makes the length 1.  FALSE: it has no direction. */
gboolean infer_look_normalize (float *look, guint n);
float infer_look_distance (const float *a, const float *b, guint n);
/* Moves @mean a bit toward @look. */
void infer_look_blend (float *mean, const float *look, guint n);

typedef struct _InferGallery InferGallery;

/* @name NULL: a new one; else the one of this name, which all share who ask for
 * it while it is in use.  (transfer full) */
InferGallery *infer_gallery_new (const char *name);
void infer_gallery_unref (InferGallery *gallery);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (InferGallery, infer_gallery_unref)

/* An id that the gallery has never given before, from 1. */
int infer_gallery_next_id (InferGallery *gallery);
/* Object @id looks like @look [n], at @time.  Galleries with a name take the
 * time of the machine instead, because their streams have times of their own.
 */
void infer_gallery_add (
    InferGallery *gallery, int id, const float *look, guint n, guint64 time);
/* The id of the nearest look within @distance that was seen at most @keep
 * before @time and is not @taken; 0: none. */
int infer_gallery_find (InferGallery *gallery, const float *look, guint n,
    float distance, guint64 time, guint64 keep,
    gboolean (*taken) (int id, gpointer data), gpointer data);
