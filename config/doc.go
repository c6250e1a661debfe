// Package config reads and writes what the user decides: where swop's directories are, how a label becomes a
// directory name, selector.toml and config.toml. It takes the environment as a value and imports nothing of ours.
package config
