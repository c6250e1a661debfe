package homes

import (
	"fmt"

	"github.com/spf13/cobra"

	"swop/account"
	"swop/home/history"
	"swop/manager/verb"
	"swop/say"
)

func Restore(call *verb.Call) *cobra.Command {
	var number, to string
	cmd := &cobra.Command{
		Use:   "restore PATH",
		Short: "Bring back a version of a file that was kept",
		Long: "Bring back a version of a file that was kept: the newest one, or the one that --version names. It takes the place of the present " +
			"file, of which a version is kept in turn, or is copied to another place with --to.",
		ValidArgsFunction: verb.CompleteWords(completeKept(call)),
		Example: verb.Example(
			"codex swop restore ~/.codex/config.toml",
			"codex swop restore notes.md --version 3",
			"codex swop restore notes.md --to notes.old.md",
		),
		Args: verb.Takes(1, "PATH"),
		RunE: verb.With(call.Open, func(s verb.Setup, args []string) error { return restore(s, args[0], number, to) }),
	}
	cmd.Flags().StringVar(&number, "version", "", "restore the version `N`, as codex swop history numbers them")
	cmd.Flags().StringVar(&to, "to", "", "copy the version to `FILE`, which must not be there yet")
	return cmd
}

func restore(s verb.Setup, path, number, to string) error {
	b, err := backlogOf(s)
	if err != nil {
		return err
	}
	list, err := b.of(path)
	if err != nil {
		return err
	}
	v, err := b.choose(list, number, path)
	switch {
	case err != nil:
		return err
	case to == "":
		return restoreInPlace(s, b, v)
	}
	if err := v.CopyTo(b.Layout, to); err != nil {
		return err
	}
	s.Say("copied version %d of %s to %s", v.Number, say.Name(b.place(v)), say.Name(to))
	return nil
}

// restoreInPlace lets the version take the place of its entry, and repairs the links of all accounts.
func restoreInPlace(s verb.Setup, b backlog, v history.Version) error {
	if v.Path == history.Unknown {
		return say.WithHint(fmt.Errorf("cannot tell where version %d belongs", v.Number), "codex swop restore '?' --version N --to FILE")
	}
	accounts, err := s.Store.Accounts()
	if err == nil {
		err = s.Root.Check()
	}
	if err != nil {
		return err
	}
	id, err := history.Restore(b.Layout, s.Root, v, s.Now(), func() error {
		if err := verb.RefuseAnyUse(s, accounts); err != nil {
			return fmt.Errorf("%s is not replaced while it may be open: %w", say.Name(b.place(v)), err)
		}
		return nil
	})
	if err != nil {
		return err
	}
	kept := ""
	if id != "" {
		kept = "; to undo: codex swop restore " + say.ShellPath(b.homes.Home, b.homes.Place(v.About))
	}
	s.Say("restored version %d of %s%s", v.Number, say.Name(b.place(v)), kept)
	return SyncAll(s, accounts, account.ErrNoAccount)
}
