package main

import (
	"context"
	"flag"
	"fmt"
	"os/signal"
	"syscall"

	"k8s.io/client-go/kubernetes"

	"hamlet.village/cluster/internal/forward"
	"hamlet.village/cluster/internal/gpu"
	"hamlet.village/cluster/internal/kubeapi"
	"hamlet.village/cluster/internal/netpol"
	"hamlet.village/cluster/internal/pki"
	"hamlet.village/cluster/internal/process"
	"hamlet.village/cluster/internal/spec"
	"hamlet.village/cluster/internal/supervisor"
	"hamlet.village/cluster/internal/volumes"
)

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

// serve runs work with a client of the API server until a signal stops it. The kubeconfig is that of an identity.
func serve(f *flag.FlagSet, args []string, identity string, work func(context.Context, spec.Spec, kubernetes.Interface) error) error {
	s, _, err := open(f, args, 0, 0)
	if err != nil {
		return err
	}
	file := pki.File(s, identity)
	if identity == "admin" {
		file = s.Kubeconfig()
	}
	client, err := kubeapi.Client(file)
	if err != nil {
		return err
	}
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM, syscall.SIGINT)
	defer stop()
	return work(ctx, s, client)
}

func runAddons(f *flag.FlagSet, args []string) error {
	return serve(f, args, "addons", func(ctx context.Context, s spec.Spec, client kubernetes.Interface) error {
		failed := make(chan error, 2)
		go func() { failed <- gpu.Run(ctx, s, client) }()
		go func() { failed <- volumes.Run(ctx, s, client) }()
		return <-failed
	})
}

func runNetPol(f *flag.FlagSet, args []string) error {
	name := f.String("node", "", "the node whose rules to enforce")
	return serve(f, args, "netpol", func(ctx context.Context, s spec.Spec, client kubernetes.Interface) error {
		node, ok := s.NodeNamed(*name)
		if !ok {
			return fmt.Errorf("there is no node %q", *name)
		}
		return netpol.Run(ctx, client, node.Name, s.PolicySocket(node))
	})
}

func runForward(f *flag.FlagSet, args []string) error {
	listen := f.String("listen", "", "address to listen on")
	to := f.String("to", "", "SERVICE.NAMESPACE:PORT, or tcp://HOST:PORT outside of the cluster")
	return serve(f, args, "admin", func(ctx context.Context, _ spec.Spec, client kubernetes.Interface) error {
		target, err := forward.ParseTarget(*to)
		if err != nil {
			return err
		}
		return forward.Run(ctx, client, *listen, target)
	})
}
