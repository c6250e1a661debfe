package repository

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"swop/config"
	"swop/disk"
	"swop/internal/testhome"
)

// TestPutAside: what a session leaves stays if git makes it so, and git runs no program for it.
func TestPutAside(t *testing.T) {
	const inTop, later = "cd top && ", "; # the next session\n"
	for _, tt := range []struct{ name, script, aside string }{
		{"init", "git init -q new", ""},
		{"clone", "git clone -q top new && cd new && git config user.name x && git commit -q --allow-empty -m x && git tag x && git push -q origin HEAD:x", ""},
		{"bare clone", "git clone -q --mirror top new", ""},
		{"shallow clone", "git clone -q --depth 1 file://$PWD/top new", ""},
		{"work tree", "git init -q new && cd new && git commit -q --allow-empty -m x && git worktree add -q ../tree", ""},
		{"submodule", "git init -q new && cd new && git -c protocol.file.allow=always submodule --quiet add ../top sub && git commit -qm x", ""},
		{"clone by cmake or cargo", "git clone -q --no-checkout --config advice.detachedHead=false --config core.autocrlf=false top new", ""},
		{"repository as codex makes it for its memories, by gitoxide", "git init -q new && echo x >new/.git/hooks/docs.url", ""},
		{"remote by an old form", "git init -q new && mkdir -p new/.git/branches && echo ext::x >new/.git/branches/x.sample", "new/.git"},
		{"sparse clone", "git clone -q --sparse file://$PWD/top new", ""},
		{"rebase with a conflict", "git init -q new && cd new && git config rerere.enabled true && for i in x y; do git checkout -q --orphan $i; echo $i >f; git add f; git commit -qm $i; done; git rebase -q x 2>/dev/null || { echo z >f; git add f; GIT_EDITOR=true git rebase --continue >/dev/null; }", ""},
		{"settings that run nothing", "git init -q --shared=group new && cd new && git config branch.x.description y && git config submodule.x.update rebase && git config remote.x.pushurl y && git config remote.x.gh-resolved base && git config commit.gpgsign false && echo '# why' >>.git/config && : >.git/index.lock", ""},
		{"submodule deep in the tree", "git init -q new && cd new && git -c protocol.file.allow=always submodule --quiet add ../top a/b/c/d/e/sub && git commit -qm x", ""},
		{"index of one that is unusual and was not read-only", "cd far/.git && : >index.lock && mv index.lock index", ""},
		{"commit in one that is unusual", inTop + "git commit -q --allow-empty -m x", ""},
		{"change by the user where it was read-only", inTop + "git config alias.y !y", ""},
		{"empty configuration of codex", "mkdir -p new/.codex", ""},
		{"link to what was read-only", "mkdir new && ln -s ../top/.git new/.git", ""},

		{"alias", "git init -q new && git -C new config alias.x !x", "new/.git"},
		{"key behind a section", "git init -q new && echo '[core] fsmonitor = x' >>new/.git/config", "new/.git"},
		{"key after a line that goes on", `git init -q new && printf '[user]\nname = x\\\n' >>new/.git/config`, "new/.git"},
		{"command that updates a submodule", "git init -q new && git -C new config submodule.x.update '!x'", "new/.git"},
		{"signing by a program", "git init -q new && git -C new config commit.gpgsign true", "new/.git"},
		{"included configuration", "git init -q new && git -C new config include.path x", "new/.git"},
		{"address that names a program", "git init -q new && git -C new remote add x ext::x", "new/.git"},
		{"address that names a program, in quotes", "git init -q new && printf '[remote \"x\"]\\n\\turl = ext:\"\":x\\n' >>new/.git/config", "new/.git"},
		{"hook", "git init -q new && echo x >new/.git/hooks/post-commit", "new/.git"},
		{"link for a configuration", "git init -q new && mv new/.git/config c && ln -s ../../c new/.git/config", "new/.git"},
		{"something to go on with", "git init -q new && mkdir new/.git/rebase-merge", "new/.git"},
		{"another common directory", "git init -q new && echo ../.. >new/.git/commondir", "new/.git"},
		{"configuration of a linked work tree", "git init -q new && cd new && git commit -q --allow-empty -m x && git worktree add -q ../tree && echo x >.git/worktrees/tree/config.worktree", "new/.git tree/.git"},
		{"module", "git init -q new && mkdir new/.git/modules && git init -q m && git -C m config alias.x !x && mv m/.git new/.git/modules/m", "new/.git"},
		{"work tree of a module elsewhere", "git init -q new && git -C new config core.worktree ..", "new/.git"},
		{"work tree of a module that does not lead back", "git init -q new && mkdir sub && mv new/.git dir && git --git-dir dir config core.worktree $PWD && echo gitdir: ../dir >sub/.git", "dir/HEAD sub/.git"},
		{"repository of a linked work tree that looks like none", "git init -q new && mkdir -p x/worktrees/t && mv new/.git/* x && mv x/HEAD x/worktrees/t && rmdir new/.git && echo ../.. >x/worktrees/t/commondir && echo gitdir: ../x/worktrees/t >new/.git && git -C new config alias.x !x", "new/.git x/worktrees/t/HEAD"},
		{"bare, with links", "git init -q --bare new && cd new && mkdir in && mv refs objects in && ln -s in/refs in/objects . && git config alias.x !x", "new/HEAD"},
		{"below what looks bare", "git init -q --bare new && git init -q new/in && git -C new/in config alias.x !x", "new/HEAD new/in/.git"},
		{"bare", "git init -q --bare new && git -C new config alias.x !x", "new/HEAD"},
		{"repository among objects, for a push", "git init -q new && git init -q --bare new/.git/objects/x && git -C new remote add x .git/objects/x", "new/.git"},
		{"link among the logs, to which a commit adds", "git init -q new && mkdir -p new/.git/logs && ln -s ../../../x new/.git/logs/HEAD", "new/.git"},
		{"link among the branches", "git init -q new && rmdir new/.git/refs/heads && ln -s ../../.. new/.git/refs/heads", "new/.git"},
		{"names taken", "git init -q new && git -C new config alias.x !x && cd new && for i in $(seq 1100); do : >.git.unchecked-$i; done", "new/.git"},
		{"repository among sample hooks", "git init -q new && git init -q --bare new/.git/hooks/x.sample", "new/.git"},
		{"work tree of a module elsewhere, before a comment", `git init -q new && mkdir -p new/.git/modules new/sub && git init -q m && mv m/.git new/.git/modules/sub && echo gitdir: ../.git/modules/sub >new/sub/.git && printf "\tworktree = $PWD/x #/../new/sub\n" >>new/.git/modules/sub/config`, "new/.git new/sub/.git"},
		{"two halves of a repository", "git init -q --bare y && git config -f y/config alias.x !x && mkdir x && mv y/HEAD x && echo ../y >x/commondir", "x/HEAD"},
		{"two halves, as a linked work tree", "git init -q --bare y && git config -f y/config alias.x !x && mkdir -p y/worktrees/x && mv y/HEAD y/worktrees/x && echo ../.. >y/worktrees/x/commondir", "y/worktrees/x/HEAD"},
		{"file that leads to one half, in two lines", `git init -q --bare y && git config -f y/config alias.x !x && mkdir x new && mv y/HEAD x && echo ../y >x/commondir && printf 'gitdir: ../x\r\n' >new/.git && git init -q --bare "$(printf 'x\r')"`, "new/.git x/HEAD"},
		{"file that leads out", "mkdir new && echo 'gitdir: /tmp/x' >new/.git", "new/.git"},
		{"link that leads nowhere", "mkdir new && ln -s x new/.git", "new/.git"},
		{"FIFO", "mkdir new && mkfifo new/.git", "new/.git"},
		{"link to a FIFO", "mkdir new && mkfifo x && ln -s ../x new/.git", "new/.git"},
		{"FIFOs in it", "git init -q new && cd new/.git && rm -r config hooks && mkfifo config hooks", "new/.git"},
		{"renamed", "git init -q new && mv old/dotgit old/.git", "old/.git"},
		{"changed", "echo '[alias]' >>far/.git/config", "far/.git linked/.git"},
		{"hook where the repository says", "mkdir -p far/hk/in && echo x >far/hk/in/pre-commit", "far/hk/in/pre-commit"},
		{"hook where the repository of a linked work tree says", "mkdir -p linked/hk/in && echo x >linked/hk/in/pre-commit", "linked/hk/in/pre-commit"},
		{"hook where the user's git says", "mkdir -p old/hk.user && echo x >old/hk.user/pre-commit && git init -q old", "old/hk.user/pre-commit"},
		{"hooks that nobody can list", "git init -q new && echo x >new/.git/hooks/pre-commit && chmod 0 new/.git/hooks", "new/.git"},
		{"in a directory that is closed", "mkdir h && git init -q h/new && git -C h/new config alias.x !x && chmod 0 h", "h/new/.git"},
		{"in a directory without the right to search", "mkdir h && git init -q h/new && git -C h/new config alias.x !x && chmod 600 h", "h/new/.git"},
		{"in a directory that cannot be written", "mkdir h && git init -q h/new && git -C h/new config alias.x !x && chmod 500 h/new", "h/new/.git"},
		{"in too long a path", "git init -q new && git -C new config alias.x !x && perl -e 'for (1..30) { mkdir \"x\" x 200; chdir \"x\" x 200 } rename \"$ARGV[0]/new\", \"new\" or die' $PWD", "* */new/.git"},
		{"hook where the user's git says, by a repository later", "mkdir -p d/hk.user && echo x >d/hk.user/pre-commit" + later + "git init -q d", "d/hk.user/pre-commit"},
		{"bare, by its HEAD later", "git init -q --bare d/new && git -C d/new config alias.x !x && mv d/new/HEAD h" + later + "mv h d/new/HEAD", "d/new/HEAD"},
		{"bare, by its refs later", "git init -q --bare d/new && git -C d/new config alias.x !x && mv d/new/refs r" + later + "mv r d/new/refs", "d/new/HEAD"},
		{"moved among linked work trees, later", "git init -q new && cd new && git commit -q --allow-empty -m x && git worktree add -q ../new/t && cd .. && mkdir -p h/x && echo x >h/x/config.worktree" + later + "mv h/x new/.git/worktrees", "new/.git"},
		{"hook where the repository says, moved there later", "mkdir -p z/in && echo x >z/in/pre-commit" + later + "mv z far/hk", "far/hk/in/pre-commit"},
		{"where a link for codex's configuration leads", "mkdir cdx && echo x >cdx/config.toml", "old/.codex"},
		{"link for codex's configuration to what is ordinary", "mkdir -p new cdx2 && ln -s ../cdx2 new/.codex", "new/.codex"},
		{"configuration of codex", "mkdir -p new/.codex/skills/x", "new/.codex"},
		{"file in the place of that", "mkdir new && echo x >new/.codex", "new/.codex"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			root := t.TempDir()
			t.Cleanup(func() { _ = exec.Command("chmod", "-R", "u+rwx", root).Run() })
			run(t, root, `git init -q top && cd top && git config alias.x !x && git commit -q --allow-empty -m x && cp -r . ../far && mkdir ../old && cp -r .git ../old/dotgit`)
			run(t, root, `git -C far config core.hooksPath hk/in && git -C far worktree add -q ../linked && ln -s ../cdx old/.codex && git config --file mine core.hooksPath hk.user`)
			var paths []string
			for script := range strings.SplitSeq(tt.script, later) {
				for time.Now().UnixMilli()%100 > 50 { // the clock of files ticks
					time.Sleep(time.Millisecond)
				}
				s := Session{Began: began(t, root), Kept: []string{filepath.Join(root, "top", ".git")}, User: User{Files: []string{filepath.Join(root, "mine")}}}
				run(t, root, script)
				left, all, err := s.PutAside(root)
				if err != nil || !all {
					t.Errorf("%v, %v", all, err)
				}
				run(t, root, "chmod -R u+rwx .")
				for _, l := range left {
					if renamed.MatchString(l.Path) {
						continue // in what has its new name
					}
					paths = append(paths, long.ReplaceAllString(strings.TrimPrefix(l.Path, root+"/"), "*"))
					if testhome.Exists(l.Path) || !testhome.Exists(l.Aside) {
						t.Errorf("%s is not called %s now", l.Path, l.Aside)
					}
				}
			}
			slices.Sort(paths)
			if want := strings.Fields(tt.aside); !slices.Equal(paths, want) {
				t.Errorf("%v, want %v", paths, want)
			}
		})
	}
}

