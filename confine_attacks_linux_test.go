package swop_test

import (
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"

	"swop/config"
	"swop/confine"
	"swop/internal/testhome"
)

// An attack is what a program in a session of the account "work" tries. It succeeds if its script exits with 0 and, where there is one, the
// script outside does so afterwards. Every attack has to succeed unconfined: else it shows nothing.
type attack struct {
	name    string
	policy  string // "" for workspace-write
	script  string
	outside string
	root    bool   // works only for the superuser
	bare    bool   // there is no configuration of swop's
	job     bool   // a shell outside leads the job
	mounts  string // what root has mounted where the session is started

	dir     string // where the session runs, in the home; "" for project
	config  string // is added to swop's configuration
	answers string // was answered for always
	during  string // runs outside when the script has made the file up; the script then waits for go
}

const (
	full     = config.ConfineFull
	readOnly = config.ConfineReadOnly
)

// attacks have these variables: OTHER, the login of the account "other"; SHARED, the codex home that accounts share; REAL, the real home; BIN,
// swop's programs; VICTIM, the pid of a program outside; CONFIG, where selector.toml lies; TCP, a port outside.
var attacks = []attack{
	// Other accounts' logins, by any way to a file.
	{name: "read another login", script: `grep -q secret-of-other "$OTHER"`},
	{name: "read another login, where all can be written", policy: full, script: `grep -q secret-of-other "$OTHER"`},
	{name: "read another login, where nothing can be written", policy: readOnly, script: `grep -q secret-of-other "$OTHER"`},
	{name: "read another login by its place in HOME", script: `grep -q secret-of-other "$HOME/../../other/home/.codex/auth.json"`},
	{name: "read another login by the codex home", script: `grep -q secret-of-other "$CODEX_HOME/../../../other/home/.codex/auth.json"`},
	{name: "read another login by a link", script: `ln -s "$OTHER" link && grep -q secret-of-other link`},
	{name: "read another login by a hard link", script: `ln "$OTHER" ~/hard && grep -q secret-of-other ~/hard`},
	{name: "read another login by /proc/self/root", script: `grep -q secret-of-other "/proc/self/root$OTHER"`},
	{name: "read another login by a process outside", script: `grep -q secret-of-other "/proc/$VICTIM/root$OTHER"`},
	{name: "read another login by the working directory of a process outside", script: `grep -q secret-of-other "/proc/$VICTIM/cwd/$OTHER"`},
	{name: "read another login by an inherited file", script: `grep -q secret-of-other /dev/fd/9`},
	{name: "read another login by an inherited directory", script: `grep -q secret-of-other /proc/self/fd/8/other/home/.codex/auth.json`},
	{name: "read another login in a mount namespace", script: `unshare -rm sh -c 'umount -l "$REAL/.swop" 2>/dev/null; grep -q secret-of-other "$OTHER"'`},
	{name: "read another login by a bind of the home", script: `mkdir m && unshare -rm sh -c 'mount --rbind "$REAL" m && { umount -l m/.swop 2>/dev/null; grep -q secret-of-other m/.swop/accounts/other/home/.codex/auth.json; }'`},
	{name: "read another login as a nested codex", script: `SWOP_ACCOUNT=other FAKE_SH='grep -q secret-of-other "$CODEX_HOME/auth.json"' codex exec`},
	{name: "read another login as a nested codex that is told to be free", script: `SWOP_CONFINE=off FAKE_SH='grep -q secret-of-other "$OTHER"' codex exec`},
	{name: "read another login as a codex that forgot its session", script: `env -i PATH="$PATH" HOME="$REAL" SWOP_ACCOUNT=other FAKE_SH='grep -q secret-of-other "$CODEX_HOME/auth.json"' codex exec`},
	{name: "read another login by codex swop run", script: `SWOP_CONFINE=off codex swop run other -- sh -c 'grep -q secret-of-other "$CODEX_HOME/auth.json"'`},
	{name: "read another login by a second mount of the home", root: true, mounts: homeAgain, script: `grep -q secret-of-other /mnt/.swop/accounts/other/home/.codex/auth.json`},
	{name: "read another login by a second mount of the home, where all can be written", policy: full, root: true, mounts: homeAgain, script: `grep -q secret-of-other /mnt/.swop/accounts/other/home/.codex/auth.json`},
	{name: "read another login by a second mount of the system", root: true, mounts: `mount --rbind / /mnt`, script: `grep -q secret-of-other "/mnt$OTHER"`},
	{name: "read another login by a second mount of it", policy: full, root: true, mounts: `mount -t tmpfs none /mnt; touch /mnt/again; mount --bind "$OTHER" /mnt/again`, script: `grep -q secret-of-other /mnt/again`},
	{name: "read a hidden file by a second mount of its directory", root: true, mounts: `mount --bind "$REAL/.hidden" /mnt`, script: `grep -q hidden-secret /mnt/file`},
	{name: "write a start-up file by a second mount of the home", policy: full, root: true, mounts: homeAgain, script: `echo evil >>/mnt/.bashrc`, outside: `grep -q evil "$REAL/.bashrc"`},
	{name: "write the selector by a second mount of its directory", policy: full, root: true, mounts: `mount --bind "$REAL/.config" /mnt`, script: `echo '# evil' >>/mnt/swop/selector.toml`},
	{name: "move what is above swop's programs away by a second mount", policy: full, root: true, mounts: `mount --bind "$BIN/../.." /mnt`, script: `cd /mnt && d=$(basename "${BIN%/bin}") && mv "$d" "$d.old" && mv "$d.old" "$d"`},
	{name: "see that another account exists", script: `test -d "${OTHER%/home/.codex/auth.json}"`},
	{name: "read the login in the shared codex home", script: `grep -q secret-of-shared "$SHARED/auth.json"`},
	{name: "read the login in the shared codex home by HOME", policy: full, script: `unshare -rm true; grep -q secret-of-shared "$REAL/.codex/auth.json"`},
	{name: "overwrite another login", policy: full, script: `echo {} >"$OTHER"`, outside: `! grep -q secret-of-other "$OTHER"`},
	{name: "replace the sandbox of another account", policy: full, script: `mv "$REAL/.swop/accounts/other" "$REAL/stolen"`},
	{name: "replace swop's root", policy: full, script: `mv "$REAL/.swop" "$REAL/stolen"`},
	{name: "lead the own login to another's", script: `ln -sf "$OTHER" "$CODEX_HOME/auth.json"`, outside: `grep -q secret-of-other "$REAL/.swop/accounts/work/home/.codex/auth.json"`},

	// What decides about later sessions.
	{name: "write the selector", policy: full, script: `echo '# evil' >>"$CONFIG/selector.toml"`},
	{name: "replace the selector", policy: full, script: `echo '# evil' >"$CONFIG/x" && mv "$CONFIG/x" "$CONFIG/selector.toml"`},
	{name: "move swop's configuration away", policy: full, script: `mv "$CONFIG" "$CONFIG.old" && mkdir "$CONFIG"`},
	{name: "move the directory of swop's configuration away", policy: full, script: `mv "${CONFIG%/swop}" "$REAL/old"`},
	{name: "move the home away", policy: full, script: `mv "$REAL" "$REAL.old"`},
	{name: "make a configuration of swop's", policy: full, script: `echo 'confine = "off"' >"$CONFIG/config.toml"`},
	{name: "make the configuration that is missing", policy: full, script: `mkdir -p "$CONFIG" && echo 'codex = "/evil"' >"$CONFIG/config.toml"`, bare: true},
	{name: "use another account from now on", policy: full, script: `SWOP_CONFINE=off codex swop use other`},
	{name: "write swop's programs", policy: full, script: `echo x >"$BIN/planted"`},
	{name: "write a start-up file", policy: full, script: `echo evil >>"$REAL/.bashrc"`},
	{name: "write a start-up file by HOME", policy: full, script: `echo evil >>"$HOME/.bashrc"`, outside: `grep -q evil "$REAL/.bashrc"`},
	{name: "replace a start-up file", policy: full, script: `echo evil >"$REAL/x" && mv "$REAL/x" "$REAL/.bashrc"`},
	{name: "write codex's configuration", script: `echo 'notify = ["evil"]' >>"$CODEX_HOME/config.toml"`, outside: `grep -q evil "$SHARED/config.toml" "$REAL/.swop/accounts/work/home/.codex/config.toml"`},
	{name: "replace codex's configuration", script: `rm "$CODEX_HOME/config.toml"; echo 'notify = ["evil"]' >"$CODEX_HOME/config.toml"`, outside: `FAKE_SH= codex exec; grep -q evil "$SHARED/config.toml" "$REAL/.swop/accounts/work/home/.codex/config.toml"`},
	{name: "write codex's configuration in its place", policy: full, script: `echo 'notify = ["evil"]' >>"$SHARED/config.toml"`, outside: `grep -q evil "$SHARED/config.toml"`},
	{name: "make a profile of codex", script: `echo 'notify = ["evil"]' >"$CODEX_HOME/x.config.toml"`, outside: `FAKE_SH= codex exec; test -e "$SHARED/x.config.toml"`},
	{name: "write instructions for all sessions", script: `echo evil >>"$CODEX_HOME/AGENTS.md"`, outside: `grep -q evil "$SHARED/AGENTS.md"`},
	{name: "make instructions for all sessions", script: `echo evil >"$CODEX_HOME/AGENTS.override.md"`, outside: `FAKE_SH= codex exec; test -e "$SHARED/AGENTS.override.md"`},
	{name: "make a hook", script: `echo {} >"$CODEX_HOME/hooks.json"`, outside: `FAKE_SH= codex exec; test -e "$SHARED/hooks.json"`},
	{name: "make a skill", script: `mkdir "$CODEX_HOME/skills/evil"`, outside: `test -e "$SHARED/skills/evil"`},
	{name: "make a rule", script: `echo evil >"$CODEX_HOME/rules/evil.rules"`, outside: `test -e "$SHARED/rules/evil.rules"`},
	{name: "make a prompt", script: `echo evil >"$CODEX_HOME/prompts/evil.md"`, outside: `test -e "$SHARED/prompts/evil.md"`},
	{name: "replace what others execute", script: `mkdir "$CODEX_HOME/packages/evil"`, outside: `test -e "$SHARED/packages/evil"`},
	{name: "bind the key of a refusal to approve", script: `printf '[tui.keymap.approval]\napprove = "n"\n' >>"$CODEX_HOME/config.toml"`, outside: asOther(`grep -q keymap "$CODEX_HOME/config.toml"`)},
	{name: "trust the workspace", script: `printf '[projects."%s"]\ntrust_level = "trusted"\n' "$PWD" >>"$CODEX_HOME/config.toml"`, outside: asOther(`grep -q trust_level "$CODEX_HOME/config.toml"`)},

	// What codex records.
	{name: "plant a memory", policy: readOnly, script: `echo evil >"$CODEX_HOME/memories/x.md"`, outside: asOther(`grep -q evil "$CODEX_HOME/memories/x.md"`)},
	{name: "lead the log to a start-up file", policy: readOnly, script: `ln -s "$REAL/.bashrc" "$CODEX_HOME/log/codex-tui.log"`, outside: asOther(`echo evil >>"$CODEX_HOME/log/codex-tui.log"`) + `; grep -q evil "$REAL/.bashrc"`},
	{name: "lead transcripts elsewhere", policy: readOnly, script: `ln -s "$REAL/.hidden" "$CODEX_HOME/sessions/2027"`, outside: asOther(`mkdir "$CODEX_HOME/sessions/2027/01"`) + `; test -e "$REAL/.hidden/01"`},
	{name: "put a link among transcripts", policy: readOnly, script: `ln -s "$REAL/.bashrc" "$CODEX_HOME/sessions/2026/01/02/rollout-link.jsonl"`, outside: asOther(`echo evil >>"$CODEX_HOME/sessions/2026/01/02/rollout-link.jsonl"`) + `; grep -q evil "$REAL/.bashrc"`},
	{name: "put a file among transcripts", policy: readOnly, script: `echo evil >"$CODEX_HOME/sessions/2026/AGENTS.md"`, outside: `test -e "$SHARED/sessions/2026/AGENTS.md"`},
	{name: "rewrite a transcript", policy: readOnly, script: `echo evil >"$CODEX_HOME/sessions/2026/01/02/rollout-x.jsonl"`, outside: `grep -q evil "$SHARED/sessions/2026/01/02/rollout-x.jsonl"`},
	{name: "shorten a transcript", policy: readOnly, script: `: >"$CODEX_HOME/sessions/2026/01/02/rollout-x.jsonl"`, outside: `! test -s "$SHARED/sessions/2026/01/02/rollout-x.jsonl"`},
	{name: "remove a transcript", policy: readOnly, script: `rm "$CODEX_HOME/sessions/2026/01/02/rollout-x.jsonl"`, outside: `! test -e "$SHARED/sessions/2026/01/02/rollout-x.jsonl"`},
	{name: "write the history of prompts", policy: readOnly, script: `echo evil >>"$CODEX_HOME/history.jsonl"`, outside: asOther(`grep -q evil "$CODEX_HOME/history.jsonl"`)},
	{name: "name a session", policy: readOnly, script: `echo evil >>"$CODEX_HOME/session_index.jsonl"`, outside: asOther(`grep -q evil "$CODEX_HOME/session_index.jsonl"`)},
	{name: "choose the identity of the installation", policy: readOnly, script: `echo evil >"$CODEX_HOME/installation_id"`, outside: asOther(`grep -q evil "$CODEX_HOME/installation_id"`)},
	{name: "lock a session", policy: readOnly, script: `echo evil >"$CODEX_HOME/thread-writer-locks/x.lock"`, outside: asOther(`test -e "$CODEX_HOME/thread-writer-locks/x.lock"`)},
	{name: "read the logins to MCP servers", script: `grep -q secret-of-mcp "$CODEX_HOME/.credentials.json"`},
	{name: "replace the logins to MCP servers", script: `echo evil >"$CODEX_HOME/.credentials.json"`, outside: asOther(`grep -q evil "$CODEX_HOME/.credentials.json"`)},
	{name: "move the sessions away", script: `mv "$CODEX_HOME/sessions" "$CODEX_HOME/old"`},
	{name: "make a git hook", script: `echo evil >.git/hooks/pre-commit`},
	{name: "make a git hook in another directory of the same name", script: `mv .git .old && mkdir -p .git/hooks && echo evil >.git/hooks/pre-commit`},
	{name: "write git's configuration", script: `echo '[core] fsmonitor = evil' >>.git/config`},
	{name: "make a configuration of codex for the project", script: `mkdir -p .codex && echo evil >.codex/config.toml`},

	// What git obeys: the user's own git would run what is planted there.
	{name: "lead git elsewhere", script: `echo ../evil >.git/commondir`},
	{name: "make git's directory of hooks", script: `mkdir .git/other && rmdir .git/other`},
	{name: "make a configuration of the work tree", script: `echo '[core] fsmonitor = evil' >.git/config.worktree`},
	{name: "write the configuration of a submodule", script: `echo '[core] fsmonitor = evil' >>.git/modules/ext/config`},
	{name: "lead another work tree elsewhere", script: `echo ../../../evil >.git/worktrees/tree/commondir`},
	{name: "replace the .git of another work tree", script: `rm trees/tree/.git && mkdir trees/tree/.git`},
	{name: "replace the directory of another work tree", script: `mv trees old && mkdir -p trees/tree/.git`},
	{name: "replace the .git of a submodule", script: `rm ext/.git && mkdir ext/.git && echo '[core] fsmonitor = evil' >ext/.git/config`},
	{name: "leave git something to go on with", script: `mkdir .git/rebase-merge && echo 'exec evil' >.git/rebase-merge/git-rebase-todo`},
	{name: "write a bare repository", dir: "bare.git", script: `echo '[core] fsmonitor = evil' >>config`},
	{name: "write the repository of a linked work tree", dir: "project/trees/tree", script: `echo '[core] fsmonitor = evil' >>../../.git/config`},
	{name: "write a repository deeper in the workspace", dir: "src", script: `mkdir client/app/.git/hooks`},
	{name: "make a repository", dir: "plain", script: `mkdir .git && sleep 0.3 && echo '[core] fsmonitor = evil' >.git/config`},
	{name: "move a repository to where there is none", dir: "plain", script: `mkdir p && echo '[core] fsmonitor = evil' >p/config && mv -T p .git`, outside: `test -e ../plain/.git/config`},
	{name: "link to a repository where there is none", dir: "plain", script: `mkdir p && echo x >p/config && ln -s p .git`, outside: `test -e ../plain/.git/config`},
	{name: "write the repository that .git links to", dir: "linked", script: `echo '[core] fsmonitor = evil' >>.git/config`},
	{name: "lead a .git that is a link elsewhere", dir: "linked", script: `mkdir p && echo evil >p/config && ln -sfn p .git`, outside: `grep -q evil ../linked/.git/config`},
	{name: "lead a .git that is a link elsewhere by its way", dir: "linked", script: `mkdir -p p/git && echo evil >p/git/config && ln -sfn p way`, outside: `grep -q evil ../linked/.git/config`},
	{name: "write the .codex that is a link", dir: "linked", script: `echo 'notify = ["evil"]' >>cdx/config.toml`},
	{name: "replace the .git of a directory that was granted", answers: "/data", script: `cd "$REAL/data" && touch x && mv .git .g2 && cp -r .g2 .git`},
	{name: "make the .git of a directory that was granted", answers: "/plain", script: `cd "$REAL/plain" && mkdir p && echo x >p/config && mv -T p .git`, outside: `test -e ../plain/.git/config`},

	// What the next session finds where it looks for something.
	{name: "move the directory of what is hidden", config: "[accounts.work.confinement]\nhidden = [\"~/project/conf/in\"]\n", script: `mv conf z`, outside: asNext(`grep -q hidden-secret z/in/file`)},
	{name: "move the directory of what is hidden, where all can be written", policy: full, config: "[accounts.work.confinement]\nhidden = [\"~/project/conf/in\"]\n", script: `mv conf z`, outside: asNext(`grep -q hidden-secret z/in/file`)},
	{name: "move the directory above a bridge's token", policy: full, config: strings.Replace(trackerBridge, "~/", "~/deep/", 1), script: `cd "$REAL" && mv deep z && mkdir -p deep/tokens && echo x >deep/tokens/tracker`, outside: asNext(`grep -q hidden-secret "$REAL/z/tokens/tracker"`)},
	{name: "lead a writable directory elsewhere", config: "[accounts.work.confinement]\nwritable = [\"~/project/conf/in\"]\n", script: `mv conf z && mkdir c2 && ln -s "$REAL/plain" c2/in && ln -s c2 conf`, outside: `cd "$REAL/src"; ` + asNext(`echo evil >"$REAL/plain/evil"`)},
	{name: "lead a writable directory elsewhere that is not there yet", config: "[accounts.work.confinement]\nwritable = [\"~/project/later\"]\n", script: `ln -s "$REAL/plain" later`, outside: asNext(`echo evil >"$REAL/plain/evil"`)},
	{name: "move a bound directory", dir: "src", script: `mv bound b2 && ln -s b2 bound`, outside: `cd "$REAL/src/bound" && FAKE_SH='test "$SWOP_ACCOUNT" = work' codex exec`},

	// What a program outside replaces meanwhile.
	{name: "write git's configuration when git has", during: `cd project && cp .git/config .git/c2 && mv .git/c2 .git/config`, script: outsideFirst + `echo '[core] fsmonitor = evil' >>.git/config`},
	{name: "write a repository that was replaced", during: `cd project && cp -r .git .g3 && mv .git .g2 && mv .g3 .git`, script: outsideFirst + `sleep 0.3; echo '[core] fsmonitor = evil' >>.git/config`},
	{name: "make the .git that went away", during: `mv project/.git gone`, script: outsideFirst + `mkdir p && echo evil >p/config && mv -T p .git`, outside: `grep -q evil .git/config`},
	{name: "make the .git that goes away, at once", during: `mv project/.git gone`, script: `mkdir p && echo evil >p/config && touch up && until mv -T p .git 2>/dev/null; do :; done`, outside: `grep -q evil .git/config`},
	{name: "make the .codex that went away", during: `rm -rf project/.codex`, script: outsideFirst + `mkdir p && echo 'notify = ["evil"]' >p/config.toml && mv -T p .codex`, outside: `grep -q evil .codex/config.toml`},
	{name: "write a file that is read-only and was replaced", during: `cd project && cp .env e2 && mv e2 .env`, script: outsideFirst + `sleep 0.3; echo evil >>.env`},
	{name: "read a hidden directory that was replaced", during: `mv .hidden .h2; mkdir .hidden; echo hidden-secret >.hidden/file`, script: outsideFirst + `grep -qs hidden-secret "$REAL/.hidden/file" "$REAL/.h2/file"`},
	{name: "read a hidden directory that was replaced, where all can be written", policy: full, during: `mv .hidden .h2; mkdir .hidden; echo hidden-secret >.hidden/file`, script: outsideFirst + `sleep 0.3; grep -qs hidden-secret "$REAL/.hidden/file" "$REAL/.h2/file"`},
	{name: "read a hidden file that was replaced", during: `echo hidden-secret >x; mv x .hidden-file`, script: outsideFirst + `grep -qs hidden-secret "$REAL/.hidden-file"`},
	{name: "read what is hidden deeper, and was replaced", config: "[accounts.work.confinement]\nhidden = [\"~/deep/in/file\"]\n", during: `mkdir -p deep/in; echo hidden-secret >x; mv x deep/in/file`, script: outsideFirst + `grep -qs hidden-secret "$REAL/deep/in/file"`},
	{name: "write a start-up file that was replaced", policy: full, during: `cp .bashrc b2; mv b2 .bashrc`, script: outsideFirst + `sleep 0.3; echo evil >>"$REAL/.bashrc"`},
	{name: "read a bridge's token that was replaced", config: trackerBridge, during: `echo hidden-secret >tokens/new; mv tokens/new tokens/tracker`, script: outsideFirst + `grep -qs hidden-secret "$REAL/tokens/tracker"`},

	// The host's own logins, where a bridge for GitHub gives others.
	{name: "read .netrc beside a bridge", config: githubBridge, script: `grep -q hosts-secret "$REAL/.netrc"`},
	{name: "read git's credentials beside a bridge", config: githubBridge, script: `grep -q hosts-secret "$REAL/.git-credentials"`},
	{name: "read git's other credentials beside a bridge", config: githubBridge, script: `grep -q hosts-secret "$REAL/.config/git/credentials"`},
	{name: "read the credentials that git is configured to use beside a bridge", config: githubBridge, script: `grep -q hosts-secret "$REAL/vault/creds"`},
	{name: "ask git for credentials beside a bridge", config: githubBridge, script: `printf 'protocol=https\nhost=github.com\n\n' | GIT_TERMINAL_PROMPT=0 GIT_CONFIG_GLOBAL="$REAL/.gitconfig" git credential fill | grep -q hosts-secret`},
	{name: "read gh's login beside a bridge", config: githubBridge, script: `grep -q hosts-secret "$REAL/.config/gh/hosts.yml"`},

	// What a policy does not give.
	{name: "write in the home", script: `echo x >"$REAL/x"`},
	{name: "write in HOME", script: `echo x >"$HOME/x"`},
	{name: "write in the workspace", policy: readOnly, script: `echo x >x`},
	{name: "write in what is hidden", script: `echo x >"$REAL/.hidden/x"`, outside: `test -e "$REAL/.hidden/x"`},
	{name: "read a hidden directory", script: `grep -q hidden-secret "$REAL/.hidden/file"`},
	{name: "read a hidden directory by HOME", script: `grep -q hidden-secret "$HOME/.hidden/file"`},
	{name: "read a hidden file", script: `grep -q hidden-secret "$REAL/.hidden-file"`},
	{name: "read a private file of the home", script: `grep -q private-secret "$HOME/.private"`},
	{name: "write a file that is read-only in the workspace", script: `echo evil >>.env`},

	// Processes, terminals, sockets, the kernel.
	{name: "see a process outside", script: `test -d "/proc/$VICTIM/fd"`},
	{name: "kill a process outside", policy: full, script: `kill "$VICTIM"`},
	{name: "read the environment of a process outside", script: `grep -q victim-secret "/proc/$VICTIM/environ"`},
	{name: "unlock the account", script: `flock -n "$REAL/.swop/locks/work" true || { for fd in /proc/self/fd/*; do test "$(readlink "$fd")" = "$REAL/.swop/locks/work" && exit 0; done; exit 1; }`},
	{name: "enter the namespaces of a process outside", script: `nsenter -t "$VICTIM" -m true`, root: true},
	{name: "connect to an abstract socket", script: `attack abstract "$ABSTRACT"`},
	{name: "connect to a socket in the home", script: `attack unix "$REAL/agent.sock"`},
	{name: "connect to a socket in the home by HOME", script: `attack unix "$HOME/agent.sock"`},
	{name: "connect to a socket in /tmp", policy: full, script: `attack unix "$TMPSOCKET"`},
	{name: "connect to a socket that was moved", script: `attack unix "$REAL/project/moved.sock"`},
	{name: "connect to a socket by another name", policy: full, script: `ln moved.sock other.sock && attack unix "$PWD/other.sock"`},
	{name: "connect to a socket that is made later", policy: full, script: `attack later`},
	{name: "send a datagram", script: `attack datagram datagrams.sock`},
	{name: "trace the first process", policy: full, script: `attack trace`},
	{name: "signal the job", policy: full, script: `kill -URG 0`, outside: `test -e "$REAL/signalled"`, job: true},
	{name: "write to another terminal", policy: full, script: `echo x >"$TTY"`},
	{name: "see the host's /tmp", script: `test -S "$TMPSOCKET"`},
	{name: "type into the terminal", policy: full, script: `attack type`},
	{name: "paste into the console", script: `attack paste`},
	{name: "read the kernel's keyring", policy: full, script: `attack keyring`},
	{name: "read a device", policy: full, script: `dd if=/dev/kmsg bs=8192 count=1`, root: true},
	{name: "change what the kernel runs", policy: full, script: `f=/proc/sys/kernel/core_pattern; v=$(cat $f); printf %s "$v" >$f`, root: true},
	{name: "change the kernel's parameters in /sys", policy: full, script: `f=/sys/kernel/mm/transparent_hugepage/enabled; test -w $f`, root: true},
	{name: "make a device", policy: full, script: `mknod dev b 1 1`, root: true},
	{name: "mount over a mask", policy: full, script: `mount -t tmpfs none /mnt && umount /mnt`, root: true},
}

