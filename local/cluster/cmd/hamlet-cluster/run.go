package main

import (
	"context"
	"flag"
	"fmt"
	"os/signal"
	"syscall"

	"hamlet.village/cluster/internal/forward"
	"hamlet.village/cluster/internal/gpu"
	"hamlet.village/cluster/internal/kubeapi"
	"hamlet.village/cluster/internal/netpol"
	"hamlet.village/cluster/internal/pki"
	"hamlet.village/cluster/internal/process"
	"hamlet.village/cluster/internal/supervisor"
	"hamlet.village/cluster/internal/volumes"
)

func untilStopped() (context.Context, context.CancelFunc) {
	return signal.NotifyContext(context.Background(), syscall.SIGTERM, syscall.SIGINT)
}

func runSupervisor(f *flag.FlagSet, args []string) error {
	owner := f.Int("while", 0, "end when this `process` has ended; 0: never")
	s, _, err := open(f, args, 0, 0)
	if err != nil {
		return err
	}
	// The cluster must outlive the terminal that started it.
	signal.Ignore(syscall.SIGHUP, syscall.SIGINT)
	ctx, stop := context.WithCancel(context.Background())
	defer stop()
	if *owner > 0 {
		go func() {
			process.AwaitEnd(ctx, *owner)
			stop()
		}()
	}
	return supervisor.Run(ctx, s)
}

func runAddons(f *flag.FlagSet, args []string) error {
	s, _, err := open(f, args, 0, 0)
	if err != nil {
		return err
	}
	client, err := kubeapi.Client(pki.File(s, "addons"))
	if err != nil {
		return err
	}
	ctx, stop := untilStopped()
	defer stop()
	failed := make(chan error, 2)
	go func() { failed <- gpu.Run(ctx, s, client) }()
	go func() { failed <- volumes.Run(ctx, s, client) }()
	return <-failed
}

func runNetPol(f *flag.FlagSet, args []string) error {
	name := f.String("node", "", "the node whose rules to enforce")
	s, _, err := open(f, args, 0, 0)
	if err != nil {
		return err
	}
	node, ok := s.NodeNamed(*name)
	if !ok {
		return fmt.Errorf("there is no node %q", *name)
	}
	client, err := kubeapi.Client(pki.File(s, "netpol"))
	if err != nil {
		return err
	}
	ctx, stop := untilStopped()
	defer stop()
	return netpol.Run(ctx, client, node.Name, s.PolicySocket(node))
}

func runForward(f *flag.FlagSet, args []string) error {
	listen := f.String("listen", "", "address to listen on")
	to := f.String("to", "", "SERVICE.NAMESPACE:PORT, or tcp://HOST:PORT outside of the cluster")
	s, _, err := open(f, args, 0, 0)
	if err != nil {
		return err
	}
	target, err := forward.ParseTarget(*to)
	if err != nil {
		return err
	}
	client, err := kubeapi.Client(s.Kubeconfig())
	if err != nil {
		return err
	}
	ctx, stop := untilStopped()
	defer stop()
	return forward.Run(ctx, client, *listen, target)
}
