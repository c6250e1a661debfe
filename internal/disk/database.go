package disk

import (
	"io"
	"strings"
)

// databaseEnds are the ends of the names of SQLite's files beside a database (https://sqlite.org/tempfiles.html).
var databaseEnds = []string{"-wal", "-shm", "-journal"}

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

// IsDatabase reports whether the file begins as SQLite's do (https://sqlite.org/fileformat2.html).
func (d Dir) IsDatabase(name string) bool {
	f, err := d.OpenFile(name)
	if err != nil {
		return false
	}
	defer f.Close()
	text := make([]byte, 16)
	n, err := io.ReadFull(f, text)
	return err == nil && string(text[:n]) == "SQLite format 3\x00"
}