// renamed is a path in what was renamed before.
var renamed = regexp.MustCompile(`\.(git|codex)\.unchecked-`)

// long is a path that was made to be too long.
var long = regexp.MustCompile("^[^ ]*x{200}")

// TestLinkAtTop: a link at the top may lead where it led when the session began, which can lie outside of the root, and nowhere else.
func TestLinkAtTop(t *testing.T) {
	base := t.TempDir()
	run(t, base, "git init -q a; git init -q b; mkdir root; cd root; ln -s ../a way; ln -s way/.git .git")
	s := Session{Began: began(t, base), Kept: []string{filepath.Join(base, "a", ".git"), Link(filepath.Join(base, "root", ".git"))}}
	for want, to := range []string{"../a", "../b"} {
		run(t, filepath.Join(base, "root"), "ln -sfn "+to+" way")
		if left, _, err := s.PutAside(filepath.Join(base, "root")); err != nil || len(left) != want {
			t.Errorf("where it leads to %s: %v, %v; want %d", to, left, err, want)
		}
	}
}

// began returns the time by which the kernel stamps files, once that is later than what was made so far.
func began(t *testing.T, root string) time.Time {
	t.Helper()
	const tick = 30 * time.Millisecond
	time.Sleep(tick)
	testhome.PutFile(t, filepath.Join(root, "lock"), "")
	info, err := os.Stat(filepath.Join(root, "lock"))
	testhome.NoError(t, err)
	return info.ModTime()
}

