//go:build unix

package stamp

import (
	"encoding/binary"
	"errors"
	"os"
	"path/filepath"

	"golang.org/x/sys/unix"

	"swop/manager/account"
	"swop/manager/disk"
)

// Mark returns what tells whether the directory itself changes from now on.
func Mark(d disk.Dir) (Fingerprint, error) {
	var st unix.Stat_t
	if err := unix.Fstat(d.Fd(), &st); err != nil {
		return Fingerprint{}, d.Err("stat", "", err)
	}
	return FingerprintOf(&st), nil
}

// SeenFile is what of an item tells whether it is the same, and unwritten.
type SeenFile struct {
	Dev, Ino  uint64
	Size      int64
	Sec, Ns   int64
	CSec, CNs int64 `json:",omitempty"`
}

func SeenFileOf(i disk.Stat) SeenFile {
	return SeenFile{Dev: i.Dev, Ino: i.Ino, Size: i.Size, Sec: int64(i.Mtime.Sec), Ns: int64(i.Mtime.Nsec)}
}

// The stamp of an account is a file of two parts. The head, of a fixed size, says when the last look was and, if that found nothing to
// mend, what the directories were like: a start reads it alone, and writes it again in place. The body is the memory as JSON; it never
// changes in place. Neither is synced: a stamp that is lost, or that a crash tore, is no stamp, and [memory] says why that is harmless.

// Header is the first part of a stamp.
type Header struct {
	At     unix.Timespec // when the look began, by the clock that file systems stamp with; zero: unknown
	Dev    uint64        // of the file system whose clock that was
	Inputs uint64        // sum of all beside the directories that a look depends on
	Pinned Fingerprint   // of the file "kept", its zero value where there is none
	Paired SeenFile      // the hard-linked file, its zero value where there is none
	// Dirs are of the directories, in the order of [reconciler.watchedPath]; the first watches of them count, none where something was
	// left to mend.
	Dirs    [MaxDirs]Fingerprint
	Watched int
}

// Fingerprint is what tells whether a directory, or a file, changed.
type Fingerprint struct {
	Dev, ino     uint64
	Mtime, Ctime unix.Timespec
	Sum          uint64 // of the entries that matter: see [Rules.sharedSum] and [Rules.sandboxSum]
}

func FingerprintOf(st *unix.Stat_t) Fingerprint {
	return FingerprintOfStat(disk.StatOf(st))
}

func FingerprintOfStat(i disk.Stat) Fingerprint {
	return Fingerprint{Dev: i.Dev, ino: i.Ino, Mtime: i.Mtime, Ctime: i.Ctime}
}

// Unmoved reports whether the directory's times say that no entry came, went or was replaced since m.
func (m Fingerprint) Unmoved(now Fingerprint) bool {
	now.Sum = m.Sum
	return m == now
}

// Settled reports whether a change after now would show in the times of m: file times have ticks, some of whole seconds, two in the
// worst case. A time in the future, which a clock that was set back leaves, is never settled.
func (m Fingerprint) Settled(now unix.Timespec) bool {
	if m.Ctime.Nsec == 0 {
		return m.Ctime.Sec+2 < now.Sec
	}
	return disk.Older(m.Ctime, now)
}

const (
	stampMagic  = "swopst3\n"
	MaxDirs     = 4
	headerWords = 2 + 1 + 1 + 7 + 5 + 1 + MaxDirs*7
	headerSize  = len(stampMagic) + 8 + headerWords*8
)

// Put writes the head to b: magic, sum, then words of 64 bits, little-endian.
func (h *Header) put(b *[headerSize]byte) {
	copy(b[:], stampMagic)
	rest := b[len(stampMagic)+8:]
	put := func(words ...uint64) {
		for _, w := range words {
			binary.LittleEndian.PutUint64(rest, w)
			rest = rest[8:]
		}
	}
	put(uint64(h.At.Sec), uint64(h.At.Nsec), h.Dev, h.Inputs)
	h.Pinned.put(put)
	put(h.Paired.Dev, h.Paired.Ino, uint64(h.Paired.Size), uint64(h.Paired.Sec), uint64(h.Paired.Ns), uint64(h.Watched))
	for i := range h.Dirs {
		h.Dirs[i].put(put)
	}
	binary.LittleEndian.PutUint64(b[len(stampMagic):], sumOf(b[len(stampMagic)+8:]))
}

