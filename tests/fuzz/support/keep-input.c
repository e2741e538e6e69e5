/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Each input is written to the file that FUZZ_INPUT names before the target
 * reads it: libFuzzer writes one that fails only after it has printed the
 * stack, which may hang where the heap is damaged.  The file also counts
 * executions, over all processes that had it, however they ended.  The linker's
 * --wrap calls this. */

#include "tests/fuzz/support/fuzz.h"
#include "tests/fuzz/support/tally.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define MOST ((size_t) 1 << 20)

/* The file: a 64-bit count of bytes, the bytes, and at its end the counts of
 * tally.h. */
typedef struct
{
  uint64_t size;
  uint8_t data[MOST];
  uint64_t tally[FUZZ_TALLY_N];
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
  memcpy (fuzz_tally, kept->tally, sizeof fuzz_tally);
  return kept;
}

static int
run_kept (Kept *kept, const uint8_t *data, size_t size)
{
  if (size <= MOST) {
    memcpy (kept->data, data, size);
    kept->size = size;
  }
  fuzz_tally[FUZZ_TALLY_EXECUTED]++;
  const int result = __real_LLVMFuzzerTestOneInput (data, size);
  memcpy (kept->tally, fuzz_tally, sizeof fuzz_tally);
  return result;
}

int
__wrap_LLVMFuzzerTestOneInput (const uint8_t *data, size_t size)
{
  static Kept *kept;
  static int opened;

  if (!opened)
    kept = open_file ();
  opened = 1;
  return kept != NULL ? run_kept (kept, data, size)
                      : __real_LLVMFuzzerTestOneInput (data, size);
}
