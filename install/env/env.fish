# Puts swop's codex first on PATH, also when mise or another tool changes PATH later. fish's start-up file reads this; codex swop install
# wrote it.
function __swop_first --on-variable PATH
    if test "$PATH[1]" != @BIN@
        set -gx PATH @BIN@ (string match --invert -- @BIN@ $PATH)
    end
end
__swop_first
