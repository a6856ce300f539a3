// Command hamlet-policy is the CNI plugin that makes a pod wait for its network
// policies. It is a small program of its own, because it starts once for every pod.
package main

import (
	"os"

	"hamlet.village/cluster/internal/cni"
)

func main() { os.Exit(cni.Main(os.Getenv, os.Stdin, os.Stdout)) }
