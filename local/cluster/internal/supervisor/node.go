package supervisor

import (
	"context"
	"fmt"
	"net/http"
	"sync"

	"hamlet.village/cluster/internal/component"
	"hamlet.village/cluster/internal/control"
	"hamlet.village/cluster/internal/kubeapi"
	"hamlet.village/cluster/internal/machine"
	"hamlet.village/cluster/internal/process"
	"hamlet.village/cluster/internal/spec"
)

// changeNode handles a request that names a node.
func (v *Supervisor) changeNode(change func(ctx context.Context, n spec.Node) error) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		wanted, ok := parse[control.Node](w, r)
		if !ok {
			return
		}
		n, ok := v.spec.NodeNamed(wanted.Name)
		if !ok {
			answer(w, nil, fmt.Errorf("there is no node %q", wanted.Name))
			return
		}
		answer(w, wanted, change(r.Context(), n))
	}
}

// stopNode simulates a power cut: the node disconnects, all its processes end, and they stay down until startNodeAgain.
func (v *Supervisor) stopNode(_ context.Context, n spec.Node) error {
	if err := machine.CutNode(n); err != nil {
		return err
	}
	var all sync.WaitGroup
	for _, c := range v.runner.Status() {
		if c.Node == n.Name {
			all.Go(func() { v.runner.Stop(process.ID(c.Name, c.Node), 0) })
		}
	}
	all.Wait()
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
