/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "inference/base/tensor.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "infer/error.h"
#include "inference/base/shape.h"

#define ALIGNMENT 64
/* Smaller ones are mapped by a few faults. */
#define LEAST_FETCHED ((gsize) 128 << 10)
/* Memory beyond what a growing tensor needs. */
#define MOST_SPARE ((gsize) 256 << 10)

static InferTensorPrivate *
priv (const InferTensor *tensor)
{
  return (gpointer) (gsize) tensor;
}

gboolean
infer_tensor_bytes (InferType type, const InferShape *shape, gsize *bytes)
{
  gsize n, bits;
  if (!infer_shape_elements (shape, &n))
    return FALSE;
  guint each = infer_type_bits (type);
  if (each % 8 == 0)
    return g_size_checked_mul (bytes, n, each / 8);
  if (!g_size_checked_mul (&bits, n, each))
    return FALSE;
  /* u3 and u6 are packed in groups of three bytes. */
  gsize unit = each == 3 || each == 6 ? 24 : 8;
  return g_size_checked_mul (
      bytes, bits / unit + (bits % unit != 0 ? 1 : 0), unit / 8);
}

static gboolean
fail_size (InferType type, const InferShape *shape, GError **error)
{
  g_autofree char *text = infer_shape_to_string (shape);
  return infer_fail (error, INFER_ERROR_INVALID_ARGUMENT,
      "a tensor of %s and shape %s is too large for memory",
      infer_type_name (type), text);
}

static gboolean
checked_bytes (
    InferType type, const InferShape *shape, gsize *bytes, GError **error)
{
  if (infer_type_bits (type) == 0 || !infer_tensor_bytes (type, shape, bytes))
    return fail_size (type, shape, error);
  return TRUE;
}

static InferTensor *
new_private (void)
{
  InferTensorPrivate *tensor = infer_rc_box_zeroed (sizeof *tensor);

  return &tensor->base;
}

static void
set_dense (
    InferTensor *tensor, InferType type, const InferShape *shape, gsize bytes)
{
  gsize size = infer_type_size (type);
  tensor->type = type;
  tensor->shape = *shape;
  tensor->size = bytes;
  tensor->dense = TRUE;
  infer_shape_strides (shape, tensor->strides);
  for (int i = 0; i < shape->rank; i++)
    tensor->strides[i] = (gint64) ((gsize) tensor->strides[i] * size);
}

static void
set_memory (InferTensor *tensor, gpointer data, gsize bytes, gpointer owner,
    GDestroyNotify owner_free)
{
  if (priv (tensor)->owner_free != NULL)
    priv (tensor)->owner_free (priv (tensor)->owner);
  priv (tensor)->owner = owner;
  priv (tensor)->owner_free = owner_free;
  tensor->data = data;
  priv (tensor)->capacity = bytes;
}

/* Grows the tensor's own memory. */
static gboolean
allocate_more (InferTensor *tensor, gsize bytes)
{
  gpointer data = NULL;
  gpointer owner =
      priv (tensor)->memory->grow (priv (tensor)->owner, bytes, &data);
  if (owner != NULL)
    set_memory (tensor, data, bytes, owner, priv (tensor)->memory->free);
  return owner != NULL;
}

/* Gives the tensor memory of its own; on failure it keeps its old memory. */
static gboolean
allocate (InferTensor *tensor, gsize bytes, GError **error)
{
  gsize padded;
  gpointer block = NULL;
  if (priv (tensor)->memory != NULL && allocate_more (tensor, bytes))
    return TRUE;
  if (g_size_checked_add (&padded, bytes, 2 * ALIGNMENT))
    block = padded <= INFER_MOST_CLEARED ? malloc (padded) : calloc (1, padded);
  if (block == NULL)
    return infer_fail (error, INFER_ERROR_NO_MEMORY,
        "no memory for a tensor of %" G_GSIZE_FORMAT " bytes", bytes);
  if (padded <= INFER_MOST_CLEARED)
    memset (block, 0, padded);
  gsize gap = ALIGNMENT - (gsize) block % ALIGNMENT;
  set_memory (tensor, (char *) block + gap, bytes, block, free);
  priv (tensor)->memory = NULL;
  return TRUE;
}

InferTensor *
infer_tensor_new (InferType type, const InferShape *shape, GError **error)
{
  gsize bytes = 0;
  if (!checked_bytes (type, shape, &bytes, error))
    return NULL;
  g_autoptr (InferTensor) tensor = new_private ();
  if (!allocate (tensor, bytes, error))
    return NULL;
  set_dense (tensor, type, shape, bytes);
  return g_steal_pointer (&tensor);
}

