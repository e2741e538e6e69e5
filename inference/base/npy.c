/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "inference/base/npy.h"

#include <string.h>

#include "infer/error.h"
#include "inference/base/file.h"

#define MAGIC "\x93NUMPY"
#define MAGIC_SIZE 6
#define MOST_HEADER ((gsize) 1 << 20)

static const struct
{
  char kind;
  guint8 size;
  InferType type;
} numpy_types[] = {
  { 'b', 1, INFER_TYPE_BOOLEAN },
  { 'f', 8, INFER_TYPE_F64 },
  { 'f', 4, INFER_TYPE_F32 },
  { 'f', 2, INFER_TYPE_F16 },
  { 'i', 8, INFER_TYPE_I64 },
  { 'i', 4, INFER_TYPE_I32 },
  { 'i', 2, INFER_TYPE_I16 },
  { 'i', 1, INFER_TYPE_I8 },
  { 'u', 8, INFER_TYPE_U64 },
  { 'u', 4, INFER_TYPE_U32 },
  { 'u', 2, INFER_TYPE_U16 },
  { 'u', 1, INFER_TYPE_U8 },
};

/* The header of a file. */
typedef struct
{
  InferType type;
  InferShape shape;
  gsize data; /* offset */
} Header;

static gboolean
fail_header (const char *path, const char *what, GError **error)
{
  return infer_fail (error, INFER_ERROR_INVALID_ARGUMENT,
      "%s: cannot read the .npy file: %s", path, what);
}

/* The text after `'key':` in a header such as {'descr': '<f4', …}. */
static const char *
find_key (const char *header, const char *key)
{
  g_autofree char *quoted = g_strdup_printf ("'%s'", key);
  const char *at = strstr (header, quoted);
  if (at == NULL)
    return NULL;
  at += strlen (quoted);
  at += strspn (at, " ");
  if (*at != ':')
    return NULL;
  return at + 1 + strspn (at + 1, " ");
}

static gboolean
parse_type (
    const char *path, const char *header, InferType *type, GError **error)
{
  const char *descr = find_key (header, "descr");
  if (descr == NULL || *descr != '\'')
    return fail_header (
        path, "no element type ('descr'), or one made of fields", error);
  char order = descr[1], kind = order ? descr[2] : '\0';
  if (order == '>')
    return fail_header (path,
        "it is big endian; convert it with a.astype(a.dtype.newbyteorder('<'))",
        error);
  if (kind == 'O')
    return fail_header (path, "Python objects cannot be read", error);
  guint64 size = kind ? g_ascii_strtoull (descr + 3, NULL, 10) : 0;
  gboolean ordered = order == '<' || order == '=' || order == '|';
  for (guint i = 0; ordered && i < G_N_ELEMENTS (numpy_types); i++)
    if (numpy_types[i].kind == kind && numpy_types[i].size == size) {
      *type = numpy_types[i].type;
      return TRUE;
    }
  return infer_fail (error, INFER_ERROR_INVALID_ARGUMENT,
      "%s: cannot read the .npy file: element type %.12s is not known", path,
      descr);
}

static gboolean
parse_shape (
    const char *path, const char *header, InferShape *shape, GError **error)
{
  const char *at = find_key (header, "shape");
  if (at == NULL || *at != '(')
    return fail_header (path, "no 'shape'", error);
  *shape = infer_shape_scalar ();
  for (at++; at += strspn (at, " ,"), *at != ')';) {
    char *end = NULL;
    guint64 dim = g_ascii_strtoull (at, &end, 10);
    if (!g_ascii_isdigit (*at) || dim >= G_MAXINT64)
      return fail_header (
          path, "a dimension of 'shape' is not a number", error);
    if (shape->rank == INFER_MAX_RANK)
      return fail_header (path, "more than 16 dimensions", error);
    shape->dims[shape->rank++] = (gint64) dim;
    at = end;
  }
  return TRUE;
}

