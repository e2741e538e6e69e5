/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* The first touch of a page of 4 KiB costs more than filling it.  Large blocks
 * are of huge pages where the system offers them (madvise), and so are the
 * blocks that hold several parts of a model. */

#include "inference/base/memory/pages.h"

#include "infer/error.h"
#include "inference/base/memory/region.h"

#include <malloc.h>
#include <stdlib.h>
#include <sys/mman.h>

#define LARGE_PAGE ((gsize) 2 << 20)
/* Address space of a block that several parts share.  Pages that no part uses
 * are never touched, and take no memory. */
#define BLOCK_SIZE (4 * LARGE_PAGE)
#define PAGE ((gsize) 4096)
#define LEAST_FILLED ((gsize) 64 << 10)
/* From this size on memory goes back to the system when it is freed: malloc
 * would keep it for the thread that allocated it. */
#define LEAST_MAPPED ((gsize) 256 << 10)
#define ALIGN 64

/* Smaller parts are left to malloc. */
#define LEAST_SHARED PAGE
/* While less memory than this is in use, a block that is not filled would waste
 * too much of it: then there is one for parts that are announced only. */
#define LEAST_HELD (2 * LARGE_PAGE)

/* Of BLOCK_SIZE bytes, aligned to them; filled from the beginning. */
typedef struct
{
  char *memory;
  gsize used, large; /* bytes; of large pages, which come first */
  guint parts;       /* that are not freed */
} Block;

static GMutex lock;        /* of what follows */
static gsize held;         /* bytes in use, without those in blocks */
static GHashTable *sizes;  /* memory of its own mapping → bytes; NULL: none */
static GHashTable *blocks; /* memory → Block; NULL: none */
static Block *current;     /* the one being filled; nullable */

/* Populates all pages at once where the system can: they are about to be
 * written. */
static void
fill_pages (gpointer memory, gsize bytes)
{
#ifdef MADV_POPULATE_WRITE
  const gsize begin = ((gsize) memory + PAGE - 1) / PAGE * PAGE;
  const gsize end = ((gsize) memory + bytes) / PAGE * PAGE;

  if (memory != NULL && bytes >= LEAST_FILLED)
    madvise ((gpointer) begin, end - begin, MADV_POPULATE_WRITE);
#endif
}

/* Bytes of whole large pages for @bytes; 0: of none.  At most a quarter of a
 * large page is wasted. */
static gsize
in_large_pages (gsize bytes)
{
  return (bytes + LARGE_PAGE / 4) / LARGE_PAGE * LARGE_PAGE;
}

/* Memory of its own mapping; @align: a power of 2. */
static gpointer
map (gsize bytes, gsize align)
{
  gpointer memory = infer_region_new (bytes, align);

  if (memory == NULL)
    return NULL;
  g_mutex_lock (&lock);
  if (sizes == NULL)
    sizes = g_hash_table_new (NULL, NULL);
  g_hash_table_insert (sizes, memory, GSIZE_TO_POINTER (bytes));
  held += bytes;
  g_mutex_unlock (&lock);
  return memory;
}

/* Locked.  The bytes of the mapping @memory, which is forgotten; 0: it is none.
 */
static gsize
forget_mapping (gpointer memory)
{
  gsize bytes = sizes != NULL
                    ? GPOINTER_TO_SIZE (g_hash_table_lookup (sizes, memory))
                    : 0;

  if (bytes == 0)
    return 0;
  g_hash_table_remove (sizes, memory);
  if (g_hash_table_size (sizes) == 0)
    g_clear_pointer (&sizes, g_hash_table_unref);
  held -= bytes;
  return bytes;
}

static gpointer
allocate_small (gsize bytes)
{
  gpointer memory =
      aligned_alloc (ALIGN, MAX ((bytes + ALIGN - 1) / ALIGN, 1) * ALIGN);

  if (memory == NULL)
    return NULL;
  fill_pages (memory, bytes);
  g_mutex_lock (&lock);
  held += malloc_usable_size (memory);
  g_mutex_unlock (&lock);
  return memory;
}

gpointer
infer_pages_alloc (gsize bytes)
{
  if (bytes > G_MAXSIZE - 2 * LARGE_PAGE)
    return NULL;
  if (bytes < LEAST_MAPPED)
    return allocate_small (bytes);
  const gsize large = in_large_pages (bytes);
  gpointer memory =
      map (MAX (bytes, large), large > 0 ? LARGE_PAGE : (gsize) ALIGN);
  if (memory == NULL)
    return NULL;
  if (large == 0)
    fill_pages (memory, bytes);
#ifdef MADV_HUGEPAGE
  else
    madvise (memory, large, MADV_HUGEPAGE);
#endif
  return memory;
}

/* --- blocks --- */

static void
block_free (gpointer data)
{
  Block *block = data;

  free (block->memory);
  g_free (block);
}

/* Locked.  @large: bytes of large pages. */
static Block *
add_block (gsize large)
{
  gpointer memory;

  if (posix_memalign (&memory, BLOCK_SIZE, BLOCK_SIZE) != 0)
    return NULL;
#ifdef MADV_HUGEPAGE
  madvise (memory, large, MADV_HUGEPAGE);
#endif
  if (blocks == NULL)
    blocks = g_hash_table_new_full (NULL, NULL, NULL, block_free);
  Block *block = g_new (Block, 1);
  *block = (Block){ .memory = memory, .large = large };
  g_hash_table_insert (blocks, memory, block);
  return block;
}

