package mirror

import (
	"os"
	"path/filepath"

	"swop/internal/testhome"
)

// races are what [TestEngineRaces] and [TestEngineRacesKilled] play.
var races = []race{
	{
		name: "a link that is to be dropped is removed",
		start: func(w *testWorld, own, shared string) {
			testhome.NoError(w.t, os.Symlink(filepath.Join(shared, "gone"), filepath.Join(own, "gone")))
		},
		before: "rename gone to gone",
		act:    func(w *testWorld, own, _ string) { testhome.NoError(w.t, os.Remove(filepath.Join(own, "gone"))) },
	},
	{
		name: "a link that is to be dropped is replaced, twice",
		start: func(w *testWorld, own, shared string) {
			testhome.NoError(w.t, os.Symlink(filepath.Join(shared, "gone"), filepath.Join(own, "gone")))
		},
		before: "rename gone to gone",
		act:    func(w *testWorld, own, _ string) { replaceFile(w.t, filepath.Join(own, "gone"), "kept 1") },
		want:   []string{"kept 1"},
	},
	{
		name:   "the shared version vanishes under a renamed link",
		start:  startStates["a renamed link over what another changed"],
		before: "rename config.toml to config.toml",
		act: func(w *testWorld, _, shared string) {
			testhome.NoError(w.t, os.Remove(filepath.Join(shared, "config.toml")))
		},
		want: []string{"kept 1"},
	},
	{
		name:   "the temporary file is renamed by another under a renamed link",
		start:  startStates["a renamed link over what another changed"],
		before: "rename .config.new to ",
		act: func(w *testWorld, _, shared string) {
			testhome.NoError(w.t, os.Rename(filepath.Join(shared, ".config.new"), filepath.Join(shared, "elsewhere")))
		},
		want: []string{"kept 1", "kept 2"},
	},
	{
		name: "credentials that were removed here are replaced there",
		start: func(w *testWorld, own, shared string) {
			testhome.PutText(w.t, filepath.Join(shared, ".credentials.json"), "old")
			testhome.NoError(w.t, w.reconcile("a", noProcesses))
			testhome.NoError(w.t, os.Remove(filepath.Join(own, ".credentials.json")))
		},
		before: "rename .credentials.json to .credentials.json",
		act: func(w *testWorld, _, shared string) {
			replaceFile(w.t, filepath.Join(shared, ".credentials.json"), "kept 1")
		},
		want: []string{"kept 1"},
	},
	{
		name:   "credentials that became private are replaced",
		start:  privateCredentials,
		before: "rename .credentials.json to .credentials.json",
		act:    func(w *testWorld, own, _ string) { replaceFile(w.t, filepath.Join(own, ".credentials.json"), "kept 2") },
		want:   []string{"kept 1", "kept 2"},
	},
	{
		name:   "credentials that became private are the only ones",
		start:  privateCredentials,
		before: "rename .credentials.json to .credentials.json",
		act: func(w *testWorld, _, shared string) {
			testhome.NoError(w.t, os.Rename(filepath.Join(shared, ".credentials.json"), filepath.Join(shared, "elsewhere")))
		},
		want: []string{"kept 1"},
	},
	{
		name: "credentials that were removed there are replaced here",
		start: func(w *testWorld, own, shared string) {
			testhome.PutText(w.t, filepath.Join(shared, ".credentials.json"), "old")
			testhome.NoError(w.t, w.reconcile("a", noProcesses))
			testhome.NoError(w.t, os.Remove(filepath.Join(shared, ".credentials.json")))
		},
		before: "rename .credentials.json to .credentials.json",
		act:    func(w *testWorld, own, _ string) { replaceFile(w.t, filepath.Join(own, ".credentials.json"), "kept 1") },
		want:   []string{"kept 1"},
	},
	{
		name:   "credentials that are overwritten are replaced",
		start:  startStates["a hard link that was replaced"],
		before: "rename .credentials.json to .credentials.json (exchange)",
		act: func(w *testWorld, _, shared string) {
			replaceFile(w.t, filepath.Join(shared, ".credentials.json"), "kept 2")
		},
		want: []string{"kept 1", "kept 2"},
	},
	{
		name: "credentials become a renamed link while they get their second name",
		start: func(w *testWorld, own, shared string) {
			testhome.PutText(w.t, filepath.Join(own, ".credentials.json"), "old")
			testhome.PutText(w.t, filepath.Join(shared, "x.new"), "kept 1")
		},
		before: "link .credentials.json to",
		act: func(w *testWorld, own, shared string) {
			testhome.NoError(w.t, os.Symlink(filepath.Join(shared, "x.new"), filepath.Join(own, "x.tmp")))
			testhome.NoError(w.t, os.Rename(filepath.Join(own, "x.tmp"), filepath.Join(own, ".credentials.json")))
		},
		want: []string{"kept 1"},
	},
	{
		name: "an adopted temporary file is renamed over credentials while they get their second name",
		start: func(w *testWorld, own, _ string) {
			testhome.PutText(w.t, filepath.Join(own, "x.new"), "kept 1")
			w.reconcileAfterTick()
			testhome.PutText(w.t, filepath.Join(own, ".credentials.json"), "old")
		},
		before: "link .credentials.json to",
		act: func(w *testWorld, own, _ string) {
			testhome.NoError(w.t, os.Rename(filepath.Join(own, "x.new"), filepath.Join(own, ".credentials.json")))
		},
		want: []string{"kept 1"},
	},
	{
		name: "credentials are replaced right after they got their second name",
		start: func(w *testWorld, own, _ string) {
			testhome.PutText(w.t, filepath.Join(own, ".credentials.json"), "kept 1")
		},
		after:  "link .credentials.json to",
		before: "stat .credentials.json",
		act: func(w *testWorld, _, shared string) {
			replaceFile(w.t, filepath.Join(shared, ".credentials.json"), "kept 2")
		},
		want: []string{"kept 2"}, // kept 1 was replaced by its program
	},
	{
		name: "an adopted temporary file is renamed over one that was renamed a moment ago, and the next one begun",
		start: func(w *testWorld, own, shared string) {
			testhome.PutText(w.t, filepath.Join(shared, "notes"), "old")
			testhome.PutText(w.t, filepath.Join(own, "x.new"), "first")
			testhome.PutText(w.t, filepath.Join(own, "y.new"), "kept 1")
			w.reconcileAfterTick()
			testhome.Tick(w.t)
			testhome.NoError(w.t, os.Rename(filepath.Join(own, "x.new"), filepath.Join(own, "notes")))
		},
		before: "rename x.new to notes",
		act: func(w *testWorld, own, _ string) {
			testhome.NoError(w.t, os.Rename(filepath.Join(own, "y.new"), filepath.Join(own, "notes")))
			testhome.PutText(w.t, filepath.Join(own, "y.new"), "kept 2")
		},
		want: []string{"kept 1", "kept 2"},
	},
	{
		name: "an adopted temporary file is renamed over credentials that are paired, and the next one begun",
		start: func(w *testWorld, own, shared string) {
			testhome.PutText(w.t, filepath.Join(own, "x.new"), "kept 1")
			w.reconcileAfterTick()
			testhome.PutText(w.t, filepath.Join(shared, ".credentials.json"), "kept 3")
			testhome.Tick(w.t)
			testhome.PutText(w.t, filepath.Join(own, ".credentials.json"), "kept 2")
		},
		before: "rename .credentials.json to .credentials.json (exchange)",
		act: func(w *testWorld, own, _ string) {
			testhome.NoError(w.t, os.Rename(filepath.Join(own, "x.new"), filepath.Join(own, ".credentials.json")))
			testhome.PutText(w.t, filepath.Join(own, "x.new"), "kept 4")
		},
		want: []string{"kept 1", "kept 2", "kept 3", "kept 4"},
	},
	{
		name:   "a link in an adopted directory is replaced by a file",
		start:  startStates["adopt a directory with links into the sandbox"],
		before: " to link (exchange)",
		act: func(w *testWorld, own, _ string) {
			replaceFile(w.t, filepath.Join(own, "proj", "deep", "link"), "kept 2")
		},
		want: []string{"kept 1", "kept 2"},
	},
	{
		name:     "one of two equal files is written while directories merge",
		activity: noProcesses,
		start: func(w *testWorld, own, shared string) {
			for _, dir := range []string{own, shared} {
				testhome.NoError(w.t, os.MkdirAll(filepath.Join(dir, "sessions"), 0o700))
				testhome.PutText(w.t, filepath.Join(dir, "sessions", "same"), "kept 1")
			}
		},
		before: "unlink same",
		act: func(w *testWorld, own, _ string) {
			testhome.NoError(w.t, appendLine(filepath.Join(own, "sessions", "same"), "kept 2"))
		},
		want: []string{"kept 1", "kept 2"},
	},
	{
		name: "a directory that is merged is removed",
		start: func(w *testWorld, own, shared string) {
			testhome.NoError(w.t, os.MkdirAll(filepath.Join(own, "sessions", "d"), 0o700))
			testhome.NoError(w.t, os.MkdirAll(filepath.Join(shared, "sessions"), 0o700))
		},
		before: "rename sessions to sessions (exchange)",
		act: func(w *testWorld, own, _ string) {
			testhome.NoError(w.t, os.Remove(filepath.Join(own, "sessions", "d")))
		},
	},
	{
		name:     "the directory that another is merged into is removed",
		activity: noProcesses,
		start: func(w *testWorld, own, shared string) {
			testhome.NoError(w.t, os.MkdirAll(filepath.Join(own, "sessions"), 0o700))
			testhome.NoError(w.t, os.MkdirAll(filepath.Join(shared, "sessions"), 0o700))
			testhome.PutText(w.t, filepath.Join(own, "sessions", "f"), "kept 1")
		},
		before: "rename f to f",
		act: func(w *testWorld, _, shared string) {
			testhome.NoError(w.t, os.RemoveAll(filepath.Join(shared, "sessions")))
		},
		want: []string{"kept 1"},
	},
	{
		name:     "the file whose link was copied is removed",
		activity: noProcesses,
		start: func(w *testWorld, own, shared string) {
			testhome.PutText(w.t, filepath.Join(shared, "notes"), "kept 1")
			w.reconcileAfterTick()
			testhome.NoError(w.t, os.Link(filepath.Join(own, "notes"), filepath.Join(own, "notes.bak")))
		},
		before: "mkdir files",
		act:    func(w *testWorld, _, shared string) { testhome.NoError(w.t, os.Remove(filepath.Join(shared, "notes"))) },
	},
	{
		name:     "another makes the database that is adopted",
		start:    startStates["a database"],
		activity: noProcesses,
		before:   "link state_5.sqlite to",
		act:      func(w *testWorld, _, shared string) { putDatabase(w.t, shared, "kept 2") },
		want:     []string{"kept 1", "kept 1 log", "kept 2", "kept 2 log"},
	},
	{
		name:     "another makes the database, and its log, before that is adopted",
		start:    startStates["a database"],
		activity: noProcesses,
		before:   "link state_5.sqlite-wal to",
		act:      func(w *testWorld, _, shared string) { putDatabase(w.t, shared, "kept 2") },
		want:     []string{"kept 1", "kept 1 log", "kept 2", "kept 2 log"},
	},
	{
		name: "an entry is made where a link is about to be",
		start: func(w *testWorld, _, shared string) {
			testhome.PutText(w.t, filepath.Join(shared, "notes"), "kept 1")
			testhome.Tick(w.t)
		},
		before: "symlink notes ->",
		act:    func(w *testWorld, own, _ string) { testhome.PutText(w.t, filepath.Join(own, "notes"), "kept 2") },
		want:   []string{"kept 1", "kept 2"},
	},
	{
		name: "a renamed link arrives where a link is about to be",
		start: func(w *testWorld, own, shared string) {
			testhome.PutText(w.t, filepath.Join(own, "notes.new"), "kept 1")
			w.reconcileAfterTick()
			testhome.PutText(w.t, filepath.Join(shared, "notes"), "kept 2")
			testhome.Tick(w.t)
		},
		before: "symlink notes ->",
		act: func(w *testWorld, own, _ string) {
			testhome.NoError(w.t, os.Rename(filepath.Join(own, "notes.new"), filepath.Join(own, "notes")))
		},
		want: []string{"kept 1", "kept 2"},
	},
	{
		name:   "a renamed link arrives where a link is dropped",
		start:  renamedOverGone,
		before: "rename notes to notes",
		act:    renameConfigToNotes,
		want:   []string{"kept 1", "kept 2"},
	},
	{
		name:   "a renamed link arrives where a link is about to be dropped",
		start:  renamedOverGone,
		after:  "mkdir skills", // which is done first
		before: "readlink notes",
		act:    renameConfigToNotes,
		want:   []string{"kept 1", "kept 2"},
	},
	{
		name:   "a renamed link arrives where a version is swapped out",
		start:  temporaryBesideTwo,
		before: " to notes (exchange)",
		act:    renameTemporaryToNotes,
		want:   []string{"kept 1", "kept 3", "kept 4"}, // kept 2 was replaced by its own program
	},
	{
		name:   "a renamed link arrives where a version is about to be folded",
		start:  temporaryBesideTwo,
		after:  "mkdir skills", // which is done first
		before: "stat notes",
		act:    renameTemporaryToNotes,
		want:   []string{"kept 1", "kept 3", "kept 4"},
	},
	{
		name: "a renamed link is renamed again while it is scanned",
		start: func(w *testWorld, own, _ string) {
			testhome.PutText(w.t, filepath.Join(own, "x.new"), "kept 1")
			w.reconcileAfterTick()
			testhome.NoError(w.t, os.Rename(filepath.Join(own, "x.new"), filepath.Join(own, "notes")))
		},
		after: "lock ", before: "readlink notes",
		act: func(w *testWorld, own, _ string) {
			testhome.NoError(w.t, os.Rename(filepath.Join(own, "notes"), filepath.Join(own, "todo")))
		},
		want: []string{"kept 1"},
	},
	{
		name: "a renamed link is renamed again after it was scanned, and its temporary file made again",
		start: func(w *testWorld, own, _ string) {
			testhome.PutText(w.t, filepath.Join(own, "x.new"), "kept 1")
			w.reconcileAfterTick()
			testhome.NoError(w.t, os.Rename(filepath.Join(own, "x.new"), filepath.Join(own, "notes")))
			testhome.PutText(w.t, filepath.Join(own, "x.new"), "kept 2")
		},
		after: "lock ", before: "readlink notes", skip: 1,
		act: func(w *testWorld, own, _ string) {
			testhome.NoError(w.t, os.Rename(filepath.Join(own, "notes"), filepath.Join(own, "todo")))
		},
		want: []string{"kept 1", "kept 2"},
	},
	{
		name: "a renamed link is renamed again while it is scanned, and its temporary file made again",
		start: func(w *testWorld, own, _ string) {
			testhome.PutText(w.t, filepath.Join(own, "x.new"), "kept 1")
			w.reconcileAfterTick()
			testhome.NoError(w.t, os.Rename(filepath.Join(own, "x.new"), filepath.Join(own, "notes")))
			testhome.PutText(w.t, filepath.Join(own, "x.new"), "kept 2")
		},
		after: "lock ", before: "readlink notes",
		act: func(w *testWorld, own, _ string) {
			testhome.NoError(w.t, os.Rename(filepath.Join(own, "notes"), filepath.Join(own, "todo")))
		},
		want: []string{"kept 1", "kept 2"},
	},
	{
		name: "a directory is removed while it is adopted",
		start: func(w *testWorld, own, _ string) {
			testhome.NoError(w.t, os.MkdirAll(filepath.Join(own, "proj"), 0o700))
			testhome.NoError(w.t, os.Symlink(filepath.Join(own, "x"), filepath.Join(own, "proj", "link")))
		},
		after: "open proj", before: "list",
		act: func(w *testWorld, own, _ string) { testhome.NoError(w.t, os.RemoveAll(filepath.Join(own, "proj"))) },
	},
	{
		name: "a directory is removed while a link in it is retargeted",
		start: func(w *testWorld, own, _ string) {
			testhome.NoError(w.t, os.MkdirAll(filepath.Join(own, "proj"), 0o700))
			testhome.NoError(w.t, os.Symlink(filepath.Join(own, "x"), filepath.Join(own, "proj", "link")))
		},
		before: "symlink part",
		act:    func(w *testWorld, own, _ string) { testhome.NoError(w.t, os.RemoveAll(filepath.Join(own, "proj"))) },
	},
	{
		name: "a file becomes a renamed link while it is compared",
		start: func(w *testWorld, own, shared string) {
			testhome.PutText(w.t, filepath.Join(own, "notes.new"), "kept 1")
			w.reconcileAfterTick()
			testhome.PutText(w.t, filepath.Join(own, "notes"), "kept 2")
			testhome.PutText(w.t, filepath.Join(shared, "notes"), "kept 3")
		},
		before: "open notes",
		act: func(w *testWorld, own, _ string) {
			testhome.NoError(w.t, os.Rename(filepath.Join(own, "notes.new"), filepath.Join(own, "notes")))
		},
		want: []string{"kept 1", "kept 3"}, // kept 2 was replaced by its own program
	},
}
