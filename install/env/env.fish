# Puts swop's codex first on PATH. fish's start-up file reads this; codex swop install wrote it.
if test "$PATH[1]" != @BIN@
    set -gx PATH @BIN@ (string match --invert -- @BIN@ $PATH)
end
