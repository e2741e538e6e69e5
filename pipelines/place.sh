# SPDX-FileCopyrightText: 2026 The inferfilter authors
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# Shared by all pipelines.
# shellcheck shell=sh

# $1 as gst-launch-1.0 takes it after '=': it escapes spaces, but not these.
place() {
  case $1 in
    *[\\\"]*) printf '"%s"\n' "$(printf '%s\n' "$1" | sed 's/[\\"]/\\&/g')" ;;
    *) printf '%s\n' "$1" ;;
  esac
}