// asOther is a script for an unconfined session of the other account.
func asOther(script string) string { return "SWOP_ACCOUNT=other FAKE_SH='" + script + "' codex exec" }

const homeAgain = `mount --bind "$REAL" /mnt`

// asNext is a script for the next session under the same policy.
func asNext(script string) string {
	return "SWOP_ACCOUNT=work SWOP_CONFINE=$POLICY FAKE_SH='" + script + "' codex exec"
}

// outsideFirst lets a script wait until what is to happen outside has happened.
const outsideFirst = `touch up; while ! test -e go; do sleep 0.02; done; `

const (
	trackerBridge = "[bridge.tracker]\nkind = \"http\"\nupstream = \"https://example.com\"\nheader = \"X: {token}\"\ntoken = { file = \"~/tokens/tracker\" }\nallow = [\"GET /**\"]\n"
	githubBridge  = "[bridge.github]\nkind = \"github\"\ntoken = { env = \"SANDBOX_GH_TOKEN\" }\nallow = [\"GET /user\"]\n"
)

// TestAttacks runs every attack unconfined, where it has to succeed, and confined, where it must not.
func TestAttacks(t *testing.T) {
	testhome.Needs(t, "bwrap")
	makePrograms(t)
	for _, a := range attacks {
		t.Run(a.name, func(t *testing.T) {
			if a.root && os.Geteuid() != 0 {
				return
			}
			if !newBattlefield(t).succeeds(a, config.ConfineOff) {
				t.Error("unconfined it fails, so it shows nothing")
			}
			policy := a.policy
			if policy == "" {
				policy = config.ConfineWorkspace
			}
			if newBattlefield(t).succeeds(a, policy) {
				t.Errorf("it succeeds under %s", policy)
			}
		})
	}
}

