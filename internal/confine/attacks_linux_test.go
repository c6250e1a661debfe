package confine_test

import (
	"os"
	"os/exec"
	"strings"
	"testing"

	"swop/config"
	"swop/internal/test/testhome"
)

// An attack is what a program in a session of the account "work" tries. It succeeds if its script exits with 0 and, where there is one, the
// script outside does so afterwards. Every attack has to succeed unconfined: else it shows nothing.
//
// Attacks have these variables: OTHER, the login of the account "other"; SHARED, the codex home that accounts share; REAL, the real home;
// BIN, swop's programs; VICTIM, the pid of a program outside; CONFIG, where selector.toml lies; PORT, a port of this machine.
type attack struct {
	name    string
	policy  string // "" for workspace-write
	script  string
	outside string
	root    bool   // works only for the superuser
	unless  string // a command: where it succeeds outside, nobody can try the attack
	job     bool   // a shell outside leads the job
	stdin   string // "<" or "|": a shell outside reads a script, in which the session is started, from a file or a pipe; "tcp": it is a socket
	mounts  string // what root has mounted where the session is started

	dir    string // where the session runs, in the home; "" for project
	config string // is added to swop's configuration
	during string // runs outside when the script has made the file up; the script then waits for go
}

const (
	full     = config.ConfineFull
	readOnly = config.ConfineReadOnly
)

// TestAttacks runs every attack unconfined, where it has to succeed, if what repeats is tried, and confined, where it must not.
func TestAttacks(t *testing.T) {
	testhome.Needs(t, "userns", "bwrap")
	programs := makePrograms(t)
	for n, step := testhome.Points(t, 6); n < len(attacks); n += step {
		a := attacks[n]
		t.Run(a.name, func(t *testing.T) {
			if a.root && os.Geteuid() != 0 || a.unless != "" && exec.Command("sh", "-c", a.unless).Run() == nil {
				return
			}
			if testhome.Repeats() && !newBattlefield(t, programs, config.ConfineOff).succeeds(a, config.ConfineOff) {
				t.Error("unconfined it fails, so it shows nothing")
			}
			policy := a.policy
			if policy == "" {
				policy = config.ConfineWorkspace
			}
			if newBattlefield(t, programs, policy).succeeds(a, policy) {
				t.Errorf("it succeeds under %s", policy)
			}
		})
	}
}

// outsideFirst lets a script wait until what is to happen outside has happened.
const outsideFirst = `touch up; while ! test -e go; do sleep 0.02; done; `

const (
	trackerBridge = "kind = \"http\"\nupstream = \"https://example.com\"\nheader = \"X: {token}\"\ntoken = { file = " +
		"\"~/deep/tokens/tracker\" }\nallow = [\"GET /**\"]\n"
	// a sandbox as codex makes them, with the workspace as standard input
	sandboxed = `mkdir sub && bwrap --unshare-user --ro-bind / / --bind "$PWD" "$PWD" --unshare-pid --proc /proc -- `
	ownRoot   = `mkdir -p sub && cp "$(command -v attack)" sub/attack && bwrap --unshare-user `
	upLink    = `mkdir -p "sub/$PWD"; for in in . "sub/$PWD"; do ln -s "$(printf %s "$PWD" | sed 's|/[^/]*|../|g')" "$in/up"; done; `
	// bubblewrap mounts on no link since 0.11
	newBubblewrap = `bwrap --help | grep -q -- --overlay`
	inOwnRoot     = ` -- /attack put .git <.`
	hiddenTokens  = "[accounts.work.confinement]\nhidden = [\"~/deep/tokens\"]\n[bridge.tracker]\n"
	hiddenInside  = "[accounts.work.confinement]\nhidden = [\"~/project/conf/in\"]\n"
	gotIn         = `test -e .git/evil`
	githubBridge  = "[bridge.github]\nkind = \"github\"\ntoken = { env = \"SANDBOX_GH_TOKEN\" }\nallow = [\"GET /user\"]\n"
)

