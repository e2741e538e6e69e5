/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Each input is written to the file that FUZZ_INPUT names before the target
 * reads it: libFuzzer writes one that fails only after it has printed the
 * stack, which may hang where the heap is damaged.  The linker's --wrap calls
 * this. */

#include "tests/fuzz/support/fuzz.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define MOST ((size_t) 1 << 20)

/* The file: a 64-bit count of bytes, and the bytes. */
typedef struct
{
  uint64_t size;
  uint8_t data[MOST];
} Kept;

int __real_LLVMFuzzerTestOneInput (const uint8_t *data, size_t size);
int __wrap_LLVMFuzzerTestOneInput (const uint8_t *data, size_t size);

static Kept *
open_file (void)
{
  const char *path = getenv ("FUZZ_INPUT");

  if (path == NULL)
    return NULL;
  int file = open (path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
  if (file < 0 || ftruncate (file, sizeof (Kept)) != 0)
    abort ();
  Kept *kept =
      mmap (NULL, sizeof *kept, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  if (kept == MAP_FAILED)
    abort ();
  close (file);
  return kept;
}

int
__wrap_LLVMFuzzerTestOneInput (const uint8_t *data, size_t size)
{
  static Kept *kept;
  static int opened;

  if (!opened)
    kept = open_file ();
  opened = 1;
  if (kept != NULL && size <= MOST) {
    memcpy (kept->data, data, size);
    kept->size = size;
  }
  return __real_LLVMFuzzerTestOneInput (data, size);
}
