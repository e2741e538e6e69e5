# SPDX-FileCopyrightText: 2026 The inferfilter authors
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# Shared by all pipelines, which set $top and $name.
# shellcheck shell=sh

# Where things are: in a clone, or as installed.sh says, which meson.build installs.
data=$top/pipelines
plugins=$top/build/gst
shared=${INFER_SHARED:-$top/../shared}
fetched=${INFER_MODELS:-${HOME-}/.cache/inferfilter/models}
self=pipelines/
# shellcheck disable=SC1091
[ ! -f "$top/pipelines/installed.sh" ] || . "$top/pipelines/installed.sh"

# Builds what a clone lacks, unless $setup is no.
set_up() {
  [ "$self" != pipelines/ ] || [ "$setup" = no ] || "$top/tools/setup"
}

# Makes GStreamer find the plugin: in a clone its own, else that of the prefix
# where GStreamer finds no other.
find_plugin() {
  [ -f "$plugins/libgstinferfilter.so" ] || return 0
  [ "$self" = pipelines/ ] ||
    ! gst-inspect-1.0 --atleast-version=0.0 --exists inferfilter || return 0
  export GST_PLUGIN_PATH_1_0="$plugins${GST_PLUGIN_PATH_1_0:+:$GST_PLUGIN_PATH_1_0}"
}

# $1 as gst-launch-1.0 takes it after '=': it escapes spaces, but not these.
place() {
  case $1 in
    *[\\\"]*) printf '"%s"\n' "$(printf '%s\n' "$1" | sed 's/[\\"]/\\&/g')" ;;
    *) printf '%s\n' "$1" ;;
  esac
}
