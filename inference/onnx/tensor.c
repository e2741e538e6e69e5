/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "inference/onnx/tensor.h"

#include <string.h>

#include "infer/error.h"
#include "inference/base/tensor.h"
#include "inference/onnx/proto.h"

/* A tensor being read. */
typedef struct
{
  OnnxSpan span;
  GArray *dims; /* of gint64; NULL: none */
  gint64 type, location;
  OnnxSpan raw, doubles;
  OnnxSpan packed; /* floats, if all are in one field; else NULL */
  gboolean has_raw, has_strings, has_floats;
  char *name, *file, *offset, *length;
} Message;

static void
message_clear (Message *m)
{
  g_clear_pointer (&m->dims, g_array_unref);
  g_free (m->name);
  g_free (m->file);
  g_free (m->offset);
  g_free (m->length);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Message, message_clear)

/* --- element types --- */

gboolean
onnx_element_type (gint64 number, InferType *type, GError **error)
{
  static const struct
  {
    const char *name;
    InferType type;
  } types[] = {
    { "undefined", INFER_TYPE_DYNAMIC },
    { "float", INFER_TYPE_F32 },
    { "uint8", INFER_TYPE_U8 },
    { "int8", INFER_TYPE_I8 },
    { "uint16", INFER_TYPE_U16 },
    { "int16", INFER_TYPE_I16 },
    { "int32", INFER_TYPE_I32 },
    { "int64", INFER_TYPE_I64 },
    { "string", INFER_TYPE_DYNAMIC },
    { "bool", INFER_TYPE_BOOLEAN },
    { "float16", INFER_TYPE_F16 },
    { "double", INFER_TYPE_F64 },
    { "uint32", INFER_TYPE_U32 },
    { "uint64", INFER_TYPE_U64 },
    { "complex64", INFER_TYPE_DYNAMIC },
    { "complex128", INFER_TYPE_DYNAMIC },
    { "bfloat16", INFER_TYPE_BF16 },
    { "float8e4m3fn", INFER_TYPE_F8E4M3 },
    { "float8e4m3fnuz", INFER_TYPE_F8E4M3FNUZ },
    { "float8e5m2", INFER_TYPE_F8E5M2 },
    { "float8e5m2fnuz", INFER_TYPE_F8E5M2FNUZ },
    { "uint4", INFER_TYPE_U4 },
    { "int4", INFER_TYPE_I4 },
    { "float4e2m1", INFER_TYPE_F4E2M1 },
    { "float8e8m0", INFER_TYPE_F8E8M0 },
    { "uint2", INFER_TYPE_U2 },
    { "int2", INFER_TYPE_I2 },
  };

  if (number < 0 || number >= (gint64) G_N_ELEMENTS (types))
    return infer_fail (error, INFER_ERROR_INVALID_MODEL,
        "there is no element type %" G_GINT64_FORMAT, number);
  *type = types[number].type;
  return *type != INFER_TYPE_DYNAMIC
         || infer_fail (error, INFER_ERROR_UNSUPPORTED,
             "elements of the type %s are not supported", types[number].name);
}

/* --- the message --- */

static gboolean
read_external (OnnxSpan span, Message *m)
{
  OnnxReader r = onnx_reader (span);
  OnnxSpan key = { NULL, NULL }, value = { NULL, NULL };
  OnnxField f;

  while (onnx_next (&r, &f)) {
    if (f.wire != ONNX_WIRE_BYTES)
      return FALSE;
    if (f.number == 1)
      key = f.bytes;
    else if (f.number == 2)
      value = f.bytes;
  }
  char **to = onnx_is (key, "location") ? &m->file
              : onnx_is (key, "offset") ? &m->offset
              : onnx_is (key, "length") ? &m->length
                                        : NULL;
  if (to != NULL) {
    g_free (*to);
    *to = onnx_string (value);
  }
  return r.problem == NULL && (to == NULL || *to != NULL);
}

/* Writers put all of them into one field, whose bytes are those of an array. */
static gboolean
read_floats (Message *m, const OnnxField *f)
{
  const gboolean packed = f->wire == ONNX_WIRE_BYTES;
  const OnnxSpan none = { NULL, NULL };

  m->packed = packed && !m->has_floats ? f->bytes : none;
  m->has_floats = TRUE;
  return packed ? onnx_length (f->bytes) % sizeof (float) == 0
                : f->wire == ONNX_WIRE_32;
}

