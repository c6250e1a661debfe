package rules

import (
	"encoding/binary"
	"errors"
	"os"
	"path/filepath"

	"swop/internal/account"
	"swop/internal/disk"
)

// The stamp of an account says what everything was like that a look at it depends on, when the last look found nothing to repair. It is not
// synced: one that is lost, or that a crash tore, makes the next start look.

// Stamp is what the file says: a sum of the rest, what has a size, little-endian, and SharedHome.
type Stamp struct {
	sized
	SharedHome string // as root.json says
}

type sized struct {
	Inputs  uint64   // the sum of the settings and of the table; 0 where the next start must look again
	Private bool     // the state, as meta.json says
	Places  [6]Place // in the order of [Subject.places]
}

// Place is a directory or file that is compared. An entry that comes, goes or is replaced changes the times of its directory.
type Place struct {
	Dev, Ino     uint64
	Mtime, Ctime int64 // 0 where a change after the look might not show in them
	Names        Names // of a file the sum of its text
}

// tableSum stands for the built-in rules, which are not summed up at each start, and for the meaning of a stamp: see TestTableSum.
const tableSum = 0x1c4ea0f8cf0674d8

// MaxStamp is more bytes than a stamp has.
const MaxStamp = 1 << 13

var errTorn = errors.New("not what was written")

// Text returns what the file is to say.
func (s *Stamp) Text() []byte {
	text, _ := binary.Append(nil, binary.LittleEndian, &s.sized) // it cannot fail: the size is fixed
	text = append(text, s.SharedHome...)
	return append(binary.LittleEndian.AppendUint64(nil, disk.Sum(string(text))), text...)
}

// Parse reads the text of a stamp into s.
func (s *Stamp) Parse(text []byte) error {
	const start = 8
	size := start + binary.Size(&s.sized)
	if len(text) < size || binary.LittleEndian.Uint64(text) != disk.Sum(string(text[start:])) {
		return errTorn
	}
	s.SharedHome = string(text[size:])
	_, err := binary.Decode(text[start:size], binary.LittleEndian, &s.sized)
	return err
}

// untimed returns s without any time.
func (s Stamp) untimed() Stamp {
	for i := range s.Places {
		s.Places[i].Mtime, s.Places[i].Ctime = 0, 0
	}
	return s
}

// StampFile is the file of an account's stamp.
func StampFile(a *account.Account) string { return filepath.Join(a.Dir, "stamp") }

// Write replaces a file of an account, unsynced.
func Write(file string, text []byte) error {
	tmp := filepath.Join(filepath.Dir(file), disk.TempName())
	err := os.WriteFile(tmp, text, 0o600)
	if err == nil {
		err = os.Rename(tmp, file)
	}
	if err != nil {
		return errors.Join(err, disk.RemoveIfExists(tmp))
	}
	return nil
}

// Kind is what an entry is: a file, a directory, or neither.
type Kind interface {
	IsDir() bool
	IsRegular() bool
}

// Names sums up what a look at a directory depends on: its entries, in whatever order.
type Names uint64

// Add adds an entry. which is the target of a link in a sandbox, since a link of ours can be replaced by another, and the inode of a
// hard-linked file; "" for all others.
func (n *Names) Add(name string, is Kind, which string) {
	kind := ""
	switch {
	case is.IsDir():
		kind = "directory"
	case is.IsRegular():
		kind = "file"
	}
	*n += Names(mixed(disk.Sum(name, "\x00", kind, "\x00", which)))
}

// mixed spreads the bits of a sum, as the end of splitmix64 does: FNV's of names that differ in a digit differ by much the same.
func mixed(sum uint64) uint64 {
	sum = (sum ^ sum>>30) * 0xbf58476d1ce4e5b9
	sum = (sum ^ sum>>27) * 0x94d049bb133111eb
	return sum ^ sum>>31
}

// ComesAndGoes reports whether nothing depends on an entry of a shared codex home: it is the log of one of codex's databases, and lies
// there while a codex runs. One in a sandbox is left by a codex that was killed.
func ComesAndGoes(name string) bool {
	if _, log := disk.DatabaseName(name); !log {
		return false
	}
	row, _ := builtIn(name)
	return row.Class == Ignored
}