func (m *Fingerprint) put(put func(...uint64)) {
	put(m.Dev, m.ino, uint64(m.Mtime.Sec), uint64(m.Mtime.Nsec), uint64(m.Ctime.Sec), uint64(m.Ctime.Nsec), m.Sum)
}

// parseHeader reads the head at the beginning of b. One that is torn, foreign or of another version is none.
func parseHeader(b []byte) (h Header, ok bool) {
	if len(b) < headerSize || string(b[:len(stampMagic)]) != stampMagic {
		return h, false
	}
	rest := b[len(stampMagic)+8 : headerSize]
	if sumOf(rest) != binary.LittleEndian.Uint64(b[len(stampMagic):]) {
		return h, false
	}
	next := func() uint64 {
		w := binary.LittleEndian.Uint64(rest)
		rest = rest[8:]
		return w
	}
	h.At = disk.Timespec(next(), next())
	h.Dev, h.Inputs = next(), next()
	h.Pinned = nextFingerprint(next)
	h.Paired = SeenFile{Dev: next(), Ino: next(), Size: int64(next()), Sec: int64(next()), Ns: int64(next())}
	if h.Watched = int(next()); h.Watched < 0 || h.Watched > MaxDirs {
		return Header{}, false
	}
	for i := range h.Dirs {
		h.Dirs[i] = nextFingerprint(next)
	}
	return h, true
}

func nextFingerprint(next func() uint64) Fingerprint {
	return Fingerprint{Dev: next(), ino: next(), Mtime: disk.Timespec(next(), next()), Ctime: disk.Timespec(next(), next()), Sum: next()}
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
	buf      [headerSize]byte
}

func stampPath(a account.Account) string { return a.Dir + "/stamp" }

// OpenStamp opens the account's stamp and reads its head; nil where there is no stamp that can be trusted.
func OpenStamp(a account.Account) *File {
	open := func(flags int) (int, error) {
		return disk.RetryEINTR(func() (int, error) {
			return unix.Open(stampPath(a), flags|unix.O_NOFOLLOW|unix.O_NONBLOCK|unix.O_CLOEXEC, 0)
		})
	}
	f := &File{writable: true}
	var err error
	if f.fd, err = open(unix.O_RDWR); err != nil {
		f.writable = false
		if f.fd, err = open(unix.O_RDONLY); err != nil {
			return nil
		}
	}
	if !f.readHeader() {
		f.Close()
		return nil
	}
	return f
}

// readHeader reads the head, again where another process wrote it meanwhile.
func (f *File) readHeader() (ok bool) {
	for range 3 {
		n, err := disk.RetryEINTR(func() (int, error) { return unix.Pread(f.fd, f.buf[:], 0) })
		if err != nil {
			return false
		}
		if f.Header, ok = parseHeader(f.buf[:n]); ok {
			return true
		}
	}
	return false
}

func (f *File) Close() {
	if f != nil {
		_ = unix.Close(f.fd) // what was written may be lost
	}
}

// Renew writes the head in place. What keeps it from being written costs the next start a look, no more.
func (f *File) Renew() {
	if f.writable {
		f.Header.put(&f.buf)
		_, _ = unix.Pwrite(f.fd, f.buf[:], 0)
	}
}

// Body returns the second part.
func (f *File) Body() ([]byte, error) {
	var st unix.Stat_t
	if err := unix.Fstat(f.fd, &st); err != nil {
		return nil, err
	}
	size := st.Size - int64(headerSize)
	if size < 0 || size > MaxBaseline {
		return nil, errors.New("stamp: too large")
	}
	text := make([]byte, size)
	n, err := disk.RetryEINTR(func() (int, error) { return unix.Pread(f.fd, text, int64(headerSize)) })
	return text[:max(n, 0)], err
}

// WriteStamp replaces the account's stamp.
func WriteStamp(a account.Account, h Header, body []byte) error {
	var b [headerSize]byte
	h.put(&b)
	tmp := filepath.Join(a.Dir, ".stamp."+disk.RandomName())
	err := os.WriteFile(tmp, append(b[:], body...), 0o600)
	if err == nil {
		err = os.Chmod(tmp, 0o600) // whatever the umask
	}
	if err == nil {
		err = os.Rename(tmp, stampPath(a))
	}
	if err != nil {
		return errors.Join(err, disk.RemoveIfExists(tmp))
	}
	return nil
}