/* Returns FALSE if the field is not as it must be. */
static gboolean
read_field (Message *m, const OnnxField *f)
{
  const gboolean bytes = f->wire == ONNX_WIRE_BYTES;
  const gboolean number = f->wire == ONNX_WIRE_VARINT;

  switch (f->number) {
    case ONNX_TENSOR_DIMS:
      return m->dims != NULL /* all of them */
             || onnx_read_list (
                 m->span, f->number, ONNX_WIRE_VARINT, &m->dims, NULL);
    case ONNX_TENSOR_TYPE:
      m->type = (gint64) f->value;
      return number;
    case ONNX_TENSOR_FLOATS:
      return read_floats (m, f);
    case ONNX_TENSOR_INT32S:
    case ONNX_TENSOR_INT64S:
    case ONNX_TENSOR_UINT64S:
      return bytes || number;
    case ONNX_TENSOR_STRINGS:
      m->has_strings = TRUE;
      return bytes;
    case ONNX_TENSOR_NAME:
      g_free (m->name);
      m->name = bytes ? onnx_string (f->bytes) : NULL;
      return m->name != NULL;
    case ONNX_TENSOR_RAW:
      m->raw = f->bytes;
      m->has_raw = TRUE;
      return bytes;
    case ONNX_TENSOR_DOUBLES:
      m->doubles = f->bytes;
      return bytes;
    case ONNX_TENSOR_EXTERNAL:
      return bytes && read_external (f->bytes, m);
    case ONNX_TENSOR_LOCATION:
      m->location = (gint64) f->value;
      return number;
    default:
      return f->number != ONNX_TENSOR_SEGMENT;
  }
}

static gboolean
read_message (OnnxSpan span, Message *m, GError **error)
{
  OnnxReader r = onnx_reader (span);
  OnnxField f;

  *m = (Message){ .span = span };
  while (onnx_next (&r, &f))
    if (!read_field (m, &f))
      return infer_fail (error, INFER_ERROR_INVALID_MODEL,
          "field %u of a tensor is malformed", f.number);
  return onnx_done (&r, "a tensor", error);
}

gboolean
onnx_check_dims (const InferShape *shape, GError **error)
{
  for (int i = 0; i < shape->rank; i++)
    if (shape->dims[i] > ONNX_MAX_DIM)
      return infer_fail (error, INFER_ERROR_INVALID_MODEL,
          "the dimension %" G_GINT64_FORMAT " is too large", shape->dims[i]);
  return TRUE;
}

static gboolean
read_shape (const GArray *dims, InferShape *shape, GError **error)
{
  if (dims == NULL) {
    *shape = infer_shape_scalar ();
    return TRUE;
  }
  if (dims->len > INFER_MAX_RANK)
    return infer_fail (error, INFER_ERROR_UNSUPPORTED,
        "a tensor of rank %u, above %d", dims->len, INFER_MAX_RANK);
  *shape =
      infer_shape_new ((int) dims->len, (const gint64 *) (gpointer) dims->data);
  for (int i = 0; i < shape->rank; i++)
    if (shape->dims[i] < 0)
      return infer_fail (error, INFER_ERROR_INVALID_MODEL,
          "a tensor has the dimension %" G_GINT64_FORMAT, shape->dims[i]);
  return onnx_check_dims (shape, error);
}

/* --- values --- */

/* Protocol buffers align nothing.  Weights stay where they are: backends pack
 * them, or copy what they read otherwise.  Other values are read while the
 * graph is built. */
#define LEAST_WEIGHTS 4096

static gboolean
is_weight (const InferTensor *t)
{
  return t->size >= LEAST_WEIGHTS && infer_type_is_real (t->type);
}

static InferTensor *
wrap (OnnxSpan values, GBytes *owner, gboolean mapped, InferType type,
    const InferShape *shape, GError **error)
{
  g_autoptr (InferTensor) t = infer_tensor_new_wrapped (type, shape,
      (gpointer) (gsize) values.at, onnx_length (values), g_bytes_ref (owner),
      (GDestroyNotify) g_bytes_unref, error);

  if (t == NULL)
    return NULL;
  ((InferTensorPrivate *) t)->mapped = mapped;
  return is_weight (t) ? g_steal_pointer (&t) : infer_tensor_align (t, error);
}

static gboolean
fail_count (gsize have, gsize want, GError **error)
{
  return infer_fail (error, INFER_ERROR_INVALID_MODEL,
      "a tensor has %" G_GSIZE_FORMAT
      " values, its shape needs %" G_GSIZE_FORMAT,
      have, want);
}

