/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "inference/base/mapping.h"

#include <errno.h>
#include <signal.h>
#include <sys/mman.h>
#include <unistd.h>

#include "infer/error.h"

/* Files beyond are read, not mapped. */
#define MOST_MAPPINGS 1024

/* `begin` 0: free.  Written under the lock, read by the signal handler without:
 * a mapping in which a thread reads does not go meanwhile. */
typedef struct
{
  gsize begin, end;
  gint broken;
  char *path;
} Mapping;

gint infer_mapping_faults_;

static Mapping mappings[MOST_MAPPINGS];
static GMutex lock; /* of the table but for `broken`, and of what follows */
static guint n_mappings;
static guint n_touched;    /* entries before are used, or were */
static gboolean installed; /* stays where another handler covers ours */
static struct sigaction previous;

/* --- the signal --- */

/* Only what is safe in a signal handler: atomic loads and stores, mmap. */
static gboolean
replace_pages (gsize address)
{
  for (guint i = 0; i < MOST_MAPPINGS; i++) {
    Mapping *m = &mappings[i];
    gsize begin = __atomic_load_n (&m->begin, __ATOMIC_ACQUIRE);
    gsize end = __atomic_load_n (&m->end, __ATOMIC_ACQUIRE);

    /* The entry may be replaced by another just now: then it is not it. */
    if (begin == 0 || address < begin || address >= end
        || __atomic_load_n (&m->begin, __ATOMIC_ACQUIRE) != begin)
      continue;
    __atomic_store_n (&m->broken, TRUE, __ATOMIC_RELEASE);
    __atomic_add_fetch (&infer_mapping_faults_, 1, __ATOMIC_RELEASE);
    return mmap ((gpointer) begin, end - begin, PROT_READ,
               MAP_FIXED | MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)
           != MAP_FAILED;
  }
  return FALSE;
}

/* Does as if ours were not there. */
static void
pass_on (int number, siginfo_t *info, gpointer context)
{
  const gboolean sent = info->si_code <= 0; /* by a process, not by a fault */

  if (previous.sa_flags & SA_SIGINFO) {
    previous.sa_sigaction (number, info, context);
  } else if (previous.sa_handler != SIG_DFL && previous.sa_handler != SIG_IGN) {
    previous.sa_handler (number);
  } else if (previous.sa_handler == SIG_DFL || !sent) {
    /* A fault is repeated after the return, with the default action. */
    const struct sigaction usual = { .sa_handler = SIG_DFL };

    sigaction (number, &usual, NULL);
    if (sent)
      raise (number);
  }
}

static void
on_sigbus (int number, siginfo_t *info, gpointer context)
{
  const int code = errno;

  if (info->si_code != BUS_ADRERR || !replace_pages ((gsize) info->si_addr))
    pass_on (number, info, context);
  errno = code;
}

static gboolean
is_ours (const struct sigaction *action)
{
  return (action->sa_flags & SA_SIGINFO) && action->sa_sigaction == on_sigbus;
}

/* Locked.  FALSE: faults would not reach us. */
static gboolean
install (void)
{
  struct sigaction current;

  if (sigaction (SIGBUS, NULL, &current) != 0)
    return FALSE;
  if (installed || is_ours (&current))
    return is_ours (&current);
  previous = current;
  struct sigaction ours = { .sa_sigaction = on_sigbus,
    .sa_mask = current.sa_mask,
    .sa_flags = SA_SIGINFO | SA_ONSTACK
                | (current.sa_flags & (SA_RESTART | SA_NODEFER)) };
  installed = sigaction (SIGBUS, &ours, NULL) == 0;
  return installed;
}

/* Locked.  A handler that was put over ours may call it: ours stays. */
static void
uninstall (void)
{
  struct sigaction current;

  if (installed && sigaction (SIGBUS, NULL, &current) == 0 && is_ours (&current)
      && sigaction (SIGBUS, &previous, NULL) == 0)
    installed = FALSE;
}

/* --- mappings --- */

static void
unmap (gpointer data)
{
  Mapping *m = data;
  g_autofree char *path = NULL;

  g_mutex_lock (&lock);
  gsize begin = m->begin, end = m->end;
  path = g_steal_pointer (&m->path);
  __atomic_store_n (&m->begin, 0, __ATOMIC_RELEASE);
  munmap ((gpointer) begin, end - begin);
  if (--n_mappings == 0)
    uninstall ();
  g_mutex_unlock (&lock);
}

/* Locked.  NULL: all are in use. */
static Mapping *
find_free (void)
{
  for (guint i = 0; n_mappings < MOST_MAPPINGS; i++)
    if (mappings[i].begin == 0)
      return &mappings[i];
  return NULL;
}

/* Locked. */
static Mapping *
map (int fd, gsize size, const char *path)
{
  Mapping *m = find_free ();
  gpointer data = m != NULL && install ()
                      ? mmap (NULL, size, PROT_READ, MAP_PRIVATE, fd, 0)
                      : MAP_FAILED;

  if (data == MAP_FAILED) {
    if (n_mappings == 0)
      uninstall ();
    return NULL;
  }
  n_mappings++;
  n_touched = MAX (n_touched, (guint) (m - mappings) + 1);
  m->path = g_strdup (path);
  m->broken = FALSE;
  __atomic_store_n (&m->end, (gsize) data + size, __ATOMIC_RELEASE);
  __atomic_store_n (&m->begin, (gsize) data, __ATOMIC_RELEASE);
  return m;
}

GBytes *
infer_mapping_new (int fd, gsize size, const char *path)
{
  if (size == 0)
    return NULL;
  g_mutex_lock (&lock);
  Mapping *m = map (fd, size, path);
  g_mutex_unlock (&lock);
  return m != NULL ? g_bytes_new_with_free_func (
             (gconstpointer) m->begin, size, unmap, m)
                   : NULL;
}

/* --- asking --- */

static gboolean
is_broken (const Mapping *m)
{
  return m->begin != 0 && __atomic_load_n (&m->broken, __ATOMIC_ACQUIRE);
}

static gboolean
fail_broken (const Mapping *m, GError **error)
{
  return infer_fail (error, INFER_ERROR_FAILED,
      "%s: the file was cut short, or could not be read, while it was in use; "
      "load it again (to replace a file in use, rename the new one to its name)",
      m->path);
}

gboolean
infer_mapping_check (gconstpointer data, GError **error)
{
  gboolean ok = TRUE;

  g_mutex_lock (&lock);
  for (guint i = 0; ok && i < n_touched; i++)
    if (is_broken (&mappings[i]) && (gsize) data >= mappings[i].begin
        && (gsize) data < mappings[i].end)
      ok = fail_broken (&mappings[i], error);
  g_mutex_unlock (&lock);
  return ok;
}

gboolean
infer_mapping_check_folder (const char *folder, GError **error)
{
  g_autofree char *start = g_build_filename (folder, "", NULL);
  gboolean ok = TRUE;

  g_mutex_lock (&lock);
  for (guint i = 0; ok && i < n_touched; i++)
    if (is_broken (&mappings[i]) && g_str_has_prefix (mappings[i].path, start))
      ok = fail_broken (&mappings[i], error);
  g_mutex_unlock (&lock);
  return ok;
}
