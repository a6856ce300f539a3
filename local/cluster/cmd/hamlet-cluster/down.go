package main

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"syscall"
	"time"

	"hamlet.village/cluster/internal/control"
	"hamlet.village/cluster/internal/machine"
	"hamlet.village/cluster/internal/process"
	"hamlet.village/cluster/internal/spec"
)

// stopLimit bounds the time in which the supervisor stops its components.
const stopLimit = 20 * time.Second

func down(f *flag.FlagSet, args []string) error {
	keep := f.Bool("keep-data", false, "keep the database, the volumes and the images for the next start")
	s, _, err := open(f, args, 0, 0)
	if errors.Is(err, control.ErrNotRunning) {
		fmt.Printf("no cluster in %s: nothing to do\n", f.Lookup("state").Value)
		return nil
	}
	if err != nil {
		return err
	}
	unlock, err := lock(s)
	if err != nil {
		return err
	}
	defer unlock()
	began := time.Now()
	if err := stopSupervisor(s); err != nil {
		return err
	}
	if err := clear(s, *keep); err != nil {
		return err
	}
	fmt.Printf("cluster %q is down after %.1f s\n", s.Name, time.Since(began).Seconds())
	return nil
}

// clear removes the remains of the cluster from the machine, from the outside in: processes hold mounts, mounts hold
// namespaces, and all of them hold the folder.
func clear(s spec.Spec, keep bool) error {
	machine.KillRecorded(s)
	if err := machine.RemoveCgroups(s); err != nil {
		return err
	}
	if err := errors.Join(machine.RemoveMounts(s), machine.RemoveNetwork(s)); err != nil {
		return err
	}
	machine.RestoreSettings(s)
	if !keep {
		return os.RemoveAll(s.State)
	}
	var errs []error
	for _, name := range []string{"run", "logs", "supervisor.json", "lock"} {
		errs = append(errs, os.RemoveAll(s.Path(name)))
	}
	return errors.Join(errs...)
}

func supervisorRecord(s spec.Spec) (process.Record, bool) {
	return process.LoadRecord(s.Path("supervisor.json"))
}

// stopSupervisor asks the supervisor to stop its components and itself, and kills it if it does not end.
func stopSupervisor(s spec.Spec) error {
	err := control.Call(s.State, "POST", "/stop", nil, nil)
	if err != nil && !errors.Is(err, control.ErrNotRunning) {
		fmt.Fprintln(os.Stderr, "warning: the supervisor does not answer:", err)
	}
	record, ok := supervisorRecord(s)
	if !ok {
		return nil
	}
	for began := time.Now(); record.Alive(); time.Sleep(pollEvery / 2) {
		if err == nil && time.Since(began) < stopLimit {
			continue
		}
		if time.Since(began) > 2*stopLimit {
			return fmt.Errorf("the supervisor, process %d, did not end after SIGKILL", record.Pid)
		}
		_ = syscall.Kill(record.Pid, syscall.SIGKILL)
	}
	machine.KillRecorded(s)
	return nil
}