static void
put_number (gpointer to, gsize size, guint64 value)
{
  switch (size) {
    case 1:
      *(guint8 *) to = (guint8) value;
      break;
    case 2:
      *(guint16 *) to = (guint16) value;
      break;
    case 4:
      *(guint32 *) to = (guint32) value;
      break;
    default:
      *(guint64 *) to = value;
  }
}

#define INTEGER_FIELDS                                                         \
  (1u << ONNX_TENSOR_INT32S | 1u << ONNX_TENSOR_INT64S                         \
      | 1u << ONNX_TENSOR_UINT64S)

/* Numbers of repeated fields.  Values of sub-byte types are packed into
 * int32_data byte by byte. */
static gboolean
copy_numbers (
    OnnxSpan span, guint fields, OnnxWire wire, InferTensor *t, GError **error)
{
  const gsize size = MAX (infer_type_size (t->type), 1), n = t->size / size;
  OnnxNumbers numbers = onnx_numbers (span, fields, wire);
  guint64 value;
  gsize have = 0;

  for (; onnx_next_number (&numbers, &value); have++)
    if (have < n)
      put_number ((guint8 *) t->data + have * size, size, value);
  return onnx_done (&numbers.message, "a tensor", error)
         && (have == n || fail_count (have, n, error));
}

static gboolean
check_bytes (gsize have, const InferTensor *t, GError **error)
{
  return have == t->size
         || infer_fail (error, INFER_ERROR_INVALID_MODEL,
             "a tensor has values of %" G_GSIZE_FORMAT
             " bytes, its shape needs %" G_GSIZE_FORMAT,
             have, t->size);
}

static gboolean
copy_bytes (OnnxSpan from, InferTensor *t, GError **error)
{
  const gsize size = MAX (infer_type_size (t->type), 1);

  if (onnx_length (from) != t->size)
    return fail_count (onnx_length (from) / size, t->size / size, error);
  if (t->size > 0)
    memcpy (t->data, from.at, t->size);
  return TRUE;
}

static InferTensor *
copy_values (
    const Message *m, InferType type, const InferShape *shape, GError **error)
{
  g_autoptr (InferTensor) t = infer_tensor_new (type, shape, error);

  if (t == NULL)
    return NULL;
  if (!(type == INFER_TYPE_F32 ? copy_numbers (
            m->span, 1u << ONNX_TENSOR_FLOATS, ONNX_WIRE_32, t, error)
          : type == INFER_TYPE_F64 ? copy_bytes (m->doubles, t, error)
                                   : copy_numbers (m->span, INTEGER_FIELDS,
                                       ONNX_WIRE_VARINT, t, error)))
    return NULL;
  return g_steal_pointer (&t);
}

/* --- external data --- */

static gboolean
read_number (const char *text, guint64 otherwise, guint64 *number)
{
  *number = otherwise;
  return text == NULL
         || g_ascii_string_to_unsigned (text, 10, 0, G_MAXINT64, number, NULL);
}

static InferTensor *
read_elsewhere (const OnnxStore *store, const Message *m, InferType type,
    const InferShape *shape, GError **error)
{
  guint64 offset, length;
  gsize size, bytes;

  if (m->file == NULL) {
    infer_fail (error, INFER_ERROR_INVALID_MODEL,
        "its values are in a file that is not named");
    return NULL;
  }
  const InferFile *file = onnx_open_external (store, m->file, error);
  if (file == NULL)
    return NULL;
  const guint8 *data = g_bytes_get_data (file->bytes, &size);
  if (!infer_tensor_bytes (type, shape, &bytes)
      || !read_number (m->offset, 0, &offset)
      || !read_number (m->length, bytes, &length) || length != bytes
      || offset > size || length > size - offset) {
    infer_fail (error, INFER_ERROR_INVALID_MODEL,
        "its values are not within '%.200s', which has %" G_GSIZE_FORMAT
        " bytes",
        m->file, size);
    return NULL;
  }
  return wrap ((OnnxSpan){ data + offset, data + offset + length }, file->bytes,
      file->mapped, type, shape, error);
}

/* --- tensors --- */

