package oracle

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"swop/internal/testhome"
)

// TestTogether runs programs in sessions of both accounts at the same time, while codex starts in both again and again, and shares at once
// what may be moved.
func TestTogether(t *testing.T) {
	testhome.NotShort(t, "programs that take long")
	testhome.Needs(t, "sqlite3", "vim", "node", "npm")
	for name, row := range map[string]func(*play){
		"git in one repository": commitsTogether,
		"git clone":             clonesTogether,
		"vim":                   editsTogether,
		"vim is killed":         killedEditor,
		"npm install":           installsTogether,
		"locks and pid files":   reliesOnNames,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			row(newPlayOf(t, hasty))
		})
	}
}

// atOnce runs a step in a session of each account, with starts in both until the last has ended. KEY in it is the account's key.
func (p *play) atOnce(step string) {
	p.t.Helper()
	done := make(chan error, len(accounts))
	var sessions []*pair
	for _, key := range accounts {
		s := p.session(key)
		sessions = append(sessions, s)
		go func() { done <- s.do(strings.ReplaceAll(step, "KEY", key)) }()
	}
	for left := len(sessions); left > 0; {
		select {
		case err := <-done:
			testhome.NoError(p.t, err)
			left--
		default:
			p.starts()
		}
	}
	for _, s := range sessions {
		testhome.NoError(p.t, p.end(s))
	}
	p.settled()
}

// prints fails unless a script prints the same in both homes, for each account's key.
func (p *play) prints(script string) {
	p.t.Helper()
	for _, key := range accounts {
		script := strings.ReplaceAll(script, "KEY", key)
		if got, want := p.output(p.real, script), p.output(p.plain, script); got != want || want == "" {
			p.t.Errorf("%s prints\n%s\nand in the plain home\n%s", script, got, want)
		}
	}
}

// output returns what a script prints outside of all sessions, and how it ends.
func (p *play) output(home, script string) string {
	cmd := exec.Command("bash", "-c", script)
	cmd.Env, cmd.Dir = environment(p.dir, home, p.bin), home
	out, err := cmd.CombinedOutput()
	text := strings.ReplaceAll(string(out), home, "~")
	if err != nil {
		text += err.Error()
	}
	return text
}

// commitsTogether: who meets the lock of the other's git tries again, as in one home. git reads the index before it takes the lock for a
// commit of one path (2.39.5, seen without swop): the later of two drops what the other has just added, so both commands are tried again,
// and the index is read from HEAD in the end.
func commitsTogether(p *play) {
	p.atOnce(`cd ~/proj; for n in 1 2 3 4 5; do
		echo "# KEY $n" >KEY$n; until git add KEY$n && git commit -qm "KEY $n" KEY$n; do :; done
	done; cd /`)
	p.prints("cd proj; git reset -q; git fsck --no-dangling; git status --porcelain; git log --format=%s | sort; cat KEY*")
}

func clonesTogether(p *play) {
	p.atOnce(`git clone -q ~/proj ~/KEY; cd ~/KEY; for n in 1 2 3; do echo "# KEY $n" >>a; git commit -qam "KEY $n"; git stash; done; git gc -q; cd /`)
	p.prints("cd KEY; git fsck --no-dangling; git status --porcelain; git log --format=%s; cat a b")
}

// openEditor is a step that opens a new file in vim, changes it and waits for the swap file. What is written to descriptor 46 vim does.
const openEditor = `echo '# first' >~/KEY.txt; mkfifo "$CTL/vim"; vim -es -u NONE -i NONE ~/KEY.txt <"$CTL/vim" & exec 46>"$CTL/vim"
	echo "normal Go# of KEY" >&46; echo preserve >&46; until [ -s ~/.KEY.txt.swp ]; do sleep 0.01; done`

// editors opens an editor in a session of each account, and lets codex start. No swap file is moved.
func (p *play) editors() (sessions []*pair) {
	p.t.Helper()
	for _, key := range accounts {
		s := p.session(key)
		sessions = append(sessions, s)
		p.do(s, strings.ReplaceAll(openEditor, "KEY", key))
	}
	for range 3 {
		p.starts()
	}
	for _, key := range accounts {
		info, err := os.Lstat(p.swapFile(key))
		testhome.NoError(p.t, err)
		if !info.Mode().IsRegular() || testhome.Exists(filepath.Join(p.real, filepath.Base(p.swapFile(key)))) {
			p.t.Errorf("vim's swap file was shared while vim runs: %v", info.Mode())
		}
	}
	return sessions
}

func (p *play) swapFile(key string) string { return filepath.Join(p.sandbox(key), "."+key+".txt.swp") }

func editsTogether(p *play) {
	for _, s := range p.editors() {
		p.do(s, "echo w >&46; echo q >&46; exec 46>&-; wait")
		testhome.NoError(p.t, p.end(s))
	}
	p.settled()
	p.prints("cat KEY.txt; ls -a | grep swp; echo end")
}

// killedEditor: what a killed vim leaves is shared at rest, and another account's vim recovers it.
func killedEditor(p *play) {
	for _, s := range p.editors() {
		p.do(s, "kill -9 $!; exec 46>&-; wait")
		testhome.NoError(p.t, p.end(s))
	}
	p.settled()
	for n, key := range accounts {
		other := accounts[1-n]
		p.in(other, strings.ReplaceAll(`vim -es -u NONE -i NONE -r ~/KEY.txt -c 'w! ~/recovered-KEY' -c q!`, "KEY", key))
	}
	p.settled()
	p.prints("cat recovered-KEY; ls .KEY.txt.swp")
}

// reliesOnNames: what a session made is a directory or a file for its programs until it ends, and stays away when they remove it.
func reliesOnNames(p *play) {
	s := p.session("work")
	for _, step := range []string{
		"mkdir ~/lock; echo $$ >~/pid; mkdir -p ~/build/out; echo '# made' >~/made", "rmdir ~/lock; rm ~/pid; rm -r ~/build; mv ~/made ~/dir/",
	} {
		p.do(s, step)
		testhome.Tick(p.t)
		p.starts()
		p.starts()
	}
	testhome.NoError(p.t, p.end(s))
	p.settled()
	p.prints("ls -d lock pid build made 2>/dev/null; cat dir/made")
}

func installsTogether(p *play) {
	p.atOnce(`export npm_config_offline=true npm_config_audit=false npm_config_fund=false npm_config_update_notifier=false
		mkdir ~/src-KEY; cd ~/src-KEY; echo '{"name":"the-KEY","version":"1.0.0"}' >package.json; echo 'module.exports = "KEY"' >index.js
		npm pack --pack-destination "$CTL"; mkdir ~/app-KEY; cd ~/app-KEY; echo '{"name":"app","version":"1.0.0"}' >package.json
		npm install "$CTL"/the-KEY-1.0.0.tgz; node -p 'require("the-KEY")' >~/said-KEY; cd /`)
	p.prints("cat said-KEY app-KEY/node_modules/the-KEY/*; cd app-KEY && node -p 'require(\"the-KEY\")'; npm_config_update_notifier=false npm_config_offline=true npm cache verify >/dev/null 2>&1; echo $?; ls -d ~/.npm")
}
