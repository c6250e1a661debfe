package mount

// A confined start is a chain of processes: the supervisor starts this one, which starts the helper, which starts the program. These are
// their descriptors beside 0, which is the caller's or a pipe (see input), and 1 and 2, which are the caller's in all of them:
//
//	  what it is                          here         helper         program
//	3 the socket to the helper            passed on    closed last    -
//	4 the socket to this process          closed last  -              -
//
// The supervisor keeps one end of each; it closes the rest once the first process runs. So the end of a process shows at the other end of
// its socket. No process gets any other descriptor of the caller.
const (
	Status = 3 + iota
	ControlSocket
)