// battlefield is a home with two accounts, and what an attack aims at.
type battlefield struct {
	t    *testing.T
	home string
	env  []string
	// for the descriptors 8 and 9
	accounts, login *os.File
}

func newBattlefield(t *testing.T) *battlefield {
	t.Helper()
	base, err := os.MkdirTemp(os.Getenv("GOTMPDIR"), "battle-")
	testhome.NoError(t, err)
	t.Cleanup(func() { _ = exec.Command("chmod", "-R", "u+rwx", base).Run(); testhome.NoError(t, os.RemoveAll(base)) })
	b := &battlefield{t: t, home: filepath.Join(base, "home")}
	fakes, bin := filepath.Join(base, "fake"), filepath.Join(base, "bin")
	testhome.NoError(t, errors.Join(os.MkdirAll(fakes, 0o700), os.MkdirAll(bin, 0o700)))
	for _, name := range []string{"codex", "codex-swop", "fakecodex", "attack"} {
		testhome.NoError(t, os.Link(filepath.Join(programs, "bin", name), filepath.Join(bin, name)))
	}
	fake := "#!" + filepath.Join(bin, "fakecodex") + "\n"
	testhome.NoError(t, os.WriteFile(filepath.Join(fakes, "codex"), []byte(fake), 0o700))
	b.fill()
	b.env = []string{
		"PATH=" + bin + ":" + fakes + ":/usr/sbin:/usr/bin:/sbin:/bin", "HOME=" + b.home, "BIN=" + bin, "REAL=" + b.home,
		"SHARED=" + b.home + "/.codex", "CONFIG=" + b.home + "/.config/swop", "OTHER=" + b.account("other") + "/auth.json",
		"TMPSOCKET=/tmp/" + filepath.Base(base) + ".sock", "ABSTRACT=" + filepath.Base(base),
	}
	for _, label := range []string{"work", "other"} {
		b.must(exec.Command("sh", "-c", "echo sk-x | codex swop add "+label+" --with-api-key"))
		b.put(".swop/accounts/"+label+"/home/.codex/auth.json", `{"OPENAI_API_KEY":"secret-of-`+label+`"}`)
	}
	b.must(exec.Command("codex", "swop", "use", "work"))
	b.must(exec.Command("codex", "swop", "bind", "other", b.home+"/src/bound"))
	b.listen("unix", b.home+"/agent.sock")
	b.listen("unix", "/tmp/"+filepath.Base(base)+".sock")
	b.listen("unix", "@"+filepath.Base(base))
	b.listen("unix", b.home+"/project/bound.sock")
	testhome.NoError(t, os.Rename(b.home+"/project/bound.sock", b.home+"/project/moved.sock"))
	b.listen("unixgram", b.home+"/project/datagrams.sock")
	b.listenLater()
	b.openTerminal()
	b.startVictim()
	b.accounts, err = os.Open(b.home + "/.swop/accounts")
	testhome.NoError(t, err)
	b.login, err = os.Open(b.account("other") + "/auth.json")
	testhome.NoError(t, err)
	t.Cleanup(func() { testhome.NoError(t, errors.Join(b.accounts.Close(), b.login.Close())) })
	return b
}

