# shellcheck shell=sh
PATH=$WORK/alone:$FAKES:/usr/bin:/bin exec codex
