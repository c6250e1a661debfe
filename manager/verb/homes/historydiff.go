package homes

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/rogpeppe/go-internal/diff"

	"swop/disk"
	"swop/disk/sys"
	"swop/home/history"
	"swop/home/rules"
	"swop/manager/terminal"
	"swop/manager/verb"
	"swop/say"
)

// maxDiff is the size in bytes of the largest file of which a difference is shown: nobody reads more.
const maxDiff = 256 << 10

// showDiff shows the difference between a version of the entry at path, by default the newest one, and the present file.
func showDiff(call *verb.Call, b backlog, number, path string) error {
	list, err := b.of(path)
	if err != nil || len(list) == 0 && number == "" {
		return err
	}
	v, err := b.choose(list, number, path)
	if err != nil {
		return err
	}
	text, err := b.diff(v)
	if err != nil {
		call.Say("no difference is shown: %v", err)
		return nil
	}
	if terminal.Is(call.Stdout) {
		text = harmless(text)
	}
	_, err = fmt.Fprintf(call.Stdout, "\n%s", text)
	return err
}

// choose returns the version with the number, or the id, of those of the entry at path; the newest if number is "".
func (b backlog) choose(list []history.Version, number, path string) (history.Version, error) {
	if number == "" && len(list) > 0 {
		return list[0], nil
	}
	for _, v := range list {
		if strconv.Itoa(v.Number) == number || v.ID == number {
			return v, nil
		}
	}
	var none history.Version
	unread := slices.IndexFunc(b.versions, func(v history.Version) bool { return v.Err != nil })
	switch {
	case len(list) == 0 && unread >= 0:
		return none, fmt.Errorf("no version of %s is kept that can be read: %w", say.Name(path), b.versions[unread].Err)
	case len(list) == 0:
		return none, say.WithHint(fmt.Errorf("no version of %s is kept", say.Name(path)), "codex swop history")
	}
	return none, say.WithHint(fmt.Errorf("no version %q of %s is kept", number, say.Name(path)), "codex swop history "+say.ShellQuote(path))
}

// diff returns the difference between the version and what is there now, or an error that says why it is not shown.
func (b backlog) diff(v history.Version) (string, error) {
	place := b.homes.Place(v.About)
	switch {
	case isSecret(v.Path):
		return "", fmt.Errorf("%s may hold a credential", say.Name(b.place(v)))
	case !v.Regular:
		return "", fmt.Errorf("version %d is no file", v.Number)
	}
	before, err := readText(filepath.Join(v.Dir(b.Layout), v.Files[0]))
	if err != nil {
		return "", err
	}
	now, err := readText(place)
	if errors.Is(err, fs.ErrNotExist) {
		return "", errors.New("the file is gone")
	}
	if err != nil {
		return "", err
	}
	if before == now {
		return "", fmt.Errorf("version %d is the same as the present file", v.Number)
	}
	name := say.Name(b.place(v))
	return string(diff.Diff(fmt.Sprintf("%s (version %d)", name, v.Number), []byte(before), name, []byte(now))), nil
}

// readText returns the contents of a text file that is not too large.
func readText(file string) (string, error) {
	text, err := disk.ReadFile(file, sys.O_NOFOLLOW, maxDiff)
	if errors.Is(err, sys.ELOOP) {
		return "", fmt.Errorf("%s: is a link", say.Name(file))
	}
	if err == nil && (!utf8.ValidString(text) || bytes.ContainsRune([]byte(text), 0)) {
		return "", fmt.Errorf("%s: is no text", say.Name(file))
	}
	return text, err
}

// harmless returns text with escapes for what a terminal would act on. Tabs stay.
func harmless(text string) string {
	parts := strings.Split(text, "\t")
	for i, part := range parts {
		parts[i] = say.Printable(part)
	}
	return strings.Join(parts, "\t")
}

// secretNames are files and directories of a home that hold credentials and do not look like it, as patterns.
func secretNames() []string {
	return []string{
		".env*", ".netrc", "*npmrc", ".pgpass", ".pypirc", ".my.cnf", ".boto", "*passw*", "id_*", "*.pem", "*.key", "*.p12",
		".ssh", ".gnupg", ".aws", ".azure", ".kube", ".docker", "gh", "gcloud",
	}
}

// isSecret reports whether the entry, or a directory that it is in, may hold a credential, by its name.
func isSecret(entry string) bool {
	for name := range strings.SplitSeq(entry, "/") {
		matches := func(pattern string) bool {
			ok, _ := path.Match(pattern, strings.ToLower(name)) // the patterns are valid
			return ok
		}
		if rules.LooksSecret(name) || slices.ContainsFunc(secretNames(), matches) {
			return true
		}
	}
	return false
}
