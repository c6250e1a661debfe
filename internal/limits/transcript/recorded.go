package transcript

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// Find returns the path of the session's transcript in a codex home. The error for one that is missing wraps [fs.ErrNotExist].
func Find(codexHome, id string) (string, error) {
	files, err := Files(filepath.Join(codexHome, "sessions"))
	if err != nil {
		return "", err
	}
	for _, file := range files {
		if strings.HasSuffix(file, "-"+id+".jsonl") {
			return file, nil
		}
	}
	return "", fmt.Errorf("the transcript of the session %q: %w", id, fs.ErrNotExist)
}

// HasPromptSince reports whether the transcript has recorded a prompt of the user's since a time.
func HasPromptSince(file string, since time.Time) (bool, error) {
	f, err := os.Open(file)
	if err != nil {
		return false, err
	}
	defer f.Close()
	in := bufio.NewReaderSize(f, bufferSize)
	for {
		text, err := in.ReadBytes('\n') // of any length: a prompt must not be overlooked
		if _, ok := userMessage(text); ok {
			var l struct{ Timestamp time.Time }
			if json.Unmarshal(text, &l) == nil && !l.Timestamp.Before(since) {
				return true, nil
			}
		}
		if errors.Is(err, io.EOF) {
			return false, nil
		}
		if err != nil {
			return false, err
		}
	}
}
