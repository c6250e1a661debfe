# This completes what follows "codex swop".
Register-ArgumentCompleter -Native -CommandName codex, codex.exe -ScriptBlock {
    param($wordToComplete, $commandAst, $cursorPosition)
    $words = @($commandAst.CommandElements | Where-Object { $_.Extent.StartOffset -lt $cursorPosition } | ForEach-Object { "$_" })
    if ($words.Count -lt 2 -or $words[1] -ne 'swop') { return }
    $words = @($words | Select-Object -Skip 2)
    if ($wordToComplete -eq '') { $words += '""' } # PowerShell 5 passes no empty argument
    & $script:swopProgram __complete $words 2>$null | Where-Object { $_ -notmatch '^:\d+$' } | ForEach-Object {
        $word, $description = $_ -split "`t", 2
        if (-not $description) { $description = $word }
        [System.Management.Automation.CompletionResult]::new($word, $word, 'ParameterValue', $description)
    }
}