func run(t *testing.T, dir, script string) {
	t.Helper()
	cmd := exec.Command("sh", "-ec", script)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "HOME="+dir, "GIT_CONFIG_NOSYSTEM=1", "GIT_AUTHOR_NAME=x", "GIT_AUTHOR_EMAIL=x", "GIT_COMMITTER_NAME=x", "GIT_COMMITTER_EMAIL=x")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%s: %v\n%s", script, err, out)
	}
}

// TestLeavesAlone: what the session did not change is neither moved nor opened, and what it closed is closed again.
func TestLeavesAlone(t *testing.T) {
	root := t.TempDir()
	t.Cleanup(func() { _ = exec.Command("chmod", "-R", "u+rwx", root).Run() })
	run(t, root, `mkdir -m 0 old; mkdir -p new/in; mkdir -m 755 far; cd far; perl -e 'for (1..25) { mkdir "x" x 200; chdir "x" x 200 }'`)
	s := Session{Began: began(t, root)}
	run(t, root, "chmod 0 new/in new")
	left, all, err := s.PutAside(root)
	if len(left) > 0 || all || err != nil {
		t.Errorf("%v, %v, %v", left, all, err)
	}
	for name, want := range map[string]os.FileMode{"old": 0, "new": 0, "far": 0o755} {
		info, err := os.Stat(filepath.Join(root, name))
		testhome.NoError(t, err)
		if info.Mode().Perm() != want {
			t.Errorf("%s: %v", name, info.Mode())
		}
	}
}

