// Package peer lets the kernel say who is at the other end of a socket: programs of a session connect to Unix sockets that programs of the
// session listen on, and to those on a list, and to no others. It knows nothing of accounts.
//
// [Restrict] puts the session's first program, and all that it starts, under a filter of system calls. The kernel passes connect(2) and
// listen(2) to [Serve], outside, which makes them in the caller's place, on the caller's own socket and on its own copy of the address
// (seccomp_unotify(2)). So the kernel names this process as the one that listens on every socket of the session, and a socket on which another
// one listens is never connected to. No call goes on unchanged after a look at its address: the caller could change that meanwhile.
package peer
