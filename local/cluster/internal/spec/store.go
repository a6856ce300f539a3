package spec

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net"
	"os"
	"path/filepath"
)

// Load reads the cluster of a state folder; fs.ErrNotExist if there is none.
func Load(state string) (Spec, error) {
	raw, err := os.ReadFile(filepath.Join(state, "cluster.json"))
	if err != nil {
		return Spec{}, err
	}
	var s Spec
	if err := json.Unmarshal(raw, &s); err != nil {
		return Spec{}, fmt.Errorf("%s/cluster.json is damaged: %w", state, err)
	}
	return s, nil
}

func (s Spec) Save() error {
	return WriteJSON(s.Path("cluster.json"), s)
}

// WriteJSON replaces a file in one step, so that readers never see a partial file.
func WriteJSON(path string, value any) error {
	raw, err := json.MarshalIndent(value, "", "  ")
	if err != nil {
		return err
	}
	return WriteFile(path, append(raw, '\n'), 0o644)
}

// WriteFile replaces a file in one step and creates its folder.
func WriteFile(path string, content []byte, mode os.FileMode) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	part := path + ".part"
	if err := os.WriteFile(part, content, mode); err != nil {
		return err
	}
	return os.Rename(part, path)
}

// Range of ports. Outgoing connections use ports from 32768 up, so they never occupy a chosen port.
const firstPort, lastPort = 12_000, 30_000

// FreePorts finds unused loopback ports. It keeps all of them open until it has found the last, so that it returns no
// port twice.
func FreePorts() (Ports, error) {
	var p Ports
	for _, port := range []*int{&p.API, &p.EtcdClient, &p.EtcdPeer, &p.ControllerManager, &p.Scheduler} {
		l, err := listenAnywhere()
		if err != nil {
			return Ports{}, err
		}
		defer func() { _ = l.Close() }()
		*port = l.Addr().(*net.TCPAddr).Port
	}
	return p, nil
}

// claims hold the ports that this process has found. Components listen on them seconds later; until this process ends, no
// other program of the project takes them.
var claims []net.Listener

// listenAnywhere claims a random free port and listens on it.
func listenAnywhere() (l net.Listener, err error) {
	for range 1_000 {
		port := firstPort + rand.IntN(lastPort-firstPort)
		var claim net.Listener
		if claim, err = net.Listen("unix", fmt.Sprintf("@hamlet-port-%d", port)); err != nil {
			continue
		}
		if l, err = net.Listen("tcp", fmt.Sprintf("127.0.0.1:%d", port)); err == nil {
			claims = append(claims, claim)
			return l, nil
		}
		_ = claim.Close()
	}
	return nil, err
}
