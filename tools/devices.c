/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "inference/runtime/devices/device-name.h"
#include "tools/tool.h"

/* Lists the devices, best first, with their descriptions. */
static int
show (void)
{
  g_autoptr (GError) error = NULL;
  InferDeviceName all;
  if (!infer_device_name_parse ("AUTO", &all, &error))
    return tool_fail (error);
  for (guint i = 0; i < all.n; i++) {
    g_autofree char *name = infer_device_to_string (&all.devices[i]);
    g_autofree char *text = infer_runtime_describe_device (name, &error);
    if (text == NULL)
      return tool_fail (error);
    g_print ("%-10s %s\n", name, text);
  }
  return TOOL_DONE;
}

static int
run (int argc, char **argv)
{
  const GOptionEntry entries[] = { G_OPTION_ENTRY_NULL };
  g_auto (GStrv) arguments = NULL;
  if (!tool_parse (&tool_devices, entries, argc, argv, 0, 0, &arguments))
    return TOOL_USAGE;
  return show ();
}

const ToolCommand tool_devices = {
  .name = "devices",
  .arguments = "",
  .summary =
      "devices that models can run on, in the order that AUTO tries them",
  .run = run,
};
