/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

#pragma once

/* Marks what libinfer-1 exports; everything else in it is hidden. */
#define INFER_API __attribute__ ((visibility ("default")))