// fill makes what the home has beside swop's.
func (b *battlefield) fill() {
	for name, text := range map[string]string{
		".codex/auth.json": `{"OPENAI_API_KEY":"secret-of-shared"}`, ".codex/config.toml": "model = \"x\"\n", ".codex/AGENTS.md": "good\n",
		".codex/.credentials.json": "secret-of-mcp\n", ".codex/sessions/2026/01/02/rollout-x.jsonl": "said\n",
		".netrc": "machine github.com login x password hosts-secret\n", ".git-credentials": "https://x:hosts-secret@github.com\n",
		".config/gh/hosts.yml": "github.com:\n  oauth_token: hosts-secret\n", ".config/git/credentials": "https://x:hosts-secret@github.com\n",
		"vault/creds": "https://x:hosts-secret@github.com\n", ".gitconfig": "[credential]\n\thelper = store --file " + b.home + "/vault/creds\n",
		"tokens/tracker": "hidden-secret\n", "deep/x": "", "deep/tokens/tracker": "hidden-secret\n", "plain/x": "", "src/bound/x": "", "project/conf/in/file": "hidden-secret\n",
		"data/.git/HEAD": "", "src/client/app/.git/HEAD": "ref: refs/heads/main\n",
		"linked/store/git/HEAD": "ref: refs/heads/main\n", "linked/cdx/x": "", "bare.git/HEAD": "ref: refs/heads/main\n", "bare.git/refs/x": "", "bare.git/objects/x": "", "bare.git/config": "[core]\n",
		"project/.git/HEAD": "ref: refs/heads/main\n", "project/.git/refs/x": "", "project/.git/objects/x": "",
		"project/.git/worktrees/tree/gitdir": b.home + "/project/trees/tree/.git\n", "project/.git/worktrees/tree/commondir": "../..\n", "project/.git/worktrees/tree/HEAD": "x\n",
		"project/trees/tree/.git": "gitdir: " + b.home + "/project/.git/worktrees/tree\n", "project/ext/.git": "gitdir: ../.git/modules/ext\n",
		"project/.git/modules/ext/HEAD": "x\n", "project/.git/modules/ext/refs/x": "", "project/.git/modules/ext/objects/x": "", "project/.git/modules/ext/config": "[core]\n\tworktree = ../../../ext\n",
		".bashrc": "good\n", ".hidden/file": "hidden-secret\n", ".hidden-file": "hidden-secret\n", ".private": "private-secret\n",
		"project/.git/config": "[core]\n", "project/.git/hooks/sample": "", "project/.env": "good\n",
		".config/swop/config.toml": "[home]\nprivate = [\".private-not\"]\n[confinement]\nhidden = [\"~/.hidden\", \"~/.hidden-file\"]\nreadonly = [\".env\"]\n",
	} {
		b.put(name, text)
	}
	for name, to := range map[string]string{"way": "store", ".git": "way/git", ".codex": "cdx"} {
		testhome.NoError(b.t, os.Symlink(to, filepath.Join(b.home, "linked", name)))
	}
}

