/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Every backend, one line each; the first is the default. */

BACKEND (cpu)
#ifdef INFER_HAVE_OPENCL
BACKEND (ocl)
#endif
