// Package file reads and writes selector.toml and config.toml in full, and says where they lie in every case. It is the slow path of
// package config, which holds the types and decodes them.
package file