static gboolean
parse_header (const char *path, const guint8 *bytes, gsize size, Header *header,
    GError **error)
{
  if (size < MAGIC_SIZE + 4 || memcmp (bytes, MAGIC, MAGIC_SIZE) != 0)
    return fail_header (
        path, "it does not begin with the magic of .npy", error);
  guint version = bytes[MAGIC_SIZE];
  gsize start = version == 1 ? 10 : 12;
  if (version < 1 || version > 3 || size < start)
    return fail_header (path, "format version is not 1, 2 or 3", error);
  gsize length = bytes[8] | (gsize) bytes[9] << 8;
  if (version > 1)
    length |= (gsize) bytes[10] << 16 | (gsize) bytes[11] << 24;
  if (length > MOST_HEADER)
    return fail_header (path, "its header is longer than 1 MiB", error);
  if (length > size - start)
    return fail_header (path, "it ends inside its header", error);
  g_autofree char *text = g_strndup ((const char *) bytes + start, length);
  if (!parse_type (path, text, &header->type, error)
      || !parse_shape (path, text, &header->shape, error))
    return FALSE;
  const char *fortran = find_key (text, "fortran_order");
  if (fortran == NULL || !g_str_has_prefix (fortran, "False"))
    return fail_header (path,
        "it is in Fortran order; convert it with numpy.ascontiguousarray",
        error);
  header->data = start + length;
  return TRUE;
}

static InferTensor *
make_tensor (const char *path, InferType type, const InferShape *shape,
    GBytes *bytes, gsize offset, GError **error)
{
  gsize size, needed;
  const char *data = g_bytes_get_data (bytes, &size);
  if (!infer_tensor_bytes (type, shape, &needed) || needed > size - offset) {
    g_autofree char *text = infer_shape_to_string (shape);
    infer_fail (error, INFER_ERROR_INVALID_ARGUMENT,
        "%s: cannot read the .npy file: %s of shape %s needs more than the "
        "%" G_GSIZE_FORMAT " bytes of data there are",
        path, infer_type_name (type), text, size - offset);
    return NULL;
  }
  InferTensor *tensor = infer_tensor_new (type, shape, error);
  if (tensor != NULL && needed > 0)
    memcpy (tensor->data, data + offset, needed);
  return tensor;
}

/* The NumPy type that stores @type. */
static InferType
carrier (InferType type)
{
  if (type == INFER_TYPE_BF16)
    return INFER_TYPE_U16;
  for (guint i = 0; i < G_N_ELEMENTS (numpy_types); i++)
    if (numpy_types[i].type == type)
      return type;
  return INFER_TYPE_U8;
}

static InferTensor *
make_tensor_as (const char *path, InferType type, const InferShape *shape,
    GBytes *bytes, const Header *header, GError **error)
{
  if (header->type != carrier (type)) {
    infer_fail (error, INFER_ERROR_INVALID_ARGUMENT,
        "%s: holds %s, which is not how %s is stored", path,
        infer_type_name (header->type), infer_type_name (type));
    return NULL;
  }
  gboolean packed = infer_type_size (type) == 0;
  if (packed ? shape == NULL
             : shape != NULL && !infer_shape_equal (shape, &header->shape)) {
    g_autofree char *is = infer_shape_to_string (&header->shape);
    g_autofree char *want =
        shape != NULL ? infer_shape_to_string (shape) : NULL;
    infer_fail (error, INFER_ERROR_INVALID_ARGUMENT, "%s: has shape %s, not %s",
        path, is, want != NULL ? want : "one that is known");
    return NULL;
  }
  return make_tensor (
      path, type, packed ? shape : &header->shape, bytes, header->data, error);
}

InferTensor *
infer_npy_from_bytes (const char *name, GBytes *bytes, InferType type,
    const InferShape *shape, GError **error)
{
  gsize size;
  const guint8 *data = g_bytes_get_data (bytes, &size);
  Header header;
  if (!parse_header (name, data, size, &header, error))
    return NULL;
  return type == INFER_TYPE_DYNAMIC
             ? make_tensor (
                 name, header.type, &header.shape, bytes, header.data, error)
             : make_tensor_as (name, type, shape, bytes, &header, error);
}

InferTensor *
infer_npy_read (const char *path, GError **error)
{
  return infer_npy_read_as (path, INFER_TYPE_DYNAMIC, NULL, error);
}

