// Package say prints what people read: errors with their hints, and the lines of swop's own on stderr.
package say
