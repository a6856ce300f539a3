package supervisor

import (
	"context"
	"fmt"
	"net/http"

	"hamlet.village/cluster/internal/component"
	"hamlet.village/cluster/internal/control"
	"hamlet.village/cluster/internal/kubeapi"
	"hamlet.village/cluster/internal/machine"
	"hamlet.village/cluster/internal/process"
	"hamlet.village/cluster/internal/spec"
)

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

// stopNode simulates a power cut: the node disconnects, all its processes end, and they stay down until startNodeAgain.
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
