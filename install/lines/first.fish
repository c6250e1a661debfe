if test "$PATH[1]" != @PATH@
    set -gx PATH @PATH@ $PATH
end
