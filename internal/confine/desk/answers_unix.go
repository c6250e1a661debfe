//go:build unix

package desk

import (
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"

	"github.com/BurntSushi/toml"

	"swop/internal/disk"
	"swop/internal/say"
)

// AnswersFile is where an account's answers are kept, beside its home: they are renamed and removed with it.
func AnswersFile(root, account string) string {
	return filepath.Join(root, "accounts", account, "approvals.toml")
}

// mostAnswers is how many are kept.
const mostAnswers = 500

// maxAnswers bounds that file, which has room for a thousand answers. Arrays nested some million times in one end the program.
const maxAnswers = 256 << 10

type answers struct {
	Answers []Answer `toml:"answer"`
}

// ReadAnswers returns what was given for later to the account with this key.
func ReadAnswers(root, account string) (list []Answer, err error) {
	file := AnswersFile(root, account)
	text, err := disk.ReadFile(file, 0, maxAnswers)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err == nil {
		if list, err = parseAnswers(text); err != nil {
			err = fmt.Errorf("%s: %w", file, err)
		}
	}
	for i := range list {
		list[i].Account = account
	}
	return list, say.WithHint(err, "remove it, and sessions ask again for what was always allowed: rm "+say.ShellQuote(file))
}

func parseAnswers(text string) ([]Answer, error) {
	var a answers
	meta, err := toml.Decode(text, &a)
	if err == nil && len(meta.Undecoded()) > 0 {
		err = fmt.Errorf("unknown key %q", meta.Undecoded()[0].String())
	}
	for i := 0; err == nil && i < len(a.Answers); i++ {
		if of := a.Answers[i]; of.Workspace == "" {
			err = fmt.Errorf("answer %d has no workspace", i+1)
		} else {
			err = of.check()
		}
	}
	if err != nil {
		return nil, err
	}
	return a.Answers, nil
}

// KeepAnswer adds an answer to the file of its account, or removes it. The caller sees to it that nobody else writes.
func KeepAnswer(root string, a Answer, given bool) error {
	list, err := ReadAnswers(root, a.Account)
	if err != nil {
		return err
	}
	list = slices.DeleteFunc(list, func(old Answer) bool {
		return old.Workspace == a.Workspace && old.Session == a.Session && old.is(a.Ask)
	})
	if given {
		list = append(list, a)
	}
	text, err := toml.Marshal(answers{list[max(0, len(list)-mostAnswers):]}) // the oldest go first
	if err == nil && len(text) > maxAnswers {
		err = errors.New("approvals.toml would become too large")
	}
	if err != nil {
		return err
	}
	return disk.WriteFile(AnswersFile(root, a.Account), append([]byte("# What was allowed for later in confined sessions: see codex swop allow.\n"), text...))
}
