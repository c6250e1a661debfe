if status is-interactive; and not contains -- @PATH@ $fish_complete_path
    set -gp fish_complete_path @PATH@
end
