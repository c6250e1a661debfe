// Package faults runs a command and watches every system call by which it, its threads or its children change a file. At the call that
// a test chooses it kills all of them, or makes the call fail. The tracer is a separate program: what it tests does not know of it.
//
// Its tests do this to complete operations of swop, at every such call.
package faults
