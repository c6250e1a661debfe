// Package chatgpt knows a ChatGPT login: what stands in for it in a session, when the real codex renews it, and where the account's
// requests go.
package chatgpt
