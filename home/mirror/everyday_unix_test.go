//go:build unix

package mirror

import (
	"strings"
	"testing"

	"swop/disk"
	"swop/internal/testhome"
)

// everyday are things that programs do, and what must be true then: scripts, see [testWorld.do]. The random test found some; the others are what it
// does not play.
var everyday = map[string]string{
	// A link that a program replaces.
	"a config replaced in each run": `share config.toml 0 # codex up to 0.87 does it
		replace $own/config.toml 1; tick; start idle; tick; want $shared/config.toml 1
		replace $own/config.toml 2; tick; start idle; tick; want $shared/config.toml 2; said 0`,
	"adopted, then replaced": `put $own/notes 1; tick; start idle; tick; replace $own/notes 2; start idle; want $shared/notes 2; said 0`,
	"both sides changed, no start between": `share notes 0; replace $own/notes 1; put $shared/notes by another; tick
		put $shared/notes by another, again; tick; put $own/notes 2; tick; start idle; want $shared/notes 2; said 1; settle; held by another, again`,
	"both sides changed, starts between": `share notes 0; replace $own/notes 1; put $shared/notes by another; tick; start busy; tick
		put $shared/notes by another, again; tick; start busy; tick; put $own/notes 2; tick; start idle; want $shared/notes 2; said 1; settle
		held by another, again`,
	"an equal file of fewer permissions": `share notes text; chmod 644 $shared/notes; replace $own/notes text; settle; mode $shared/notes 600; want $b/notes text`,
	"an equal file that can be run": `share notes text; chmod 644 $shared/notes; replace $own/notes text; chmod 755 $own/notes; settle
		mode $shared/notes 755; want $b/notes text`,
	"a file that cannot be read": `no-root; share notes 1234; rm $own/notes; put $own/notes 5678; chmod 0 $own/notes; put $shared/other text
		start busy; want $own/other text`,
	"a version that is not quiet": `share notes old; replace $own/notes new; tick; start busy; want $shared/notes old; start quiet; want $shared/notes new`,
	"a version with a log": `share notes old; replace $own/notes ` + logHeader + `; put $own/notes-wal ` + logHeader + `; tick
		start quiet; want $shared/notes old`,
	// It has seen the shared version, which was written after the last scan, and brings an older file back. A start comes before it is quiet.
	"what was seen is remembered": `share notes first; tick; start busy; put $own/notes written through the link; tick; start busy; tick
		put $own/moved older; age $own/moved 1h; mv $own/moved $own/notes; start busy; want $own/notes older
		settle; want $own/notes older; want $shared/notes older; said 0`,
	// A run was killed after the file got its second name. What replaces it is later, although that changed the inode of the first.
	"adopted by a killed run, then replaced": `start rest; put $own/notes old; ln $own/notes $shared/notes; tick; put $shared/notes.tmp new; tick
		mv $shared/notes.tmp $shared/notes; settle; want $shared/notes new; kept old`,

	// What sessions make.
	"new entries wait": `share notes text; put $own/file new; symlink /usr $own/link; put $own/dir/file new; symlink $own/notes $own/dir/link
		symlink ../notes $own/dir/up; tick; start quiet; gone $shared/file $shared/link $shared/dir; settle; leads $shared/link /usr; want $shared/dir/link text; want $shared/dir/up text`,
	"equal files that are open": `start busy; open $own/log; open $shared/log; start busy;
		write $own/log kept 1; write $shared/log kept 2; close; settle; held kept 1; held kept 2`,
	"equal files that the server has open": `start busy; open $own/log; open $shared/log; start idle;
		write $own/log kept 1; write $shared/log kept 2; close; settle; held kept 1; held kept 2`,
	"equal sessions that are open": `start busy; rm $own/sessions; mkdir $own/sessions; open $own/sessions/log; open $shared/sessions/log; start idle
		write $own/sessions/log kept 1; write $shared/sessions/log kept 2; close; settle; held kept 1; held kept 2`,
	// Their directories keep their permissions; one that its owner may not write becomes writable.
	"merged directories": `settle; put $own/conf/file a; put $b/conf/open/file b; put $b/conf/open/closed/file b; chmod 755 $b/conf/open
		chmod 555 $b/conf/open/closed; settle; want $shared/conf/open/closed/file b; mode $shared/conf/open 755; mode $shared/conf/open/closed 755`,
	"two databases kept in one second": `database $shared <0>; rm $own/state_5.sqlite; database $own <1>; settle
		rm $own/state_5.sqlite; database $own <2>; settle; logs-beside-databases`,

	// Links that programs rename.
	"a backup by mv": `share config.toml old; mv $own/config.toml $own/config.toml.bak; put $own/config.toml new
		settle; want $b/config.toml new; want $b/config.toml.bak old`,
	"a temporary name, reused": `share notes first; put $own/notes.new second; start rest; tick; mv $own/notes.new $own/notes; put $own/notes.new third
		settle; want $shared/notes second; want $shared/notes.new third`,
	"a link that dangles is no rename": `share new text; mv $own/new $own/third; mv $own/config.toml $own/new; mv $own/third $own/config.toml
		settle; want $shared/config.toml text; gone $shared/new`,

	// Links of the user's.
	"a link to a shared entry":    `share notes text; symlink $shared/notes $own/alias; settle; want $own/alias text; want $b/alias text`,
	"a link to an unlinked entry": `isolate-home; start busy; put $home/projects/file text; symlink $home/projects $box/p; start busy; want $home/projects/file text`,
	"a link to the home":          `symlink $shared/ $own/h; settle; leads $shared/h $shared/`,
	"a link in a circle": `symlink $shared/todo $shared/todo; start rest; ln $own/todo $own/auth.json; mv $own/todo $own/todo.moved; put $own/todo text
		settle; gone $shared/auth.json $own/auth.json; want $shared/todo text; want $shared/todo.moved text`,
	"the copied link of what cannot be read": `no-root; share notes text; share more text; chmod 0 $shared/notes; ln $own/notes $own/notes.bak
		ln $own/more $own/more.bak; ln $own/notes $own/auth.json; start rest; start rest; want $shared/more.bak text; leads $own/notes.bak $shared/notes
		gone $own/auth.json; replace $own/notes new; start rest; want $shared/notes new`,
	"a link beside its target is kept": `put $shared/CLAUDE.md text; symlink $shared/CLAUDE.md $shared/AGENTS.md; start rest; replace $own/AGENTS.md new
		settle; want $shared/AGENTS.md new; leads $kept/*/files/AGENTS.md $shared/CLAUDE.md`,
	"a link into the session's home": `isolate-home; share config.toml old; put $home/dotfiles/config.toml dotfile; rm $own/config.toml
		symlink $box/dotfiles/config.toml $own/config.toml; settle; leads $shared/config.toml $home/dotfiles/config.toml`,
	// What leads to nothing beside the session's home was meant for what is beside the real one.
	"links beside the home": `isolate-home; start busy; put $root/there text; symlink ../beside $box/top; mkdir $box/dir; symlink ../../beside $box/dir/below
		symlink ../../../there $box/leads; symlink ../../../../there $box/dir/leads; settle; leads $home/top ../beside; leads $home/dir/below ../../beside
		want $home/leads text; want $home/dir/leads text`,
	"a dotfile that replaces its link":  movedToDots + `symlink dots/notes $own/notes` + leadsToDots,
	"a dotfile linked by its path":      movedToDots + `symlink $own/dots/notes $own/notes` + leadsToDots,
	"a dotfile linked by another link":  movedToDots + `symlink dots/more $own/notes` + leadsToDots,
	"a link to nothing":                 leadsNowhere("/none"),
	"a link to what is below a file":    leadsNowhere("/dev/null/below"),
	"a link to a name that is too long": leadsNowhere("/" + strings.Repeat("x", disk.NameMax+1)),
	"a link to itself":                  leadsNowhere("config.toml"),

	// Private entries.
	"an adopted temporary becomes private": `put $own/.tmpAbC the id of a; start rest; mv $own/.tmpAbC $own/cloud-requirements-cache.json; settle
		want $own/cloud-requirements-cache.json the id of a; unseen the id of a; gone $b/cloud-requirements-cache.json`,
	"private, removed, then shared": `private notes; put $own/notes private to a; put $shared/notes shared; settle; private; settle; want $own/notes private to a
		rm $own/notes; start rest; start rest; want $own/notes shared; tick; replace $own/notes new; settle; want $shared/notes new`,
	"no longer private by name": `private notes; put $own/notes private to a; share notes shared; private; settle; want $own/notes private to a
		want $shared/notes shared; unseen private to a`,
	"no longer private by pattern": `private n*; put $own/notes private to a; share notes shared; private; settle; want $own/notes private to a
		want $shared/notes shared; unseen private to a`,
	"made under a pattern that goes": `private n*; settle; put $own/notes private to a; private; settle; want $own/notes private to a; unseen private to a`,

	// The hard-linked file.
	"credentials replaced and written": `share .credentials.json old; replace $own/.credentials.json by a; put $b/.credentials.json by b # as codex up to 0.148 does
		settle; held by a; held by b`,
	"the newer credentials are shared": `put $shared/.credentials.json old; put $own/.credentials.json new; age $shared/.credentials.json 1h; settle
		want $shared/.credentials.json new; want $b/.credentials.json new; kept old`,
	"the older credentials are kept": `put $shared/.credentials.json new; put $own/.credentials.json old; age $own/.credentials.json 1h; settle
		want $own/.credentials.json new; want $b/.credentials.json new; kept old`,
	"credentials that cannot be kept": `share .credentials.json old; rm $kept; put $kept no directory; replace $own/.credentials.json by a
		put $b/.credentials.json by b; start rest; tells is not a directory; rm $kept; settle; held by a; held by b; gone $root/accounts/a/moving/*`,
	"credentials removed, then written": `share .credentials.json old; rm $own/.credentials.json; tick; put $b/.credentials.json by b; settle; held by b`,
	"credentials by an adopted temporary": `share .credentials.json old; put $own/.tmpAbC new; settle; mv $own/.tmpAbC $own/.credentials.json; settle
		want $own/.credentials.json new; want $b/.credentials.json new`,
	"credentials that become private": `share .credentials.json old; private-to-a .cred*; settle; gone $own/.credentials.json
		put $own/.credentials.json private to a; put $b/.credentials.json by b; settle; want $own/.credentials.json private to a; want $shared/.credentials.json by b
		private-to-a; settle; want $own/.credentials.json private to a; want $shared/.credentials.json by b
		rm $own/.credentials.json; settle; want $own/.credentials.json by b; start rest; pinned 0`,
}

// A file is moved into a directory of dotfiles, and a link to there takes its place. What was moved is our link, which goes on leading to the
// shared file: that stays, and none leads to itself.
const (
	movedToDots = `mkdir $shared/dots; share notes text; mv $own/notes $own/dots/notes; symlink notes $own/dots/more; `
	leadsToDots = `; settle; want $own/notes text; want $own/dots/notes text; want $shared/notes text; want $b/notes text`
)

// leadsNowhere puts a link in the place of ours that replaces nothing, and stops nothing.
func leadsNowhere(target string) string {
	return `share config.toml text; rm $own/config.toml; symlink ` + target + ` $own/config.toml; settle; want $own/config.toml text`
}

func TestEngineEveryday(t *testing.T) {
	for name, script := range everyday {
		t.Run(name, func(t *testing.T) { newWorld(t, testhome.Scratch(t), "a", "b").do(script) })
	}
}
