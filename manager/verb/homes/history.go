package homes

import (
	"cmp"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/spf13/cobra"

	"swop/account"
	"swop/config"
	"swop/disk"
	"swop/home/history"
	"swop/manager/terminal"
	"swop/manager/verb"
	"swop/say"
	"swop/shim"
)

// completeKept completes the path of an entry of which versions are kept, in the form in which it is begun. What cannot be read completes
// nothing.
func completeKept(call *verb.Call) cobra.CompletionFunc {
	return verb.CompleteFrom(call.Invoked, cobra.ShellCompDirectiveDefault, func(inv shim.Invocation, typed string) (list []cobra.Completion) {
		l := account.Layout{Places: inv.Places}
		versions, _ := history.List(l)
		homes := history.HomesOf(l, inv.Root)
		dir, _ := os.Getwd()
		dir = disk.Resolve(dir)
		for _, v := range versions {
			word := asTyped(homes.Place(v.About), typed, homes.Home, dir)
			if v.Number == 1 && v.Path != history.Unknown && say.ShellQuote(strings.TrimPrefix(word, "~")) == strings.TrimPrefix(word, "~") {
				list = append(list, cobra.CompletionWithDesc(word, "kept "+terminal.Ago(call.Now(), &v.Time)))
			}
		}
		return list
	})
}

// asTyped returns the path as it follows from what is typed: below "~", absolute, or else below dir if it lies there.
func asTyped(path, typed, home, dir string) string {
	switch {
	case filepath.IsAbs(typed):
		return path
	case strings.HasPrefix(typed, "~"):
		dir, home = home, "~/"
	default:
		home = ""
	}
	if rest, ok := strings.CutPrefix(path, disk.WithoutSlash(dir)+string(filepath.Separator)); ok {
		return home + rest
	}
	return path
}

// lookBack is a call of history.
type lookBack struct {
	prune, diff bool
	version     string
}

func History(call *verb.Call) *cobra.Command {
	var c lookBack
	cmd := &cobra.Command{
		Use:   "history [PATH]",
		Short: "List earlier versions of files",
		Long: "List earlier versions of files, the newest first: those of PATH and below it, or all. PATH may be " +
			"the one outside of sessions or inside. On a terminal the difference to the present file is shown too.\n\n" +
			"A version is kept for 30 days, at most 50 of each file and 2 GiB in all, and for a day in any case.",
		ValidArgsFunction: verb.CompleteWords(completeKept(call)),
		Example: verb.Example(
			"codex swop history",
			"codex swop history ~/.codex/config.toml",
			"codex swop history --diff AGENTS.md     also where stdout is no terminal",
			"codex swop history --prune              remove now what is beyond the limits",
		),
		Args: verb.Takes(0, "PATH"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := verb.Exclusive(cmd, "json", "diff"); err != nil {
				return err
			}
			if len(args) == 0 && (c.diff || c.version != "") {
				return verb.WrongUsage(cmd, "--diff and --version need PATH")
			}
			if len(args) == 1 && args[0] == "" { // as of a variable that is not set: all would be listed
				return verb.WrongUsage(cmd, "the path is empty")
			}
			return verb.With(call.Look, func(s verb.Setup, args []string) error { return showHistory(s, c, args) })(cmd, args)
		},
	}
	call.JSONFlag(cmd)
	cmd.Flags().BoolVar(&c.prune, "prune", false, "remove the versions beyond the limits now, and list the rest")
	cmd.Flags().BoolVar(&c.diff, "diff", false, "show the difference to the present file")
	cmd.Flags().StringVar(&c.version, "version", "", "compare the version `N` instead of the newest one")
	return cmd
}

func showHistory(s verb.Setup, c lookBack, args []string) error {
	if c.prune {
		gone, err := history.Prune(s.Store.Layout, s.Now(), history.StandardLimits())
		sayPruned(s.Call, gone)
		if err != nil {
			return err
		}
	}
	s.CatchUp()
	b, err := backlogOf(s)
	if err != nil {
		return err
	}
	shown := b.versions
	if len(args) > 0 {
		place, err := b.locate(args[0])
		if err != nil {
			return err
		}
		shown = b.matching(func(at string) bool { return config.Within(at, place) })
	}
	if s.JSON {
		return verb.WriteJSON(s.Stdout, b.answer(shown))
	}
	if len(shown) == 0 {
		of := ""
		if len(args) > 0 {
			of = " of " + say.Name(args[0])
		}
		s.Say("no versions are kept%s", of)
		return nil
	}
	if err := s.Show(historyLines(s.Call, b, shown)); err != nil || len(args) == 0 || !c.diff && !terminal.Is(s.Stdout) {
		return err
	}
	return showDiff(s.Call, b, c.version, args[0])
}

func sayPruned(call *verb.Call, gone []history.Version) {
	var size int64
	for _, v := range gone {
		size += v.Size
	}
	if len(gone) == 0 {
		call.Say("no version is beyond the limits")
		return
	}
	call.Say("removed %s, %s", terminal.Counted(len(gone), "version", "versions"), say.Bytes(size))
}

// backlog is what is kept, the newest first.
type backlog struct {
	account.Layout
	homes    history.Homes
	versions []history.Version
	by       map[string]history.Version // see [superseders]
}

func backlogOf(s verb.Setup) (backlog, error) {
	b := backlog{Layout: s.Store.Layout, homes: history.HomesOf(s.Store.Layout, s.Root)}
	var err error
	b.versions, err = history.List(b.Layout)
	b.by = superseders(b.versions)
	return b, err
}

