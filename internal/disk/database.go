package disk

import (
	"encoding/binary"
	"io"
	"slices"
	"strings"

	"swop/internal/disk/sys"
)

// databaseEnds are the ends of the names of what SQLite has beside a database (https://sqlite.org/tempfiles.html).
var databaseEnds = []string{"-wal", "-shm", "-journal"}

// databaseHeader begins a database, and companionHeaders begin its write-ahead log, its rollback journal, and the log's index, whose numbers are
// in the machine's order (https://sqlite.org/fileformat2.html, https://sqlite.org/walformat.html).
const databaseHeader = "SQLite format 3\x00"

var companionHeaders = []string{
	"\x37\x7f\x06\x82", "\x37\x7f\x06\x83", "\xd9\xd5\x05\xf9\x20\xa1\x63\xd7", string(binary.NativeEndian.AppendUint32(nil, 3007000)),
}

// DatabaseName returns the name of the database that a file with this name would belong to, and whether it has such a name.
func DatabaseName(name string) (base string, companion bool) {
	for _, end := range databaseEnds {
		if base, ok := strings.CutSuffix(name, end); ok && base != "" {
			return base, true
		}
	}
	return name, false
}

// DatabaseNames returns base and the names that a database's other files would have.
func DatabaseNames(base string) []string {
	names := []string{base}
	for _, end := range databaseEnds {
		names = append(names, base+end)
	}
	return names
}

// Companions returns the names of the files in dirs that belong to the database called base, by what is in them: it is destroyed beside another's
// log, and without its own has lost what was written last. A file that does not tell, since it is empty or cannot be read, belongs to base where
// that is a database or does not tell either.
func Companions(base string, dirs ...Dir) (names []string) {
	isDatabase := func(d Dir) bool {
		text, there := d.begin(base)
		return there && (text == "" || strings.HasPrefix(text, databaseHeader))
	}
	database := slices.ContainsFunc(dirs, isDatabase)
	for _, name := range DatabaseNames(base)[1:] {
		if slices.ContainsFunc(dirs, func(d Dir) bool { return d.isCompanion(name, database) }) {
			names = append(names, name)
		}
	}
	return names
}

// isCompanion reports whether the file called name is one of a database, or may be one of that beside it.
func (d Dir) isCompanion(name string, database bool) bool {
	text, there := d.begin(name)
	return there && (database && strings.Trim(text, "\x00") == "" || slices.ContainsFunc(companionHeaders, func(header string) bool { return strings.HasPrefix(text, header) }))
}

// begin returns the first bytes of the file called name, none if it cannot be read, and whether there is such a file.
func (d Dir) begin(name string) (text string, there bool) {
	f, err := d.open(name)
	if err != nil {
		return "", Ignore(err, sys.ENOENT, sys.ELOOP, sys.ENAMETOOLONG, sys.ENXIO) != nil
	}
	defer f.Close()
	if info, err := f.Stat(); err != nil || !info.Mode().IsRegular() {
		return "", false
	}
	buf := make([]byte, 28)     // what SQLite zeroes of a journal that it is done with
	n, _ := io.ReadFull(f, buf) // an error gives nothing
	return string(buf[:n]), true
}
