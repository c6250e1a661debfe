# Puts swop's codex first on PATH. PowerShell's profile reads this; codex swop install wrote it.
$swopDirectories = @($env:PATH -split [IO.Path]::PathSeparator | Where-Object { $_ -ne @BIN@ })
$env:PATH = (@(@BIN@) + $swopDirectories) -join [IO.Path]::PathSeparator