func (b *battlefield) put(name, text string) {
	testhome.PutFile(b.t, filepath.Join(b.home, name), text)
}

func (b *battlefield) account(label string) string {
	return filepath.Join(b.home, ".swop", "accounts", label, "home", ".codex")
}

func (b *battlefield) listen(network, address string) {
	b.t.Helper()
	if network == "unixgram" {
		conn, err := net.ListenPacket(network, address)
		testhome.NoError(b.t, err)
		b.t.Cleanup(func() { testhome.NoError(b.t, conn.Close()) })
		return
	}
	l, err := net.Listen(network, address)
	testhome.NoError(b.t, err)
	go func() {
		for {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			_, _ = io.WriteString(conn, "reached\n") // the other end sees what is missing
			_ = conn.Close()
		}
	}()
	b.t.Cleanup(func() { _ = l.Close() }) // an attack may have removed it
}

// listenLater listens once an attack asks for it.
func (b *battlefield) listenLater() {
	ended, asked := make(chan struct{}), b.home+"/project/asked"
	b.t.Cleanup(func() { close(ended) })
	go func() {
		for !testhome.Exists(asked) {
			select {
			case <-ended:
				return
			case <-time.After(time.Millisecond):
			}
		}
		b.listen("unix", b.home+"/project/late.sock")
	}()
}

