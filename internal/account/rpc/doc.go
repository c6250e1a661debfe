// Package rpc asks a codex app-server that it starts, over its standard streams.
package rpc
