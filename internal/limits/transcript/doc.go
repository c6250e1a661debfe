// Package transcript lists the sessions of a codex home by the beginnings of their transcripts. It changes nothing there.
package transcript
