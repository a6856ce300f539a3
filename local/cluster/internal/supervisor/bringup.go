package supervisor

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"hamlet.village/cluster/internal/component"
	"hamlet.village/cluster/internal/control"
	"hamlet.village/cluster/internal/image"
	"hamlet.village/cluster/internal/kubeapi"
	"hamlet.village/cluster/internal/machine"
	"hamlet.village/cluster/internal/pki"
	"hamlet.village/cluster/internal/spec"
	"hamlet.village/cluster/internal/volumes"
)

// patience bounds one step; it is long, because a slow machine under load is not broken.
const patience = 3 * time.Minute

func (v *Supervisor) bringUp(ctx context.Context) {
	err := v.step("machine prepared", v.prepare)
	if err == nil {
		err = together(func() error { return v.startControlPlane(ctx) }, func() error { return v.startContainerd(ctx) })
	}
	if err == nil && v.spec.Profile != spec.ProfileAPI {
		err = v.startRest(ctx)
	}
	if err == nil {
		err = v.step("port forwards", v.loadForwards)
	}
	if err != nil {
		fmt.Println("start-up failed:", err)
		v.setPhase(control.Failed)
		return
	}
	v.setPhase(control.Ready)
}

// together runs parts at the same time. They must not depend on each other.
func together(parts ...func() error) error {
	errs := make([]error, len(parts))
	var all sync.WaitGroup
	for i, part := range parts {
		all.Go(func() { errs[i] = part() })
	}
	all.Wait()
	return errors.Join(errs...)
}

func (v *Supervisor) prepare() error {
	if err := pki.Ensure(v.spec); err != nil {
		return err
	}
	if len(v.spec.Nodes) == 0 {
		return nil
	}
	for _, prepare := range []func() error{
		machine.CheckTools,
		func() error { return machine.SaveSettings(v.spec) },
		func() error { return machine.EnsureNetwork(v.spec) },
	} {
		if err := prepare(); err != nil {
			return err
		}
	}
	for _, n := range v.spec.Nodes {
		if err := v.prepareNode(n); err != nil {
			return fmt.Errorf("node %s: %w", n.Name, err)
		}
	}
	return nil
}

func (v *Supervisor) prepareNode(n spec.Node) error {
	if err := machine.EnsureMountNamespace(v.spec, n); err != nil {
		return err
	}
	if err := volumes.MountAll(v.spec, n); err != nil {
		return err
	}
	if err := machine.EnsureNodeCgroups(n); err != nil {
		return err
	}
	for name, content := range component.NodeFiles(v.spec, n) {
		if err := spec.WriteFile(v.spec.NodePath(n, name), []byte(content), 0o644); err != nil {
			return err
		}
	}
	return nil
}

func (v *Supervisor) startControlPlane(ctx context.Context) error {
	if err := v.step("etcd", func() error {
		v.runner.Start(component.Etcd(v.spec))
		address := fmt.Sprintf("127.0.0.1:%d", v.spec.Ports.EtcdClient)
		return kubeapi.Poll(ctx, patience, kubeapi.Listening("tcp", address))
	}); err != nil {
		return err
	}
	return v.step("API server", func() error {
		v.runner.Start(component.APIServer(v.spec))
		return kubeapi.Poll(ctx, patience, kubeapi.APIReady(v.spec))
	})
}

func (v *Supervisor) startContainerd(ctx context.Context) error {
	if len(v.spec.Nodes) == 0 {
		return nil
	}
	return v.step("containerd and the cluster's images", func() error {
		parts := []func() error{}
		for _, n := range v.spec.Nodes {
			parts = append(parts, func() error {
				v.runner.Start(component.Containerd(v.spec, n))
				if err := kubeapi.Poll(ctx, patience, kubeapi.Listening("unix", v.spec.Containerd(n))); err != nil {
					return err
				}
				return image.LoadOwn(v.spec, n)
			})
		}
		return together(parts...)
	})
}

// startRest starts the clients of the API server, and waits until everything works.
func (v *Supervisor) startRest(ctx context.Context) error {
	v.runner.Start(component.ControllerManager(v.spec))
	v.runner.Start(component.Scheduler(v.spec))
	for _, n := range v.spec.Nodes {
		v.startNode(n)
	}
	if err := v.step("roles, storage class and DNS applied", func() error {
		manifests, err := kubeapi.Manifests(v.spec)
		if err != nil {
			return err
		}
		return kubeapi.Poll(ctx, patience, func(ctx context.Context) error {
			return kubeapi.Apply(ctx, v.spec, manifests)
		})
	}); err != nil {
		return err
	}
	v.runner.Start(component.Addons(v.spec))
	if len(v.spec.Nodes) == 0 {
		return nil
	}
	if err := v.step("both nodes ready", func() error {
		client, err := kubeapi.Client(v.spec.Kubeconfig())
		if err != nil {
			return err
		}
		return kubeapi.Poll(ctx, patience, kubeapi.NodesReady(v.spec, client, v.started))
	}); err != nil {
		return err
	}
	return v.step("DNS answers", func() error { return kubeapi.Poll(ctx, patience, kubeapi.DNSServes(v.spec)) })
}

// healthy checks the present state of the cluster.
func (v *Supervisor) healthy(ctx context.Context) error {
	for _, c := range v.runner.Status() {
		if c.Pid == 0 {
			return fmt.Errorf("%s is down: %s", c.Name, c.LastExit)
		}
	}
	if err := kubeapi.APIReady(v.spec)(ctx); err != nil {
		return err
	}
	if len(v.spec.Nodes) == 0 {
		return nil
	}
	client, err := kubeapi.Client(v.spec.Kubeconfig())
	if err != nil {
		return err
	}
	// A kubelet renews its Lease every 10 s; three missed renewals are a fault.
	const fresh = 30 * time.Second
	if err := kubeapi.NodesReady(v.spec, client, time.Now().Add(-fresh))(ctx); err != nil {
		return err
	}
	return kubeapi.DNSServes(v.spec)(ctx)
}
