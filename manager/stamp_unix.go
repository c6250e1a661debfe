//go:build unix

package manager

import (
	"encoding/binary"
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"golang.org/x/sys/unix"

	"swop/config"
)

// The stamp of an account is a file of two parts. The head, of a fixed size, says when the last look was and, if that found nothing to
// mend, what the directories were like: a start reads it alone, and writes it again in place. The body is the memory as JSON; it never
// changes in place. Neither is synced: a stamp that is lost, or that a crash tore, is no stamp, and [memory] says why that is harmless.

// head is the first part of a stamp.
type head struct {
	at     unix.Timespec // when the look began, by the clock that file systems stamp with; zero: unknown
	dev    uint64        // of the file system whose clock that was
	inputs uint64        // sum of all beside the directories that a look depends on
	kept   mark          // of the file "kept", its zero value where there is none
	paired seen          // the hard-linked file, its zero value where there is none
	// marks are of the directories, in the order of [reconciler.watchedPath]; the first watches of them count, none where something was
	// left to mend.
	marks   [maxMarks]mark
	watches int
}

// mark is what tells whether a directory, or a file, changed.
type mark struct {
	dev, ino     uint64
	mtime, ctime unix.Timespec
	sum          uint64 // of the entries that matter: see [Rules.sharedSum] and [Rules.sandboxSum]
}

func markOf(st *unix.Stat_t) mark {
	return markOfItem(itemOf(st))
}

func markOfItem(i item) mark { return mark{dev: i.dev, ino: i.ino, mtime: i.mtime, ctime: i.ctime} }

func timespec(sec, nsec uint64) unix.Timespec {
	return unix.Timespec{Sec: int64(sec), Nsec: int64(nsec)}
}

// unmoved reports whether the directory's times say that no entry came, went or was replaced since m.
func (m mark) unmoved(now mark) bool {
	now.sum = m.sum
	return m == now
}

// settled reports whether a change after now would show in the times of m: file times have ticks, some of whole seconds, two in the
// worst case. A time in the future, which a clock that was set back leaves, is never settled.
func (m mark) settled(now unix.Timespec) bool {
	if m.ctime.Nsec == 0 {
		return m.ctime.Sec+2 < now.Sec
	}
	return older(m.ctime, now)
}

const (
	stampMagic = "swopst3\n"
	maxMarks   = 4
	headWords  = 2 + 1 + 1 + 7 + 5 + 1 + maxMarks*7
	headSize   = len(stampMagic) + 8 + headWords*8
)

// put writes the head to b: magic, sum, then words of 64 bits, little-endian.
func (h *head) put(b *[headSize]byte) {
	copy(b[:], stampMagic)
	rest := b[len(stampMagic)+8:]
	put := func(words ...uint64) {
		for _, w := range words {
			binary.LittleEndian.PutUint64(rest, w)
			rest = rest[8:]
		}
	}
	put(uint64(h.at.Sec), uint64(h.at.Nsec), h.dev, h.inputs)
	h.kept.put(put)
	put(h.paired.Dev, h.paired.Ino, uint64(h.paired.Size), uint64(h.paired.Sec), uint64(h.paired.Ns), uint64(h.watches))
	for i := range h.marks {
		h.marks[i].put(put)
	}
	binary.LittleEndian.PutUint64(b[len(stampMagic):], sumOf(b[len(stampMagic)+8:]))
}

func (m *mark) put(put func(...uint64)) {
	put(m.dev, m.ino, uint64(m.mtime.Sec), uint64(m.mtime.Nsec), uint64(m.ctime.Sec), uint64(m.ctime.Nsec), m.sum)
}

// parseHead reads the head at the beginning of b. One that is torn, foreign or of another version is none.
func parseHead(b []byte) (h head, ok bool) {
	if len(b) < headSize || string(b[:len(stampMagic)]) != stampMagic {
		return h, false
	}
	rest := b[len(stampMagic)+8 : headSize]
	if sumOf(rest) != binary.LittleEndian.Uint64(b[len(stampMagic):]) {
		return h, false
	}
	next := func() uint64 {
		w := binary.LittleEndian.Uint64(rest)
		rest = rest[8:]
		return w
	}
	h.at = timespec(next(), next())
	h.dev, h.inputs = next(), next()
	h.kept = nextMark(next)
	h.paired = seen{Dev: next(), Ino: next(), Size: int64(next()), Sec: int64(next()), Ns: int64(next())}
	if h.watches = int(next()); h.watches < 0 || h.watches > maxMarks {
		return head{}, false
	}
	for i := range h.marks {
		h.marks[i] = nextMark(next)
	}
	return h, true
}

