//go:build unix

package mirror

import (
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"

	"swop/account"
	"swop/config"
	"swop/disk"
	"swop/home/baseline"
	"swop/home/rules"
	"swop/say"
)

// What cannot be repaired waits: the entry stays as it is, the others go on, and codex starts. The baseline keeps the reason, for doctor and sync,
// and so that a start says it once.

// wait notes why the repair of an entry failed. It returns the error where the account is lost to another command, and for a private entry that
// leads into the shared home: codex would write there.
func (h *home) wait(f finding, err error) error {
	switch {
	case err == nil, errors.Is(err, disk.ErrChanged):
		return nil // the next scan judges it again
	case errors.Is(err, account.ErrHoldLost), h.class(f.name) == rules.Private && h.leadsIn(f.name):
		return err
	}
	h.now.Wait(f.name, h.obstacle(f, err))
	return nil
}

// leadsIn reports whether the sandbox's entry is a link into the shared directory, or the shared file itself, as far as can be seen.
func (h *home) leadsIn(name string) bool {
	target, err := h.sandbox.Readlink(name)
	paired, err2 := h.isPaired(name)
	return errors.Join(err, err2) != nil || paired || h.view.Entry(target) != ""
}

// unseen notes why an entry could not be examined. No link that is missing is taken for a renamed one then.
func (h scanner) unseen(name string, err error) error {
	if err == nil {
		return nil
	}
	h.blind, h.draft.settled = true, false
	return h.wait(finding{wrongLink, name}, err)
}

// obstacle returns what err says of an entry.
func (h *home) obstacle(f finding, err error) baseline.Obstacle {
	var errno unix.Errno
	if !errors.As(err, &errno) {
		return baseline.Obstacle{Reason: err.Error(), Do: append(say.Hints(err), "codex swop sync")[0]}
	}
	path := h.shared.Path
	if at := new(fs.PathError); errors.As(err, &at) {
		path = at.Path
	}
	return baseline.Obstacle{Reason: errno.Error() + h.where(errno, path), Do: h.remedy(f, errno, say.ShellQuote(path))}
}

// where says of a full disk which one it is.
func (h *home) where(errno unix.Errno, path string) string {
	if errno != unix.ENOSPC && errno != unix.EDQUOT {
		return ""
	}
	if apart, err := h.apart(); err == nil && apart && !config.Within(path, h.Account.Dir) {
		return " in " + h.shared.Path
	}
	return " in " + h.Account.Dir
}

// remedy returns what a person can do about an error, path being where it happened.
func (h *home) remedy(f finding, errno unix.Errno, path string) string {
	dir, at := say.ShellQuote(h.shared.Path), new(fs.PathError)
	closed := errors.As(h.closed(f), &at)
	if closed {
		dir = say.ShellQuote(at.Path)
	}
	switch errno {
	case unix.ENOSPC, unix.EDQUOT:
		if f.kind == missingLink && h.was.HadLink(f.name) { // a program removed it, to free space
			return "rm -r " + say.ShellQuote(h.view.Target(f.name))
		}
		return fmt.Sprintf("free space on the disk of %s; in a session rm ~/NAME removes only a link, rm %s/NAME the file", h.shared.Path, h.shared.Path)
	case unix.EROFS:
		return "mount the file system of " + dir + " so that it can be written"
	case unix.EBUSY:
		return "umount " + path
	case unix.EXDEV:
		from := h.sandbox.Path + "/" + f.name
		if entry := h.elsewhere[f.name]; entry != "" {
			from = h.shared.Path + "/" + entry
		}
		if there, err := h.shared.Stat(f.name); err == nil && !there.Exists() {
			return "mv " + say.ShellQuote(from) + " " + say.ShellQuote(h.shared.Path+"/"+f.name)
		}
		return "rename " + path + " outside of a session, with mv"
	case unix.EACCES:
		if closed {
			return "chmod u+rwx " + dir
		}
		return "chmod -R u+rwX " + path
	case unix.EPERM:
		return path + " may be immutable, as after chattr +i"
	}
	return "look at " + path
}

// full reports whether the disk of the shared directory has next to no room.
func (h *home) full() bool {
	const little = 16 << 20
	var st unix.Statfs_t
	return unix.Fstatfs(h.shared.Fd(), &st) == nil && st.Blocks > 0 && st.Bavail < little/uint64(max(st.Bsize, 1)) && st.Bavail < st.Blocks/100
}

// news returns the line that says what waits since this reconcile, "" if nothing does that did not wait before for the same reason.
func (r *reconciler) news() string {
	var names, reasons []string
	fresh := false
	for view, now := range r.next.Views {
		for quoted, o := range now.Waiting {
			if o.Do == "" {
				continue
			}
			names = append(names, quoted)
			if !slices.Contains(reasons, o.Reason) {
				reasons = append(reasons, o.Reason)
			}
			was, known := r.last.View(view).Waiting[quoted]
			fresh = fresh || !known || was.Reason != o.Reason
		}
	}
	if !fresh {
		return ""
	}
	if slices.Sort(reasons); len(reasons) > 2 {
		reasons = append(reasons[:2], "…")
	}
	what := names[0] + " of account " + strconv.Quote(r.Account.Meta.Label) + " waits"
	if len(names) > 1 {
		what = fmt.Sprintf("%d entries of account %q wait", len(names), r.Account.Meta.Label)
	}
	return fmt.Sprintf("%s to be shared (%s); see: codex swop doctor", what, strings.Join(reasons, ", "))
}
