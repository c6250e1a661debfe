package responses

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
)

// object is an event, or a part of one.
type object = map[string]any

func created(n int) object {
	return object{"type": "response.created", "response": object{"id": fmt.Sprintf("resp_%d", n)}}
}

// Unsandboxed begins a command that the model asks for without codex's own sandbox, which codex asks the user about.
const Unsandboxed = ": outside; "

// item is what the model says: a message, or the command that codex is to run, or the number of one that it is to go on waiting for.
func item(n int, call string, r Request) object {
	running := r.running()
	switch {
	case call != "" && bytes.Contains(r.Body, []byte(`"name":"shell"`)): // 0.29
		return function(n, "shell", object{"command": []string{"bash", "-lc", call}, "timeout_ms": patience})
	case call != "" && bytes.Contains(r.Body, []byte(`"tools"`)) && !bytes.Contains(r.Body, []byte(`"exec_command"`)): // 0.92 has another
		return function(n, "shell_command", object{"command": call, "timeout_ms": patience})
	case strings.HasPrefix(call, Unsandboxed):
		const permissions = "require_escalated"
		return function(n, "exec_command", object{
			"cmd": call, "yield_time_ms": patience, "sandbox_permissions": permissions,
			"justification": "x",
		})
	case call != "":
		return function(n, "exec_command", object{"cmd": call, "yield_time_ms": patience})
	case running != "":
		return function(n, "write_stdin", object{"session_id": json.Number(running), "chars": "", "yield_time_ms": patience})
	}
	return object{"type": "response.output_item.done", "item": object{
		"type": "message", "role": "assistant", "id": fmt.Sprintf("msg_%d", n),
		"content": []object{{"type": "output_text", "text": Reply}},
	}}
}

// patience is how many milliseconds codex waits for a command before it reports what there is. It takes no more than 30 seconds.
const patience = 20_000

func function(n int, name string, arguments object) object {
	args, err := json.Marshal(arguments)
	if err != nil {
		panic(err)
	}
	return object{"type": "response.output_item.done", "item": object{
		"type": "function_call", "id": fmt.Sprintf("fc_%d", n), "call_id": fmt.Sprintf("call_%d", n),
		"name": name, "arguments": string(args),
	}}
}

func completed(n int) object {
	return object{"type": "response.completed", "response": object{
		"id":    fmt.Sprintf("resp_%d", n),
		"usage": object{"input_tokens": 1, "output_tokens": 1, "total_tokens": 2},
	}}
}

// send writes events and flushes them; a client that went away is noticed by its closed request.
func send(w http.ResponseWriter, events ...object) {
	for _, e := range events {
		data, err := json.Marshal(e)
		if err != nil {
			panic(err)
		}
		fmt.Fprintf(w, "event: %s\ndata: %s\n\n", e["type"], data)
	}
	if f, ok := w.(http.Flusher); ok {
		f.Flush()
	}
}
