#!/bin/sh
# Builds swop from this clone and installs it. See: ./install.sh --help
set -eu

usage() {
	cat <<'END'
usage: ./install.sh [flags]

Builds the two programs with Go, installs them in a directory of their own and puts it first on PATH for new shells.
Safe to rerun: it upgrades, and restores swop's place on PATH.

  --prefix DIR       where to install (default: $XDG_DATA_HOME/swop, else ~/.local/share/swop); programs go to DIR/bin
  --no-modify-path   change no start-up file
  --with-codex       install the real Codex with npm, in DIR/npm, if it is missing. Run again, update that one
  --yes              do not ask before removing anything
  --uninstall        remove everything but the accounts
  --purge            with --uninstall: remove the accounts too
  --delete-sessions  with --purge: remove the transcripts of private accounts too
  --help             print this text
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

wrong_usage() {
	printf 'swop: %s\nswop: hint: ./install.sh --help\n' "$1" >&2
	exit 2
}

parse() {
	verb=install prefix='' no_modify_path='' with_codex='' yes='' purge='' delete_sessions=''
	while [ $# -gt 0 ]; do
		case $1 in
		--prefix)
			prefix=${2-}
			[ -n "$prefix" ] || wrong_usage '--prefix needs a directory'
			shift
			;;
		--prefix=*)
			prefix=${1#--prefix=}
			[ -n "$prefix" ] || wrong_usage '--prefix needs a directory'
			;;
		--no-modify-path) no_modify_path=1 ;;
		--with-codex) with_codex=1 ;;
		-y | --yes) yes=1 ;;
		--uninstall) verb=uninstall ;;
		--purge) purge=1 ;;
		--delete-sessions) delete_sessions=1 ;;
		-h | --help)
			usage
			exit 0
			;;
		*) wrong_usage "unknown argument \"$1\"" ;;
		esac
		shift
	done
	[ -z "$purge" ] || [ "$verb" = uninstall ] || wrong_usage '--purge needs --uninstall'
	[ -z "$no_modify_path$with_codex" ] || [ "$verb" = install ] || wrong_usage '--no-modify-path and --with-codex cannot be used with --uninstall'
	[ -z "$delete_sessions" ] || [ -n "$purge" ] || wrong_usage '--delete-sessions needs --purge'
}

# find_clone sets clone to the directory of this script.
find_clone() {
	clone=$(CDPATH='' cd -- "$(dirname -- "$0")" && pwd -P && echo .) || fail "cannot enter the directory of $0"
	clone=${clone%??}
	[ -d "$clone/manager/codex-swop" ] || fail "$clone is not a clone of swop" 'cd into the clone and run ./install.sh there'
}

# make_absolute sets prefix to an absolute path, before the working directory changes.
make_absolute() {
	case $prefix in
	'' | /*) ;;
	*) prefix=$(pwd && echo .) && prefix=${prefix%??}/$1 ;;
	esac
}

# find_go sets go to a Go that can build this clone. An older one may download the right one by itself.
find_go() {
	want=$(sed -n 's/^go \([0-9]*\.[0-9]*\).*/\1/p' "$clone/go.mod")
	go=$(command -v go) || go=/usr/local/go/bin/go
	[ -x "$go" ] || fail "no go on PATH; swop is built with Go $want or newer" 'https://go.dev/dl/'
	have=$(cd -- "$clone" && "$go" env GOVERSION) || fail "$go does not work" 'https://go.dev/dl/'
	new_enough "${have#go}" "$want" || fail "$go is ${have:-too old}; swop is built with Go $want or newer" 'https://go.dev/dl/'
}

# find_npm fails where --with-codex needs an npm that is missing, before anything is built.
find_npm() {
	[ -z "$with_codex" ] || command -v npm >/dev/null || command -v codex >/dev/null ||
		fail '--with-codex needs npm, which is not on PATH' 'install Node.js (https://nodejs.org), or omit --with-codex'
}

# new_enough HAVE WANT compares major and minor; a development version ("devel go1.27-…") counts as new.
new_enough() {
	case $1 in
	devel*) return 0 ;;
	[0-9]*.[0-9]*) ;;
	*) return 1 ;;
	esac
	have_minor=${1#*.}
	have_minor=${have_minor%%[!0-9]*}
	[ "${1%%.*}" -gt "${2%%.*}" ] || { [ "${1%%.*}" -eq "${2%%.*}" ] && [ "$have_minor" -ge "${2#*.}" ]; }
}

# build makes both programs, for this machine, in a new directory, stage, which is removed when this script ends.
build() {
	stage=$(mktemp -d "${TMPDIR:-/tmp}/swop-install.XXXXXX") || fail 'no temporary directory'
	trap 'rm -rf -- "$stage"' EXIT
	trap 'exit 129' HUP
	trap 'exit 130' INT
	trap 'exit 143' TERM
	vcs=false
	if git -C "$clone" rev-parse --verify --quiet HEAD >/dev/null 2>&1; then
		vcs=auto
	fi
	[ ! -t 2 ] || printf 'swop: building with %s\n' "$have" >&2
	(
		cd -- "$clone" &&
			CGO_ENABLED=0 GOOS='' GOARCH='' GOWORK=off "$go" build -trimpath "-buildvcs=$vcs" -o "$stage/" ./shim/codex ./manager/codex-swop
	) >"$stage/log" 2>&1 || {
		sed '/^go: downloading /d' "$stage/log" >&2
		fail 'the build failed, see above; nothing was changed' 'the first build downloads modules: is there a network?'
	}
}

data_home() {
	case ${XDG_DATA_HOME-} in
	/*) printf '%s' "$XDG_DATA_HOME" ;;
	*) printf '%s' "$HOME/.local/share" ;;
	esac
}

# find_program sets program to the installed codex-swop or, if it is missing, builds one.
find_program() {
	program=${prefix:-$(data_home)/swop}/bin/codex-swop
	[ -x "$program" ] || build_program
}

# install_codex lets npm install the real Codex below the prefix, or update it there.
install_codex() {
	npm=${prefix:-$(data_home)/swop}/npm
	if [ ! -e "$npm/bin/codex" ] && SWOP_BYPASS=1 "$stage/codex" --version >/dev/null 2>&1; then
		return # there is one
	fi
	[ ! -t 2 ] || printf 'swop: installing @openai/codex with npm in %s\n' "$npm" >&2
	npm install -g --prefix "$npm" @openai/codex --loglevel=error --progress=false --fund=false --audit=false --update-notifier=false >"$stage/log" 2>&1 || {
		cat "$stage/log" >&2
		fail 'npm could not install the real Codex, see above; swop is not installed' 'npm install -g @openai/codex' './install.sh'
	}
	printf 'npm      %s\n' "$npm/bin/codex"
}

build_program() {
	find_go
	build
	program=$stage/codex-swop
	"$program" version >/dev/null || fail "a program built in $stage does not run; is it mounted noexec?" "TMPDIR=\$HOME ./install.sh"
}

main() {
	parse "$@"
	[ -n "${HOME-}" ] || fail 'HOME is not set' 'HOME=/path/to/your/home ./install.sh'
	make_absolute "$prefix"
	find_clone
	if [ "$verb" = install ]; then
		find_npm
		build_program
		[ -z "$with_codex" ] || install_codex
		set -- install --from "$stage" ${no_modify_path:+--no-modify-path}
	else
		find_program
		set -- uninstall ${purge:+--purge} ${delete_sessions:+--delete-sessions} ${yes:+--yes}
	fi
	if [ -n "$prefix" ]; then
		set -- "$@" --prefix "$prefix"
	fi
	"$program" "$@"
}

main "$@"
