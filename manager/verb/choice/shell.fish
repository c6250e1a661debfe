if status is-interactive; and not begin
        functions fish_prompt
        functions fish_right_prompt
    end 2>/dev/null | string match --quiet '*swop which --short*'
    functions --copy fish_prompt swop_own_prompt
    function swop_return
        return $argv[1]
    end
    function fish_prompt
        set -l code $status
        printf '(%s) ' (@CODEX@ swop which --short 2>/dev/null)
        swop_return $code
        swop_own_prompt
    end
end
