package pool

import (
	"strconv"
	"strings"

	"swop/internal/account"
)

// File tells a file from what it was before: its inode and the time of its last change, in nanoseconds since 1970. The zero value is
// that of a missing file.
type File struct {
	Inode uint64
	Mtime int64
}

// Known is the file usage/auto: what is known of all accounts, in the order of their labels. It is text, so that a start reads it fast.
type Known struct {
	Dir      File // the directory of the accounts, when they were listed
	Accounts []Account
}

const (
	header = "swop-usage 1"
	footer = "end"
)

// The words for the kinds of login, by kind.
var logins = [...]string{NoLogin: "none", ChatGPT: "chatgpt", APIKey: "api-key", Refused: "refused"}

// Text returns the file's text: a line for each account, with its windows as minutes:percent:reset.
func (k Known) Text() []byte {
	b := []byte(header)
	b = appendNumbers(b, k.Dir.Inode, uint64(k.Dir.Mtime))
	for _, a := range k.Accounts {
		b = append(b, '\n')
		b = append(append(append(b, a.Key...), ' '), logins[a.Login]...)
		b = appendNumbers(b, a.File.Inode, uint64(a.File.Mtime), uint64(a.ReadAt), uint64(a.BlockedUntil))
		for _, w := range a.Windows {
			b = strconv.AppendUint(append(b, ' '), uint64(w.Minutes), 10)
			b = strconv.AppendUint(append(b, ':'), uint64(w.Used), 10)
			b = strconv.AppendUint(append(b, ':'), uint64(w.ResetsAt), 10)
		}
	}
	return append(b, "\n"+footer+"\n"...)
}

func appendNumbers(b []byte, numbers ...uint64) []byte {
	for _, n := range numbers {
		b = strconv.AppendUint(append(b, ' '), n, 10)
	}
	return b
}

// Parse reads the text of the file. It reports false for any other text than one that [Known.Text] returned.
func (k *Known) Parse(text string) bool {
	line, rest, _ := strings.Cut(text, "\n")
	dir, ok := strings.CutPrefix(line, header+" ")
	r := reader{rest: dir}
	k.Dir = r.file()
	if !ok || r.bad || r.rest != "" {
		return false
	}
	k.Accounts = make([]Account, 0, strings.Count(rest, "\n"))
	for {
		line, rest, ok = strings.Cut(rest, "\n")
		switch {
		case !ok:
			return false // torn
		case line == footer:
			return rest == ""
		}
		k.Accounts = append(k.Accounts, Account{})
		if !k.Accounts[len(k.Accounts)-1].parse(line) {
			return false
		}
	}
}

func (a *Account) parse(line string) bool {
	r := reader{rest: line}
	a.Key = r.word()
	word := r.word()
	for kind, name := range logins {
		if name == word {
			a.Login, word = Login(kind), ""
		}
	}
	a.File, a.ReadAt, a.BlockedUntil = r.file(), account.Time(r.number()), account.Time(r.number())
	for r.rest != "" && !r.bad {
		a.Windows = append(a.Windows, r.window())
	}
	return !r.bad && word == "" && a.Key != ""
}

// reader reads words that are a space apart.
type reader struct {
	rest string
	bad  bool
}

func (r *reader) word() (word string) {
	word, r.rest, _ = strings.Cut(r.rest, " ")
	return word
}

func (r *reader) number() uint64 { return r.parse(r.word()) }

func (r *reader) parse(word string) uint64 {
	n, err := strconv.ParseUint(word, 10, 64)
	r.bad = r.bad || err != nil
	return n
}

func (r *reader) file() File { return File{r.number(), int64(r.number())} }

func (r *reader) window() Window {
	minutes, rest, _ := strings.Cut(r.word(), ":")
	used, resets, _ := strings.Cut(rest, ":")
	w := Window{int(r.parse(minutes)), int(r.parse(used)), account.Time(r.parse(resets))}
	r.bad = r.bad || w.Used < 0 || w.Used > 100
	return w
}
