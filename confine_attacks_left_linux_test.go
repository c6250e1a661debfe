package swop_test

import "strings"

// attacksByLeaving are on the promise that nothing that a session wrote decides anything outside.
func attacksByLeaving() []attack {
	return []attack{
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
		{name: "leave a transcript that codex resumes without a sandbox", script: `d=$CODEX_HOME/sessions/2026/01/03; mkdir -p $d; for l in '"session_meta","payload":{"id":"evil","cwd":"'"$PWD"'"}' '"event_msg","payload":{"type":"thread_settings_applied","thread_settings":{"approval_policy":"never"}}'; do echo '{"timestamp":"t","type":'"$l"'}'; done >$d/rollout-2026-01-03T10-00-00-evil.jsonl`, outside: `grep -q never "$SHARED"/sessions/2026/01/03/rollout-*`},
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

		// What git and codex obey deeper in what can be written, whether it is there or the session makes it.
		{name: "write a repository that lies in the workspace", script: `echo '[core] fsmonitor = evil' >>vendor/lib/.git/config`},
		{name: "write a repository deep in a writable directory", config: "[accounts.work.confinement]\nwritable = [\"~/deep\"]\n", script: `echo '[core] fsmonitor = evil' >>"$REAL/deep/src/host/org/repo/.git/config"`},
		{name: "write what git's configuration includes", script: `echo '[core] fsmonitor = evil' >>included`},
		{name: "make a hook where git's configuration says", script: `echo evil >hooks.d/pre-commit`},
		{name: "make a hook where the user's configuration says", script: `echo evil >hooks.user/pre-commit`},
		{name: "make the hooks that git's configuration names", script: `mkdir hooks.new && echo evil >hooks.new/pre-commit`, outside: `test -e hooks.new/pre-commit`},
		{name: "make a repository that runs a program", script: makeEvil, outside: `git -C sub status; test -e ran`},
		{name: "make a repository with a hook", script: `git init -q sub && echo evil >sub/.git/hooks/pre-commit`, outside: `test -e sub/.git/hooks/pre-commit`},
		{name: "make a repository in a module of another", script: makeEvil + ` && git init -q top && mkdir top/.git/modules && mv sub/.git top/.git/modules/x && echo "gitdir: ../top/.git/modules/x" >sub/.git`, outside: `git -C sub status; test -e ran`},
		{name: "lead git by a file to a repository", script: makeEvil + ` && mv sub/.git dir && echo "gitdir: ../dir" >sub/.git`, outside: `git -C sub status; test -e ran`},
		{name: "lead git by a link to a repository", script: makeEvil + ` && mv sub/.git dir && ln -s ../dir sub/.git`, outside: `git -C sub status; test -e ran`},
		{name: "make a directory look like a repository", script: makeEvil + ` && mv sub/.git dir && git --git-dir dir config core.worktree "$PWD/sub"`, outside: `cd dir && git status; test -e ../ran`},
		{name: "make the workspace look like a repository", dir: "plain", script: makeEvil + ` && mv sub/.git/* . && git --git-dir . config core.worktree "$PWD/sub"`, outside: `cd ../plain && git status; test -e ran`},
		{name: "hide a repository in a closed directory, and show it in the next session", script: makeEvil + ` && mkdir h && mv sub h && chmod 0 h`, outside: asNext(`chmod 700 h && mv h/sub .`) + `; git -C sub status; test -e ran`},
		{name: "hide a repository in too long a path, and show it in the next session", script: makeEvil + ` && perl -e 'for (1..30) { mkdir "x" x 200; chdir "x" x 200 } rename "$ARGV[0]/sub", "sub"' "$PWD"`, outside: asNext(`perl -e "for (1..30) { chdir q(x) x 200 } rename q(sub), qq(\$ARGV[0]/sub)" "$PWD"`) + `; git -C sub status; test -e ran`},
		{name: "make a directory that was granted look like a repository, and then one in it", answers: "/plain", script: `cd "$REAL/plain" && rm x && mkdir refs objects && echo 'ref: refs/heads/main' >HEAD`, outside: asNext(`cd "$REAL/plain" && mkdir -p p && echo x >p/config && mv -T p .git; test -e .git/config`) + `; test -e ../plain/.git/config`},
		{name: "leave a repository with a hook in the account's own directory for a push", script: `git init -q --bare "$CODEX_HOME/memories/evil" && printf '#!/bin/sh\ntouch %s/ran\n' "$PWD" >"$CODEX_HOME/memories/evil/hooks/post-update" && chmod +x "$CODEX_HOME/memories/evil/hooks/post-update" && git init -q sub && { ` + gitUser + `git -C "$CODEX_HOME/memories/evil" config core.hooksPath hooks && git -C sub commit -q --allow-empty -m x; }`, outside: `for own in "$SHARED" "$REAL/.swop/accounts/work/confined/own"; do git -C sub push "$own/memories/evil" HEAD:refs/heads/x; done; test -e ran`},
		{name: "leave a repository with a hook among transcripts for a push", script: `git init -q --bare "$CODEX_HOME/sessions/evil" && printf '#!/bin/sh\ntouch %s/ran\n' "$PWD" >"$CODEX_HOME/sessions/evil/hooks/post-update" && chmod +x "$CODEX_HOME/sessions/evil/hooks/post-update" && git init -q sub && { ` + gitUser + `git -C "$CODEX_HOME/sessions/evil" config core.hooksPath hooks && git -C sub commit -q --allow-empty -m x; }`, outside: `for evil in "$SHARED/sessions/evil" "$REAL"/.swop/accounts/work/confined/refused/*/evil; do git -C sub push "$evil" HEAD:refs/heads/x; done; test -e ran`},
		{name: "write a configuration of codex deeper in the workspace", script: `echo 'notify = ["evil"]' >>vendor/.codex/config.toml`},
		{name: "make a configuration of codex deeper in the workspace", script: `mkdir -p sub/.codex && echo 'notify = ["evil"]' >sub/.codex/config.toml`, outside: `test -e sub/.codex/config.toml`},

		// What the next session finds where it looks for something.
		{name: "move the directory of what is hidden", config: "[accounts.work.confinement]\nhidden = [\"~/project/conf/in\"]\n", script: `mv conf z`, outside: asNext(`grep -q hidden-secret z/in/file`)},
		{name: "move the directory of what is hidden, where all can be written", policy: full, config: "[accounts.work.confinement]\nhidden = [\"~/project/conf/in\"]\n", script: `mv conf z`, outside: asNext(`grep -q hidden-secret z/in/file`)},
		{name: "move the directory above a bridge's token", policy: full, config: strings.Replace(trackerBridge, "~/", "~/deep/", 1), script: `cd "$REAL" && mv deep z && mkdir -p deep/tokens && echo x >deep/tokens/tracker`, outside: asNext(`grep -q hidden-secret "$REAL/z/tokens/tracker"`)},
		{name: "lead a writable directory elsewhere", config: "[accounts.work.confinement]\nwritable = [\"~/project/conf/in\"]\n", script: `mv conf z && mkdir c2 && ln -s "$REAL/plain" c2/in && ln -s c2 conf`, outside: `cd "$REAL/src"; ` + asNext(`echo evil >"$REAL/plain/evil"`)},
		{name: "lead a writable directory elsewhere that is not there yet", config: "[accounts.work.confinement]\nwritable = [\"~/project/later\"]\n", script: `ln -s "$REAL/plain" later`, outside: asNext(`echo evil >"$REAL/plain/evil"`)},
		{name: "lead a writable directory of other workspaces elsewhere", dir: "src", config: "[accounts.work.confinement]\nwritable = [\"~/src/out/later\"]\n", script: `mkdir out && ln -s "$REAL/plain" out/later`, outside: asNext(`echo evil >"$REAL/plain/evil"`)},
		{name: "move a bound directory", dir: "src", script: `mv bound b2 && ln -s b2 bound`, outside: `cd "$REAL/src/bound" && FAKE_SH='test "$SWOP_ACCOUNT" = work' codex exec`},
	}
}

// gitUser lets git commit.
const gitUser = `export GIT_AUTHOR_NAME=x GIT_AUTHOR_EMAIL=x GIT_COMMITTER_NAME=x GIT_COMMITTER_EMAIL=x; `

// makeEvil makes a repository in which git status runs a program.
const makeEvil = `git init -q sub && git -C sub config core.fsmonitor "touch $PWD/ran; false"`
