#!/usr/bin/env bash
# Makes the files of a release, and their checksums, from the tagged commit that is checked out. See: packaging/release.sh --help
#
# The same commit, tag and Go give the same bytes: they do not depend on the path, the time of the build, the user or the umask.
set -euo pipefail

readonly nfpm=github.com/goreleaser/nfpm/v2/cmd/nfpm@v2.44.1
readonly platforms=(linux/amd64 linux/arm64 darwin/amd64 darwin/arm64 windows/amd64 windows/arm64)

usage() {
  cat <<'END'
usage: packaging/release.sh [--out DIR] [PLATFORM…]

Makes for each platform, by default linux/amd64 linux/arm64 darwin/amd64 darwin/arm64 windows/amd64 windows/arm64:
  swop-VERSION-OS-ARCH.tar.gz          the programs: tar -xzf swop-….tar.gz && swop-…/bin/codex-swop install
  swop-VERSION-windows-ARCH.zip        the same for Windows: bin\codex-swop.exe install, or install.ps1
  swop-VERSION-OS-ARCH.deb and .rpm    the same as a package, for Linux: each user runs codex-swop install
and for all of them together SHA256SUMS.
The checked-out commit must have a tag vX.Y.Z, without local changes, and CHANGELOG.md a section [X.Y.Z].

  --out DIR   where to put them (default: dist in the clone)
  --help      print this text

Needs Go, git and GNU tar.
END
}

fail() {
  printf 'swop: %s\n' "$1" >&2
  shift
  for hint; do printf 'swop: hint: %s\n' "$hint" >&2; done
  exit 1
}

parse() {
  out=dist wanted=()
  while [ $# -gt 0 ]; do
    case $1 in
      --out) [ -n "${2-}" ] || wrong_usage '--out needs a directory'; out=$(absolute "$2"); shift ;;
      -h | --help) usage; exit 0 ;;
      -*) wrong_usage "unknown flag \"$1\"" ;;
      *) [[ " ${platforms[*]} " == *" $1 "* ]] || wrong_usage "unknown platform \"$1\""; wanted+=("$1") ;;
    esac
    shift
  done
  [ "${#wanted[@]}" -gt 0 ] || wanted=("${platforms[@]}")
}

# absolute prints a path as an absolute one, before the working directory changes.
absolute() {
  case $1 in
    /*) printf '%s' "$1" ;;
    *) printf '%s' "$PWD/$1" ;;
  esac
}

wrong_usage() {
  printf 'swop: %s\nswop: hint: packaging/release.sh --help\n' "$1" >&2
  exit 2
}

# find_version sets tag, version (the tag without its v) and epoch, the time of the commit.
find_version() {
  tag=$(git describe --tags --exact-match --match 'v[0-9]*' 2>/dev/null) ||
    fail 'the checked-out commit has no tag vX.Y.Z' 'git tag -a v1.2.3 -m v1.2.3'
  version=${tag#v}
  [ -z "$(git status --porcelain)" ] || fail 'the clone has uncommitted changes' 'git status'
  grep -qF "## [$version]" CHANGELOG.md || fail "CHANGELOG.md has no section [$version]"
  epoch=$(git log -1 --format=%ct)
}

check_tar() {
  [[ $(tar --version 2>/dev/null) == *'GNU tar'* ]] || fail 'tar is not GNU tar; only that has --sort and --mtime'
}

# build_tool runs go for a platform, without the caller's settings that could change the result.
build_tool() {
  local platform=$1
  shift
  env -u GOEXPERIMENT CGO_ENABLED=0 GOOS="${platform%/*}" GOARCH="${platform#*/}" GOAMD64=v1 GOARM64=v8.0 \
    GOFLAGS=-mod=readonly GOWORK=off GOTOOLCHAIN=local go "$@"
}

# own_tool runs go for this machine, likewise.
own_tool() { build_tool "$(go env GOHOSTOS)/$(go env GOHOSTARCH)" "$@"; }