static InferTensor *
read_values (const OnnxStore *store, const Message *m, GError **error)
{
  InferShape shape;
  InferType type = INFER_TYPE_DYNAMIC;

  if (!onnx_element_type (m->type, &type, error)
      || !read_shape (m->dims, &shape, error))
    return NULL;
  if (m->location == 1)
    return read_elsewhere (store, m, type, &shape, error);
  const gboolean packed = m->packed.at != NULL && type == INFER_TYPE_F32;
  if (!m->has_raw && !packed)
    return copy_values (m, type, &shape, error);
  const OnnxSpan bytes = m->has_raw ? m->raw : m->packed;
  g_autoptr (InferTensor) t =
      wrap (bytes, store->bytes, store->mapped, type, &shape, error);
  return t != NULL && check_bytes (onnx_length (bytes), t, error)
             ? g_steal_pointer (&t)
             : NULL;
}

InferTensor *
onnx_read_tensor (
    const OnnxStore *store, OnnxSpan message, char **name, GError **error)
{
  g_auto (Message) m = { 0 };
  InferTensor *t;

  if (!read_message (message, &m, error))
    return NULL;
  t = read_values (store, &m, error);
  if (t == NULL && m.name != NULL)
    g_prefix_error (error, "tensor '%.200s': ", m.name);
  if (name != NULL)
    *name = m.name != NULL ? g_steal_pointer (&m.name) : g_strdup ("");
  return t;
}

/* --- sparse tensors --- */

/* Indices are of shape [n], into the dense tensor, or [n, rank]. */
static gboolean
scatter (InferTensor *dense, const InferTensor *values,
    const InferTensor *indices, GError **error)
{
  gsize size = infer_type_size (dense->type);
  gsize n = infer_shape_count (&values->shape);
  g_autoptr (GArray) at = infer_tensor_to_ints (indices);
  int columns = indices->shape.rank == 2 ? (int) indices->shape.dims[1] : 1;

  if (size == 0 || at == NULL || values->type != dense->type
      || (columns != 1 && columns != dense->shape.rank)
      || at->len != n * (gsize) columns)
    return infer_fail (error, INFER_ERROR_INVALID_MODEL,
        "the indices of a sparse tensor do not fit its values");
  for (gsize i = 0; i < n; i++) {
    gint64 place = 0;

    for (int c = 0; c < columns; c++) {
      gint64 index =
          g_array_index (at, gint64, i * (gsize) columns + (gsize) c);
      gint64 dim = indices->shape.rank == 2
                       ? dense->shape.dims[c]
                       : (gint64) infer_shape_count (&dense->shape);

      if (index < 0 || index >= dim)
        return infer_fail (error, INFER_ERROR_INVALID_MODEL,
            "an index of a sparse tensor is out of range");
      place = place * dim + index;
    }
    memcpy ((guint8 *) dense->data + (gsize) place * size,
        (const guint8 *) values->data + i * size, size);
  }
  return TRUE;
}

InferTensor *
onnx_read_sparse (
    const OnnxStore *store, OnnxSpan message, char **name, GError **error)
{
  g_autoptr (GArray) dims = NULL;
  g_autoptr (InferTensor) values = NULL, indices = NULL;
  OnnxReader r = onnx_reader (message);
  InferShape shape;
  OnnxField f;

  while (onnx_next (&r, &f)) {
    gboolean ok = TRUE;

    if (f.number == ONNX_SPARSE_VALUES && values == NULL)
      ok = f.wire == ONNX_WIRE_BYTES
           && (values = onnx_read_tensor (store, f.bytes, name, error)) != NULL;
    else if (f.number == ONNX_SPARSE_INDICES && indices == NULL)
      ok =
          f.wire == ONNX_WIRE_BYTES
          && (indices = onnx_read_tensor (store, f.bytes, NULL, error)) != NULL;
    else if (f.number == ONNX_SPARSE_DIMS)
      ok =
          dims != NULL
          || onnx_read_list (message, f.number, ONNX_WIRE_VARINT, &dims, error);
    if (!ok) {
      if (error != NULL && *error == NULL)
        infer_fail (
            error, INFER_ERROR_INVALID_MODEL, "a sparse tensor is malformed");
      return NULL;
    }
  }
  if (!onnx_done (&r, "a sparse tensor", error)
      || !read_shape (dims, &shape, error))
    return NULL;
  if (values == NULL || indices == NULL) {
    infer_fail (error, INFER_ERROR_INVALID_MODEL,
        "a sparse tensor has no values or no indices");
    return NULL;
  }
  g_autoptr (InferTensor) dense =
      infer_tensor_new (values->type, &shape, error);
  if (dense == NULL || !scatter (dense, values, indices, error))
    return NULL;
  return g_steal_pointer (&dense);
}
