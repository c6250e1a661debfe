package limits

import "swop/manager/verb"

// Exec is the verb exec, which Windows does not have.
var Exec = verb.NotHere("exec", "Run codex exec, and go on at a limit")