// attacks has a row for each mechanism, and for each way around it that was tried.
var attacks = []attack{
	// swop's root is not there: another account's login, by any way to a file.
	{name: "read another login", script: `grep -q secret-of-other "$OTHER"`},
	{name: "read another login, where all can be written", policy: full, script: `grep -q secret-of-other "$OTHER"`},
	{name: "read another login, where nothing can be written", policy: readOnly, script: `grep -q secret-of-other "$OTHER"`},
	{name: "read another login by a link", script: `ln -s "$OTHER" link && grep -q secret-of-other link`},
	{name: "read another login by /proc/self/root", script: `grep -q secret-of-other "/proc/self/root$OTHER"`},
	{name: "read another login by a process outside", script: `grep -q secret-of-other "/proc/$VICTIM/root$OTHER"`},
	{name: "read another login by an inherited file", script: `grep -q secret-of-other /dev/fd/9`},
	{name: "read another login by an inherited directory", script: `grep -q secret-of-other /proc/self/fd/8/other/home/.codex/auth.json`},
	{name: "read another login where mounts are taken away", script: `unshare -rm sh -c 'umount -l "$REAL/.swop" "$REAL" 2>/dev/null; grep -q secret-of-other "$OTHER"'`},
	{name: "read another login by a bind of the home", script: `mkdir m && unshare -rm sh -c 'mount --rbind "$REAL" m && grep -q secret-of-other m/.swop/accounts/other/home/.codex/auth.json'`},
	{name: "read another login as a nested codex", script: `SWOP_ACCOUNT=other CODEX_FAKE_SH='grep -q secret-of-other "$CODEX_HOME/auth.json"' codex exec`},
	{name: "read another login as a codex that forgot its session", script: `env -i PATH="$PATH" HOME="$REAL" SWOP_ACCOUNT=other SWOP_ALLOW_ROOT=1 CODEX_FAKE_SH='grep -q secret-of-other "$CODEX_HOME/auth.json"' codex exec`},
	{name: "see that another account exists", script: `test -d "${OTHER%/home/.codex/auth.json}"`},
	{name: "read the login in the shared codex home", script: `grep -q secret-of-shared "$SHARED/auth.json"`},
	{name: "read the login in the shared codex home, where all can be written", policy: full, script: `grep -q secret-of-shared "$REAL/.codex/auth.json"`},
	{name: "read the login in the shared codex home from there", policy: readOnly, dir: ".codex", script: `grep -q secret-of-shared "$SHARED/auth.json"`},
	{name: "read the login in the shared codex home from there, where all can be written", policy: full, dir: ".codex", script: `grep -q secret-of-shared "$SHARED/auth.json"`},
	{name: "read a transcript of another account", script: `grep -rqs said "$SHARED/sessions" "$CODEX_HOME/sessions"`},
	{name: "read the logins to MCP servers", script: `grep -qs secret-of-mcp "$CODEX_HOME/.credentials.json" "$SHARED/.credentials.json"`},

	// What is hidden, and what bridges keep, is not there, whatever comes later.
	{name: "read a hidden directory", script: `grep -q hidden-secret "$REAL/.hidden/file"`},
	{name: "read a hidden file", script: `grep -q hidden-secret "$REAL/.hidden-file"`},
	{name: "read a hidden directory, where all can be written", policy: full, script: `grep -q hidden-secret "$REAL/.hidden/file"`},
	{name: "read a hidden directory that was replaced", during: `mv .hidden .h2; mkdir .hidden; echo hidden-secret >.hidden/file`, script: outsideFirst + `grep -qs hidden-secret "$REAL/.hidden/file" "$REAL/.h2/file"`},
	{name: "read a hidden file that was replaced", during: `echo hidden-secret >x; mv x .hidden-file`, script: outsideFirst + `grep -qs hidden-secret "$REAL/.hidden-file"`},
	{name: "read what comes later from a mount namespace of its own", during: `echo late-secret >.hidden/late; mkdir .swop/accounts/late; echo late-secret >.swop/accounts/late/x`, script: `unshare -rm sh -c '` + outsideFirst + `grep -rqs late-secret "$REAL/.hidden" "$REAL/.swop"'`},
	{name: "read a bridge's token", config: "[bridge.tracker]\n" + trackerBridge, script: `grep -q hidden-secret "$REAL/deep/tokens/tracker"`},
	{name: "read the token of another account's bridge", config: "[accounts.other.bridge.tracker]\n" + trackerBridge, script: `grep -q hidden-secret "$REAL/deep/tokens/tracker"`},
	{name: "read a bridge's token that was replaced, where all can be written", policy: full, config: hiddenTokens + trackerBridge, during: `echo hidden-secret >deep/tokens/new; mv deep/tokens/new deep/tokens/tracker`, script: outsideFirst + `grep -qs hidden-secret "$REAL/deep/tokens/tracker"`},
	{name: "move the directory of a bridge's token", policy: full, config: hiddenTokens + trackerBridge, script: `mv "$REAL/deep/tokens" "$REAL/t2" && grep -q hidden-secret "$REAL/t2/tracker"`},
	{name: "read a bridge's token in the workspace", config: hiddenInside + "[bridge.tracker]\n" + strings.Replace(trackerBridge, "~/deep/tokens/tracker", "~/project/conf/in/file", 1), during: `echo hidden-secret >new; mv new project/conf/in/file`, script: outsideFirst + `grep -qs hidden-secret conf/in/file`},
	{name: "read a bridge's token that was replaced", config: "[bridge.tracker]\n" + trackerBridge, during: `echo hidden-secret >deep/tokens/new; mv deep/tokens/new deep/tokens/tracker`, script: outsideFirst + `grep -qs hidden-secret "$REAL/deep/tokens/tracker"`},
	{name: "read .netrc", script: `grep -q hosts-secret "$REAL/.netrc"`},
	{name: "read git's credentials beside a bridge", config: githubBridge, script: `grep -q hosts-secret "$REAL/.config/git/credentials"`},
	{name: "read a file whose name is a login's", script: `grep -q hosts-secret "$REAL/.git-credentials"`},
	{name: "read what is hidden in the shared codex home", config: "[accounts.work.confinement]\nhidden = [\"~/.codex/skills/private\"]\n", script: `grep -qs hidden-secret "$SHARED/skills/private/x" "$CODEX_HOME/skills/private/x"`},
	{name: "move the directory of what is hidden", config: hiddenInside, script: `mv conf z`},
	{name: "close the directory of what is hidden, and open it in a later session", config: hiddenInside, script: `chmod 0 conf`, outside: `SWOP_ACCOUNT=work CODEX_FAKE_SH='chmod 755 conf && grep -q hidden-secret conf/in/file' codex exec`},
	{name: "lead the link to what is hidden elsewhere", config: "[accounts.work.confinement]\nhidden = [\"~/project/led\"]\n", script: `ln -sf x led`, outside: `SWOP_ACCOUNT=work CODEX_FAKE_SH='grep -q hidden-secret conf/in/file' codex exec`},

	{name: "read what nobody gave: another codex home", script: `grep -q hidden-secret "$REAL/.codex-other/auth.json"`},
	{name: "read what nobody gave, by a link of the user's", script: `grep -q hidden-secret "$REAL/.dockercfg" "$REAL/dots/docker.json"`},
	{name: "connect to a socket in /tmp by a link of the user's", script: `attack unix "$REAL/.zfunc/${TMPSOCKET##*/}"`},
	{name: "have a directory of the disk that is nobody's project", script: `for d in /home /root /mnt /media /srv; do test "$(stat -c %d $d)" = "$(stat -c %d /etc)" && exit 0; done; exit 1`},
	{name: "read another disk", root: true, mounts: `mount -t tmpfs none /srv; echo hidden-secret >/srv/x`, script: `grep -q hidden-secret /srv/x`},
	{name: "read another user's home", root: true, mounts: `mount -t tmpfs none /home; echo hidden-secret >/home/x`, script: `grep -q hidden-secret /home/x`},
	{name: "read another user's home elsewhere", root: true, mounts: `mount -t tmpfs none /opt; mkdir /opt/you; echo hidden-secret >/opt/you/x; { cat /etc/passwd; echo you:x:1001:1001::/opt/you:/bin/sh; } >/opt/p; mount --bind /opt/p /etc/passwd`, script: `grep -q hidden-secret /opt/you/x`},
	{name: "show a later session a file by a link in the place of a start-up file", dir: "plain", script: `ln -s ../.codex-other/auth.json rc`, outside: `ln -s plain/rc "$REAL/.vimrc"; SWOP_ACCOUNT=work CODEX_FAKE_SH='grep -q hidden-secret "$REAL/.vimrc"' codex exec`},

	// The home is the account's own, and what is given of the user's is read-only.
	{name: "write in the home", script: `echo x >"$REAL/x"`, outside: `test -e "$REAL/x"`},
	{name: "write a start-up file", script: `echo evil >>"$REAL/.bashrc"`, outside: `grep -q evil "$REAL/.bashrc"`},
	{name: "replace a start-up file", script: `echo evil >"$REAL/x" && mv "$REAL/x" "$REAL/.bashrc"`, outside: `grep -q evil "$REAL/.bashrc"`},
	{name: "poison a cache", script: `mkdir -p "$REAL/.cache" && echo evil >"$REAL/.cache/evil"`, outside: `test -e "$REAL/.cache/evil"`},
	{name: "write in the workspace", policy: readOnly, script: `echo x >x`},
	{name: "write a file that is read-only in the workspace", script: `echo evil >>.env`},
	{name: "write a file that is read-only by a link", config: "[accounts.work.confinement]\nreadonly = [\"led\"]\n", script: `echo evil >>led`},
	{name: "write where a link in the workspace leads when the user follows it", dir: "plain", script: `ln -s ../dots l`, outside: `cd ../plain/l && SWOP_ACCOUNT=work CODEX_FAKE_SH='echo evil >evil' codex exec`},
	{name: "write around the workspace by a link up when the user follows it", dir: "deep/src", script: `ln -s .. up`, outside: `cd ../deep/src/up && SWOP_ACCOUNT=work CODEX_FAKE_SH='echo evil >evil' codex exec`},
	{name: "lead a writable directory elsewhere", config: "[accounts.work.confinement]\nwritable = [\"~/project/conf/in\"]\n", script: `mv conf z`},

	// The codex home is the account's own, and decides nothing elsewhere.
	{name: "write codex's configuration", script: `echo 'notify = ["evil"]' >>"$CODEX_HOME/config.toml"`, outside: `grep -q evil "$SHARED/config.toml"`},
	{name: "write instructions for all sessions", script: `echo evil >>"$CODEX_HOME/AGENTS.md"`, outside: `grep -q evil "$SHARED/AGENTS.md"`},
	{name: "make a hook", script: `echo {} >"$CODEX_HOME/hooks.json"`, outside: `SWOP_ACCOUNT=other CODEX_FAKE_SH='test -e "$CODEX_HOME/hooks.json"' codex exec`},
	{name: "make a skill", script: `mkdir -p "$CODEX_HOME/skills/evil"`, outside: `test -e "$SHARED/skills/evil"`},
	{name: "plant a memory", script: `mkdir -p "$CODEX_HOME/memories" && echo evil >"$CODEX_HOME/memories/x.md"`, outside: `SWOP_ACCOUNT=other CODEX_FAKE_SH='grep -q evil "$CODEX_HOME/memories/x.md"' codex exec`},

	// swop's files are read-only or not there.
	{name: "write the selector", policy: full, script: `echo '# evil' >>"$CONFIG/selector.toml"`},
	{name: "move swop's configuration away", policy: full, script: `mv "$CONFIG" "$CONFIG.old" && mkdir "$CONFIG"`},
	{name: "move the directory of swop's configuration away", policy: full, script: `mv "${CONFIG%/swop}" "$REAL/old"`},
	{name: "use another account from now on", policy: full, script: `SWOP_CONFINE=off codex swop use other`},
	{name: "write swop's programs", policy: full, script: `echo x >"$BIN/planted"`},
	{name: "replace swop's root", policy: full, script: `mv "$REAL/.swop" "$REAL/stolen"`},
	{name: "make another account look in use", during: `codex swop remove other --yes || touch project/refused`, script: `ln -s "${OTHER%/auth.json}" l; CODEX_HOME=$PWD/l sleep 1000 >/dev/null 2>&1 & ` + outsideFirst + `kill $!; test -e refused`},
	{name: "unlock the account", script: `flock -n "$REAL/.swop/locks/free" true || { for fd in /proc/self/fd/*; do test "$(readlink "$fd")" = "$REAL/.swop/locks/free" && exit 0; done; exit 1; }`},

	// What git and codex obey is read-only as it was at the start.
	{name: "make a git hook", script: `echo evil >.git/hooks/pre-commit`},
	{name: "make a git hook in another directory of the same name", script: `mv .git .old && mkdir -p .git/hooks && echo evil >.git/hooks/pre-commit`},
	{name: "write git's configuration", script: `echo '[core] fsmonitor = evil' >>.git/config`},
	{name: "write git's directory when another session has removed the mount point", during: `cd plain && SWOP_ACCOUNT=work CODEX_FAKE_SH='rmdir "$REAL/project" || true' codex exec`, script: outsideFirst + `mv .git old && cp -r old .git && touch .git/evil`, outside: `test -e .git/evil`},
	{name: "write git's configuration when git has", during: `cd project && cp .git/config .git/c2 && mv .git/c2 .git/config`, script: outsideFirst + `echo '[core] fsmonitor = evil' >>.git/config`},
	{name: "write the configuration of a submodule", script: `echo '[core] fsmonitor = evil' >>.git/modules/ext/config`},
	{name: "replace the .git of a submodule", script: `rm ext/.git && mkdir ext/.git && echo '[core] fsmonitor = evil' >ext/.git/config`},
	{name: "write the repository of a linked work tree", dir: "project/trees/tree", script: `echo '[core] fsmonitor = evil' >>../../.git/config`},
	{name: "write a repository that a session before has closed", script: `chmod 0 vendor/lib`, outside: `SWOP_ACCOUNT=work CODEX_FAKE_SH='chmod 755 vendor/lib && echo evil >>vendor/lib/.git/config' codex exec`},
	{name: "write a repository in a directory that a session before lets nobody enter", script: `chmod 600 trees`, outside: `SWOP_ACCOUNT=work CODEX_FAKE_SH='chmod 755 trees && echo evil >trees/tree/.git' codex exec`},
	{name: "write the repository of a workspace that a session before has closed", script: `chmod 300 .`, outside: `SWOP_ACCOUNT=work CODEX_FAKE_SH='chmod 755 . && echo evil >>.git/config' codex exec`},
	{name: "write a repository that lies in the workspace", script: `echo '[core] fsmonitor = evil' >>vendor/lib/.git/config`},
	{name: "write a repository deep in a writable directory", config: "[accounts.work.confinement]\nwritable = [\"~/deep\"]\n", script: `echo '[core] fsmonitor = evil' >>"$REAL/deep/src/host/org/repo/.git/config"`},
	{name: "write the repository that .git links to", dir: "linked", script: `echo '[core] fsmonitor = evil' >>.git/config`},
	{name: "replace the link that .git is", dir: "linked", script: `rm .git && mkdir .git && echo '[core] fsmonitor = evil' >.git/config`},
	{name: "replace a link that .git leads through", dir: "linked", script: `rm way && mkdir -p way/git && echo '[core] fsmonitor = evil' >way/git/config`},
	{name: "write the repository of a submodule elsewhere, with git = \"write\"", dir: "claims", config: "[accounts.work.confinement]\ngit = \"write\"\n", script: `echo '[core] fsmonitor = evil' >>../project/.git/modules/ext/config`},
	{name: "make a configuration of codex for the project", script: `mkdir -p .codex && echo evil >.codex/config.toml`},
	{name: "make a configuration of codex for the project in a directory that lets nobody write", dir: "locked", script: `chmod u+w . && mkdir -p .codex && echo evil >.codex/config.toml`},
	{name: "write a configuration of codex deeper in the workspace", script: `echo 'notify = ["evil"]' >>vendor/.codex/config.toml`},
	{name: "write git's directory from a mount namespace of its own", script: `unshare -rm sh -c 'umount .git 2>/dev/null; mount -o remount,rw,bind .git 2>/dev/null; echo evil >>.git/config'`},

	// No mount namespace but the session's has no covers, and a bubblewrap's own keeps them all.
	{name: "write git's directory in a namespace without covers, and put it back", script: `mkdir sub && attack escape put .git`, outside: gotIn},
	{name: "write git's directory without covers, from a sandbox in the session", script: sandboxed + `attack escape put .git`, outside: gotIn},
	{name: "write codex's directory in a namespace without covers, and put it back", script: `mkdir -p sub .codex && attack escape put .codex`, outside: `test -e .codex/evil`},
	{name: "write codex's directory without covers, from a sandbox in the session", script: `mkdir -p .codex; ` + sandboxed + `attack escape put .codex`, outside: `test -e .codex/evil`},
	{name: "read what is hidden in a namespace without covers", config: hiddenInside, script: `cd conf && mkdir sub && attack escape see in`},
	{name: "read what is hidden without covers, from a sandbox in the session", config: hiddenInside, script: `cd conf && ` + sandboxed + `attack escape see in`},
	{name: "read what is hidden in a namespace without covers, where all can be written", policy: full, config: hiddenInside, script: `cd conf && mkdir sub && attack escape see in`},
	{name: "read what is hidden without covers, from a sandbox where all can be written", policy: full, config: hiddenInside, script: `cd conf && ` + sandboxed + `attack escape see in`},
	{name: "have a sandbox without covers", script: ownRoot + `--bind sub /` + inOwnRoot, outside: gotIn},
	{name: "have a sandbox on a root of its own", script: ownRoot + `--tmpfs / --bind sub /taken --bind sub/attack /attack --proc /proc` + inOwnRoot, outside: `test -e .git/evil || test -e sub/evil`},
	{name: "have a sandbox whose first root is covered", script: ownRoot + `--ro-bind / / --bind sub /` + inOwnRoot, outside: gotIn},
	{name: "have a sandbox whose root is covered by way of a link", unless: newBubblewrap, script: upLink + ownRoot + `--ro-bind / / --bind sub "$PWD/up"` + inOwnRoot, outside: gotIn},
	{name: "have a sandbox with capabilities", script: strings.Replace(sandboxed, "--unshare-user", "--unshare-user --uid 0 --cap-add ALL", 1) + `umount -l .git/..`},
	{name: "have a sandbox with options that nobody sees", script: `printf '%s\0' --bind sub / >list; ` + ownRoot + `--args 3` + inOwnRoot + ` 3<list`, outside: gotIn},
	{name: "have another program in a bubblewrap's place", script: `mkdir sub && printf '#!/bin/sh\nattack escape put .git\n' >bwrap && chmod +x bwrap && PATH="$PWD:$PATH" bwrap`, outside: gotIn},

	// Standard input is not the caller's.
	{name: "add to the script of the shell outside", stdin: "<", script: `echo 'touch "$REAL/evil"' >>/proc/self/fd/0`, outside: `test -e "$REAL/evil"`},
	{name: "add to the script that the shell outside gets by a pipe", stdin: "|", script: `echo 'touch "$REAL/evil"' >/proc/self/fd/0`, outside: `test -e "$REAL/evil"`},

	// A network of its own, and the proxy, which leads to no port of this machine.
	{name: "reach a port of this machine", script: `attack tcp 127.0.0.1:$PORT`},
	{name: "reach a port of this machine by a socket of the caller's", stdin: "tcp", script: `attack again $PORT`},
	{name: "reach a port of this machine by the proxy", script: `attack proxy http://127.0.0.1:$PORT`},
	{name: "reach a port of this machine by a name through the proxy", script: `attack proxy http://localhost:$PORT`},
	{name: "connect to an abstract socket", script: `attack abstract "$ABSTRACT"`},

	// Sockets lie in what is not there.
	{name: "connect to a socket in the home", script: `attack unix "$REAL/agent.sock"`},
	{name: "connect to a socket by a link in the place of a given one", dir: "plain", config: "[accounts.work.confinement]\nsockets = [\"~/plain/s\"]\n", script: `ln -s ../agent.sock s`, outside: `cd ../plain && SWOP_ACCOUNT=work CODEX_FAKE_SH='attack unix s' codex exec`},
	{name: "connect to a socket with a newline in its name", script: `attack unix "$REAL/a
b.sock"`},
	{name: "connect to a socket of another network namespace", during: `unshare -rn perl -MIO::Socket::UNIX -e "$SERVE" >/dev/null 2>&1`, script: outsideFirst + `attack unix "$REAL/apart.sock"`},
	{name: "connect to a socket in /tmp", policy: full, script: `attack unix "$TMPSOCKET"`},

	// Two sessions find none either, by which one hands on a directory that is not covered in the other's view.
	{name: "make a socket that another session finds", script: `attack listen here`},
	{name: "make a socket that another session finds in the home", script: `attack listen "$HOME/here"`},
	{name: "make a socket that another session finds, where all can be written", policy: full, script: `attack listen "$HOME/here"`},
	{name: "make a socket that another session finds, from a sandbox in the session", script: sandboxed + `attack listen here`},
	{name: "have what another session finds in /tmp, by a sandbox", script: `d=$(mktemp -d); bwrap --unshare-user --ro-bind / / --bind "$PWD" "$d" -- true`},
	{name: "have what another session finds in /tmp, by a sandbox in a closed directory", script: `d=$(mktemp -d); mkdir "$d/h"; bwrap --unshare-user --bind / / --bind "$PWD" "$d/h" --chmod 0000 "$d" -- true`},
	{name: "have what another session finds in /tmp, by a sandbox that it has no path in meanwhile", script: `d=$(mktemp -d); mkdir -p "$d/a/g/h" "$d/b" "$d/x"; bwrap --unshare-user --bind / / --bind "$d/a" "$d/x" --bind "$PWD" "$d/x/g/h" --dir "$d/x/begun" $(seq -f "--dir $d/x/%g" 2500) -- true & until test -e "$d/a/begun" || ! kill -0 $!; do :; done; mv "$d/a/g" "$d/b"; wait $!`},
	{name: "have what another session finds in /tmp, by a sandbox with /tmp elsewhere", script: `mkdir sub; d=$(mktemp -d); bwrap --unshare-user --ro-bind / / --bind "${d%/*}" "$PWD/sub" --bind "$PWD" "$PWD/sub/${d##*/}" -- true`},

	// Namespaces, and the filter.
	{name: "see a process outside", script: `test -d "/proc/$VICTIM/fd"`},
	{name: "see what cgroups run outside", script: `find /sys/fs/cgroup/* -prune | grep -q .`},
	{name: "use up the user's namespaces", script: `unshare -U -r attack namespaces`},
	{name: "kill a process outside", policy: full, script: `kill "$VICTIM"`},
	{name: "kill a process outside by its cgroup", policy: full, script: `unshare -rmC sh -c 'mount -t cgroup2 none /mnt && test -w /mnt/cgroup.procs'`, root: true},
	{name: "enter the namespaces of a process outside", script: `nsenter -t "$VICTIM" -m true`, root: true},
	{name: "trace the first process", policy: full, script: `attack trace`},
	{name: "signal the job", policy: full, script: `kill -URG 0`, outside: `test -e "$REAL/signalled"`, job: true},
	{name: "write to another terminal", policy: full, script: `echo x >"$TTY"`},
	{name: "type into the terminal", policy: full, script: `attack type`},
	{name: "read memory that is shared with a process outside", policy: full, script: `ipcs -m -i "$SHM" | grep -q "shmid=$SHM"`},
	{name: "read the kernel's keyring", policy: full, script: `attack keyring`},
	{name: "talk to the machine that runs this one", policy: full, script: `attack vsock`},
	{name: "make a setuid program", script: `cp /bin/true p && chmod u+s p && test -u p`},
	{name: "find a mount where a setuid program raises", policy: full, script: `while read -r _ _ _ _ _ how _; do case $how in *nosuid*) ;; *) exit 0 ;; esac; done </proc/self/mountinfo; exit 1`},
	{name: "make a setuid program by open", script: `attack setuid-open made && test -u made`},
	{name: "make a setuid program by openat2", script: `attack setuid-openat2 made && test -u made`},
	{name: "mount over a mask", policy: full, script: `mount -t tmpfs none /mnt && umount /mnt`, root: true},
}
