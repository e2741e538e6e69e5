# shellcheck shell=sh
# SPDX-FileCopyrightText: 2026 The inferfilter authors
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# Clean roots of a Debian, for tests/packages/run, arm64 and container, which source
# it after they set $suite, $folder (roots are kept there as SUITE.tar), $packages
# and $top.  MIRROR: instead of http://deb.debian.org/debian.

say() { echo "packages: $suite: $*" >&2; }

# own_mounts PROGRAM ARGUMENTS…: begins the program again where its mounts are its
# own: they end with it.
own_mounts() {
  [ -z "${INFER_UNSHARED:-}" ] || return 0
  unshare --mount true 2>/dev/null ||
    { echo "packages: skipped, no mounts of our own are permitted here"; exit 77; }
  INFER_UNSHARED=1 exec unshare --mount --propagation private "$@"
}

# root_tar [ARCHITECTURE]: the name of a tar file of a clean root, made if need be.
root_tar() {
  tar=$folder/$suite${1:+-$1}.tar
  if [ ! -f "$tar" ]; then
    say "making a root ${1:+of $1}"
    mmdebstrap --quiet --format=tar --variant=minbase ${1:+--architectures="$1"} "$suite" "$tar.new" \
      "${MIRROR:-http://deb.debian.org/debian}" && mv "$tar.new" "$tar"
  fi >&2
  echo "$tar"
}

# new_root NAME [ARCHITECTURE]: a clean root, $root, in $folder/NAME.
new_root() {
  root=$folder/$1
  tar=$(root_tar ${2:+"$2"})
  rm -rf --one-file-system "$root"
  mkdir "$root"
  tar -xf "$tar" -C "$root" --exclude './dev/*'
  mount --rbind /proc "$root/proc"
  mount --rbind /sys "$root/sys"
  mount --rbind /dev "$root/dev"
  cp /etc/resolv.conf "$root/etc/resolv.conf"
  # The root is thrown away: dpkg need not wait for the disk.
  echo force-unsafe-io >"$root/etc/dpkg/dpkg.cfg.d/unsafe-io"
}
end_root() {
  umount -R "$root/proc" "$root/sys" "$root/dev"
  rm -rf --one-file-system "$root"
}

# inside COMMAND…: in the root, with nothing of our environment.
inside() {
  env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root LC_ALL=C.UTF-8 \
    DEBIAN_FRONTEND=noninteractive DEB_BUILD_OPTIONS="${DEB_BUILD_OPTIONS-}" \
    DEB_BUILD_PROFILES="${DEB_BUILD_PROFILES-}" \
    ${CCACHE_DIR:+CCACHE_DIR=/ccache} "http_proxy=${http_proxy-}" \
    chroot "$root" "$@"
}
# logged NAME COMMAND…: its output goes to $packages/NAME.log; the end of it is shown
# where it fails.
logged() {
  log=$packages/$1.log
  shift
  "$@" >"$log" 2>&1 || { tail -n 60 "$log" >&2; return 1; }
}

source_tree() {
  mkdir -p "$1"
  "$top/tests/packages/tree" | tar -x -C "$1"
}

# ccache_in, ccache_out: CCACHE_DIR is /ccache in the root.
ccache_in() {
  [ -z "${CCACHE_DIR:-}" ] || { mkdir -p "$root/ccache"; mount --bind "$CCACHE_DIR" "$root/ccache"; }
}
ccache_out() { [ -z "${CCACHE_DIR:-}" ] || umount "$root/ccache"; }

# take_packages: what dpkg-buildpackage left in the root, instead of what was there.
take_packages() {
  rm -f "$packages"/*.*deb "$packages"/*.dsc "$packages"/*.changes "$packages"/*.buildinfo \
    "$packages"/*.tar.*
  find "$root/build" -maxdepth 1 -type f -exec cp -t "$packages" {} +
}

# autopkgtests [ARCHITECTURE]: debian/tests by autopkgtest, in a root of their own.
autopkgtests() {
  command -v autopkgtest >/dev/null || { say "please install autopkgtest"; exit 1; }
  new_root "$suite-tests${1:+-$1}" ${1:+"$1"}
  source_tree "$root-source"
  rm -rf "$packages/autopkgtest"
  say "autopkgtest"
  status=0
  skip=
  if [ -z "$(find "$packages" -name 'python3-gstinfer_*')" ]; then
    say "no package of the Python module (built with nogir): its test is skipped"
    skip=--skip-test=python
  fi
  # shellcheck disable=SC2046
  autopkgtest $skip --apt-upgrade --output-dir="$packages/autopkgtest" --timeout-factor=3 --no-built-binaries \
    $(find "$packages" -name '*.deb' ! -name '*-dbgsym*') "$root-source" -- chroot "$root" \
    >"$packages/autopkgtest.log" 2>&1 || status=$?
  cat "$packages/autopkgtest/summary" || tail -n 40 "$packages/autopkgtest.log"
  rm -rf "$root-source"
  end_root
  return $status
}
