// Package machine prepares the computer for a cluster and cleans up after it: links, namespaces, cgroups, mounts and
// kernel settings.
package machine

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"hamlet.village/cluster/internal/spec"
)

// run executes a command and returns its output, or an error that quotes it.
func run(args ...string) (string, error) {
	out, err := exec.Command(args[0], args[1:]...).CombinedOutput()
	if err != nil {
		return "", fmt.Errorf("%s: %w: %s", strings.Join(args, " "), err, strings.TrimSpace(string(out)))
	}
	return string(out), nil
}

func ip(line string) error {
	_, err := run(append([]string{"ip"}, strings.Fields(line)...)...)
	return err
}

func ipAll(lines ...string) error {
	for _, line := range lines {
		if err := ip(line); err != nil {
			return err
		}
	}
	return nil
}

func CheckTools() error {
	var errs []error
	for _, tool := range []string{"ip", "nsenter", "unshare", "nft", "mount", "umount", "mkfs.ext4", "conntrack"} {
		if _, err := exec.LookPath(tool); err != nil {
			errs = append(errs, fmt.Errorf("%s is not installed: run local/cluster/build.sh", tool))
		}
	}
	return errors.Join(errs...)
}

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