// TestRenameLong: a name to which nothing can be added gets another one.
func TestRenameLong(t *testing.T) {
	root, name := t.TempDir(), strings.Repeat("x", 255)
	testhome.PutFile(t, filepath.Join(root, name), "")
	dir, err := disk.OpenPlace(root)
	testhome.NoError(t, err)
	defer unix.Close(dir)
	if aside, err := RenameAside(dir, name); err != nil || !testhome.Exists(filepath.Join(root, aside)) {
		t.Errorf("%q, %v", aside, err)
	}
}

// TestPutAsideTwice: what was put aside before keeps its name.
func TestPutAsideTwice(t *testing.T) {
	root := t.TempDir()
	s := Session{Began: began(t, root)}
	for n := range 2 {
		testhome.PutFile(t, filepath.Join(root, "new", ".codex", "x"), strconv.Itoa(n))
		left, _, err := s.PutAside(root)
		if want := ".codex.unchecked-" + strconv.Itoa(n+1); err != nil || len(left) != 1 || filepath.Base(left[0].Aside) != want {
			t.Errorf("%v, %v; want %s", left, err, want)
		}
	}
}

// TestFindNearest: of more directories than are searched, the nearest are found.
func TestFindNearest(t *testing.T) {
	root := t.TempDir()
	for _, dir := range []string{"a/b/c/d/.git", "near/.git", "near/sub/.codex", "z/.codex"} {
		testhome.NoError(t, os.MkdirAll(filepath.Join(root, dir), 0o700))
	}
	for most, want := range map[int]string{4: ".git near/.git .codex z/.codex false", 100: ".git a/b/c/d/.git near/.git .codex near/sub/.codex z/.codex true"} {
		f := Search{Root: root, Most: most}.Find()
		slices.Sort(f.Git)
		slices.Sort(f.Codex)
		got := strings.ReplaceAll(strings.Join(slices.Concat(f.Git, f.Codex), " "), root+"/", "") + " " + strconv.FormatBool(f.All)
		if got != want {
			t.Errorf("of %d directories %s\nwant %s", most, got, want)
		}
	}
}

