//go:build unix

package rules

import (
	"encoding/binary"
	"errors"
	"os"
	"path/filepath"

	"golang.org/x/sys/unix"

	"swop/account"
	"swop/disk"
)

// Mark returns the fingerprint of the directory: from now on it tells whether the directory changes.
func Mark(d disk.Dir) (Fingerprint, error) {
	var st unix.Stat_t
	if err := unix.Fstat(d.Fd(), &st); err != nil {
		return Fingerprint{}, d.Err("stat", "", err)
	}
	return FingerprintOf(&st), nil
}

// SeenFile is what of a file tells whether it is the same, and was not written. The number of its device does not: the next mount over NFS, and
// another host, has another one.
type SeenFile struct {
	Ino     uint64
	Size    int64
	Sec, Ns int64
}

// SeenFileOf returns what is noted of a file.
func SeenFileOf(i disk.Stat) SeenFile {
	return SeenFile{Ino: i.Ino, Size: i.Size, Sec: int64(i.Mtime.Sec), Ns: int64(i.Mtime.Nsec)}
}

// The stamp of an account is a file of two parts. The header, of a fixed size, says when the last look was and, if that found nothing to
// repair, what the directories were like: a start reads it alone, and writes it again in place. The body is the baseline as JSON; it never
// changes in place. Neither is synced: a stamp that is lost, or that a crash tore, is no stamp. Package baseline says
// why that is harmless.

// Header is the first part of a stamp.
type Header struct {
	At     unix.Timespec // when the look began, by the clock that file systems stamp with; zero: unknown
	Dev    uint64        // of the file system whose clock that was
	Inputs uint64        // sum of all beside the directories that a look depends on
	Pinned Fingerprint   // of the file of pinned names, its zero value if it is missing
	Paired SeenFile      // the hard-linked file, its zero value if it is missing
	// Watched is how many of Dirs count, [WatchBoth] or [WatchCodex]; 0 if something was left to repair.
	Watched int
	Dirs    [MaxDirs]Fingerprint // of the directories, in the order of the constants from [SharedCodex] on
}

// Fingerprint is what tells whether a directory, or a file, changed.
type Fingerprint struct {
	Dev, ino     uint64
	Mtime, Ctime unix.Timespec
	Sum          uint64 // of the entries that matter: see [Rules.SharedSum] and [Rules.SandboxSum]
}

// FingerprintOf is [FingerprintOfStat] of what fstat(2) says.
func FingerprintOf(st *unix.Stat_t) Fingerprint {
	return FingerprintOfStat(disk.StatOf(st))
}

// FingerprintOfStat returns the fingerprint of a directory or file, without a sum.
func FingerprintOfStat(i disk.Stat) Fingerprint {
	return Fingerprint{Dev: i.Dev, ino: i.Ino, Mtime: i.Mtime, Ctime: i.Ctime}
}

// unmoved reports whether st is of the same directory, and its times say that no entry came, went or was replaced since m.
func (m *Fingerprint) unmoved(st *unix.Stat_t) bool {
	return m.Dev == uint64(st.Dev) && m.ino == st.Ino && m.Mtime == st.Mtim && m.Ctime == st.Ctim
}

// Settled reports whether a change after now would show in the times of m: file times have ticks, some of whole seconds, two in the
// worst case. A time in the future, which a clock that was set back leaves, is never settled.
func (m Fingerprint) Settled(now unix.Timespec) bool {
	if m.Ctime.Nsec == 0 {
		return m.Ctime.Sec+2 < now.Sec
	}
	return disk.Older(m.Ctime, now)
}

// A stamp begins with the magic text, then the sum of the words of the header, then the words, of 64 bits each, little-endian.
const (
	stampMagic = "swopst4\n"
	wordsAt    = len(stampMagic) + 8
)

// words passes each word of the header to f, and sets it to what f returns. What writes, reads or counts a header goes by it.
func (h *Header) words(f func(uint64) uint64) {
	timeWords(f, &h.At)
	word(f, &h.Dev)
	word(f, &h.Inputs)
	h.Pinned.words(f)
	word(f, &h.Paired.Ino)
	word(f, &h.Paired.Size)
	word(f, &h.Paired.Sec)
	word(f, &h.Paired.Ns)
	word(f, &h.Watched)
	for i := range h.Dirs {
		h.Dirs[i].words(f)
	}
}

func (m *Fingerprint) words(f func(uint64) uint64) {
	word(f, &m.Dev)
	word(f, &m.ino)
	timeWords(f, &m.Mtime)
	timeWords(f, &m.Ctime)
	word(f, &m.Sum)
}

func timeWords(f func(uint64) uint64, t *unix.Timespec) {
	word(f, &t.Sec)
	word(f, &t.Nsec)
}

func word[T int | int64 | uint64](f func(uint64) uint64, v *T) { *v = T(f(uint64(*v))) }