/* Locked.  @bytes: a multiple of ALIGN, less than a block. */
static gpointer
take (gsize bytes)
{
  if (current == NULL || BLOCK_SIZE - current->used < bytes)
    current = add_block (BLOCK_SIZE);
  if (current == NULL)
    return NULL;
  gpointer memory = current->memory + current->used;
  if (current->used >= current->large)
    fill_pages (memory, bytes);
  current->used += bytes;
  current->parts++;
  return memory;
}

/* Locked.  More large pages behind those of the current block. */
static void
enlarge (gsize large)
{
#ifdef MADV_HUGEPAGE
  madvise (
      current->memory + current->large, large - current->large, MADV_HUGEPAGE);
#endif
  current->large = large;
}

void
infer_pages_expect (gsize bytes)
{
  g_mutex_lock (&lock);
  const gsize used = current != NULL ? current->used : 0;
  /* Pages of 4 KiB take longer for half of a large one than that does. */
  const gsize large =
      in_large_pages (used + MIN (bytes, BLOCK_SIZE - used) + LARGE_PAGE / 4);

  if (current != NULL && large > current->large)
    enlarge (large);
  else if (large > 0 && held < LEAST_HELD && current == NULL)
    current = add_block (large);
  g_mutex_unlock (&lock);
}

/* Locked.  A block that is full lets another one begin. */
static gboolean
may_share (void)
{
  return held >= LEAST_HELD || current != NULL;
}

gpointer
infer_pages_alloc_part (gsize bytes)
{
  gpointer memory = NULL;

  if (bytes < LEAST_SHARED || bytes > LARGE_PAGE || in_large_pages (bytes) > 0)
    return infer_pages_alloc (bytes);
  bytes = (bytes + ALIGN - 1) / ALIGN * ALIGN;
  g_mutex_lock (&lock);
  if (may_share ())
    memory = take (bytes);
  g_mutex_unlock (&lock);
  return memory != NULL ? memory : infer_pages_alloc (bytes);
}

/* Locked.  FALSE: @memory is in none. */
static gboolean
give_back (gpointer memory)
{
  gpointer base = (gpointer) ((gsize) memory / BLOCK_SIZE * BLOCK_SIZE);
  Block *block = blocks != NULL ? g_hash_table_lookup (blocks, base) : NULL;

  if (block == NULL)
    return FALSE;
  if (--block->parts > 0)
    return TRUE;
  if (block == current)
    current = NULL;
  g_hash_table_remove (blocks, base);
  if (g_hash_table_size (blocks) == 0)
    g_clear_pointer (&blocks, g_hash_table_unref);
  return TRUE;
}

void
infer_pages_free (gpointer memory)
{
  if (memory == NULL)
    return;
  g_mutex_lock (&lock);
  const gsize mapped = forget_mapping (memory);
  const gboolean shared = mapped == 0 && give_back (memory);
  if (mapped == 0 && !shared)
    held -= malloc_usable_size (memory);
  g_mutex_unlock (&lock);
  if (mapped > 0)
    infer_region_free (memory, mapped);
  else if (!shared)
    free (memory);
}

void
infer_pages_discard (gpointer memory, gsize bytes)
{
  const gsize begin = ((gsize) memory + PAGE - 1) / PAGE * PAGE;
  const gsize end = ((gsize) memory + bytes) / PAGE * PAGE;

  if (memory != NULL && begin < end)
    madvise ((gpointer) begin, end - begin, MADV_DONTNEED);
}

InferTensor *
infer_pages_tensor (InferType type, const InferShape *shape, GError **error)
{
  const gsize count = infer_shape_count (shape), size = infer_type_size (type);
  gsize bytes;
  gpointer data = NULL;

  if (infer_shape_is_static (shape) && size > 0
      && g_size_checked_mul (&bytes, count, size) && bytes >= LEAST_FILLED
      && bytes <= G_MAXSIZE - ALIGN)
    data = infer_pages_alloc_part (bytes + ALIGN);
  if (data == NULL)
    return infer_tensor_new (type, shape, error);
  return infer_tensor_new_wrapped (
      type, shape, data, bytes, data, infer_pages_free, error);
}

/* --- tensors whose pages come and go --- */

static gpointer
map_more (gpointer owner, gsize bytes, gpointer *data)
{
  *data =
      bytes <= G_MAXSIZE - 2 * LARGE_PAGE ? map (MAX (bytes, 1), ALIGN) : NULL;
  return *data;
}

static const InferTensorMemory mapped_memory = { map_more, infer_pages_free };

InferTensor *
infer_pages_tensor_mapped (
    InferType type, const InferShape *shape, GError **error)
{
  const InferShape empty = infer_shape_make (1, (gint64) 0);
  gpointer data = NULL, owner = map_more (NULL, LEAST_MAPPED, &data);

  if (owner == NULL) {
    infer_fail (error, INFER_ERROR_NO_MEMORY, "no memory for a tensor");
    return NULL;
  }
  g_autoptr (InferTensor) tensor = infer_tensor_new_in (
      &mapped_memory, owner, data, LEAST_MAPPED, type, &empty, error);
  return tensor != NULL && infer_tensor_reshape (tensor, type, shape, error)
             ? g_steal_pointer (&tensor)
             : NULL;
}

void
infer_pages_discard_tensors (const GPtrArray *tensors)
{
  for (guint i = 0; tensors != NULL && i < tensors->len; i++) {
    const InferTensor *tensor = tensors->pdata[i];

    infer_pages_discard (tensor->data, tensor->size);
  }
}
