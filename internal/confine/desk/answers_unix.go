//go:build unix

package desk

import (
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"

	"github.com/BurntSushi/toml"

	"swop/internal/disk"
	"swop/internal/say"
)

// AnswersFile is where an account's answers are kept, beside its home: they are renamed and removed with it.
func AnswersFile(root, account string) string {
	return filepath.Join(root, "accounts", account, "approvals.toml")
}

// mostAnswers is how many are kept, if those of single sessions are not counted.
const mostAnswers = 500

// maxAnswers bounds that file, which has room for a thousand answers. Arrays nested some million times in one end the program.
const maxAnswers = 256 << 10

type answers struct {
	Answers []Answer `toml:"answer"`
}

// ReadAnswers returns the answers that were given for always to the account with this key. A file that is damaged is an error: it may have had denials.
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
	return list, say.WithHint(err, "repair or remove it: what was allowed or denied for always is asked again")
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

// Verdict is [Granted] or [Denied].
func (a Answer) Verdict() string {
	if a.Allow {
		return Granted
	}
	return Denied
}

// KeepAnswer adds an answer to the file of its account, in the place of one to the same question. The caller sees to it that nobody else writes.
func KeepAnswer(root string, a Answer) error {
	list, err := ReadAnswers(root, a.Account)
	if err != nil {
		return err
	}
	list = slices.DeleteFunc(list, func(old Answer) bool {
		return old.Workspace == a.Workspace && old.Session == a.Session && old.is(a.Ask)
	})
	for i := 0; len(list) > mostAnswers && i < len(list); { // those for one session go first
		if list[i].Session != "" {
			list = slices.Delete(list, i, i+1)
		} else {
			i++
		}
	}
	text, err := answersText(append(list, a))
	if err != nil {
		return err
	}
	return disk.WriteFile(AnswersFile(root, a.Account), []byte(text))
}

func answersText(list []Answer) (string, error) {
	var b strings.Builder
	b.WriteString("# What was allowed or denied for always in confined sessions: see codex swop allow.\n")
	err := toml.NewEncoder(&b).Encode(answers{list})
	if err == nil && b.Len() > maxAnswers {
		err = errors.New("approvals.toml would become too large")
	}
	return b.String(), err
}