InferTensor *
infer_tensor_new_wrapped (InferType type, const InferShape *shape,
    gpointer data, gsize size, gpointer owner, GDestroyNotify owner_free,
    GError **error)
{
  /* From here on the tensor frees the owner. */
  g_autoptr (InferTensor) tensor = new_private ();
  priv (tensor)->owner = owner;
  priv (tensor)->owner_free = owner_free;
  gsize bytes = 0;
  if (!checked_bytes (type, shape, &bytes, error))
    return NULL;
  if (bytes > size || (data == NULL && bytes > 0)) {
    g_autofree char *text = infer_shape_to_string (shape);
    infer_fail (error, INFER_ERROR_INVALID_ARGUMENT,
        "%" G_GSIZE_FORMAT " bytes are too few for a tensor of %s and shape "
        "%s, which needs %" G_GSIZE_FORMAT,
        size, infer_type_name (type), text, bytes);
    return NULL;
  }
  tensor->data = data;
  priv (tensor)->capacity = size;
  set_dense (tensor, type, shape, bytes);
  return g_steal_pointer (&tensor);
}

InferTensor *
infer_tensor_new_in (const InferTensorMemory *memory, gpointer owner,
    gpointer data, gsize capacity, InferType type, const InferShape *shape,
    GError **error)
{
  InferTensor *tensor = infer_tensor_new_wrapped (
      type, shape, data, capacity, owner, memory->free, error);
  if (tensor != NULL)
    priv (tensor)->memory = memory;
  return tensor;
}

gpointer
infer_tensor_peek_owner (
    const InferTensor *tensor, const InferTensorMemory *memory)
{
  return priv (tensor)->memory == memory ? priv (tensor)->owner : NULL;
}

gboolean
infer_tensor_leave_memory (InferTensor *tensor, GError **error)
{
  const InferTensorMemory *memory = priv (tensor)->memory;
  priv (tensor)->memory = NULL;
  if (allocate (tensor, priv (tensor)->capacity, error))
    return TRUE;
  priv (tensor)->memory = memory;
  return FALSE;
}

static gboolean
check_roi (const InferTensor *base, const gint64 *begin,
    const InferShape *shape, GError **error)
{
  if (infer_type_size (base->type) == 0)
    return infer_fail (error, INFER_ERROR_INVALID_ARGUMENT,
        "elements of %s do not start at a byte: no region of such a tensor "
        "can be taken",
        infer_type_name (base->type));
  gboolean inside =
      shape->rank == base->shape.rank && infer_shape_is_static (shape);
  for (int i = 0; inside && i < shape->rank; i++)
    inside = begin[i] >= 0 && begin[i] <= base->shape.dims[i]
             && shape->dims[i] <= base->shape.dims[i] - begin[i];
  if (inside)
    return TRUE;
  g_autofree char *text = infer_shape_to_string (shape);
  g_autofree char *whole = infer_shape_to_string (&base->shape);
  return infer_fail (error, INFER_ERROR_INVALID_ARGUMENT,
      "a region of shape %s at this offset is not inside a tensor of shape %s",
      text, whole);
}

static gboolean
is_dense (const InferTensor *tensor)
{
  gint64 stride = (gint64) infer_type_size (tensor->type);
  for (int i = tensor->shape.rank - 1; i >= 0; i--) {
    if (tensor->shape.dims[i] != 1 && tensor->strides[i] != stride)
      return FALSE;
    stride *= tensor->shape.dims[i];
  }
  return TRUE;
}

static void
unref_owner (gpointer tensor)
{
  infer_tensor_unref (tensor);
}

InferTensor *
infer_tensor_new_roi (InferTensor *base, const gint64 *begin,
    const InferShape *shape, GError **error)
{
  if (!check_roi (base, begin, shape, error))
    return NULL;
  InferTensor *view = new_private ();
  view->type = base->type;
  view->shape = *shape;
  gint64 offset = 0, last = 0;
  for (int i = 0; i < shape->rank; i++) {
    view->strides[i] = base->strides[i];
    offset += begin[i] * base->strides[i];
    last += (shape->dims[i] - 1) * base->strides[i];
  }
  if (infer_shape_count (shape) > 0) {
    view->data = (char *) base->data + offset;
    view->size = (gsize) last + infer_type_size (base->type);
    view->dense = is_dense (view);
  } else {
    view->data = base->data;
    view->dense = TRUE;
  }
  priv (view)->capacity = view->size;
  priv (view)->owner = infer_tensor_ref (base);
  priv (view)->owner_free = unref_owner;
  return view;
}

InferTensor *
infer_tensor_ref (InferTensor *tensor)
{
  return g_atomic_rc_box_acquire (tensor);
}

