/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "gst/common/tensor-caps.h"

#include <string.h>

#include "infer/error.h"

static const struct
{
  InferType type;
  const char *name;
} type_names[] = {
  { INFER_TYPE_F64, "float64" },
  { INFER_TYPE_F32, "float32" },
  { INFER_TYPE_F16, "float16" },
  { INFER_TYPE_I64, "int64" },
  { INFER_TYPE_I32, "int32" },
  { INFER_TYPE_I16, "int16" },
  { INFER_TYPE_I8, "int8" },
  { INFER_TYPE_U64, "uint64" },
  { INFER_TYPE_U32, "uint32" },
  { INFER_TYPE_U16, "uint16" },
  { INFER_TYPE_U8, "uint8" },
};

const char *
gst_infer_type_name (InferType type)
{
  for (guint i = 0; i < G_N_ELEMENTS (type_names); i++)
    if (type_names[i].type == type)
      return type_names[i].name;
  return NULL;
}

InferType
gst_infer_wire_type (InferType type)
{
  if (type == INFER_TYPE_BOOLEAN)
    return INFER_TYPE_U8;
  if (type == INFER_TYPE_BF16)
    return INFER_TYPE_F32;
  return type;
}

static gboolean
parse_type (const char *text, InferType *type, GError **error)
{
  for (guint i = 0; i < G_N_ELEMENTS (type_names); i++) {
    if (g_ascii_strcasecmp (type_names[i].name, text) == 0) {
      *type = type_names[i].type;
      return TRUE;
    }
  }
  return infer_fail (error, INFER_ERROR_INVALID_ARGUMENT,
      "'%s' in 'types' is not a tensor type", text);
}

/* "40:10:1" → [1,10,40]. */
static gboolean
parse_dimensions (const char *text, InferShape *shape, GError **error)
{
  g_auto (GStrv) dims = g_strsplit (text, ":", -1);
  guint rank = g_strv_length (dims);
  gsize n;

  if (rank == 0 || rank > INFER_MAX_RANK)
    return infer_fail (error, INFER_ERROR_INVALID_ARGUMENT,
        "'%s' in 'dimensions' has %u of 1 to %d dimensions", text, rank,
        INFER_MAX_RANK);
  shape->rank = (int) rank;
  for (guint i = 0; i < rank; i++) {
    guint64 dim;

    if (!g_ascii_string_to_unsigned (
            g_strstrip (dims[i]), 10, 1, G_MAXINT32, &dim, NULL))
      return infer_fail (error, INFER_ERROR_INVALID_ARGUMENT,
          "'%s' in 'dimensions' has a dimension '%s'", text, dims[i]);
    shape->dims[rank - 1 - i] = (gint64) dim;
  }
  if (!infer_shape_elements (shape, &n))
    return infer_fail (error, INFER_ERROR_INVALID_ARGUMENT,
        "'%s' in 'dimensions' is too large", text);
  return TRUE;
}

/* Without a type, dimensions=40 is a number, which is taken.  (576:1 are flags,
 * which no caps of a stream can be.) */
static gboolean
check_dimensions (const GstStructure *s, GError **error)
{
  const GType type = gst_structure_get_field_type (s, "dimensions");

  if (type == G_TYPE_INVALID || type == G_TYPE_STRING || type == G_TYPE_INT)
    return TRUE;
  return infer_fail (error, INFER_ERROR_INVALID_ARGUMENT,
      "dimensions is a %s, not a string: write dimensions=(string)A:B",
      g_type_name (type));
}

static GStrv
split_list (const GstStructure *s, const char *field, const char *separators)
{
  const char *text = gst_structure_get_string (s, field);
  int number;
  g_autofree char *digits = gst_structure_get_int (s, field, &number)
                                ? g_strdup_printf ("%d", number)
                                : NULL;
  if (digits != NULL)
    text = digits;
  GStrv list = g_strsplit_set (text != NULL ? text : "", separators, -1);

  for (guint i = 0; list[i] != NULL; i++)
    g_strstrip (list[i]);
  return list;
}

gboolean
gst_infer_tensors_from_caps (
    const GstCaps *caps, GstInferTensors *tensors, GError **error)
{
  const GstStructure *s = gst_caps_get_structure (caps, 0);
  const char *format = gst_structure_get_string (s, "format");
  g_auto (GStrv) types = split_list (s, "types", ",.");
  g_auto (GStrv) dims = split_list (s, "dimensions", ",.");
  int n = 0;

  *tensors = (GstInferTensors){ .fps_n = 0, .fps_d = 1 };
  if (!gst_structure_has_name (s, "other/tensors"))
    return infer_fail (error, INFER_ERROR_INVALID_ARGUMENT,
        "'%s' is not other/tensors", gst_structure_get_name (s));
  if (format != NULL && !g_str_equal (format, "static"))
    return infer_fail (error, INFER_ERROR_INVALID_ARGUMENT,
        "only format=static is taken, not format=%s", format);
  if (!check_dimensions (s, error))
    return FALSE;
  gst_structure_get_int (s, "num_tensors", &n);
  if (n < 1 || n > GST_INFER_MAX_TENSORS)
    return infer_fail (error, INFER_ERROR_INVALID_ARGUMENT,
        "num_tensors is %d, not 1 to %d", n, GST_INFER_MAX_TENSORS);
  if ((int) g_strv_length (types) != n || (int) g_strv_length (dims) != n)
    return infer_fail (error, INFER_ERROR_INVALID_ARGUMENT,
        "num_tensors is %d, but there are %u types and %u dimensions", n,
        g_strv_length (types), g_strv_length (dims));

  tensors->n = (guint) n;
  for (guint i = 0; i < tensors->n; i++)
    if (!parse_type (types[i], &tensors->descs[i].type, error)
        || !parse_dimensions (dims[i], &tensors->descs[i].shape, error))
      return FALSE;
  gst_structure_get_fraction (s, "framerate", &tensors->fps_n, &tensors->fps_d);
  return TRUE;
}

