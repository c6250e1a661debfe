// Package config, swop's own, says what the user decided: where swop's directories are, how a label becomes a directory name, what
// selector.toml and config.toml mean. It takes the environment as a value. Every call of codex links it.
package config
