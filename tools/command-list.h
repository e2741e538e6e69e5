/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* The subcommands of infer-model, one line each, alphabetically.
 *
 * To add one: tools/NAME.c with `const ToolCommand tool_NAME`, and COMMAND (NAME)
 * here; Meson reads this list. */

COMMAND (bench)
COMMAND (check)
COMMAND (convert)
COMMAND (devices)
COMMAND (info)
COMMAND (run)
COMMAND (transcribe)
COMMAND (tune)
