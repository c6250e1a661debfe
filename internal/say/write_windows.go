package say

import "io"

// write writes text to w. Of what is said none is worth a call's end.
func write(w io.Writer, text string) { _, _ = io.WriteString(w, text) }
