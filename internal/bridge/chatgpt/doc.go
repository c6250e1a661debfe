// Package chatgpt is about a bridged ChatGPT login: its stand-in in a session, its renewal by the real codex, and the routing of the
// account's requests.
package chatgpt
