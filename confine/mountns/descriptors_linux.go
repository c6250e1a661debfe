package mountns

// A confined start is a chain of processes: the supervisor starts this one, which starts bubblewrap, which starts the helper, which starts the
// program. These are their descriptors beside 0, which is the caller's or a pipe (see input), and 1, which is the caller's in all of them:
//
//	  what it is                  here         bubblewrap   helper         program
//	2 messages, in a file         stderr       stderr       until 4 is 2   the caller's stderr
//	3 the socket to the helper    passed on    passed on    closed last    -
//	4 the caller's stderr         passed on    passed on    becomes 2      -
//	5 the socket to this process  closed last  -            -              -
//
// The supervisor keeps one end of both sockets, and the messages; it closes the rest once the first process runs. So the end of a process shows
// at the other end of its socket. No process gets any other descriptor of the caller.
const (
	Messages = 2 + iota
	Status
	Stderr
	ControlSocket
)
