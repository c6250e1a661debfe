functions --erase swop_first
function swop_first --on-event fish_prompt
    if test "$PATH[1]" != @PATH@
        set -gx PATH @PATH@ (string match --invert -- @PATH@ $PATH)
    end
end
