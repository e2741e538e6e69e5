/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* For LD_PRELOAD: the n-th call of a kind fails (failures.h).  With
 * FAILURES_TRACE in the environment the stack of the call is printed. */

/* mmap and mmap64 are two names here. */
#undef _FILE_OFFSET_BITS
#define _GNU_SOURCE

#include <dlfcn.h>
#include <errno.h>
#include <execinfo.h>
#include <malloc.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "tests/failures/failures.h"

#define EXPORT __attribute__ ((visibility ("default")))

/* glibc's own, which nothing interposes. */
extern void *__libc_malloc (size_t size);
extern void *__libc_calloc (size_t n, size_t size);
extern void *__libc_realloc (void *old, size_t size);
extern void *__libc_memalign (size_t alignment, size_t size);

static FailurePlan plan;
static int on;      /* atomic */
static guint calls; /* atomic */

EXPORT void
failures_preloaded_begin (const FailurePlan *wanted)
{
  plan = *wanted;
  __atomic_store_n (&calls, 0, __ATOMIC_SEQ_CST);
  __atomic_store_n (&on, 1, __ATOMIC_SEQ_CST);
}

EXPORT guint
failures_preloaded_end (void)
{
  __atomic_store_n (&on, 0, __ATOMIC_SEQ_CST);
  return __atomic_load_n (&calls, __ATOMIC_SEQ_CST);
}

static void
print_stack (void)
{
  void *frames[32];
  const int was_on = __atomic_exchange_n (&on, 0, __ATOMIC_SEQ_CST);

  backtrace_symbols_fd (frames, backtrace (frames, 32), STDERR_FILENO);
  __atomic_store_n (&on, was_on, __ATOMIC_SEQ_CST);
}

static gboolean
fails (Failure kind, gsize size)
{
  if (!__atomic_load_n (&on, __ATOMIC_RELAXED) || plan.kind != kind
      || size < plan.least)
    return FALSE;
  const guint call = __atomic_add_fetch (&calls, 1, __ATOMIC_SEQ_CST);
  const gboolean now =
      plan.at != 0 && (call == plan.at || (plan.after && call > plan.at));
  if (now && getenv ("FAILURES_TRACE") != NULL)
    print_stack ();
  return now;
}

/* --- memory --- */

/* oneDNN 2.6, the only C++ here, crashes itself where an object of its own does
 * not fit. */
static gboolean
is_excused (const void *caller)
{
  Dl_info info;

  return dladdr (caller, &info) != 0 && info.dli_fname != NULL
         && (strstr (info.dli_fname, "libdnnl") != NULL
             || strstr (info.dli_fname, "libstdc++") != NULL);
}

static gboolean
lacks_for (gsize size, const void *caller)
{
  if (!__atomic_load_n (&on, __ATOMIC_RELAXED) || plan.kind != FAIL_MEMORY
      || size < plan.least || is_excused (caller) || !fails (FAIL_MEMORY, size))
    return FALSE;
  errno = ENOMEM;
  return TRUE;
}

#define lacks(size) lacks_for (size, __builtin_return_address (0))

EXPORT void *
malloc (size_t size)
{
  return lacks (size) ? NULL : __libc_malloc (size);
}

EXPORT void *
calloc (size_t n, size_t size)
{
  return lacks (n * size) ? NULL : __libc_calloc (n, size);
}

EXPORT void *
realloc (void *old, size_t size)
{
  return lacks (size) ? NULL : __libc_realloc (old, size);
}

EXPORT void *
memalign (size_t alignment, size_t size)
{
  return lacks (size) ? NULL : __libc_memalign (alignment, size);
}

EXPORT void *
aligned_alloc (size_t alignment, size_t size)
{
  return lacks (size) ? NULL : __libc_memalign (alignment, size);
}

EXPORT int
posix_memalign (void **memory, size_t alignment, size_t size)
{
  void *made = lacks (size) ? NULL : __libc_memalign (alignment, size);

  if (made == NULL)
    return ENOMEM;
  *memory = made;
  return 0;
}

#define CANNOT_MAP(fd, size)                                                   \
  ((fd) >= 0 ? fails (FAIL_MAPPING, size) : lacks (size))

static void *
map (void *address, size_t size, int protection, int flags, int fd, off64_t at,
    gboolean failed)
{
  if (!failed)
    return (void *) syscall (
        SYS_mmap, address, size, protection, flags, fd, at);
  errno = ENOMEM;
  return MAP_FAILED;
}

EXPORT void *
mmap64 (
    void *address, size_t size, int protection, int flags, int fd, off64_t at)
{
  return map (address, size, protection, flags, fd, at, CANNOT_MAP (fd, size));
}

EXPORT void *
mmap (void *address, size_t size, int protection, int flags, int fd, off_t at)
{
  return map (address, size, protection, flags, fd, at, CANNOT_MAP (fd, size));
}

/* --- threads --- */

EXPORT int
pthread_create (pthread_t *thread, const pthread_attr_t *attributes,
    void *(*func) (void *), void *data)
{
  static int (*real) (
      pthread_t *, const pthread_attr_t *, void *(*) (void *), void *);

  if (real == NULL)
    *(void **) &real = dlsym (RTLD_NEXT, "pthread_create");
  return fails (FAIL_THREAD, 0) ? EAGAIN
                                : real (thread, attributes, func, data);
}

/* --- writing --- */

/* Pipes and the like wake threads. */
static gboolean
is_on_disk (int fd)
{
  struct stat info;

  return fstat (fd, &info) == 0 && S_ISREG (info.st_mode);
}

EXPORT ssize_t
write (int fd, const void *data, size_t size)
{
  if (__atomic_load_n (&on, __ATOMIC_RELAXED) && is_on_disk (fd)
      && fails (FAIL_WRITE, size)) {
    errno = ENOSPC;
    return -1;
  }
  return syscall (SYS_write, fd, data, size);
}

/* --- clocks --- */

static gint64 jump; /* atomic */

EXPORT void
failures_preloaded_jump (gint64 ns)
{
  __atomic_store_n (&jump, ns, __ATOMIC_SEQ_CST);
}

EXPORT int
clock_gettime (clockid_t clock, struct timespec *now)
{
  static guint n;
  const int result = (int) syscall (SYS_clock_gettime, clock, now);
  const gint64 most = __atomic_load_n (&jump, __ATOMIC_RELAXED);

  if (most == 0 || clock != CLOCK_REALTIME)
    return result;
  /* 0, 1, 2 or 3 quarters of it, each for 50 calls. */
  const guint quarter =
      __atomic_fetch_add (&n, 1, __ATOMIC_RELAXED) / 50 * 7 % 4;
  const gint64 ns = now->tv_nsec + most / 4 * (gint64) quarter;
  now->tv_sec += ns / 1000000000;
  now->tv_nsec = ns % 1000000000;
  if (now->tv_nsec < 0) {
    now->tv_nsec += 1000000000;
    now->tv_sec--;
  }
  return result;
}
