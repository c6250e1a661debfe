package swop_test

// attacksOnGiven are on the promise that what is not given is not there.
// Attacks have these variables: OTHER, the login of the account "other"; SHARED, the codex home that accounts share; REAL, the real home; BIN,
// swop's programs; VICTIM, the pid of a program outside; CONFIG, where selector.toml lies; TCP, a port outside.
func attacksOnGiven() []attack {
	return []attack{
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
		{name: "read a hidden file by a mount that comes later", root: true, mounts: mountLater, script: outsideFirst + `grep -q hidden-secret "$REAL/data/file"`},
		{name: "read a hidden file by a second mount of its directory", root: true, mounts: `mount --bind "$REAL/.hidden" /mnt`, script: `grep -q hidden-secret /mnt/file`},
		{name: "write a start-up file by a second mount of the home", policy: full, root: true, mounts: homeAgain, script: `echo evil >>/mnt/.bashrc`, outside: `grep -q evil "$REAL/.bashrc"`},
		{name: "write the selector by a second mount of its directory", policy: full, root: true, mounts: `mount --bind "$REAL/.config" /mnt`, script: `echo '# evil' >>/mnt/swop/selector.toml`},
		{name: "move what is above swop's programs away by a second mount", policy: full, root: true, mounts: `mount --bind "$BIN/../.." /mnt`, script: `cd /mnt && d=$(basename "${BIN%/bin}") && mv "$d" "$d.old" && mv "$d.old" "$d"`},
		{name: "read another login by a bind of what is above the home", script: `mkdir m && unshare -rm sh -c 'mount --bind "${REAL%/*}" m && grep -q secret-of-other m/"${REAL##*/}"/.swop/accounts/other/home/.codex/auth.json'`},
		{name: "read another login where the home's mount is taken away", script: `unshare -rm sh -c 'umount -l "$REAL" 2>/dev/null; grep -q secret-of-other "$OTHER"'`},
		{name: "see that another account exists", script: `test -d "${OTHER%/home/.codex/auth.json}"`},
		{name: "read the login in the shared codex home", script: `grep -q secret-of-shared "$SHARED/auth.json"`},
		{name: "read the login in the shared codex home by HOME", policy: full, script: `unshare -rm true; grep -q secret-of-shared "$REAL/.codex/auth.json"`},
		{name: "overwrite another login", policy: full, script: `echo {} >"$OTHER"`, outside: `! grep -q secret-of-other "$OTHER"`},
		{name: "replace the sandbox of another account", policy: full, script: `mv "$REAL/.swop/accounts/other" "$REAL/stolen"`},
		{name: "replace swop's root", policy: full, script: `mv "$REAL/.swop" "$REAL/stolen"`},
		{name: "lead the own login to another's", script: `ln -sf "$OTHER" "$CODEX_HOME/auth.json"`, outside: `grep -q secret-of-other "$REAL/.swop/accounts/work/home/.codex/auth.json"`},

		// What the caller has open.
		{name: "add to the script of the shell outside", stdin: "<", script: `echo 'touch "$REAL/evil"' >>/proc/self/fd/0`, outside: `test -e "$REAL/evil"`},
		{name: "add to the script that the shell outside gets by a pipe", stdin: "|", script: `echo 'touch "$REAL/evil"' >/proc/self/fd/0`, outside: `test -e "$REAL/evil"`},

		// What a program outside replaces meanwhile.
		{name: "write git's configuration when git has", during: `cd project && cp .git/config .git/c2 && mv .git/c2 .git/config`, script: outsideFirst + `echo '[core] fsmonitor = evil' >>.git/config`},
		{name: "write a repository that was replaced", during: `cd project && cp -r .git .g3 && mv .git .g2 && mv .g3 .git`, script: outsideFirst + `sleep 0.3; echo '[core] fsmonitor = evil' >>.git/config`},
		{name: "make the .git that went away", during: `mv project/.git gone`, script: outsideFirst + `mkdir p && echo evil >p/config && mv -T p .git`, outside: `grep -q evil .git/config`},
		{name: "make the .git that goes away, at once", during: `mv project/.git gone`, script: `mkdir p && echo evil >p/config && touch up && until mv -T p .git 2>/dev/null; do :; done`, outside: `grep -q evil .git/config`},
		{name: "make the .codex that went away", during: `rm -rf project/.codex`, script: outsideFirst + `mkdir p && echo 'notify = ["evil"]' >p/config.toml && mv -T p .codex`, outside: `grep -q evil .codex/config.toml`},
		{name: "write a file that is read-only and was replaced", during: `cd project && cp .env e2 && mv e2 .env`, script: outsideFirst + `sleep 0.3; echo evil >>.env`},
		{name: "read a hidden directory that was replaced", during: `mv .hidden .h2; mkdir .hidden; echo hidden-secret >.hidden/file`, script: outsideFirst + `grep -qs hidden-secret "$REAL/.hidden/file" "$REAL/.h2/file"`},
		{name: "read a hidden directory that was replaced, where all can be written", policy: full, during: `mv .hidden .h2; mkdir .hidden; echo hidden-secret >.hidden/file`, script: outsideFirst + `sleep 0.3; grep -qs hidden-secret "$REAL/.hidden/file" "$REAL/.h2/file"`},
		{name: "read a hidden directory that was replaced, in one that the user could not write", config: "[accounts.work.confinement]\nhidden = [\"~/locked/box\"]\n", during: `chmod u+w locked; mv locked/box locked/b2; mkdir locked/box; echo hidden-secret >locked/box/file`, script: outsideFirst + `grep -qs hidden-secret "$REAL/locked/box/file" "$REAL/locked/b2/file"`},
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
	}
}

const (
	mountLater    = `mount --make-rshared /; (for n in $(seq 1000); do test -e "$REAL/project/up" && break; sleep 0.02; done; mount --bind "$REAL/.hidden" "$REAL/data"; touch "$REAL/project/go") >/dev/null 2>&1 &`
	trackerBridge = "[bridge.tracker]\nkind = \"http\"\nupstream = \"https://example.com\"\nheader = \"X: {token}\"\ntoken = { file = \"~/tokens/tracker\" }\nallow = [\"GET /**\"]\n"
	githubBridge  = "[bridge.github]\nkind = \"github\"\ntoken = { env = \"SANDBOX_GH_TOKEN\" }\nallow = [\"GET /user\"]\n"
)
