package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"syscall"
	"time"

	"hamlet.village/cluster/internal/control"
	"hamlet.village/cluster/internal/kubeapi"
	"hamlet.village/cluster/internal/process"
	"hamlet.village/cluster/internal/spec"
)

const (
	// startLimit bounds the whole start.
	startLimit = 6 * time.Minute
	// healLimit bounds the time in which a running cluster may recover.
	healLimit = 2 * time.Minute
	pollEvery = 100 * time.Millisecond
)

func up(f *flag.FlagSet, args []string) error {
	o := spec.Options{}
	profile := f.String("profile", string(spec.ProfileFull), "parts to run: full, control-plane or api")
	f.StringVar(&o.State, "state", defaultState, "`folder` for all files of the cluster")
	f.StringVar(&o.Name, "name", "hamlet", "name of the cluster, if the machine has several")
	f.IntVar(&o.Slot, "slot", 0, "address range of a full cluster, one of ten on a machine")
	f.IntVar(&o.GPUsPerNode, "gpus", 1, "number of simulated GPUs on each node")
	outside := f.String("outside", "", "`on` lets pods reach hosts outside of this machine, under its address; off: only what the machine forwards. By default as at the last start, at first off")
	owner := f.Int("while", 0, "end the cluster when this `process` has ended; 0: never")
	if _, err := parse(f, args, 0, 0); err != nil {
		return err
	}
	o.Profile = spec.Profile(*profile)
	if os.Getuid() != 0 {
		return errors.New("a cluster needs cgroups, and a full one also namespaces and links: run this as root")
	}
	s, err := plan(o, *outside)
	if err != nil {
		return err
	}
	unlock, err := lock(s)
	if err != nil {
		return err
	}
	defer unlock()
	running, err := adopt(s)
	if err != nil || running {
		return err
	}
	return start(s, *owner)
}

// plan returns the cluster of the state folder, or a new one.
func plan(o spec.Options, outside string) (spec.Spec, error) {
	if outside != "" && outside != "on" && outside != "off" {
		return spec.Spec{}, fmt.Errorf("--outside %s: want on or off", outside)
	}
	state, err := filepath.Abs(o.State)
	if err != nil {
		return spec.Spec{}, err
	}
	o.State = state
	executable, err := os.Executable()
	if err != nil {
		return spec.Spec{}, err
	}
	o.Bin = filepath.Dir(executable)
	old, err := spec.Load(o.State)
	switch {
	case err == nil && (old.Profile != o.Profile || old.Name != o.Name || old.Slot != o.Slot):
		return spec.Spec{}, fmt.Errorf("%s has the cluster %q of profile %s in slot %d: take it down first, or use another --state",
			o.State, old.Name, old.Profile, old.Slot)
	case err == nil:
		o.Ports, o.Outside = old.Ports, old.Outside // clients use the ports
	case !errors.Is(err, fs.ErrNotExist):
		return spec.Spec{}, err
	default:
		if o.Ports, err = spec.FreePorts(); err != nil {
			return spec.Spec{}, err
		}
		if o.Profile == spec.ProfileFull {
			o.Ports.API = 6443 // always free on the bridge's own address
		}
	}
	if outside != "" {
		o.Outside = outside == "on"
	}
	return spec.New(o)
}

// lock serializes commands that change a cluster.
func lock(s spec.Spec) (func(), error) {
	if err := os.MkdirAll(s.State, 0o755); err != nil {
		return nil, err
	}
	file, err := os.OpenFile(s.Path("lock"), os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return nil, err
	}
	if err := syscall.Flock(int(file.Fd()), syscall.LOCK_EX); err != nil {
		return nil, err
	}
	if sameFile(file, s.Path("lock")) {
		return func() { _ = file.Close() }, nil
	}
	// A `down` has removed the folder, and this lock file with it, in the meantime.
	_ = file.Close()
	return lock(s)
}

func sameFile(open *os.File, path string) bool {
	ours, err := open.Stat()
	if err != nil {
		return false
	}
	theirs, err := os.Stat(path)
	return err == nil && os.SameFile(ours, theirs)
}