static void
clear (gpointer data)
{
  InferTensor *tensor = data;
  if (priv (tensor)->owner_free != NULL)
    priv (tensor)->owner_free (priv (tensor)->owner);
}

void
infer_tensor_unref (InferTensor *tensor)
{
  if (tensor != NULL)
    g_atomic_rc_box_release_full (tensor, clear);
}

/* Of the beginning: readers of files have just looked at the page before it.
 * Each further page of a file would take a fault. */
#define SAMPLE 64

static guint
hash_sample (const InferTensor *tensor)
{
  const guchar *bytes = tensor->data;
  guint hash = (guint) tensor->size;

  for (gsize i = 0; i < MIN (tensor->size, SAMPLE); i++)
    hash = hash * 31 + bytes[i];
  return hash;
}

guint
infer_tensor_hash_sample (const InferTensor *tensor)
{
  guint *known = &priv (tensor)->sample;
  guint hash = priv (tensor)->mapped ? g_atomic_int_get (known) : 0;

  if (hash != 0)
    return hash;
  hash = hash_sample (tensor);
  if (priv (tensor)->mapped)
    g_atomic_int_set (known, hash);
  return hash;
}

gboolean
infer_tensor_is_aligned (const InferTensor *tensor)
{
  const gsize size = infer_type_size (tensor->type);

  if (size <= 1)
    return TRUE;
  if ((gsize) tensor->data % size != 0)
    return FALSE;
  for (int i = 0; i < tensor->shape.rank && !tensor->dense; i++)
    if (tensor->strides[i] % (gint64) size != 0 && tensor->shape.dims[i] > 1)
      return FALSE;
  return TRUE;
}

InferTensor *
infer_tensor_align (const InferTensor *tensor, GError **error)
{
  if (infer_tensor_is_aligned (tensor))
    return infer_tensor_ref ((InferTensor *) (gsize) tensor);
  g_autoptr (InferTensor) copy =
      infer_tensor_new (tensor->type, &tensor->shape, error);
  if (copy == NULL || !infer_tensor_copy (copy, tensor, error))
    return NULL;
  return g_steal_pointer (&copy);
}

/* Of the pages of a file that @tensor fills. */
static void
advise (const InferTensor *tensor, int advice)
{
  const gsize page = (gsize) sysconf (_SC_PAGESIZE);
  gsize begin = ((gsize) tensor->data + page - 1) / page * page;
  gsize end = ((gsize) tensor->data + tensor->size) / page * page;

  if (priv (tensor)->mapped && begin < end)
    madvise ((gpointer) begin, end - begin, advice);
}

void
infer_tensor_forget (const InferTensor *tensor)
{
  g_atomic_int_set (&priv (tensor)->fetched, FALSE);
  advise (tensor, MADV_DONTNEED);
}

void
infer_tensor_fetch (const InferTensor *tensor)
{
#ifdef MADV_POPULATE_READ
  if (tensor->size >= LEAST_FETCHED
      && g_atomic_int_compare_and_exchange (
          &priv (tensor)->fetched, FALSE, TRUE))
    advise (tensor, MADV_POPULATE_READ);
#endif
}

gboolean
infer_tensor_reshape (InferTensor *tensor, InferType type,
    const InferShape *shape, GError **error)
{
  gsize bytes = 0;
  if (tensor->type == type && infer_shape_equal (&tensor->shape, shape))
    return TRUE;
  if (!checked_bytes (type, shape, &bytes, error))
    return FALSE;
  gboolean owned =
      priv (tensor)->owner_free == free || priv (tensor)->memory != NULL;
  if (!tensor->dense || (bytes > priv (tensor)->capacity && !owned)) {
    g_autofree char *text = infer_shape_to_string (shape);
    return infer_fail (error, INFER_ERROR_INVALID_ARGUMENT,
        "a tensor that does not own its memory cannot take the shape %s", text);
  }
  /* Grows by more than it must, since a tensor that grew once will grow again.
   * Nothing is copied, so that a little more is enough. */
  gsize room =
      priv (tensor)->capacity + MIN (priv (tensor)->capacity / 2, MOST_SPARE);
  if (bytes > priv (tensor)->capacity
      && !allocate (tensor, MAX (bytes, room), NULL)
      && !allocate (tensor, bytes, error))
    return FALSE;
  set_dense (tensor, type, shape, bytes);
  return TRUE;
}

/* --- copies --- */

