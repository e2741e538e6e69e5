/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* A fuzz target is one function.  libFuzzer calls it (-Dfuzzing=true); replay.c
 * calls it with the seeds and deterministic mutations of them, as an ordinary
 * test. */

#pragma once

#include <stddef.h>
#include <stdint.h>

int LLVMFuzzerTestOneInput (const uint8_t *data, size_t size);
