package machine

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"

	"hamlet.village/cluster/internal/spec"
)

// kubeletSettings are settings of the whole machine that a kubelet or the way out changes. They are restored when the
// cluster goes down.
var kubeletSettings = []string{
	"vm/overcommit_memory", "vm/panic_on_oom", "kernel/panic", "kernel/panic_on_oops",
	"kernel/keys/root_maxkeys", "kernel/keys/root_maxbytes", "net/ipv4/ip_forward",
}

// SaveSettings stores the present values unless an earlier start has stored them.
func SaveSettings(s spec.Spec) error {
	file := s.Path("sysctl.json")
	if _, err := os.Stat(file); err == nil {
		return nil
	}
	values := map[string]string{}
	for _, name := range kubeletSettings {
		if raw, err := os.ReadFile(filepath.Join("/proc/sys", name)); err == nil {
			values[name] = strings.TrimSpace(string(raw))
		}
	}
	return spec.WriteJSON(file, values)
}

// RestoreSettings restores the stored values.
func RestoreSettings(s spec.Spec) {
	raw, err := os.ReadFile(s.Path("sysctl.json"))
	if err != nil {
		return
	}
	values := map[string]string{}
	if json.Unmarshal(raw, &values) != nil {
		return
	}
	for _, name := range kubeletSettings {
		if value, ok := values[name]; ok {
			_ = os.WriteFile(filepath.Join("/proc/sys", name), []byte(value), 0o644)
		}
	}
	_ = os.Remove(s.Path("sysctl.json"))
}