func reachLater() error {
	err := os.WriteFile("asked", nil, 0o600)
	for range 1000 {
		if testhome.Exists("late.sock") {
			break
		}
		time.Sleep(time.Millisecond)
	}
	return errors.Join(err, reach("late.sock"))
}

// openTerminal opens a terminal outside.
func (b *battlefield) openTerminal() {
	master, err := os.OpenFile("/dev/ptmx", os.O_RDWR|unix.O_NOCTTY, 0)
	testhome.NoError(b.t, err)
	number, err := unix.IoctlGetInt(int(master.Fd()), unix.TIOCGPTN)
	testhome.NoError(b.t, err)
	testhome.NoError(b.t, unix.IoctlSetPointerInt(int(master.Fd()), unix.TIOCSPTLCK, 0))
	b.env = append(b.env, "TTY=/dev/pts/"+strconv.Itoa(number))
	b.t.Cleanup(func() { testhome.NoError(b.t, master.Close()) })
}

// startVictim starts a program outside that the attacks aim at.
func (b *battlefield) startVictim() {
	victim := exec.Command("sleep", "1000")
	victim.Dir, victim.Env = "/", []string{"SECRET=victim-secret"}
	testhome.NoError(b.t, victim.Start())
	b.env = append(b.env, "VICTIM="+strconv.Itoa(victim.Process.Pid))
	b.t.Cleanup(func() { _ = victim.Process.Kill(); _ = victim.Wait() }) // an attack may have ended it
}