func nextMark(next func() uint64) mark {
	return mark{dev: next(), ino: next(), mtime: timespec(next(), next()), ctime: timespec(next(), next()), sum: next()}
}

// sumOf is the sum of b, by words of 64 bits.
func sumOf(b []byte) uint64 {
	h := uint64(fnvOffset)
	for ; len(b) >= 8; b = b[8:] {
		h = mixed(h ^ binary.LittleEndian.Uint64(b))
	}
	return h
}

const (
	fnvOffset = 14695981039346656037
	fnvPrime  = 1099511628211
)

// mixed spreads the bits of h (the finalizer of MurmurHash3).
func mixed(h uint64) uint64 {
	h ^= h >> 33
	h *= 0xff51afd7ed558ccd
	h ^= h >> 33
	h *= 0xc4ceb9fe1a85ec53
	return h ^ h>>33
}

// stampFile is an account's stamp, open.
type stampFile struct {
	fd       int
	writable bool
	head     head
	buf      [headSize]byte
}

func stampPath(a Account) string { return a.Dir + "/stamp" }

// openStamp opens the account's stamp and reads its head; nil where there is no stamp that can be trusted.
func openStamp(a Account) *stampFile {
	open := func(flags int) (int, error) {
		return config.Uninterrupted(func() (int, error) {
			return unix.Open(stampPath(a), flags|unix.O_NOFOLLOW|unix.O_NONBLOCK|unix.O_CLOEXEC, 0)
		})
	}
	f := &stampFile{writable: true}
	var err error
	if f.fd, err = open(unix.O_RDWR); err != nil {
		f.writable = false
		if f.fd, err = open(unix.O_RDONLY); err != nil {
			return nil
		}
	}
	if !f.readHead() {
		f.close()
		return nil
	}
	return f
}

// readHead reads the head, again where another process wrote it meanwhile.
func (f *stampFile) readHead() (ok bool) {
	for range 3 {
		n, err := config.Uninterrupted(func() (int, error) { return unix.Pread(f.fd, f.buf[:], 0) })
		if err != nil {
			return false
		}
		if f.head, ok = parseHead(f.buf[:n]); ok {
			return true
		}
	}
	return false
}

func (f *stampFile) close() {
	if f != nil {
		_ = unix.Close(f.fd) // what was written may be lost
	}
}

// renew writes the head in place. What keeps it from being written costs the next start a look, no more.
func (f *stampFile) renew() {
	if f.writable {
		f.head.put(&f.buf)
		_, _ = unix.Pwrite(f.fd, f.buf[:], 0)
	}
}

// body returns the second part.
func (f *stampFile) body() ([]byte, error) {
	var st unix.Stat_t
	if err := unix.Fstat(f.fd, &st); err != nil {
		return nil, err
	}
	size := st.Size - int64(headSize)
	if size < 0 || size > maxMemory {
		return nil, errors.New("stamp: too large")
	}
	text := make([]byte, size)
	n, err := config.Uninterrupted(func() (int, error) { return unix.Pread(f.fd, text, int64(headSize)) })
	return text[:max(n, 0)], err
}

// writeStamp replaces the account's stamp.
func writeStamp(a Account, h head, body []byte) error {
	var b [headSize]byte
	h.put(&b)
	tmp := filepath.Join(a.Dir, ".stamp."+randomName())
	err := os.WriteFile(tmp, append(b[:], body...), 0o600)
	if err == nil {
		err = os.Chmod(tmp, 0o600) // whatever the umask
	}
	if err == nil {
		err = os.Rename(tmp, stampPath(a))
	}
	if err != nil {
		return errors.Join(err, removeIfThere(tmp))
	}
	return nil
}

func removeIfThere(file string) error {
	if err := os.Remove(file); !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}
