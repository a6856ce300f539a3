package supervisor

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"net/http"
	"os"
	"slices"
	"syscall"

	"hamlet.village/cluster/internal/component"
	"hamlet.village/cluster/internal/control"
	"hamlet.village/cluster/internal/process"
	"hamlet.village/cluster/internal/spec"
)

// serve answers the commands. Only root can open the socket; no other access control exists.
func (v *Supervisor) serve(listener net.Listener) {
	routes := http.NewServeMux()
	routes.HandleFunc("GET /status", func(w http.ResponseWriter, _ *http.Request) { answer(w, v.status(), nil) })
	routes.HandleFunc("GET /healthy", func(w http.ResponseWriter, r *http.Request) {
		answer(w, struct{}{}, v.healthy(r.Context()))
	})
	routes.HandleFunc("POST /kill", v.kill)
	routes.HandleFunc("POST /nodes/stop", v.changeNode(v.stopNode))
	routes.HandleFunc("POST /nodes/start", v.changeNode(v.startNodeAgain))
	routes.HandleFunc("POST /forwards", v.addForward)
	routes.HandleFunc("DELETE /forwards", v.removeForward)
	routes.HandleFunc("POST /stop", func(w http.ResponseWriter, _ *http.Request) {
		answer(w, struct{}{}, nil)
		v.stop()
	})
	if err := http.Serve(listener, routes); err != nil && !errors.Is(err, net.ErrClosed) {
		fmt.Println("control socket:", err)
	}
}

func answer(w http.ResponseWriter, value any, err error) {
	if err != nil {
		http.Error(w, err.Error(), http.StatusConflict)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(value) // on an error the caller has disconnected
}

// parse reads the request's JSON, or answers with an error.
func parse[T any](w http.ResponseWriter, r *http.Request) (T, bool) {
	var value T
	if err := json.NewDecoder(r.Body).Decode(&value); err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return value, false
	}
	return value, true
}

func (v *Supervisor) kill(w http.ResponseWriter, r *http.Request) {
	k, ok := parse[control.Kill](w, r)
	if !ok {
		return
	}
	pid, err := v.runner.Signal(process.ID(k.Component, k.Node), syscall.SIGKILL)
	k.Pid = pid
	answer(w, k, err)
}

func (v *Supervisor) forwardsFile() string { return v.spec.Path("forwards.json") }

// loadForwards starts the forwards of an earlier run of the cluster.
func (v *Supervisor) loadForwards() error {
	raw, err := os.ReadFile(v.forwardsFile())
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	var list []control.Forward
	if err := json.Unmarshal(raw, &list); err != nil {
		return err
	}
	for _, f := range list {
		v.putForward(f)
	}
	return nil
}

// putForward starts a forward, which replaces a forward on the same port.
func (v *Supervisor) putForward(f control.Forward) {
	c := component.Forward(v.spec, f)
	v.runner.Stop(c.ID(), grace)
	v.mu.Lock()
	v.forwards = slices.DeleteFunc(v.forwards, func(o control.Forward) bool { return o.Listen == f.Listen })
	v.forwards = append(v.forwards, f)
	v.mu.Unlock()
	v.runner.Start(c)
}

func (v *Supervisor) addForward(w http.ResponseWriter, r *http.Request) {
	f, ok := parse[control.Forward](w, r)
	if !ok {
		return
	}
	v.putForward(f)
	answer(w, f, spec.WriteJSON(v.forwardsFile(), v.status().Forwards))
}

func (v *Supervisor) removeForward(w http.ResponseWriter, r *http.Request) {
	f, ok := parse[control.Forward](w, r)
	if !ok {
		return
	}
	known := slices.ContainsFunc(v.status().Forwards, func(o control.Forward) bool { return o.Listen == f.Listen })
	if !known {
		answer(w, nil, fmt.Errorf("nothing is forwarded from %s", f.Listen))
		return
	}
	v.runner.Stop(component.Forward(v.spec, f).ID(), grace)
	v.mu.Lock()
	v.forwards = slices.DeleteFunc(v.forwards, func(o control.Forward) bool { return o.Listen == f.Listen })
	v.mu.Unlock()
	answer(w, f, spec.WriteJSON(v.forwardsFile(), v.status().Forwards))
}