func (b *battlefield) must(cmd *exec.Cmd) {
	b.t.Helper()
	if out, err := b.in(cmd).CombinedOutput(); err != nil {
		b.t.Fatalf("%q: %v\n%s", cmd.Args, err, out)
	}
}

// in lets a command run in the battlefield.
func (b *battlefield) in(cmd *exec.Cmd) *exec.Cmd {
	cmd.Dir, cmd.Env = filepath.Join(b.home, "project"), append(b.env, cmd.Env...)
	if cmd.Args[0] == "codex" { // not the fake that is on the tests' own PATH
		cmd.Path, cmd.Err = filepath.Join(filepath.Dir(b.home), "bin", "codex"), nil
	}
	return cmd
}

// succeeds runs the attack under the policy.
func (b *battlefield) succeeds(a attack, policy string) bool {
	b.t.Helper()
	if strings.Contains(a.name, "private file of the home") {
		b.put(".config/swop/config.toml", "[home]\nprivate = [\".private\"]\n")
		if policy == config.ConfineOff {
			b.put(".config/swop/config.toml", "") // unconfined, what is private is not hidden but not there
		}
	}
	if policy == config.ConfineFull { // no file can be hidden
		b.put(".config/swop/config.toml", strings.Replace(testhome.TextOf(filepath.Join(b.home, ".config/swop/config.toml")), `, "~/.hidden-file"`, "", 1))
	}
	if a.bare {
		testhome.NoError(b.t, os.RemoveAll(filepath.Join(b.home, ".config", "swop")))
	}
	if a.config != "" {
		b.put(".config/swop/config.toml", testhome.TextOf(filepath.Join(b.home, ".config/swop/config.toml"))+a.config)
	}
	if a.answers != "" {
		b.put(".swop/accounts/work/approvals.toml", fmt.Sprintf("[[answer]]\nworkspace = %q\nkind = \"write\"\ntarget = %q\nallow = true\n", b.home+"/project", b.home+a.answers))
	}
	cmd := b.in(exec.Command("codex", "exec"))
	if a.dir != "" {
		cmd.Dir = filepath.Join(b.home, a.dir)
	}
	if a.during != "" {
		go b.act(cmd.Dir, a.during)
	}
	cmd.Env = append(cmd.Env, "SWOP_ACCOUNT=work", "SWOP_CONFINE="+policy, "FAKE_SH=echo the attack begins; "+a.script)
	if a.job {
		cmd.Path, cmd.Args = "/bin/sh", []string{"sh", "-c", `trap 'touch "$REAL/signalled"' URG; codex exec; exit $?`}
		cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	}
	if a.mounts != "" {
		shim := cmd.Path
		cmd.Path, cmd.Args = "/usr/bin/unshare", []string{"unshare", "-m", "sh", "-ec", a.mounts + `; exec "$0" exec`, shim}
	}
	cmd.ExtraFiles = []*os.File{nil, nil, nil, nil, nil, b.accounts, b.login} // 8 and 9
	out, err := cmd.CombinedOutput()
	status, failed := exitStatus(err)
	testhome.NoError(b.t, failed)
	if !strings.Contains(string(out), "the attack begins\n") {
		b.t.Fatalf("under %s nothing was tried: %v\n%s", policy, err, out)
	}
	if status == 0 && a.outside != "" {
		check := b.in(exec.Command("sh", "-c", a.outside))
		check.Env = append(check.Env, "SWOP_CONFINE=off", "POLICY="+policy)
		status, failed = exitStatus(check.Run())
		testhome.NoError(b.t, failed)
	}
	if policy == config.ConfineOff && status != 0 {
		b.t.Logf("unconfined: status %d\n%s", status, out)
	}
	return status == 0
}

