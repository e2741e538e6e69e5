/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* The <data> attributes of a layer, as text, with strict readers.
 *
 * Each reader: absent leaves *value as it is (so set the default first) and
 * returns TRUE; text that is not of the kind is an error naming the attribute
 * and the text.  `infer_attributes_require` fails where one is absent. */

#pragma once

#include <glib.h>

#include "inference/base/hash.h"
#include "infer/shape.h"
#include "infer/type.h"

G_BEGIN_DECLS

typedef struct _InferAttributes InferAttributes;

InferAttributes *infer_attributes_new (void);
void infer_attributes_free (InferAttributes *attributes);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (InferAttributes, infer_attributes_free)

/* Of all names and texts, whatever their order; never zero. */
InferHash infer_attributes_hash (InferAttributes *attributes);

void infer_attributes_set (
    InferAttributes *attributes, const char *name, const char *value);
/* The same with texts that live longer than @attributes. */
void infer_attributes_lend (
    InferAttributes *attributes, const char *name, const char *value);
const char *infer_attributes_get (
    const InferAttributes *attributes, const char *name); /* (nullable) */
gboolean infer_attributes_require (const InferAttributes *attributes,
    GError **error, ...) G_GNUC_NULL_TERMINATED;

gboolean infer_attributes_int (const InferAttributes *attributes,
    const char *name, gint64 *value, GError **error);
gboolean infer_attributes_double (const InferAttributes *attributes,
    const char *name, double *value, GError **error);
gboolean infer_attributes_bool (const InferAttributes *attributes,
    const char *name, gboolean *value, GError **error); /* true/false/1/0 */
gboolean infer_attributes_type (const InferAttributes *attributes,
    const char *name, InferType *value, GError **error);

/* A comma-separated list.  *@values is replaced (freed with g_array_unref),
 * (element-type gint64) or (element-type double). */
gboolean infer_attributes_ints (const InferAttributes *attributes,
    const char *name, GArray **values, GError **error);
gboolean infer_attributes_doubles (const InferAttributes *attributes,
    const char *name, GArray **values, GError **error);
gboolean infer_attributes_strings (const InferAttributes *attributes,
    const char *name, GStrv *values, GError **error);

/* Up to @max integers into @values; *@n says how many (unchanged if absent). */
gboolean infer_attributes_small_ints (const InferAttributes *attributes,
    const char *name, gint64 *values, guint max, guint *n, GError **error);

/* One of the NULL-terminated @names, without regard to case; *@value is the
 * index. */
gboolean infer_attributes_enum (const InferAttributes *attributes,
    const char *name, const char *const *names, int *value, GError **error);

G_END_DECLS