static void
append_dimensions (GString *text, const InferShape *shape, int skip)
{
  if (shape->rank == 0)
    g_string_append (text, "1");
  for (int i = shape->rank - 1; i >= skip; i--)
    g_string_append_printf (text, "%s%" G_GINT64_FORMAT,
        i < shape->rank - 1 ? ":" : "", shape->dims[i]);
}

GstCaps *
gst_infer_tensors_to_caps (const GstInferTensors *tensors)
{
  g_autoptr (GString) types = g_string_new (NULL);
  g_autoptr (GString) dims = g_string_new (NULL);

  for (guint i = 0; i < tensors->n; i++) {
    const InferDesc *desc = &tensors->descs[i];

    if (i > 0) {
      g_string_append_c (types, ',');
      g_string_append_c (dims, ',');
    }
    g_string_append (types, gst_infer_type_name (desc->type));
    append_dimensions (dims, &desc->shape, 0);
  }
  return gst_caps_new_simple ("other/tensors", "format", G_TYPE_STRING,
      "static", "num_tensors", G_TYPE_INT, (int) tensors->n, "types",
      G_TYPE_STRING, types->str, "dimensions", G_TYPE_STRING, dims->str,
      "framerate", GST_TYPE_FRACTION, tensors->fps_n, tensors->fps_d, NULL);
}

/* Sets `dimensions` to a list of all spellings of @shape: elements may add or
 * remove trailing dimensions of 1. */
static void
add_spellings (GstStructure *s, const InferShape *shape)
{
  GValue list = G_VALUE_INIT, text = G_VALUE_INIT;
  int ones = 0;

  while (ones + 1 < shape->rank && shape->dims[ones] == 1)
    ones++;
  g_value_init (&list, GST_TYPE_LIST);
  g_value_init (&text, G_TYPE_STRING);
  for (int skip = 0; skip <= ones; skip++) {
    g_autoptr (GString) dims = g_string_new (NULL);

    append_dimensions (dims, shape, skip);
    g_value_set_string (&text, dims->str);
    gst_value_list_append_value (&list, &text);
  }
  for (int rank = MAX (shape->rank, 1) + 1; rank <= 4; rank++) {
    g_autoptr (GString) dims = g_string_new (NULL);

    append_dimensions (dims, shape, 0);
    for (int i = MAX (shape->rank, 1); i < rank; i++)
      g_string_append (dims, ":1");
    g_value_set_string (&text, dims->str);
    gst_value_list_append_value (&list, &text);
  }
  gst_structure_take_value (s, "dimensions", &list);
  g_value_unset (&text);
}

GstCaps *
gst_infer_tensors_template (guint n, const InferDesc *const *descs)
{
  g_autoptr (GstCaps) caps = gst_caps_from_string (GST_INFER_TENSOR_CAPS);
  GstStructure *s = gst_caps_get_structure (caps, 0);
  g_autoptr (GString) types = g_string_new (NULL);

  for (guint i = 0; i < n; i++) {
    const char *name =
        gst_infer_type_name (gst_infer_wire_type (descs[i]->type));

    if (name == NULL)
      return NULL;
    g_string_append_printf (types, "%s%s", i > 0 ? "," : "", name);
  }
  gst_structure_set (s, "num_tensors", G_TYPE_INT, (int) n, "types",
      G_TYPE_STRING, types->str, NULL);
  if (n == 1 && infer_shape_is_static (&descs[0]->shape))
    add_spellings (s, &descs[0]->shape);
  return g_steal_pointer (&caps);
}

gboolean
gst_infer_shape_fit (
    const InferShape *pattern, const InferShape *shape, InferShape *fitted)
{
  int drop, add;

  *fitted = *shape;
  if (pattern->rank < 0)
    return TRUE;
  drop = MAX (0, shape->rank - pattern->rank);
  add = MAX (0, pattern->rank - shape->rank);
  for (int i = 0; i < drop; i++)
    if (shape->dims[i] != 1)
      return FALSE;
  fitted->rank = pattern->rank;
  for (int i = 0; i < pattern->rank; i++)
    fitted->dims[i] = i < add ? 1 : shape->dims[i - add + drop];
  return infer_shape_matches (pattern, fitted);
}

GstMemory *
gst_infer_tensor_to_memory (
    const InferTensor *tensor, InferType type, GError **error)
{
  GstMapInfo map;
  gsize bytes;

  if (!infer_tensor_bytes (type, &tensor->shape, &bytes)) {
    infer_fail (error, INFER_ERROR_NO_MEMORY,
        "an output of type %s is too large", infer_type_name (type));
    return NULL;
  }
  GstMemory *memory = gst_allocator_alloc (NULL, bytes, NULL);
  if (memory == NULL || !gst_memory_map (memory, &map, GST_MAP_WRITE)) {
    g_clear_pointer (&memory, gst_memory_unref);
    infer_fail (error, INFER_ERROR_NO_MEMORY,
        "no memory for an output of %" G_GSIZE_FORMAT " bytes", bytes);
    return NULL;
  }
  g_autoptr (InferTensor) target = infer_tensor_new_wrapped (
      type, &tensor->shape, map.data, bytes, NULL, NULL, error);
  if (target == NULL || !infer_tensor_copy (target, tensor, error)) {
    gst_memory_unmap (memory, &map);
    gst_memory_unref (memory);
    return NULL;
  }
  gst_memory_unmap (memory, &map);
  return memory;
}
