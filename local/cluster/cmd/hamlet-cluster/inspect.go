package main

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"slices"
	"syscall"
	"text/tabwriter"
	"time"

	"hamlet.village/cluster/internal/control"
	"hamlet.village/cluster/internal/forward"
	"hamlet.village/cluster/internal/image"
	"hamlet.village/cluster/internal/kubeapi"
	"hamlet.village/cluster/internal/process"
	"hamlet.village/cluster/internal/spec"
)

// open adds the flag of the state folder, parses the arguments and reads the cluster. It returns an error if there is
// no cluster.
func open(f *flag.FlagSet, args []string, least, most int) (spec.Spec, []string, error) {
	state := f.String("state", defaultState, "`folder` for all files of the cluster")
	rest, err := parse(f, args, least, most)
	if err != nil {
		return spec.Spec{}, nil, err
	}
	folder, err := filepath.Abs(*state)
	if err != nil {
		return spec.Spec{}, nil, err
	}
	s, err := spec.Load(folder)
	if errors.Is(err, os.ErrNotExist) {
		err = control.ErrNotRunning
	}
	return s, rest, err
}

func status(f *flag.FlagSet, args []string) error {
	asJSON := f.Bool("json", false, "print JSON")
	s, _, err := open(f, args, 0, 0)
	if err != nil {
		return err
	}
	var now control.Status
	if err := control.Call(s.State, "GET", "/status", nil, &now); err != nil {
		return err
	}
	if *asJSON {
		out := json.NewEncoder(os.Stdout)
		out.SetIndent("", "  ")
		return out.Encode(now)
	}
	fmt.Printf("cluster %q, profile %s: %s\n%s, kubeconfig %s\n", s.Name, s.Profile, now.Phase, s.Server(), s.Kubeconfig())
	for _, f := range now.Forwards {
		fmt.Printf("%s forwards to %s\n", f.Listen, f.To)
	}
	table := tabwriter.NewWriter(os.Stdout, 0, 0, 2, ' ', 0)
	fmt.Fprintln(table, "COMPONENT\tNODE\tPID\tRESTARTS\tUP\tLAST EXIT")
	for _, c := range now.Components {
		age := "down"
		if c.Pid != 0 {
			age = time.Since(c.StartedAt).Round(time.Second).String()
		}
		fmt.Fprintf(table, "%s\t%s\t%d\t%d\t%s\t%s\n", c.Name, c.Node, c.Pid, c.Restarts, age, c.LastExit)
	}
	return table.Flush()
}

func kill(f *flag.FlagSet, args []string) error {
	s, rest, err := open(f, args, 1, 2)
	if err != nil {
		return err
	}
	if rest[0] == "supervisor" {
		return killSupervisor(s)
	}
	k := control.Kill{Component: rest[0]}
	if len(rest) == 2 {
		k.Node = rest[1]
	}
	if err := control.Call(s.State, "POST", "/kill", k, &k); err != nil {
		return err
	}
	fmt.Printf("killed %s, process %d\n", rest[0], k.Pid)
	return nil
}

// killSupervisor kills the supervisor only; the components continue, but no process restarts them.
func killSupervisor(s spec.Spec) error {
	record, ok := supervisorRecord(s)
	if !ok || !record.Alive() {
		return control.ErrNotRunning
	}
	if err := syscall.Kill(record.Pid, syscall.SIGKILL); err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(context.Background(), stopLimit)
	defer cancel()
	process.AwaitEnd(ctx, record.Pid)
	if record.Alive() {
		return fmt.Errorf("the supervisor, process %d, did not end", record.Pid)
	}
	fmt.Printf("killed supervisor, process %d: run up again, until then no component is restarted\n", record.Pid)
	return nil
}

func kubeconfig(f *flag.FlagSet, args []string) error {
	s, _, err := open(f, args, 0, 0)
	if err != nil {
		return err
	}
	fmt.Println(s.Kubeconfig())
	return nil
}

func loadImage(f *flag.FlagSet, args []string) error {
	s, files, err := open(f, args, 1, 100)
	if err != nil {
		return err
	}
	if len(s.Nodes) == 0 {
		return fmt.Errorf("a cluster of profile %s has no nodes to load images into", s.Profile)
	}
	for _, file := range files {
		began := time.Now()
		if err := image.Load(s, file, func(line string) { fmt.Println(line) }); err != nil {
			return err
		}
		fmt.Printf("loaded %s into %d nodes (%.1f s)\n", file, len(s.Nodes), time.Since(began).Seconds())
	}
	return nil
}

func forwardTo(f *flag.FlagSet, args []string) error {
	listen := f.String("listen", "", "`ADDRESS:PORT` on this machine, such as 127.0.0.1:8080")
	to := f.String("to", "", "`SERVICE.NAMESPACE:PORT`, or tcp://HOST:PORT outside of the cluster")
	remove := f.Bool("remove", false, "remove the forward of that address")
	s, _, err := open(f, args, 0, 0)
	if err != nil {
		return err
	}
	if _, _, err := net.SplitHostPort(*listen); err != nil {
		return fmt.Errorf("--listen: %w", err)
	}
	wanted := control.Forward{Listen: *listen, To: *to}
	if *remove {
		return control.Call(s.State, "DELETE", "/forwards", wanted, nil)
	}
	if _, err := forward.ParseTarget(*to); err != nil {
		return fmt.Errorf("--to: %w", err)
	}
	return addForward(s, wanted)
}

func addForward(s spec.Spec, wanted control.Forward) error {
	var now control.Status
	if err := control.Call(s.State, "GET", "/status", nil, &now); err != nil {
		return err
	}
	if slices.Contains(now.Forwards, wanted) {
		fmt.Printf("%s already forwards to %s\n", wanted.Listen, wanted.To)
		return nil
	}
	if !slices.ContainsFunc(now.Forwards, func(f control.Forward) bool { return f.Listen == wanted.Listen }) {
		free, err := net.Listen("tcp", wanted.Listen)
		if err != nil {
			return err
		}
		_ = free.Close()
	}
	if err := control.Call(s.State, "POST", "/forwards", wanted, nil); err != nil {
		return err
	}
	const limit = 20 * time.Second
	if err := kubeapi.Poll(context.Background(), limit, kubeapi.Listening("tcp", wanted.Listen)); err != nil {
		return fmt.Errorf("the forward does not listen on %s; see the logs in %s: %w", wanted.Listen, s.Path("logs"), err)
	}
	fmt.Printf("%s forwards to %s\n", wanted.Listen, wanted.To)
	return nil
}

func changeNode(path, outcome string) func(f *flag.FlagSet, args []string) error {
	return func(f *flag.FlagSet, args []string) error {
		s, rest, err := open(f, args, 1, 1)
		if err != nil {
			return err
		}
		if err := control.Call(s.State, "POST", path, control.Node{Name: rest[0]}, nil); err != nil {
			return err
		}
		fmt.Printf("%s is %s\n", rest[0], outcome)
		return nil
	}
}
