package control

import (
	"errors"
	"io"
	"net"
	"testing"
)

// answerWith handles one connection to the socket of a state folder with the test's
// function.
func answerWith(t *testing.T, serve func(net.Conn)) string {
	t.Helper()
	state := t.TempDir()
	listener, err := Listen(state)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = listener.Close() })
	go func() {
		conn, err := listener.Accept()
		if err != nil {
			return
		}
		serve(conn)
		_ = conn.Close()
	}()
	return state
}

func TestASupervisorThatEndsBeforeItAnswersIsNotRunning(t *testing.T) {
	deaths := map[string]func(net.Conn){
		// The kernel resets a connection that is closed with unread bytes.
		"with the request unread": func(net.Conn) {},
		"after it read the request": func(c net.Conn) {
			_, _ = c.Read(make([]byte, 4096))
		},
		"in the middle of its answer": func(c net.Conn) {
			_, _ = c.Read(make([]byte, 4096))
			_, _ = io.WriteString(c, "HTTP/1.1 200")
		},
	}
	for name, serve := range deaths {
		t.Run(name, func(t *testing.T) {
			err := Call(answerWith(t, serve), "GET", "/status", nil, nil)
			if !errors.Is(err, ErrNotRunning) {
				t.Fatalf("got %v", err)
			}
		})
	}
}

func TestWithoutListenerIsNotRunning(t *testing.T) {
	if err := Call(t.TempDir(), "GET", "/status", nil, nil); !errors.Is(err, ErrNotRunning) {
		t.Fatalf("got %v", err)
	}
}

func TestARefusalIsNotAnAbsence(t *testing.T) {
	state := answerWith(t, func(c net.Conn) {
		_, _ = c.Read(make([]byte, 4096))
		_, _ = io.WriteString(c, "HTTP/1.1 409 Conflict\r\nContent-Length: 4\r\n\r\nbusy")
	})
	err := Call(state, "GET", "/status", nil, nil)
	if err == nil || errors.Is(err, ErrNotRunning) || err.Error() != "busy" {
		t.Fatalf("got %v", err)
	}
}