// TestFindNamed: what git's configuration includes is found, also by another file that it includes, and the directory of hooks; by the user's own too.
func TestFindNamed(t *testing.T) {
	home := t.TempDir()
	for name, text := range map[string]string{
		"src/.git/config":                "[include]\n\tpath = ../one\n[includeIf \"gitdir:x\"] path = \"../two\"\n[core]\n\thooksPath = hooks\n",
		"src/one":                        "[include]\npath=three\n[include]\npath = one\n",
		"src/sub/.git":                   "gitdir: ../.git/modules/sub\n",
		"src/tree/.git":                  "gitdir: ../.git/worktrees/tree\n",
		"src/.git/worktrees/tree/gitdir": home + "/src/tree/.git\n", "src/.git/worktrees/tree/commondir": "../..\n",
		"src/other/.git": "gitdir: ../.git\n", "src/deep/.git/config": "", ".config/git/config": "[core]\nhooksPath = .xdg\n", "global": "[core]\nhooksPath = .global\n",
		".gitconfig":                  "[include]\n\tpath = ~/src/mine\n\tpath = ~/other\n[core]\n\thooksPath = .githooks # ours\n",
		"src/.git/modules/sub/config": "[core]\n\tworktree = ../../../sub\n\thooksPath = hooks\n",
	} {
		testhome.PutFile(t, filepath.Join(home, name), text)
	}
	f := Search{Root: filepath.Join(home, "src"), Most: 100, User: UserOf(home, config.Env{"GIT_CONFIG_GLOBAL=" + home + "/global"})}.Find()
	paths := f.Git
	for _, named := range f.Named {
		paths = append(paths, named.Path)
	}
	slices.Sort(paths)
	paths = slices.Compact(paths)
	got := strings.ReplaceAll(strings.Join(paths, " "), home+"/src/", "")
	want := ".git .githooks deep/.git deep/.githooks deep/.global deep/.xdg .global hooks mine one other/.git other/.githooks other/.global other/.xdg other/hooks sub/.git sub/.githooks sub/.global sub/.xdg sub/hooks three tree/.git tree/.githooks tree/.global tree/.xdg tree/hooks two .xdg"
	wanted := strings.Fields(want)
	slices.Sort(wanted)
	want = strings.Join(wanted, " ")
	if got != want {
		t.Errorf("%s\nwant %s", got, want)
	}
}