// appendTo appends the header as a file has it.
func (h *Header) appendTo(b []byte) []byte {
	start := len(b)
	b = append(append(b, stampMagic...), make([]byte, wordsAt-len(stampMagic))...)
	h.words(func(w uint64) uint64 {
		b = binary.LittleEndian.AppendUint64(b, w)
		return w
	})
	binary.LittleEndian.PutUint64(b[start+len(stampMagic):], sumOf(b[start+wordsAt:]))
	return b
}

// parse reads the header at the beginning of b, and returns how many bytes it has. It reports false for one that is torn, foreign
// or of another version; h is undefined then.
func (h *Header) parse(b []byte) (size int, ok bool) {
	if len(b) < wordsAt || string(b[:len(stampMagic)]) != stampMagic {
		return 0, false
	}
	rest, torn := b[wordsAt:], false
	h.words(func(uint64) (w uint64) {
		if len(rest) < 8 {
			torn = true
			return 0
		}
		w, rest = binary.LittleEndian.Uint64(rest), rest[8:]
		return w
	})
	size = len(b) - len(rest)
	valid := sumOf(b[wordsAt:size]) == binary.LittleEndian.Uint64(b[len(stampMagic):]) && h.Watched >= 0 && h.Watched <= len(h.Dirs)
	return size, valid && !torn
}

// sumOf is the sum of b, by words of 64 bits.
func sumOf(b []byte) uint64 {
	h := uint64(disk.FNVOffset)
	for ; len(b) >= 8; b = b[8:] {
		h = disk.Mix(h ^ binary.LittleEndian.Uint64(b))
	}
	return h
}

// File is an account's stamp, open.
type File struct {
	fd       int
	writable bool
	Header   Header
	bodyAt   int       // where the body begins
	buf      [512]byte // for a header

	stat unix.Stat_t // of what is compared with the header: here, so that the stack need not grow for it
}

func stampPath(a *account.Account) string { return a.Dir + "/stamp" }

// OpenStamp opens the account's stamp and reads its header. It returns nil if the stamp is missing or cannot be trusted.
func OpenStamp(a account.Account) *File {
	f := new(File)
	if !f.open(&a) {
		return nil
	}
	return f
}

func (f *File) open(a *account.Account) bool {
	open := func(flags int) (int, error) {
		return disk.RetryEINTR(func() (int, error) {
			return unix.Open(stampPath(a), flags|unix.O_NOFOLLOW|unix.O_NONBLOCK|unix.O_CLOEXEC, 0)
		})
	}
	f.writable = true
	var err error
	if f.fd, err = open(unix.O_RDWR); err != nil {
		f.writable = false
		if f.fd, err = open(unix.O_RDONLY); err != nil {
			return false
		}
	}
	if !f.readHeader() {
		f.Close()
		return false
	}
	return true
}

// readHeader reads the header, again if another process wrote it meanwhile.
func (f *File) readHeader() (ok bool) {
	for range 3 {
		n, err := disk.RetryEINTR(func() (int, error) { return unix.Pread(f.fd, f.buf[:], 0) })
		if err != nil {
			return false
		}
		if f.bodyAt, ok = f.Header.parse(f.buf[:n]); ok {
			return true
		}
	}
	return false
}

// Close closes the stamp; nil is no stamp.
func (f *File) Close() {
	if f != nil {
		_ = unix.Close(f.fd) // what was written may be lost
	}
}

// Renew writes the header in place.
func (f *File) Renew() {
	if f.writable {
		_, _ = unix.Pwrite(f.fd, f.Header.appendTo(f.buf[:0]), 0) // if that fails the next start looks once more
	}
}

// Body returns the second part, the baseline as JSON.
func (f *File) Body() ([]byte, error) {
	var st unix.Stat_t
	if err := unix.Fstat(f.fd, &st); err != nil {
		return nil, err
	}
	size := st.Size - int64(f.bodyAt)
	if size < 0 || size > MaxBaseline {
		return nil, errors.New("stamp: too large")
	}
	text := make([]byte, size)
	n, err := disk.RetryEINTR(func() (int, error) { return unix.Pread(f.fd, text, int64(f.bodyAt)) })
	return text[:max(n, 0)], err
}

// WriteStamp replaces the account's stamp.
func WriteStamp(a account.Account, h Header, body []byte) error {
	tmp := filepath.Join(a.Dir, disk.TempName())
	err := os.WriteFile(tmp, append(h.appendTo(nil), body...), 0o600)
	if err == nil {
		err = os.Chmod(tmp, 0o600) // whatever the umask
	}
	if err == nil {
		err = os.Rename(tmp, stampPath(&a))
	}
	if err != nil {
		return errors.Join(err, disk.RemoveIfExists(tmp))
	}
	return nil
}

// BaselineVersion changes with the meaning of the fields: a baseline of another version is not used.
const BaselineVersion = 6
