// Package tokens adds up the tokens that sessions have used, as their transcripts say. Each transcript is read once: an index keeps what was read.
package tokens
