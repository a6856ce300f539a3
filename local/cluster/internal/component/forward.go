package component

import (
	"net"

	"hamlet.village/cluster/internal/control"
	"hamlet.village/cluster/internal/process"
	"hamlet.village/cluster/internal/spec"
)

// Forward leads a port of the machine to a Service.
func Forward(s spec.Spec, f control.Forward) process.Component {
	_, port, _ := net.SplitHostPort(f.Listen)
	return process.Component{Name: "forward-" + port, Args: []string{
		s.Program("hamlet-cluster"), "run-forward", "--state", s.State, "--listen", f.Listen, "--to", f.To,
	}}
}
