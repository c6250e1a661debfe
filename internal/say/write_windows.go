package say

import "io"

// write writes text to w, and ignores errors: no message is worth the end of a call.
func write(w io.Writer, text string) { _, _ = io.WriteString(w, text) }
