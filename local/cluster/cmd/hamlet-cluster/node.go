package main

import (
	"flag"
	"fmt"

	"hamlet.village/cluster/internal/control"
)

func stopNode(f *flag.FlagSet, args []string) error {
	node, err := changeNode(f, args, "/nodes/stop")
	if err == nil {
		fmt.Printf("%s is down and stays down until start-node or up\n", node)
	}
	return err
}

func startNode(f *flag.FlagSet, args []string) error {
	node, err := changeNode(f, args, "/nodes/start")
	if err == nil {
		fmt.Printf("%s is started\n", node)
	}
	return err
}

func changeNode(f *flag.FlagSet, args []string, path string) (string, error) {
	state := stateFlag(f)
	rest, err := parse(f, args, 1, 1)
	if err != nil {
		return "", err
	}
	s, err := load(*state)
	if err != nil {
		return "", err
	}
	return rest[0], control.Call(s.State, "POST", path, control.Node{Name: rest[0]}, nil)
}
