// Package supervisor is the background program that brings a cluster up and keeps its components alive.
package supervisor

import (
	"context"
	"fmt"
	"os"
	"slices"
	"sync"
	"time"

	"hamlet.village/cluster/internal/component"
	"hamlet.village/cluster/internal/control"
	"hamlet.village/cluster/internal/machine"
	"hamlet.village/cluster/internal/process"
	"hamlet.village/cluster/internal/spec"
)

const (
	// Time for components to end on SIGTERM; only etcd is worth a longer wait.
	grace      = 300 * time.Millisecond
	storeGrace = 5 * time.Second
)

type Supervisor struct {
	spec    spec.Spec
	runner  *process.Runner
	started time.Time
	stop    context.CancelFunc

	mu       sync.Mutex
	phase    control.Phase
	steps    []control.Step
	forwards []control.Forward
}

// Run brings the cluster up and supervises it until a caller of the control socket stops it or the context ends.
func Run(ctx context.Context, s spec.Spec) error {
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	if err := os.MkdirAll(s.Path("run", "pids"), 0o755); err != nil {
		return err
	}
	v := &Supervisor{
		spec: s, started: time.Now(), stop: stop, phase: control.Starting, steps: []control.Step{},
		runner: process.NewRunner(s.Path("run", "pids"), s.Path("logs"), func(id string) (*os.File, error) {
			return machine.OpenCgroup(s, id)
		}),
	}
	listener, err := control.Listen(s.State)
	if err != nil {
		return err
	}
	go v.serve(listener)
	go v.trimLogs(ctx)
	go v.bringUp(ctx)
	<-ctx.Done()
	v.stopAll()
	return os.Remove(control.Socket(s.State))
}

// stopAll ends etcd last, so that the final writes of the other components succeed.
func (v *Supervisor) stopAll() {
	v.runner.StopEach(grace, func(c process.Status) bool { return c.Name != "etcd" })
	v.runner.StopEach(storeGrace, func(process.Status) bool { return true })
}

func (v *Supervisor) trimLogs(ctx context.Context) {
	for {
		select {
		case <-ctx.Done():
			return
		case <-time.After(time.Minute):
			v.runner.TrimLogs()
		}
	}
}

// step runs one part of the start and records its time and result.
func (v *Supervisor) step(name string, work func() error) error {
	v.mu.Lock()
	index := len(v.steps)
	v.steps = append(v.steps, control.Step{Name: name})
	v.mu.Unlock()
	began := time.Now()
	err := work()
	v.mu.Lock()
	defer v.mu.Unlock()
	v.steps[index].Done = true
	v.steps[index].Seconds = time.Since(began).Seconds()
	if err != nil {
		v.steps[index].Error = err.Error()
		return fmt.Errorf("%s: %w", name, err)
	}
	return nil
}

func (v *Supervisor) status() control.Status {
	v.mu.Lock()
	defer v.mu.Unlock()
	return control.Status{
		Phase: v.phase, Spec: v.spec, Supervisor: os.Getpid(),
		Steps: slices.Clone(v.steps), Components: v.runner.Status(), Forwards: append([]control.Forward{}, v.forwards...),
	}
}

func (v *Supervisor) setPhase(p control.Phase) {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.phase = p
}

func (v *Supervisor) startNode(n spec.Node) {
	v.runner.Start(component.Kubelet(v.spec, n))
	v.runner.Start(component.KubeProxy(v.spec, n))
	v.runner.Start(component.NetPol(v.spec, n))
}
