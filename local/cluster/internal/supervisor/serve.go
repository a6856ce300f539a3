package supervisor

import (
	"context"
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
	"hamlet.village/cluster/internal/kubeapi"
	"hamlet.village/cluster/internal/machine"
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
	routes.HandleFunc("POST /kill", handle(v.kill))
	routes.HandleFunc("POST /nodes/stop", v.changeNode(v.stopNode))
	routes.HandleFunc("POST /nodes/start", v.changeNode(v.startNodeAgain))
	routes.HandleFunc("POST /forwards", handle(v.addForward))
	routes.HandleFunc("DELETE /forwards", handle(v.removeForward))
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

func handle[In any](do func(ctx context.Context, in In) (any, error)) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		var in In
		if err := json.NewDecoder(r.Body).Decode(&in); err != nil {
			http.Error(w, err.Error(), http.StatusBadRequest)
			return
		}
		out, err := do(r.Context(), in)
		answer(w, out, err)
	}
}

func (v *Supervisor) kill(_ context.Context, k control.Kill) (any, error) {
	pid, err := v.runner.Signal(process.ID(k.Component, k.Node), syscall.SIGKILL)
	k.Pid = pid
	return k, err
}

func (v *Supervisor) forwardsFile() string { return v.spec.Path("forwards.json") }

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

// putForward starts a forward and ends an earlier forward of the same address.
func (v *Supervisor) putForward(f control.Forward) {
	v.dropForward(f)
	v.mu.Lock()
	v.forwards = append(v.forwards, f)
	v.mu.Unlock()
	v.runner.Start(component.Forward(v.spec, f))
}

func (v *Supervisor) dropForward(f control.Forward) {
	v.runner.Stop(component.Forward(v.spec, f).ID(), grace)
	v.mu.Lock()
	defer v.mu.Unlock()
	v.forwards = slices.DeleteFunc(v.forwards, func(o control.Forward) bool { return o.Listen == f.Listen })
}

func (v *Supervisor) addForward(_ context.Context, f control.Forward) (any, error) {
	v.putForward(f)
	return f, spec.WriteJSON(v.forwardsFile(), v.status().Forwards)
}

func (v *Supervisor) removeForward(_ context.Context, f control.Forward) (any, error) {
	known := slices.ContainsFunc(v.status().Forwards, func(o control.Forward) bool { return o.Listen == f.Listen })
	if !known {
		return nil, fmt.Errorf("nothing is forwarded from %s", f.Listen)
	}
	v.dropForward(f)
	return f, spec.WriteJSON(v.forwardsFile(), v.status().Forwards)
}

// changeNode handles a request that names a node.
func (v *Supervisor) changeNode(change func(ctx context.Context, n spec.Node) error) http.HandlerFunc {
	return handle(func(ctx context.Context, wanted control.Node) (any, error) {
		n, ok := v.spec.NodeNamed(wanted.Name)
		if !ok {
			return nil, fmt.Errorf("there is no node %q", wanted.Name)
		}
		return wanted, change(ctx, n)
	})
}

// stopNode simulates a power cut: the node disconnects, and all its processes end and stay down until startNodeAgain.
func (v *Supervisor) stopNode(_ context.Context, n spec.Node) error {
	if err := machine.CutNode(n); err != nil {
		return err
	}
	v.runner.StopEach(0, func(c process.Status) bool { return c.Node == n.Name })
	return machine.KillNode(v.spec, n)
}

// startNodeAgain starts a stopped node; a running node stays unchanged.
func (v *Supervisor) startNodeAgain(ctx context.Context, n spec.Node) error {
	if err := machine.JoinNode(n); err != nil {
		return err
	}
	v.runner.Start(component.Containerd(v.spec, n))
	if err := kubeapi.Poll(ctx, patience, kubeapi.Listening("unix", v.spec.Containerd(n))); err != nil {
		return err
	}
	v.startNode(n)
	return nil
}
