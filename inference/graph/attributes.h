/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* The <data> attributes of a layer, as text, with strict readers.
 *
 * A reader leaves *value unchanged and returns TRUE if the attribute is absent
 * (set the default first); malformed text is an error that names the attribute
 * and the text.  `infer_attr_require` fails if one is absent. */

#pragma once

#include <glib.h>

#include "inference/base/hash.h"
#include "inference/base/shape.h"
#include "inference/base/type.h"

typedef struct _InferAttributes InferAttributes;

InferAttributes *infer_attr_new (void);
void infer_attr_free (InferAttributes *attributes);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (InferAttributes, infer_attr_free)

/* A hash of all names and texts, independent of order; never zero. */
InferHash infer_attr_hash (InferAttributes *attributes);

/* All names and texts as "name\0value\0…\0".  (transfer full): to be released
 * with g_atomic_rc_box_release. */
char *infer_attr_pack (const InferAttributes *attributes);

void infer_attr_set (
    InferAttributes *attributes, const char *name, const char *value);
/* Does not copy the texts, which must outlive @attributes. */
void infer_attr_lend (
    InferAttributes *attributes, const char *name, const char *value);
const char *infer_attr_get (
    const InferAttributes *attributes, const char *name); /* (nullable) */
gboolean infer_attr_require (const InferAttributes *attributes, GError **error,
    ...) G_GNUC_NULL_TERMINATED;

gboolean infer_attr_int (const InferAttributes *attributes, const char *name,
    gint64 *value, GError **error);
gboolean infer_attr_double (const InferAttributes *attributes, const char *name,
    double *value, GError **error);
gboolean infer_attr_bool (const InferAttributes *attributes, const char *name,
    gboolean *value, GError **error); /* true/false/1/0 */
gboolean infer_attr_type (const InferAttributes *attributes, const char *name,
    InferType *value, GError **error);

/* i32 or i64. */
gboolean infer_attr_index_type (const InferAttributes *attributes,
    const char *name, InferType *value, GError **error);

/* A comma-separated list.  *@values is unref'ed and replaced,
 * (element-type gint64) or (element-type double). */
gboolean infer_attr_ints (const InferAttributes *attributes, const char *name,
    GArray **values, GError **error);
gboolean infer_attr_doubles (const InferAttributes *attributes,
    const char *name, GArray **values, GError **error);
gboolean infer_attr_strings (const InferAttributes *attributes,
    const char *name, GStrv *values, GError **error);

/* At most @max integers into @values, their number into *@n. */
gboolean infer_attr_small_ints (const InferAttributes *attributes,
    const char *name, gint64 *values, guint max, guint *n, GError **error);

/* One of the NULL-terminated @names, without regard to case; *@value is the
 * index. */
gboolean infer_attr_enum (const InferAttributes *attributes, const char *name,
    const char *const *names, int *value, GError **error);
