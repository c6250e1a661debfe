package responses

import (
	"net/http"

	"golang.org/x/net/websocket"
)

// serveSocket answers turns that come by a WebSocket, as codex sends them where its provider says supports_websockets: each is a text, and
// so is each event of an answer.
func (s *Server) serveSocket(w http.ResponseWriter, r *http.Request) {
	websocket.Server{Handler: func(conn *websocket.Conn) {
		const most = 16 << 20
		conn.MaxPayloadBytes = most
		for {
			req := Request{Method: http.MethodPost, Path: r.URL.Path, Bearer: bearer(r), Socket: true}
			if websocket.Message.Receive(conn, &req.Body) != nil {
				return // codex ends it
			}
			n, _, call, _ := s.record(req)
			for _, event := range []object{created(n), item(n, call, req), completed(n)} {
				if websocket.JSON.Send(conn, event) != nil {
					return // likewise
				}
			}
		}
	}}.ServeHTTP(w, r)
}
