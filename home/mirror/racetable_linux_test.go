package mirror

// races are what [TestEngineRaces] plays: scripts, see [testWorld.do].
var races = []race{
	{
		name:  "a link that is to be dropped is removed",
		start: `symlink $shared/gone $own/gone`, before: "rename gone to gone", act: `rm $own/gone`,
	},
	{
		name:  "a link that is to be dropped is replaced, twice",
		start: `symlink $shared/gone $own/gone`, before: "rename gone to gone", act: `replace $own/gone kept 1`,
		want: `held kept 1`,
	},
	{
		name:  "the shared version vanishes under a renamed link",
		start: startStates["a renamed link over what another changed"], before: "rename config.toml to config.toml", act: `rm $shared/config.toml`,
		want: `held kept 1`,
	},
	{
		name:  "the temporary file is renamed by another under a renamed link",
		start: startStates["a renamed link over what another changed"], before: "rename .config.new to ", act: `mv $shared/.config.new $shared/elsewhere`,
		want: `held kept 1; held kept 2`,
	},
	{
		name:   "credentials that were removed here are replaced there",
		start:  `put $shared/.credentials.json old; start rest; rm $own/.credentials.json`,
		before: "rename .credentials.json to .credentials.json", act: `replace $shared/.credentials.json kept 1`,
		want: `held kept 1`,
	},
	{
		name:   "credentials that were removed there are replaced here",
		start:  `put $shared/.credentials.json old; start rest; rm $shared/.credentials.json`,
		before: "rename .credentials.json to .credentials.json", act: `replace $own/.credentials.json kept 1`,
		want: `held kept 1`,
	},
	{
		name:  "credentials that became private are replaced",
		start: privateCredentials, before: "rename .credentials.json to .credentials.json", act: `replace $own/.credentials.json kept 2`,
		want: `held kept 1; held kept 2`,
	},
	{
		name:  "credentials that became private are the only ones",
		start: privateCredentials, before: "rename .credentials.json to .credentials.json", act: `mv $shared/.credentials.json $shared/elsewhere`,
		want: `held kept 1`,
	},
	{
		name:   "credentials that are overwritten are replaced",
		start:  startStates["a hard link that was replaced"],
		before: "rename .credentials.json to .credentials.json (exchange)", act: `replace $shared/.credentials.json kept 2`,
		want: `held kept 1; held kept 2`,
	},
	{
		name:   "credentials become a renamed link while they get their second name",
		start:  `put $own/.credentials.json old; put $shared/x.new kept 1`,
		before: "link .credentials.json to", act: `symlink $shared/x.new $own/x.tmp; mv $own/x.tmp $own/.credentials.json`,
		want: `held kept 1`,
	},
	{
		name:   "an adopted temporary file is renamed over credentials while they get their second name",
		start:  `put $own/x.new kept 1; tick; start rest; put $own/.credentials.json old`,
		before: "link .credentials.json to", act: `mv $own/x.new $own/.credentials.json`,
		want: `held kept 1`,
	},
	{
		name:  "credentials are replaced right after they got their second name", // kept 1 by its own program
		start: startStates["a hard link to make"],
		after: "link .credentials.json to", before: "stat .credentials.json", act: `replace $shared/.credentials.json kept 2`,
		want: `held kept 2`,
	},
	{
		name:   "an adopted temporary file is renamed over one that was renamed a moment ago, and the next one begun",
		start:  `put $shared/notes old; put $own/x.new first; put $own/y.new kept 1; tick; start rest; tick; mv $own/x.new $own/notes`,
		before: "rename x.new to notes", act: `mv $own/y.new $own/notes; put $own/y.new kept 2`,
		want: `held kept 1; held kept 2`,
	},
	{
		name:   "an adopted temporary file is renamed over credentials that are paired, and the next one begun",
		start:  `put $own/x.new kept 1; tick; start rest; put $shared/.credentials.json kept 3; tick; put $own/.credentials.json kept 2`,
		before: "rename .credentials.json to .credentials.json (exchange)", act: `mv $own/x.new $own/.credentials.json; put $own/x.new kept 4`,
		want: `held kept 1; held kept 2; held kept 3; held kept 4`,
	},
	{
		name:  "a link in an adopted directory is replaced by a file",
		start: startStates["adopt a directory with links into the sandbox"], before: " to link (exchange)", act: `replace $own/proj/deep/link kept 2`,
		want: `held kept 1; held kept 2`,
	},
	{
		name:  "a link in an adopted directory is replaced by a file, and that by another",
		start: `mkdir $own/proj; symlink $own/x $own/proj/link`, before: " to link (exchange)", act: `replace $own/proj/link replaced`,
		again: `replace $own/proj/link kept 1`,
		want:  `held kept 1`,
	},
	{
		name: "one of two equal files is written while directories merge", activity: noProcesses,
		start: `put $own/sessions/same kept 1; put $shared/sessions/same kept 1`, before: "unlink same", act: `append $own/sessions/same kept 2`,
		want: `held kept 1; held kept 2`,
	},
	{
		name: "an equal file is opened meanwhile", activity: noProcesses,
		start: `share notes text; replace $own/notes text`, before: "rename notes to notes (exchange)", act: `open $own/notes`,
		at: `write $own/notes , more; close`, want: `held text, more`,
	},
	{
		name:  "a directory that is merged is removed",
		start: `mkdir $own/sessions/d $shared/sessions`, before: "rename sessions to sessions (exchange)", act: `rm $own/sessions/d`,
	},
	{
		name: "the directory that another is merged into is removed", activity: noProcesses,
		start: `put $own/sessions/f kept 1; mkdir $shared/sessions`, before: "rename f to f", act: `rm $shared/sessions`,
		at: `said 0`, want: `held kept 1`,
	},
	{
		name: "the file whose link was copied is removed", activity: noProcesses,
		start: `put $shared/notes kept 1; tick; start rest; ln $own/notes $own/notes.bak`, before: "mkdir files", act: `rm $shared/notes`,
	},
	{
		name: "another makes the database that is adopted", activity: noProcesses,
		start: startStates["a database"], before: "link state_5.sqlite to", act: `database $shared kept 2`, want: bothDatabases,
	},
	{
		name: "another makes the database, and its log, before that is adopted", activity: noProcesses,
		start: startStates["a database"], before: "link state_5.sqlite-wal to", act: `database $shared kept 2`, want: bothDatabases,
	},
	{
		name:  "an entry is made where a link is about to be",
		start: `put $shared/notes kept 1; tick`, before: "symlink notes ->", act: `put $own/notes kept 2`,
		want: `held kept 1; held kept 2`,
	},
	{
		name:   "a renamed link arrives where a link is about to be",
		start:  `put $own/notes.new kept 1; tick; start rest; put $shared/notes kept 2; tick`,
		before: "symlink notes ->", act: `mv $own/notes.new $own/notes`,
		want: `held kept 1; held kept 2`,
	},
	{
		name:  "a renamed link arrives where a link is dropped",
		start: renamedOverGone, before: "rename notes to notes", act: renameConfigToNotes,
		want: `held kept 1; held kept 2`,
	},
	{
		name:  "a renamed link arrives where a link is about to be dropped",
		start: renamedOverGone, after: "mkdir skills", before: "readlink notes", act: renameConfigToNotes, // skills is made first
		want: `held kept 1; held kept 2`,
	},
	{
		name:  "a renamed link arrives where a version is swapped out", // kept 2 was replaced by its own program
		start: temporaryBesideTwo, before: " to notes (exchange)", act: renameTemporaryToNotes,
		want: `held kept 1; held kept 3; held kept 4`,
	},
	{
		name:  "a renamed link arrives where a version is about to be folded",
		start: temporaryBesideTwo, after: "mkdir skills", before: "stat notes", act: renameTemporaryToNotes,
		want: `held kept 1; held kept 3; held kept 4`,
	},
	{
		name:  "a renamed link is renamed again while it is scanned",
		start: `put $own/x.new kept 1; tick; start rest; mv $own/x.new $own/notes`,
		after: "lock ", before: "readlink notes", act: `mv $own/notes $own/todo`,
		want: `held kept 1`,
	},
	{
		name:  "a renamed link is renamed again while it is scanned, and its temporary file made again",
		start: temporaryMadeAgain, after: "lock ", before: "readlink notes", act: `mv $own/notes $own/todo`,
		want: `held kept 1; held kept 2`,
	},
	{
		name:  "a renamed link is renamed again after it was scanned, and its temporary file made again",
		start: temporaryMadeAgain, after: "lock ", before: "readlink notes", skip: 1, act: `mv $own/notes $own/todo`,
		want: `held kept 1; held kept 2`,
	},
	{
		name:  "a directory is removed while it is adopted",
		start: `mkdir $own/proj; symlink $own/x $own/proj/link`, after: "open proj", before: "list", act: `rm $own/proj`,
	},
	{
		name:  "a directory is removed while a link in it is retargeted",
		start: `mkdir $own/proj; symlink $own/x $own/proj/link`, before: "symlink part", act: `rm $own/proj`,
	},
	{
		name:   "a file becomes a renamed link while it is compared", // kept 2 was replaced by its own program
		start:  `put $own/notes.new kept 1; tick; start rest; put $own/notes kept 2; put $shared/notes kept 3`,
		before: "open notes", act: `mv $own/notes.new $own/notes`,
		want: `held kept 1; held kept 3`,
	},
	{
		name: "an entry is put there while another is taken out", activity: noProcesses, // kept 2 was replaced by its own program
		start: `share notes kept 1; replace $own/notes kept 2`, before: "rename notes to notes", act: `replace $own/notes kept 3`,
		at: `want $own/notes kept 3`, want: `held kept 1; held kept 3`,
	},
	{
		name: "on an old file system, a file is made at the free name in the sandbox", activity: noProcesses, old: true,
		start: startStates["a replaced link"], before: "rename ", act: `put $own/config.toml kept 3`, free: "$own/config.toml",
		want: `held kept 1; held kept 3`,
	},
	{
		name: "on an old file system, a file is made at the free name in the shared home", activity: noProcesses, old: true,
		start: startStates["a replaced link"], before: "rename ", act: `put $shared/config.toml kept 3`, free: "$shared/config.toml",
		want: `held kept 1; held kept 3`,
	},
}

const (
	privateCredentials = `put $shared/.credentials.json kept 1; start rest; private .credentials.json`
	bothDatabases      = `held kept 1; held kept 1 log; held kept 2; held kept 2 log`

	// A link whose shared entry is gone. A program keeps its configuration under that name, and makes a new one.
	renamedOverGone     = `put $shared/config.toml kept 1; put $shared/notes removed; tick; start rest; rm $shared/notes $shared/skills`
	renameConfigToNotes = `mv $own/config.toml $own/notes; put $own/config.toml kept 2`

	// An adopted temporary file, and two versions of another. A program replaces that one, and begins the next version.
	temporaryBesideTwo = `put $own/notes.new kept 1; tick; start rest; put $own/notes kept 2; put $shared/notes kept 3; age $shared/notes 1h
		rm $shared/skills`
	renameTemporaryToNotes = `mv $own/notes.new $own/notes; put $own/notes.new kept 4`

	temporaryMadeAgain = `put $own/x.new kept 1; tick; start rest; mv $own/x.new $own/notes; put $own/x.new kept 2`
)
