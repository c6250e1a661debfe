//go:build unix

package mirror

import (
	"slices"
	"strings"
)

// The oracle of the table: what one reconcile must make of an entry, by the words of the design alone.

// expected returns the outcome that the design asks for.
func (s situation) expected() outcome {
	o := outcome{own: s.ownText(), shared: s.sharedText(), other: s.otherText()}
	switch s.name {
	case "auth.json", "my-token", "mine.local":
		if s.isPrivate() {
			return s.private(o)
		}
	case "x.sqlite-wal":
		if !s.atHome {
			return s.private(o) // neither linked nor adopted
		}
	}
	return s.linked(o)
}

func (s situation) isPrivate() bool { return s.name == "mine.local" || !s.atHome }

// private: the account's own, never linked, never moved. A link that an older table made is removed; what a program renamed or copied to this
// name is the account's own from then on.
func (s situation) private(o outcome) outcome {
	switch s.own {
	case "right link", "former link":
		o.own = "absent"
	case "link to other", "renamed link":
		o.again = s.own == "renamed link" && s.activity == busy // the link that was renamed comes back at rest
		if s.name == "x.sqlite-wal" {
			return o // ignored
		}
		o.own = "X"
		if s.own == "renamed link" && s.activity != busy {
			o.other = "absent"
		}
	}
	return o
}

// linked: one link to the shared entry.
func (s situation) linked(o outcome) outcome {
	if s.shared == "absent" && s.ahead() == "dir" && !(s.own == "dir" && s.name == "skills") {
		o.shared = "[]" // made first, but not in the way of one that a program made
	}
	switch {
	case s.own == "socket" || s.own == "fifo":
		return o // a socket stays where it was made
	case s.own == "link to other" || s.own == "renamed link":
		return s.elsewhere(o)
	case s.own == "absent" && s.activity == busy && (s.shared != "absent" || s.ahead() != ""): // removed in the session
		o.again = true
		return o
	case s.isOurLink() || s.own == "absent":
		o.own = s.link()
		if o.shared == "absent" && s.ahead() != "file" && (s.own != "absent" || s.ahead() == "") {
			o.own = "absent"
		}
		return o
	case s.isGroup():
		return s.group(o)
	case o.shared == "absent":
		return s.adopted(o)
	}
	return s.folded(o)
}

func (s situation) isGroup() bool {
	return s.name == "state_5.sqlite" && s.own != "dir" && s.shared != "dir"
}

// mayMove: at rest what no process has open; while a session runs only a quiet file that took the place of a link, which the last scan knew.
func (s situation) mayMove(o outcome) bool {
	file := slices.Contains([]string{"newer", "older", "restored", "same", "hard link"}, s.own)
	linked := s.shared != "absent" || s.ahead() == "file"
	return s.activity != busy || s.seen && file && linked && o.shared[0] != '['
}

// ahead says how a name is linked that the shared home does not have: as a "file", as a "dir" that is made, or not at all.
func (s situation) ahead() string {
	switch s.name {
	case "config.toml", "state_5.sqlite":
		if s.name == "state_5.sqlite" && s.own == "absent" {
			return "" // a pattern is no name that could be linked before it is there
		}
		return "file"
	case "skills", "sessions":
		return "dir"
	}
	return ""
}

// adopted: a new entry moves to the shared home.
func (s situation) adopted(o outcome) outcome {
	if !s.mayMove(o) {
		o.again = true
		return o
	}
	o.shared, o.own = o.own, s.link()
	return o
}

// group: adopted or kept at rest only. What is not a regular file cannot be a database, and waits for a person.
func (s situation) group(o outcome) outcome {
	regular := s.own == "newer" || s.own == "older" || s.own == "restored" || s.own == "same" || s.own == "hard link"
	switch {
	case s.activity == busy || !regular:
		o.again = true
	case s.shared == "absent" || s.own == "hard link":
		o.shared, o.own = o.own, s.link()
	case s.own == "same":
		o.own = s.link()
	default:
		o.kept, o.own = []string{o.own}, s.link()
	}
	return o
}

// folded: a link that a program replaced.
func (s situation) folded(o outcome) outcome {
	own, shared := o.own, o.shared
	if !s.mayMove(o) {
		o.again = true
		return o
	}
	o.own = s.link()
	switch {
	case s.own == "hard link" || own == shared:
	case s.own == "dir" && s.shared == "dir" && s.name == "sessions":
		o.shared, o.kept = "[both=S in O=O in S=S]", []string{"O"}
	case s.own == "dir" && s.shared == "absent": // made first, then merged
		o.shared = own
	case s.own == "dir" || shared[0] == '[':
		o.kept = []string{own}
	case s.own == "dangling link" && !strings.HasPrefix(shared, "-> "):
		o.kept = []string{own} // a link to nothing replaces no file
	case s.changed && s.own == "older":
		o.kept = []string{own}
	default:
		o.shared, o.kept = own, []string{shared}
	}
	return o
}

// elsewhere: a link of ours to another entry, read at rest. One that was renamed renames that entry; a copied one becomes a file of its own. A
// directory or a database in its way stays.
func (s situation) elsewhere(o outcome) outcome {
	shared := o.shared
	if s.activity == busy {
		o.again = true
		return o
	}
	o.own = s.link()
	inTheWay := shared != "absent" && (shared[0] == '[' || s.isGroup())
	if s.own == "renamed link" && !inTheWay {
		o.other = "absent"
	}
	switch {
	case inTheWay:
		o.kept = []string{"X"}
		return o
	case shared != "absent":
		o.kept = []string{shared}
	}
	o.shared = "X"
	return o
}

func (s situation) isOurLink() bool {
	return s.own == "right link" || s.own == "former link" || s.own == "link to other" || s.own == "renamed link"
}

func (s situation) link() string { return "-> shared/" + s.name }

func (s situation) ownText() string {
	switch s.own {
	case "newer", "older", "restored":
		return "O"
	case "same", "hard link":
		return "S"
	case "right link":
		return s.link()
	case "link to other", "renamed link":
		return "-> shared/other"
	case "former link":
		return "-> " + formerHome + "/" + s.name
	}
	return entryText(s.own, "O")
}

func (s situation) sharedText() string {
	if s.shared == "file" {
		return "S"
	}
	return entryText(s.shared, "S")
}

func (s situation) otherText() string {
	if s.own == "link to other" || s.own == "renamed link" {
		return "X"
	}
	return "absent"
}

func entryText(state, text string) string {
	switch state {
	case "dir":
		return "[both=" + text + " in " + text + "=" + text + "]"
	case "foreign link":
		return "-> /usr"
	case "dangling link":
		return "-> /nowhere/" + text
	case "socket":
		return "S---------"
	case "fifo":
		return "p---------"
	}
	return state
}