// of returns the versions of the entry at path.
func (b backlog) of(path string) ([]history.Version, error) {
	place, err := b.locate(path)
	return b.matching(func(at string) bool { return at == place }), err
}

// locate returns where the entry at path is outside of sessions. [history.Unknown] stands for itself.
func (b backlog) locate(path string) (string, error) {
	if path == history.Unknown || filepath.IsAbs(path) {
		return b.homes.Locate("", path), nil
	}
	dir, err := os.Getwd()
	return b.homes.Locate(dir, path), err
}

// matching returns the versions of the entries at places of which is says so.
func (b backlog) matching(is func(place string) bool) (list []history.Version) {
	for _, v := range b.versions {
		if is(b.homes.Place(v.About)) {
			list = append(list, v)
		}
	}
	return list
}

// superseders returns, by the ids of versions, those that they were superseded by. One that is missing was superseded by what is there now.
// A version that lost against the shared one was superseded by the next version of that. list has the newest first.
func superseders(list []history.Version) map[string]history.Version {
	by, shared := map[string]history.Version{}, map[[2]string]history.Version{}
	for _, v := range list {
		entry := [2]string{v.View, v.Path}
		if newer, ok := shared[entry]; ok {
			by[v.ID] = newer
		}
		if wasShared(v.Why) {
			shared[entry] = v
		}
	}
	return by
}

// wasShared reports whether the version was the shared one until then.
func wasShared(why history.Why) bool {
	return why == history.Replaced || why == history.Changed || why == history.Restored
}

// place is where the version's entry is, as people write it.
func (b backlog) place(v history.Version) string {
	place := b.homes.Place(v.About)
	if rest, ok := strings.CutPrefix(place, disk.WithoutSlash(b.homes.Home)+string(filepath.Separator)); ok {
		return "~/" + rest
	}
	return place
}

// historyLines returns a table that is never cut, so that its paths can be pasted.
func historyLines(call *verb.Call, b backlog, list []history.Version) []string {
	now := call.Now()
	return call.Table([]terminal.Column{
		terminal.NewColumn("VERSION", list, func(v history.Version) string { return strconv.Itoa(v.Number) }),
		terminal.NewColumn("KEPT", list, func(v history.Version) string { return terminal.Ago(now, &v.Time) }),
		terminal.NewColumn("ACCOUNT", list, func(v history.Version) string { return cmp.Or(say.Name(v.Account), "-") }),
		terminal.NewColumn("SIZE", list, func(v history.Version) string { return say.Bytes(v.Size) }),
		terminal.NewColumn("WHY", list, func(v history.Version) string { return whyText(v.Why) }),
		terminal.NewColumn("SUPERSEDED BY", list, b.byText),
		terminal.NewColumn("PATH", list, func(v history.Version) string { return say.Name(b.place(v)) }),
	})
}

func (b backlog) byText(v history.Version) string {
	if by, kept := b.by[v.ID]; kept {
		return fmt.Sprintf("version %d", by.Number)
	}
	if v.Path == history.Unknown {
		return history.Unknown
	}
	if verb.IsThere(b.homes.Place(v.About)) {
		return "the present one"
	}
	return "one that is gone"
}

// whyText says why another version came in this one's place.
func whyText(why history.Why) string {
	switch why {
	case history.Replaced:
		return "replaced in a session"
	case history.Changed:
		return "both changed, the session's was later"
	case history.Older:
		return "both changed, the shared one was later"
	case history.Apart:
		return "in the session beside the shared one"
	case history.Removed:
		return "removed under its other name"
	case history.Confined:
		return "changed in a confined session"
	case history.Restored:
		return "another one was restored"
	case "":
		return history.Unknown
	}
	return say.Name(string(why))
}

// historyAnswer is the answer of the verb, as --json prints it: the newest versions first.
type historyAnswer struct {
	SchemaVersion int            `json:"schema_version"`
	Versions      []historyEntry `json:"versions"`
}

// historyEntry is a version. Names that are not UTF-8, or begin with a double quote, are quoted as in Go.
type historyEntry struct {
	ID           string      `json:"id"`
	Number       int         `json:"number"`
	Path         string      `json:"path"`  // where its entry is, "?" if that is not known
	View         string      `json:"view"`  // "codex" or "home", "" if that is not known
	Entry        string      `json:"entry"` // below that home
	Account      string      `json:"account"`
	Time         time.Time   `json:"time"`
	Why          history.Why `json:"why"`
	SupersededBy string      `json:"superseded_by"` // the id of a version, "" for what is there now
	Size         int64       `json:"size"`
	Regular      bool        `json:"regular"`
	Files        []string    `json:"files"`
	Kept         string      `json:"kept"` // the directory with the files
}

func (b backlog) answer(list []history.Version) historyAnswer {
	answer := historyAnswer{1, []historyEntry{}}
	for _, v := range list {
		e := historyEntry{
			ID: v.ID, Number: v.Number, Path: nameText(b.homes.Place(v.About)), View: v.View, Entry: nameText(v.Path),
			Account: nameText(v.Account), Time: v.Time, Why: v.Why, SupersededBy: b.by[v.ID].ID, Size: v.Size, Regular: v.Regular,
			Files: []string{}, Kept: nameText(v.Dir(b.Layout)),
		}
		for _, file := range v.Files {
			e.Files = append(e.Files, nameText(file))
		}
		answer.Versions = append(answer.Versions, e)
	}
	return answer
}

// nameText returns a name as JSON has it, which is UTF-8.
func nameText(name string) string {
	if utf8.ValidString(name) && !strings.HasPrefix(name, `"`) {
		return name
	}
	return strconv.Quote(name)
}