// act runs what happens outside once a script in dir waits for it.
func (b *battlefield) act(dir, script string) {
	for range 1000 {
		if _, err := os.Stat(filepath.Join(dir, "up")); err == nil {
			break
		}
		time.Sleep(10 * time.Millisecond)
	}
	cmd := exec.Command("sh", "-ec", script)
	cmd.Dir = b.home
	if out, err := cmd.CombinedOutput(); err != nil {
		b.t.Errorf("outside: %v\n%s", err, out)
	}
	_ = os.WriteFile(filepath.Join(dir, "go"), nil, 0o600) // else the test does not end
}

// attackMain is a program for what no shell can do. It exits with 0 where that worked.
func attackMain() {
	var err error
	switch os.Args[1] {
	case "unix":
		err = reach(os.Args[2])
	case "abstract":
		err = reach("@" + os.Args[2])
	case "later":
		err = reachLater()
	case "datagram":
		var conn net.Conn
		if conn, err = net.Dial("unixgram", os.Args[2]); err == nil {
			_, err = conn.Write([]byte("x"))
		}
	case "trace":
		first := os.Getppid()
		if _, err := confine.ReadInside(); err == nil {
			first = 1
		}
		err = unix.PtraceSeize(first)
	case "type":
		err = inTerminal(func(fd int) error {
			return ioctl(fd, unix.TIOCSTI, "x")
		})
	case "paste":
		err = inTerminal(func(fd int) error {
			if err := ioctl(fd, 0x541c, "\x02"); errors.Is(err, unix.EPERM) { // TIOCLINUX
				return err
			}
			return nil // a terminal that is no console knows no such call, which is the terminal's answer
		})
	case "scribble":
		err = scribble(os.Args[2], os.Args[3])
	case "keyring":
		_, err = unix.AddKey("user", "swop-test", []byte("x"), unix.KEY_SPEC_PROCESS_KEYRING)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "attack:", err)
		os.Exit(1)
	}
}

func reach(address string) error {
	conn, err := net.Dial("unix", address)
	if err != nil {
		return err
	}
	text, err := io.ReadAll(conn)
	if err == nil && !strings.Contains(string(text), "reached") {
		err = fmt.Errorf("it answers %q", text)
	}
	return err
}

// inTerminal calls f with a new terminal, which controls this process.
func inTerminal(f func(fd int) error) error {
	master, err := os.OpenFile("/dev/ptmx", os.O_RDWR|unix.O_NOCTTY, 0)
	if err != nil {
		return err
	}
	number, err := unix.IoctlGetInt(int(master.Fd()), unix.TIOCGPTN)
	if err == nil {
		err = unix.IoctlSetPointerInt(int(master.Fd()), unix.TIOCSPTLCK, 0)
	}
	if err != nil {
		return err
	}
	slave, err := os.OpenFile("/dev/pts/"+strconv.Itoa(number), os.O_RDWR|unix.O_NOCTTY, 0)
	if err != nil {
		return err
	}
	_, _ = unix.Setsid() // it may lead a session already
	if err := unix.IoctlSetInt(int(slave.Fd()), unix.TIOCSCTTY, 0); err != nil {
		return err
	}
	return f(int(slave.Fd()))
}

func ioctl(fd int, request uintptr, value string) error {
	text := []byte(value)
	if _, _, errno := unix.Syscall(unix.SYS_IOCTL, uintptr(fd), request, uintptr(unsafe.Pointer(&text[0]))); errno != 0 {
		return errno
	}
	return nil
}
