// Package machine prepares the computer for a cluster and cleans up after it: links, namespaces, cgroups, mounts and
// kernel settings.
package machine

import (
	"errors"
	"fmt"
	"os/exec"
	"strings"
)

// run executes a command and returns its output, or an error that quotes it.
func run(args ...string) (string, error) {
	out, err := exec.Command(args[0], args[1:]...).CombinedOutput()
	if err != nil {
		return "", fmt.Errorf("%s: %w: %s", strings.Join(args, " "), err, strings.TrimSpace(string(out)))
	}
	return string(out), nil
}

// ip runs one `ip` command given as a line.
func ip(line string) error {
	_, err := run(append([]string{"ip"}, strings.Fields(line)...)...)
	return err
}

// ipAll runs `ip` commands until one fails.
func ipAll(lines ...string) error {
	for _, line := range lines {
		if err := ip(line); err != nil {
			return err
		}
	}
	return nil
}

// CheckTools returns an error for each missing program.
func CheckTools() error {
	var errs []error
	for _, tool := range []string{"ip", "nsenter", "unshare", "nft", "mount", "umount", "mkfs.ext4", "conntrack"} {
		if _, err := exec.LookPath(tool); err != nil {
			errs = append(errs, fmt.Errorf("%s is not installed: run local/cluster/build.sh", tool))
		}
	}
	return errors.Join(errs...)
}
