if not contains -- @PATH@ $PATH
    set -gx PATH $PATH @PATH@
end
