package transcript

import (
	"bufio"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"slices"
	"strings"
	"time"
)

// HasPromptSince reports whether the transcript of a session in a codex home has a prompt of the user's that is not older than since. For a
// missing transcript the error wraps [fs.ErrNotExist].
func HasPromptSince(ctx context.Context, codexHome, id string, since time.Time) (bool, error) {
	root, files, err := sessions(codexHome)
	if err != nil {
		return false, err
	}
	defer root.Close()
	i := slices.IndexFunc(files, func(file string) bool { return strings.HasSuffix(file, "-"+id+".jsonl") })
	if i < 0 {
		return false, fmt.Errorf("the transcript of the session %q: %w", id, fs.ErrNotExist)
	}
	f, err := open(root, files[i])
	if err != nil {
		return false, err
	}
	defer f.Close()
	const longest, most = 64 << 20, 1 << 30 // bytes of a line, with room for images, and of the file
	if info, err := f.Stat(); err != nil || info.Size() > most {
		return false, cmp.Or(err, fmt.Errorf("%s: larger than %d bytes", files[i], most))
	}
	in := bufio.NewReaderSize(io.LimitReader(f, most), bufferSize)
	for {
		text, err := readLine(in, longest)
		if _, ok := userMessage(text); ok {
			var l struct{ Timestamp time.Time }
			if json.Unmarshal(text, &l) == nil && !l.Timestamp.Before(since) {
				return true, nil
			}
		}
		switch {
		case errors.Is(err, io.EOF):
			return false, nil
		case err != nil || ctx.Err() != nil:
			return false, cmp.Or(err, ctx.Err())
		}
	}
}