// adopt handles an existing cluster: it leaves a healthy cluster alone, waits for a cluster that recovers, and removes
// the rest of a broken one.
func adopt(s spec.Spec) (running bool, err error) {
	var now control.Status
	err = control.Call(s.State, "GET", "/status", nil, &now)
	if errors.Is(err, control.ErrNotRunning) {
		return false, stopSupervisor(s) // the supervisor may be about to end
	}
	if err != nil {
		return false, err
	}
	if now.Phase == control.Failed {
		fmt.Println("the last start failed; starting again")
		return false, stopSupervisor(s)
	}
	if now.Phase == control.Starting {
		return true, follow(s, time.Now())
	}
	if now.Spec.Outside != s.Outside {
		return true, errors.New("the cluster runs with another --outside: take it down first (down --keep-data keeps its data)")
	}
	began := time.Now()
	for _, n := range now.Spec.Nodes { // a node may have been stopped
		if err := control.Call(s.State, "POST", "/nodes/start", control.Node{Name: n.Name}, nil); err != nil {
			return true, err
		}
	}
	if err := kubeapi.Poll(context.Background(), healLimit, func(context.Context) error {
		return control.Call(s.State, "GET", "/healthy", nil, nil)
	}); err != nil {
		return true, fmt.Errorf("the cluster is up but not healthy: %w", err)
	}
	fmt.Printf("cluster %q is already up (healthy after %.1f s): nothing to do\n", s.Name, time.Since(began).Seconds())
	return true, nil
}

func start(s spec.Spec, owner int) error {
	if err := s.Save(); err != nil {
		return err
	}
	began := time.Now()
	log, err := process.OpenLog(s.Path("logs", "supervisor.log"))
	if err != nil {
		return err
	}
	defer func() { _ = log.Close() }()
	cmd := exec.Command(s.Program("hamlet-cluster"), "run-supervisor", "--state", s.State, "--while", strconv.Itoa(owner))
	cmd.Stdout, cmd.Stderr, cmd.Dir = log, log, "/"
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	if err := cmd.Start(); err != nil {
		return err
	}
	record, err := process.NewRecord(cmd.Process.Pid)
	if err != nil {
		return fmt.Errorf("the supervisor ended during its start: see %s", log.Name())
	}
	if err := spec.WriteJSON(s.Path("supervisor.json"), record); err != nil {
		return err
	}
	go func() { _ = cmd.Wait() }() // otherwise a dead supervisor would remain as a zombie and look alive
	return follow(s, began)
}

// follow prints each step of a start when the step ends.
func follow(s spec.Spec, began time.Time) error {
	printed := map[int]bool{}
	for time.Since(began) < startLimit {
		var now control.Status
		if err := control.Call(s.State, "GET", "/status", nil, &now); err != nil {
			if record, ok := supervisorRecord(s); ok && !record.Alive() {
				return fmt.Errorf("the supervisor died: see %s", s.Path("logs", "supervisor.log"))
			}
			time.Sleep(pollEvery)
			continue
		}
		for i, step := range now.Steps {
			if !step.Done || printed[i] {
				continue
			}
			printed[i] = true
			mark := "ok    "
			if step.Error != "" {
				mark = "FAILED"
				fmt.Fprintln(os.Stderr, "error:", step.Error)
			}
			fmt.Printf("[%6.1f s] %s %s (%.1f s)\n", time.Since(began).Seconds(), mark, step.Name, step.Seconds)
		}
		switch now.Phase {
		case control.Ready:
			fmt.Printf("cluster %q is up after %.1f s: export KUBECONFIG=%s\n", s.Name, time.Since(began).Seconds(), s.Kubeconfig())
			return nil
		case control.Failed:
			return fmt.Errorf("the cluster did not start; logs are in %s", s.Path("logs"))
		}
		time.Sleep(pollEvery)
	}
	return fmt.Errorf("the cluster did not start within %s; logs are in %s", startLimit, s.Path("logs"))
}