/* The number of trailing dims that are dense on both sides. */
static int
dense_tail (const InferTensor *a, const InferTensor *b)
{
  gint64 sa = (gint64) infer_type_size (a->type);
  gint64 sb = (gint64) infer_type_size (b->type);
  int first = a->shape.rank;
  while (first > 0) {
    int i = first - 1;
    if (a->shape.dims[i] != 1 && (a->strides[i] != sa || b->strides[i] != sb))
      break;
    sa *= a->shape.dims[i];
    sb *= a->shape.dims[i];
    first = i;
  }
  return first;
}

static gboolean
copy_strided (InferTensor *dst, const InferTensor *src)
{
  int first = dense_tail (dst, src);
  gsize run = infer_shape_count_range (&src->shape, first, src->shape.rank);
  gsize runs = infer_shape_count_range (&src->shape, 0, first);
  gint64 at[INFER_MAX_RANK] = { 0 };
  char *to = dst->data;
  const char *from = src->data;
  for (gsize k = 0; k < runs; k++) {
    if (!infer_convert (to, dst->type, from, src->type, run))
      return FALSE;
    for (int i = first - 1; i >= 0; i--) {
      to += dst->strides[i];
      from += src->strides[i];
      if (++at[i] < src->shape.dims[i])
        break;
      to -= at[i] * dst->strides[i];
      from -= at[i] * src->strides[i];
      at[i] = 0;
    }
  }
  return TRUE;
}

gboolean
infer_tensor_copy (InferTensor *dst, const InferTensor *src, GError **error)
{
  if (!infer_shape_equal (&dst->shape, &src->shape)) {
    g_autofree char *from = infer_shape_to_string (&src->shape);
    g_autofree char *to = infer_shape_to_string (&dst->shape);
    return infer_fail (error, INFER_ERROR_INVALID_ARGUMENT,
        "a tensor of shape %s cannot be copied to one of shape %s", from, to);
  }
  gsize n = infer_shape_count (&src->shape);
  if (n == 0)
    return TRUE;
  gboolean bytes = infer_type_size (dst->type) && infer_type_size (src->type);
  gboolean ok;
  if (dst->dense && src->dense) {
    ok = infer_convert (dst->data, dst->type, src->data, src->type, n);
  } else if (bytes) {
    ok = copy_strided (dst, src);
  } else {
    /* Sub-byte on one side, strided on the other: by way of a dense copy. */
    InferType type = infer_type_size (dst->type) ? dst->type : src->type;
    g_autoptr (InferTensor) dense = infer_tensor_new (type, &src->shape, error);
    return dense != NULL && infer_tensor_copy (dense, src, error)
           && infer_tensor_copy (dst, dense, error);
  }
  if (!ok)
    return infer_fail (error, INFER_ERROR_UNSUPPORTED,
        "elements of %s cannot be converted to %s", infer_type_name (src->type),
        infer_type_name (dst->type));
  return TRUE;
}

/* More numbers than that are from a file: GLib would end the process where an
 * array of its own does not fit. */
#define MOST_NUMBERS 512

/* One that is large takes its bytes from where they may lack; GLib's arrays of
 * bytes are arrays, whose elements are bytes. */
GArray *
infer_numbers_new (guint n)
{
  if (n <= MOST_NUMBERS) {
    GArray *small = g_array_sized_new (FALSE, TRUE, 8, n);

    return g_array_set_size (small, n);
  }
  guint8 *bytes = g_try_malloc0_n (n, 8);
  if (bytes == NULL)
    return NULL;
  GArray *large = (GArray *) (gpointer) g_byte_array_new_take (bytes, n * 8);
  large->len = n;
  return large;
}

static GArray *
to_array (const InferTensor *tensor, InferType type)
{
  gsize n = infer_shape_count (&tensor->shape);
  if (n > G_MAXUINT / sizeof (gint64))
    return NULL;
  g_autoptr (GArray) values = infer_numbers_new ((guint) n);
  if (values == NULL)
    return NULL;
  if (n == 0)
    return g_steal_pointer (&values);
  if (tensor->dense)
    return infer_convert (values->data, type, tensor->data, tensor->type, n)
               ? g_steal_pointer (&values)
               : NULL;
  g_autoptr (InferTensor) wrapped = infer_tensor_new_wrapped (
      type, &tensor->shape, values->data, n * 8, NULL, NULL, NULL);
  if (wrapped == NULL || !infer_tensor_copy (wrapped, tensor, NULL))
    return NULL;
  return g_steal_pointer (&values);
}

GArray *
infer_tensor_to_ints (const InferTensor *tensor)
{
  return to_array (tensor, INFER_TYPE_I64);
}

GArray *
infer_tensor_to_doubles (const InferTensor *tensor)
{
  return to_array (tensor, INFER_TYPE_F64);
}
