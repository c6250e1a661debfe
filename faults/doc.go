// Package faults runs a command, watches every system call by which it, its threads or its children change a file, and at the one that
// a test chooses kills all of them or lets the call fail. The tracer is outside of what it tests: nothing there knows of it.
//
// Its tests do this to whole operations of swop, at every such call.
package faults
