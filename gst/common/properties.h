/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Properties whose value is a field of the element's struct.  The field's
 * offset is the property's id, and the GParamSpec tells its type: no table, and
 * no switch to set or get it. */

#pragma once

#include <gst/gst.h>

#define GST_INFER_READY                                                        \
  (GParamFlags) (G_PARAM_READWRITE | G_PARAM_CONSTRUCT                         \
                 | G_PARAM_STATIC_STRINGS | GST_PARAM_MUTABLE_READY)
#define GST_INFER_PLAYING                                                      \
  (GParamFlags) (G_PARAM_READWRITE | G_PARAM_CONSTRUCT                         \
                 | G_PARAM_STATIC_STRINGS | GST_PARAM_MUTABLE_PLAYING)
#define GST_INFER_READ_ONLY                                                    \
  (GParamFlags) (G_PARAM_READABLE | G_PARAM_STATIC_STRINGS)

/* For GObjectClass, @id: G_STRUCT_OFFSET (GstInferElement, field).  The field
 * is of the property's type (char *, gboolean, int, guint, guint64, double; an
 * enum, flags) and is accessed with the object lock held. */
void gst_infer_set_property (
    GObject *object, guint id, const GValue *value, GParamSpec *spec);
void gst_infer_get_property (
    GObject *object, guint id, GValue *value, GParamSpec *spec);

/* Registers a type for a property, once, in class_init; @values must stay. */
GType gst_infer_enum_type (const char *name, const GEnumValue *values);
