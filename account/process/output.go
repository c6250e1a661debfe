package process

import "errors"

// Output keeps what a program prints, at most Max bytes. What goes beyond that is an error, which ends the copying.
type Output struct {
	Max  int
	text []byte
}

func (o *Output) Write(p []byte) (int, error) {
	if len(o.text)+len(p) > o.Max {
		return 0, errors.New("it prints too much")
	}
	o.text = append(o.text, p...)
	return len(p), nil
}

func (o *Output) String() string { return string(o.text) }
