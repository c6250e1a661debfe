# Builds swop from this clone, or takes the programs of an unpacked archive, and installs it.
#
#   powershell -ExecutionPolicy Bypass -File install.ps1 [flags of codex-swop install]
#   powershell -ExecutionPolicy Bypass -File install.ps1 --uninstall [flags of codex-swop uninstall]
$ErrorActionPreference = 'Stop'

function Fail([string] $text, [string] $hint) {
    [Console]::Error.WriteLine("swop: $text")
    if ($hint) { [Console]::Error.WriteLine("swop: hint: $hint") }
    exit 1
}

$here = $PSScriptRoot
$verb = 'install'
$rest = @($args)
if ($rest -contains '--uninstall') {
    $verb = 'uninstall'
    $rest = @($rest | Where-Object { $_ -ne '--uninstall' })
}

$bin = Join-Path $here 'bin'
$clone = Split-Path $here
if (Test-Path (Join-Path $clone 'go.mod')) {
    if (-not (Get-Command go -ErrorAction SilentlyContinue)) {
        Fail 'Go is not on PATH' 'install it from https://go.dev/dl, or unpack an archive of a release'
    }
    $bin = Join-Path ([IO.Path]::GetTempPath()) ('swop-' + [IO.Path]::GetRandomFileName())
    New-Item -ItemType Directory -Path $bin | Out-Null
    Push-Location $clone
    try {
        $env:CGO_ENABLED = '0'
        & go build -trimpath -o "$bin\" ./shim/codex ./manager/codex-swop
        if ($LASTEXITCODE -ne 0) { Fail 'the build failed' '' }
    } finally {
        Pop-Location
    }
}
try {
    & (Join-Path $bin 'codex-swop.exe') $verb @rest
    $status = $LASTEXITCODE
} finally {
    if ($bin -ne (Join-Path $here 'bin')) { Remove-Item -Recurse -Force $bin }
}
exit $status