InferTensor *
infer_npy_read_as (
    const char *path, InferType type, const InferShape *shape, GError **error)
{
  g_auto (InferFile) file = { 0 };
  if (!infer_file_open (&file, path, TRUE, error))
    return NULL;
  GError *failure = NULL;
  g_autoptr (InferTensor) tensor =
      infer_npy_from_bytes (path, file.bytes, type, shape, &failure);
  if (!infer_file_check (&file, error)) {
    g_clear_error (&failure);
    return NULL;
  }
  if (failure != NULL)
    g_propagate_error (error, failure);
  return g_steal_pointer (&tensor);
}

/* --- writing --- */

static void
append_shape (GString *header, const InferTensor *tensor)
{
  const InferShape *shape = &tensor->shape;
  g_string_append_c (header, '(');
  if (infer_type_size (tensor->type) == 0)
    g_string_append_printf (header, "%" G_GSIZE_FORMAT ",", tensor->size);
  else
    for (int i = 0; i < shape->rank; i++)
      g_string_append_printf (header, "%s%" G_GINT64_FORMAT "%s",
          i > 0 ? " " : "", shape->dims[i],
          i + 1 < shape->rank || shape->rank == 1 ? "," : "");
  g_string_append_c (header, ')');
}

/* (transfer full) */
static GString *
make_header (const InferTensor *tensor)
{
  InferType type = carrier (tensor->type);
  GString *header = g_string_new_len (MAGIC "\x01\x00\x00\x00", 10);
  for (guint i = 0; i < G_N_ELEMENTS (numpy_types); i++)
    if (numpy_types[i].type == type)
      g_string_append_printf (header,
          "{'descr': '%c%c%u', 'fortran_order': False, 'shape': ",
          numpy_types[i].size == 1 ? '|' : '<', numpy_types[i].kind,
          numpy_types[i].size);
  append_shape (header, tensor);
  g_string_append (header, ", }");
  while (header->len % 64 != 63)
    g_string_append_c (header, ' ');
  g_string_append_c (header, '\n');
  gsize length = header->len - 10;
  header->str[8] = (char) (length & 0xff);
  header->str[9] = (char) (length >> 8);
  return header;
}

/* @tensor, or a dense copy of it; NULL: an error.  (transfer full) */
static InferTensor *
make_dense (const char *name, const InferTensor *tensor, GError **error)
{
  if (infer_type_bits (tensor->type) == 0) {
    infer_fail (error, INFER_ERROR_UNSUPPORTED,
        "%s: cannot write: a .npy file has no place for %s", name,
        infer_type_name (tensor->type));
    return NULL;
  }
  if (tensor->dense)
    return infer_tensor_ref ((InferTensor *) (gsize) tensor);
  g_autoptr (InferTensor) dense =
      infer_tensor_new (tensor->type, &tensor->shape, error);
  return dense != NULL && infer_tensor_copy (dense, tensor, error)
             ? g_steal_pointer (&dense)
             : NULL;
}

GBytes *
infer_npy_to_bytes (const char *name, const InferTensor *tensor, GError **error)
{
  g_autoptr (InferTensor) dense = make_dense (name, tensor, error);
  if (dense == NULL)
    return NULL;
  g_autoptr (GString) header = make_header (dense);
  gsize size = header->len + dense->size;
  char *bytes = size > dense->size ? g_try_malloc (size) : NULL;
  if (bytes == NULL) {
    infer_fail (error, INFER_ERROR_NO_MEMORY,
        "%s: no memory for its %" G_GSIZE_FORMAT " bytes", name, size);
    return NULL;
  }
  memcpy (bytes, header->str, header->len);
  if (dense->size > 0)
    memcpy (bytes + header->len, dense->data, dense->size);
  return g_bytes_new_take (bytes, size);
}

gboolean
infer_npy_write (const char *path, const InferTensor *tensor, GError **error)
{
  g_autoptr (InferTensor) dense = make_dense (path, tensor, error);
  if (dense == NULL)
    return FALSE;
  g_autoptr (GString) header = make_header (dense);
  const InferFilePart parts[] = { { header->str, header->len },
    { dense->data, dense->size } };
  return infer_file_write (path, parts, G_N_ELEMENTS (parts), 0666, error);
}
