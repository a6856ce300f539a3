// Command hamlet-cluster runs a Kubernetes cluster on this machine, with two nodes that are network and mount
// namespaces, and removes it without a trace.
package main

import (
	"errors"
	"flag"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
)

const defaultState = "/var/lib/hamlet-cluster"

type command struct {
	arguments string
	help      string
	run       func(f *flag.FlagSet, args []string) error
}

func commands() map[string]command {
	return map[string]command{
		"up":         {"", "start the cluster, or repair it, and wait until it works", up},
		"down":       {"", "stop the cluster and remove every trace of it", down},
		"status":     {"", "show the components, their process ids and restarts", status},
		"load-image": {"FILE.tar", "import an archive of container images, or the folder of an OCI layout, into every node", loadImage},
		"kill":       {"COMPONENT [NODE]", "kill -9 a component; the supervisor restarts it (for fault tests)", kill},
		"stop-node":  {"NODE", "disconnect a node and kill all its processes; it stays down (for fault tests)", changeNode("/nodes/stop", "stopped until start-node or up")},
		"start-node": {"NODE", "start a stopped node again", changeNode("/nodes/start", "started")},
		"kubeconfig": {"", "print the path of the administrator's kubeconfig", kubeconfig},
		"forward":    {"", "forward a port of this machine to a Service until the cluster goes down", forwardTo},

		"run-supervisor": {run: runSupervisor},
		"run-addons":     {run: runAddons},
		"run-netpol":     {run: runNetPol},
		"run-forward":    {run: runForward},
	}
}

var errUsage = errors.New("wrong arguments")

func main() {
	switch err := dispatch(os.Args[1:]); {
	case err == nil, errors.Is(err, flag.ErrHelp):
	case errors.Is(err, errUsage):
		os.Exit(2)
	default:
		fmt.Fprintln(os.Stderr, "error:", err)
		os.Exit(1)
	}
}

func dispatch(args []string) error {
	if len(args) == 0 {
		usage(os.Stderr)
		return errUsage
	}
	if args[0] == "--help" || args[0] == "-h" || args[0] == "help" {
		usage(os.Stdout)
		return nil
	}
	c, ok := commands()[args[0]]
	if !ok {
		fmt.Fprintf(os.Stderr, "error: %q is not a command\n", args[0])
		usage(os.Stderr)
		return errUsage
	}
	return c.run(newFlags(args[0], c), args[1:])
}

func newFlags(name string, c command) *flag.FlagSet {
	f := flag.NewFlagSet(name, flag.ContinueOnError)
	f.Usage = func() {
		line := strings.TrimSpace("usage: hamlet-cluster " + name + " [flags] " + c.arguments)
		fmt.Fprintf(f.Output(), "%s\n%s\n", line, c.help)
		f.PrintDefaults()
	}
	return f
}

func usage(out *os.File) {
	fmt.Fprintln(out, "usage: hamlet-cluster COMMAND [flags]\n\ncommands (each has --help):")
	all := commands()
	for _, name := range slices.Sorted(maps.Keys(all)) {
		if all[name].help != "" {
			fmt.Fprintf(out, "  %-11s %s\n", name, all[name].help)
		}
	}
}

// parse reads flags and checks the number of arguments after them.
func parse(f *flag.FlagSet, args []string, least, most int) ([]string, error) {
	if slices.Contains(args, "--help") || slices.Contains(args, "-h") {
		f.SetOutput(os.Stdout)
	}
	if err := f.Parse(args); err != nil {
		if errors.Is(err, flag.ErrHelp) {
			return nil, err
		}
		return nil, errUsage // the flag package has printed the error
	}
	if f.NArg() < least || f.NArg() > most {
		f.Usage()
		return nil, errUsage
	}
	return f.Args(), nil
}
