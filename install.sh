#!/bin/sh
# Builds swop from this clone and installs it. See: ./install.sh --help
set -eu

usage() {
	cat <<'END'
usage: ./install.sh [flags]
       ./install.sh --uninstall [flags]

Builds the two programs with Go, installs them in a directory of their own and puts it first on PATH for new shells.
Safe to rerun: it upgrades, and restores swop's place on PATH.

  --with-codex       install the real Codex with npm, in DIR/npm, if it is missing. Run again, update that one
  --prefix DIR       where to install (default: $XDG_DATA_HOME/swop, else ~/.local/share/swop); programs go to DIR/bin
  --no-modify-path   change no start-up file
  --uninstall        remove the programs, the codex in DIR/npm and the start-up lines; --yes: do not ask; --purge: the accounts, too
  --help             print this text

All flags of codex swop install, and of codex swop uninstall, can be given.
END
}

fail() {
	printf 'swop: %s\n' "$1" >&2
	shift
	for hint; do
		printf 'swop: hint: %s\n' "$hint" >&2
	done
	exit 1
}

# tell says on a terminal what takes a while.
tell() { [ ! -t 2 ] || printf 'swop: %s\n' "$1" >&2; }

# count shows on the terminal how much is in a directory, as long as stage has the file that says so.
count() {
	while sleep 1 && [ -e "$stage/counting" ]; do
		[ ! -d "$1" ] || printf '\rswop: unpacked %d of about 450 MB' "$(($(du -sk "$1" 2>/dev/null | cut -f1) / 1024))" >&2
	done
	printf '\r\033[K' >&2
}

# build makes both programs, for this machine, in a new directory, stage, which is removed when this script ends.
build() {
	go=$(command -v go) || go=/usr/local/go/bin/go
	[ -x "$go" ] || fail 'no go on PATH; swop is built with Go 1.26.5 or newer' 'https://go.dev/dl/'
	stage=$(mktemp -d "${TMPDIR:-/tmp}/swop-install.XXXXXX") || fail 'no temporary directory'
	trap 'rm -rf -- "$stage"' EXIT
	trap 'exit 130' HUP INT TERM
	tell "building swop's two programs with $("$go" env GOVERSION); the first time takes a minute or two"
	vcs=auto
	git -C "$clone" rev-parse --verify --quiet HEAD >/dev/null 2>&1 || vcs=false
	(
		cd -- "$clone" &&
			CGO_ENABLED=0 GOOS='' GOARCH='' GOWORK=off "$go" build -trimpath "-buildvcs=$vcs" -o "$stage/" ./shim/codex ./manager/codex-swop
	) >"$stage/log" 2>&1 || {
		sed '/^go: downloading /d' "$stage/log" >&2
		fail 'the build failed, see above; nothing was changed' 'it needs Go 1.26.5 or newer (https://go.dev/dl/) and, the first time, a network'
	}
	program=$stage/codex-swop
	"$program" version >/dev/null || fail "a program built in $stage does not run; is it mounted noexec?" "TMPDIR=\$HOME ./install.sh"
}

# install_codex lets npm install the real Codex below the prefix, or update it there.
install_codex() {
	npm=$prefix/npm
	if [ ! -e "$npm/bin/codex" ] && SWOP_BYPASS=1 "$prefix/bin/codex" --version >/dev/null 2>&1; then
		return # there is one
	fi
	settings=$(npm config get globalconfig) # the machine's registry, CA and proxy: with --prefix npm would read those of the prefix
	tell 'fetching the real Codex from npm, 100 MB'
	: >"$stage/counting"
	[ ! -t 2 ] || count "$npm" &
	fetched=1
	npm install -g --prefix "$npm" --globalconfig "$settings" @openai/codex --loglevel=error --progress=false --fund=false --audit=false --update-notifier=false >"$stage/log" 2>&1 || fetched=''
	rm "$stage/counting"
	wait
	[ -n "$fetched" ] || {
		cat "$stage/said" "$stage/log" >&2
		fail 'swop is installed, but npm could not install the real Codex, see above' "$command"
	}
	printf 'npm      %s\n' "$npm/bin/codex"
}

main() {
	case ${XDG_DATA_HOME-} in
	/*) prefix=$XDG_DATA_HOME/swop ;;
	*) prefix=${HOME:?is not set}/.local/share/swop ;;
	esac
	verb=install with_codex='' before='' command="$0 $*"
	for arg; do # those that are for codex-swop go to the end
		shift
		[ "$before" != --prefix ] || prefix=$arg
		before=$arg
		case $arg in
		--with-codex) with_codex=1 && continue ;;
		--uninstall) verb=uninstall && continue ;;
		--prefix=*) prefix=${arg#--prefix=} ;;
		-h | --help) usage && exit 0 ;;
		esac
		set -- "$@" "$arg"
	done
	clone=$(CDPATH='' cd -- "$(dirname -- "$0")" && pwd -P)
	[ -d "$clone/manager/codex-swop" ] || fail "$clone is not a clone of swop" 'cd into the clone and run ./install.sh there'
	program=$prefix/bin/codex-swop
	if [ "$verb" = install ]; then
		[ -z "$with_codex" ] || command -v npm >/dev/null || command -v codex >/dev/null ||
			fail '--with-codex needs npm, which is not on PATH' 'install Node.js (https://nodejs.org), or omit --with-codex'
		build
		set -- --from "$stage" "$@"
	elif [ ! -x "$program" ]; then
		build
	fi
	if [ "$verb$with_codex" != install1 ]; then
		"$program" "$verb" "$@"
		return
	fi
	"$program" install "$@" 2>"$stage/said" || {
		status=$?
		cat "$stage/said" >&2
		exit "$status"
	}
	install_codex
	cat "$stage/said" >&2 # what to do next comes last
}

main "$@"
