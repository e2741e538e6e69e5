/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "inference/runtime/devices/device-name.h"

#include <string.h>

#include "infer/error.h"

static const char *const kinds[] = {
  [INFER_DEVICE_PLAIN] = "",
  [INFER_DEVICE_AUTO] = "AUTO",
  [INFER_DEVICE_MULTI] = "MULTI",
  [INFER_DEVICE_HETERO] = "HETERO",
};

const char *
infer_device_kind_name (InferDeviceKind kind)
{
  return kinds[kind];
}

char *
infer_device_to_string (const InferDevice *device)
{
  return device->backend->n_devices () > 1
             ? g_strdup_printf ("%s.%u", device->backend->name, device->index)
             : g_strdup (device->backend->name);
}

static gboolean
add (InferDeviceName *name, const InferDevice *device, GError **error)
{
  g_autofree char *text = infer_device_to_string (device);

  for (guint i = 0; i < name->n; i++)
    if (name->devices[i].backend == device->backend
        && name->devices[i].index == device->index)
      return infer_fail (error, INFER_ERROR_INVALID_ARGUMENT,
          "device %s is listed twice", text);
  if (name->n == INFER_MAX_DEVICES)
    return infer_fail (error, INFER_ERROR_INVALID_ARGUMENT,
        "more than %d devices are listed", INFER_MAX_DEVICES);
  name->devices[name->n++] = *device;
  return TRUE;
}

/* --- AUTO without a list --- */

static guint
rank (const InferDevice *device)
{
  return device->backend->rank != NULL ? device->backend->rank (device->index)
                                       : INFER_RANK_UNKNOWN;
}

static void
add_all (InferDeviceName *name)
{
  for (const InferBackend *const *b = infer_backends (); *b != NULL; b++)
    for (guint i = 0; i < (*b)->n_devices (); i++)
      if (name->n < INFER_MAX_DEVICES)
        name->devices[name->n++] = (InferDevice){ *b, i };
  /* Insertion sort: few elements, stable. */
  for (guint i = 1; i < name->n; i++)
    for (guint k = i; k > 0; k--) {
      InferDevice *pair = &name->devices[k - 1], first = pair[0];

      if (rank (&pair[0]) >= rank (&pair[1]))
        break;
      pair[0] = pair[1];
      pair[1] = first;
    }
}

/* --- parsing --- */

static gboolean
parse_list (const char *list, InferDeviceName *name, GError **error)
{
  g_auto (GStrv) words = g_strsplit (list, ",", -1);

  for (guint i = 0; words[i] != NULL; i++) {
    InferDevice device;

    g_strstrip (words[i]);
    device.backend = infer_backend_find (words[i], &device.index, error);
    if (device.backend == NULL || !add (name, &device, error))
      return FALSE;
  }
  return TRUE;
}

/* The kind whose name is @text, or its beginning before a colon. */
static gboolean
has_kind (const char *text, InferDeviceKind kind)
{
  const gsize length = strlen (kinds[kind]);

  return g_ascii_strncasecmp (text, kinds[kind], length) == 0
         && (text[length] == ':' || text[length] == '\0');
}

gboolean
infer_device_name_parse (
    const char *text, InferDeviceName *name, GError **error)
{
  InferDeviceKind kind = INFER_DEVICE_HETERO;

  *name = (InferDeviceName){ .kind = INFER_DEVICE_PLAIN };
  if (text == NULL)
    return add (name, &(InferDevice){ infer_backends ()[0], 0 }, error);
  while (kind != INFER_DEVICE_PLAIN && !has_kind (text, kind))
    kind--;
  if (kind == INFER_DEVICE_PLAIN) {
    InferDevice device;

    device.backend = infer_backend_find (text, &device.index, error);
    return device.backend != NULL && add (name, &device, error);
  }
  name->kind = kind;
  const char *list = text + strlen (kinds[kind]);
  if (*list != '\0' && list[1] != '\0') {
    if (parse_list (list + 1, name, error))
      return TRUE;
    g_prefix_error (error, "device '%s': ", text);
    return FALSE;
  }
  if (kind == INFER_DEVICE_AUTO) {
    add_all (name);
    return TRUE;
  }
  return infer_fail (error, INFER_ERROR_INVALID_ARGUMENT,
      "device '%s': a list of devices is missing, as in %s:CPU,…", text,
      kinds[kind]);
}
