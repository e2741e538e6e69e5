/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

#pragma once

/* Marks what libgstinfer-1.0 exports; everything else in it is hidden. */
#define GST_INFER_API __attribute__ ((visibility ("default")))
