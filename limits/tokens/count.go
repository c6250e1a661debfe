package tokens

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"hash/crc32"
	"io"
	"os"
	"time"

	"swop/limits/transcript"
)

// Counts are numbers of tokens.
type Counts struct {
	Input     int64 `json:"input_tokens"`
	Cached    int64 `json:"cached_input_tokens"` // of the input
	Output    int64 `json:"output_tokens"`
	Reasoning int64 `json:"reasoning_output_tokens"` // of the output
	Total     int64 `json:"total_tokens"`
}

// Add adds other numbers.
func (c *Counts) Add(o Counts) {
	c.Input += o.Input
	c.Cached += o.Cached
	c.Output += o.Output
	c.Reasoning += o.Reasoning
	c.Total += o.Total
}

// since returns what was used after the numbers before, which belong to the same sum.
func (c Counts) since(before Counts) Counts {
	return Counts{c.Input - before.Input, c.Cached - before.Cached, c.Output - before.Output, c.Reasoning - before.Reasoning, c.Total - before.Total}
}

// Part is what a session used in an hour, with a model.
type Part struct {
	Hour  int64  `json:"hour"` // since 1970
	Model string `json:"model,omitempty"`
	Counts
}

// Session is what a transcript says of tokens.
type Session struct {
	Dir            string `json:"dir,omitempty"`
	CreatorAccount string `json:"creator_account,omitempty"`
	CreatorUser    string `json:"creator_user,omitempty"`
	Parts          []Part `json:"parts,omitempty"`
}

// read is what was read of a transcript, with what its next lines need.
type read struct {
	Session
	Size   int64  `json:"size"`
	Mtime  int64  `json:"mtime"` // in nanoseconds since 1970
	Offset int64  `json:"offset"`
	Before uint32 `json:"before"` // a sum of the bytes before the offset, by which another file is known
	Model  string `json:"model,omitempty"`
	Sum    Counts `json:"sum,omitzero"` // by its last line that has one
}

// longestLine is the longest line that is looked at: those with counts have about a kilobyte, those with the model a few.
const longestLine = 1 << 20

// advance reads the lines of the transcript that were not read yet. A last line without an end is left for the next time.
func (r *read) advance(file string, in *bufio.Reader) error {
	f, err := os.Open(file)
	if err != nil {
		return err
	}
	defer f.Close()
	before, err := sumBefore(f, r.Offset)
	if err != nil {
		return err
	}
	if before != r.Before {
		*r = read{Size: r.Size, Mtime: r.Mtime}
	}
	if _, err := f.Seek(r.Offset, io.SeekStart); err != nil {
		return err
	}
	in.Reset(f)
	err = r.lines(in)
	if err == nil {
		r.Before, err = sumBefore(f, r.Offset)
	}
	return err
}

// summed is how many bytes before an offset are compared: a line has a time in it.
const summed = 256

// sumBefore returns a sum of the bytes before an offset in a file.
func sumBefore(f io.ReaderAt, offset int64) (uint32, error) {
	b := make([]byte, min(offset, summed))
	_, err := f.ReadAt(b, offset-int64(len(b)))
	return crc32.ChecksumIEEE(b), ignoreEnd(err)
}

// lines takes in the lines that follow.
func (r *read) lines(in *bufio.Reader) error {
	var line []byte
	length := int64(0)
	for {
		part, err := in.ReadSlice('\n')
		length += int64(len(part))
		if errors.Is(err, bufio.ErrBufferFull) {
			if len(line) < longestLine {
				line = append(line, part...)
			}
			continue
		}
		if err != nil {
			return ignoreEnd(err)
		}
		if len(line) > 0 {
			part = append(line, part...)
		}
		if len(part) < longestLine {
			r.line(part)
		}
		r.Offset += length
		line, length = line[:0], 0
	}
}

func ignoreEnd(err error) error {
	if errors.Is(err, io.EOF) {
		return nil
	}
	return err
}

// The texts by which the lines that count are known before they are read any further.
var (
	counting = []byte(`"token_count"`)
	naming   = []byte(`"turn_context"`)
)

// line takes in a line of the transcript.
func (r *read) line(text []byte) {
	switch {
	case r.Offset == 0:
		if s, ok := transcript.ParseHead(text); ok {
			r.Dir, r.CreatorAccount, r.CreatorUser = s.Dir, s.CreatorAccount, s.CreatorUser
		}
	case bytes.Contains(text, counting):
		r.count(text)
	case bytes.Contains(text, naming):
		var l struct {
			Type    string
			Payload struct{ Model string }
		}
		if json.Unmarshal(text, &l) == nil && l.Type == "turn_context" {
			r.Model = l.Payload.Model
		}
	}
}

// count takes in a line with counts. Their sum, and not the last request, tells what is new: codex writes a line again where only limits have changed. A
// sum that is the first, as in a copy of another session, or lower than the last, begins with the last request.
func (r *read) count(text []byte) {
	var l struct {
		Timestamp time.Time
		Type      string
		Payload   struct {
			Type string
			Info *struct {
				Sum  Counts `json:"total_token_usage"`
				Last Counts `json:"last_token_usage"`
			}
		}
	}
	if json.Unmarshal(text, &l) != nil || l.Type != "event_msg" || l.Payload.Type != "token_count" || l.Payload.Info == nil {
		return
	}
	used, sum := l.Payload.Info.Last, l.Payload.Info.Sum
	switch {
	case r.Sum != (Counts{}) && sum.Total >= r.Sum.Total:
		used = sum.since(r.Sum)
	case used == (Counts{}):
		used = sum
	}
	if r.Sum = sum; used == (Counts{}) {
		return
	}
	hour := l.Timestamp.Unix() / 3600
	if n := len(r.Parts); n == 0 || r.Parts[n-1].Hour != hour || r.Parts[n-1].Model != r.Model {
		r.Parts = append(r.Parts, Part{Hour: hour, Model: r.Model})
	}
	r.Parts[len(r.Parts)-1].Add(used)
}
