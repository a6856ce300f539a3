// Command hamlet-kube is every Kubernetes program of the local cluster in one
// binary, as k3s does it: eight programs that share nearly all their code cost
// one link instead of eight. The program is chosen by the name the binary is
// called by (a link named kubectl is kubectl) or by the first argument.
package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"sort"
	"strings"
	_ "time/tzdata" // CronJobs name time zones, and the machine may have no zoneinfo.

	"github.com/spf13/cobra"
	"go.etcd.io/etcd/server/v3/etcdmain"
	"k8s.io/component-base/cli"
	kubectl "k8s.io/kubectl/pkg/cmd"
	apiserver "k8s.io/kubernetes/cmd/kube-apiserver/app"
	controllermanager "k8s.io/kubernetes/cmd/kube-controller-manager/app"
	proxy "k8s.io/kubernetes/cmd/kube-proxy/app"
	scheduler "k8s.io/kubernetes/cmd/kube-scheduler/app"
	kubelet "k8s.io/kubernetes/cmd/kubelet/app"

	// The metrics registries that the upstream main packages link in.
	_ "k8s.io/component-base/metrics/prometheus/clientgo"
	_ "k8s.io/component-base/metrics/prometheus/restclient"
	_ "k8s.io/component-base/metrics/prometheus/version"
)

// programs maps a program's name to its main function, which gets the
// arguments after the name and returns the exit code.
func programs() map[string]func(args []string) int {
	return map[string]func([]string) int{
		"etcd":                    runEtcd,
		"kube-apiserver":          run(apiserver.NewAPIServerCommand),
		"kube-controller-manager": run(controllermanager.NewControllerManagerCommand),
		"kube-proxy":              run(proxy.NewProxyCommand),
		"kube-scheduler":          run(func() *cobra.Command { return scheduler.NewSchedulerCommand() }),
		"kubectl":                 run(kubectl.NewDefaultKubectlCommand),
		"kubelet":                 run(func() *cobra.Command { return kubelet.NewKubeletCommand(context.Background()) }),
	}
}

// run defers building the command: each constructor registers global flags and
// feature gates, and only the chosen program's may exist in a process.
func run(newCommand func() *cobra.Command) func([]string) int {
	return func(args []string) int {
		command := newCommand()
		command.SetArgs(args)
		return cli.Run(command)
	}
}

func runEtcd(args []string) int {
	etcdmain.Main(append([]string{"etcd"}, args...))
	return 0
}

func usage(out io.Writer) {
	names := make([]string, 0, len(programs()))
	for name := range programs() {
		names = append(names, name)
	}
	sort.Strings(names)
	fmt.Fprintf(out, "usage: hamlet-kube PROGRAM [arguments]\nprograms: %s\n", strings.Join(names, " "))
}

func main() {
	known := programs()
	if main, ok := known[filepath.Base(os.Args[0])]; ok {
		os.Exit(main(os.Args[1:]))
	}
	if len(os.Args) > 1 {
		if main, ok := known[os.Args[1]]; ok {
			// Programs read os.Args for their usage text and re-executions.
			os.Args = os.Args[1:]
			os.Exit(main(os.Args[1:]))
		}
		if os.Args[1] == "--help" || os.Args[1] == "-h" {
			usage(os.Stdout)
			return
		}
	}
	usage(os.Stderr)
	os.Exit(2)
}
