// Package child runs the next program of a call as a child, where the system has no exec: on Windows.
package child