# build PLATFORM DIR builds the two programs in DIR, and fails unless Go stamped them with this version.
build() {
  build_tool "$1" build -trimpath -buildvcs=true -ldflags='-s -w' -o "$2/" ./shim/codex ./manager/codex-swop
  for program in "$2"/*; do
    [[ $(go version -m "$program") == *$'\tmod\tswop\t'"$tag"$'\t'* ]] ||
      fail "Go gave $program another version than $tag" 'is there more than one tag? from v2 on, Go needs the module to be named swop/v2'
  done
}

# collect_licenses PLATFORM DIR copies the licences of Go and of every linked module, as they require.
collect_licenses() {
  mkdir -p "$2/go"
  cp "$(go env GOROOT)/LICENSE" "$2/go/"
  local module dir found
  while read -r module dir; do
    found=$(find "$dir" -maxdepth 1 \( -name 'LICENSE*' -o -name 'COPYING*' \) -print)
    [ -n "$found" ] || fail "module $module has no licence in $dir"
    mkdir -p "$2/$module"
    xargs -d '\n' cp -t "$2/$module" <<<"$found"
  done < <(build_tool "$1" list -deps -f '{{with .Module}}{{if not .Main}}{{.Path}} {{.Dir}}{{end}}{{end}}' ./shim/codex ./manager/codex-swop | sort -u)
}

# pack PLATFORM makes the archive in $work/out.
pack() {
  local name=swop-$version-${1%/*}-${1#*/}
  mkdir -p "$work/$name/bin"
  build "$1" "$work/$name/bin"
  collect_licenses "$1" "$work/$name/licenses"
  cp README.md CHANGELOG.md LICENSE "$work/$name/"
  if [[ $1 != windows/* ]]; then
    archive "$work" "$name" "$name.tar.gz"
    return
  fi
  cp packaging/install.ps1 "$work/$name/"
  own_tool run -trimpath ./internal/test/zip "$work" "$name" "$epoch" >"$work/out/$name.zip"
}

# archive PARENT DIR FILE makes the archive FILE in $work/out of a directory, in the same bytes everywhere.
archive() {
  LC_ALL=C tar --sort=name --format=ustar --mtime="@$epoch" --owner=0 --group=0 --numeric-owner --mode='u=rwX,go=rX' \
    -C "$1" -cf - "$2" | gzip -n >"$work/out/$3"
}

# pack_linux PLATFORM makes the packages .deb and .rpm.
pack_linux() {
  local name=swop-$version-${1%/*}-${1#*/} format time
  time=$(date -u -d "@$epoch" +%Y-%m-%dT%H:%M:%SZ)
  find "$work/$name" -exec touch -h -d "@$epoch" {} +
  chmod -R u=rwX,go=rX "$work/$name"
  sed "s|@VERSION@|$version|; s|@ARCH@|${1#*/}|; s|@STAGE@|$work/$name|; s|@PACKAGING@|$PWD/packaging|; s|@TIME@|$time|" packaging/nfpm.yaml >"$work/nfpm.yaml"
  for format in deb rpm; do
    SOURCE_DATE_EPOCH=$epoch "$work/nfpm" package --config "$work/nfpm.yaml" --packager "$format" --target "$work/out/$name.$format" >/dev/null
  done
}

main() {
  parse "$@"
  CDPATH='' cd -- "$(dirname -- "${BASH_SOURCE[0]}")/.."
  check_tar
  find_version
  work=$(mktemp -d "${TMPDIR:-/tmp}/swop-release.XXXXXX")
  trap 'chmod -R u+rwX "$work"; rm -rf "$work"' EXIT
  mkdir "$work/out"
  GOBIN=$work own_tool install -trimpath "$nfpm"
  for platform in "${wanted[@]}"; do
    pack "$platform"
    [[ $platform != linux/* ]] || pack_linux "$platform"
  done
  (cd "$work/out" && sha256sum -- * >SHA256SUMS)
  mkdir -p "$out"
  mv "$work/out"/* "$out/"
  (cd "$out" && pwd && cat SHA256SUMS)
}

main "$@"
