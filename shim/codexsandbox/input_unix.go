//go:build unix

package codexsandbox

import (
	"io"
	"os"
)

// input is what a command reads. With os/exec's own pipe Wait would wait for a reader that does not end, even with a WaitDelay.
type input struct {
	read  *os.File // nil for nothing
	write *os.File // nil where nothing is to be copied
}

// openInput returns the input for a command: a file itself, any other reader through a pipe.
func openInput(from io.Reader) (input, error) {
	if from == nil {
		return input{}, nil
	}
	if file, ok := from.(*os.File); ok {
		return input{read: file}, nil
	}
	read, write, err := os.Pipe()
	if err != nil {
		return input{}, err
	}
	go func() {
		_, _ = io.Copy(write, from) // the command need not read all
		write.Close()
	}()
	return input{read, write}, nil
}

// file returns what os/exec needs: for no input a nil io.Reader, not a nil file.
func (in input) file() io.Reader {
	if in.read == nil {
		return nil
	}
	return in.read
}

// close ends the copying: at once, or if the reader waits, at its next byte.
func (in input) close() {
	if in.write != nil {
		in.read.Close()
		in.write.Close()
	}
}
