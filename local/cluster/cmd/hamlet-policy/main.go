// Command hamlet-policy is the CNI plugin that delays a pod until its network policies are in place. It is a separate
// small program, because it starts once for every pod.
package main

import (
	"os"

	"hamlet.village/cluster/internal/cni"
)

func main() { os.Exit(cni.Main(os.Getenv, os.Stdin, os.Stdout)) }
