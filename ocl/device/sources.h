/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* The files of ocl/kernels, embedded by the build. */

#pragma once

typedef struct
{
  const char *family; /* the file's name without .cl; NULL at the end */
  const char *text;
} OclSource;

extern const OclSource ocl_sources[];
