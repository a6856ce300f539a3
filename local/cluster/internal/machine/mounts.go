package machine

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/sys/unix"

	"hamlet.village/cluster/internal/spec"
)

// nodeFolders are fixed paths of Kubernetes that each node needs for itself: two kubelets, for example, must not share
// the device plugin folder. A folder of the node backs each path.
var nodeFolders = map[string]string{
	"/var/lib/kubelet": "kubelet",
	"/var/lib/cni":     "cni",
	"/var/log":         "log",
}

// EnsureMountNamespace creates a node's mount namespace and keeps it alive through a file. Every mount of the node's
// pods stays inside the namespace and disappears with it.
func EnsureMountNamespace(s spec.Spec, n spec.Node) error {
	if err := ensurePrivateFolder(s.Path("run")); err != nil {
		return err
	}
	file := s.MountNamespace(n)
	if isMountPoint(file) {
		return nil
	}
	if err := spec.WriteFile(file, nil, 0o600); err != nil {
		return err
	}
	script := []string{"mount --make-rshared /", "mount -t tmpfs -o mode=755 tmpfs /run"}
	for target, folder := range nodeFolders {
		source := s.NodePath(n, folder)
		if err := errors.Join(os.MkdirAll(source, 0o755), os.MkdirAll(target, 0o755)); err != nil {
			return err
		}
		script = append(script, fmt.Sprintf("mount --bind %q %q", source, target))
	}
	// Slave propagation: an unmount on the machine reaches the node, so that the node never keeps a disk busy.
	if _, err := run("unshare", "--mount="+file, "--propagation", "slave", "true"); err != nil {
		return err
	}
	_, err := run("nsenter", "--mount="+file, "sh", "-ec", strings.Join(script, "\n"))
	return err
}

// ensurePrivateFolder turns a folder into a private mount: the kernel refuses to keep a mount namespace in a file that
// is on a shared mount.
func ensurePrivateFolder(folder string) error {
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return err
	}
	if isMountPoint(folder) {
		return nil
	}
	if err := unix.Mount(folder, folder, "", unix.MS_BIND, ""); err != nil {
		return fmt.Errorf("bind mount %s: %w", folder, err)
	}
	return unix.Mount("", folder, "", unix.MS_PRIVATE, "")
}

// RemoveMounts unmounts everything under the state folder, innermost first, and removes the mount points of nodeFolders
// if they are empty.
func RemoveMounts(s spec.Spec) error {
	var errs []error
	for _, point := range mountsUnder(s.State) {
		if err := unix.Unmount(point, unix.MNT_DETACH); err != nil {
			errs = append(errs, fmt.Errorf("unmount %s: %w", point, err))
		}
	}
	for _, target := range []string{"/var/lib/kubelet", "/var/lib/cni"} {
		if !mountedSomewhere(target) {
			_ = unix.Rmdir(target) // fails if the folder is not empty: other programs use it
		}
	}
	return errors.Join(errs...)
}

// mountedSomewhere reports whether any process sees a mount at the path. A node of another cluster may have one, and
// would lose it if the folder were removed.
func mountedSomewhere(path string) bool {
	tables, _ := filepath.Glob("/proc/[0-9]*/mountinfo")
	for _, table := range tables {
		raw, err := os.ReadFile(table)
		if err == nil && strings.Contains(string(raw), " "+path+" ") {
			return true
		}
	}
	return false
}

func isMountPoint(path string) bool {
	return slices.Contains(mountsUnder(path), path)
}

// mountsUnder lists the mount points at or below a path, the deepest first.
func mountsUnder(path string) []string {
	var found []string
	for _, m := range mountTable() {
		if m.point == path || strings.HasPrefix(m.point, filepath.Clean(path)+"/") {
			found = append(found, m.point)
		}
	}
	slices.Sort(found)
	slices.Reverse(found)
	return found
}

type mount struct{ point, kind string }

// mountTable parses mountinfo: field 5 is the mount point, and the file system type is the first field after a single
// dash.
func mountTable() []mount {
	raw, err := os.ReadFile("/proc/self/mountinfo")
	if err != nil {
		return nil
	}
	var table []mount
	for line := range strings.Lines(string(raw)) {
		before, after, ok := strings.Cut(line, " - ")
		fields := strings.Fields(before)
		if !ok || len(fields) < 5 {
			continue
		}
		point := strings.ReplaceAll(fields[4], `\040`, " ")
		table = append(table, mount{point: point, kind: strings.Fields(after)[0]})
	}
	return table
}

// mountImage runs in the node's mount namespace, which every pod of the node sees. `discard` gives freed room back to
// the machine. The folder lost+found would confuse programs that expect an empty volume.
const mountImage = `mountpoint -q "$2" && exit 0
mount -t ext4 -o loop,nosuid,nodev,discard "$1" "$2"
rmdir "$2/lost+found" 2>/dev/null || true
[ "$(ls -A "$2")" ] || chmod 0777 "$2"`

const unmountImage = `mountpoint -q "$1" || exit 0
umount "$1"`

// MountImage mounts the ext4 file system of a file on a folder, for the pods of a node. Every user may write to a new
// file system, because the outer uid of a pod in a user namespace is not known in advance. A mounted one stays as it is.
func MountImage(s spec.Spec, n spec.Node, image, folder string) error {
	return inNode(s, n, mountImage, image, folder)
}

// UnmountImage removes the mount; it fails while a pod uses the folder. A folder without a mount is not an error.
func UnmountImage(s spec.Spec, n spec.Node, folder string) error {
	return inNode(s, n, unmountImage, folder)
}

func inNode(s spec.Spec, n spec.Node, script string, args ...string) error {
	_, err := run(append([]string{"nsenter", "--mount=" + s.MountNamespace(n), "sh", "-ec", script, "sh"}, args...)...)
	return err
}

// HasLoop reports whether the kernel can mount a file as a file system.
func HasLoop() bool {
	const device = "/dev/loop-control"
	if _, err := os.Stat(device); err == nil {
		return true
	}
	_ = exec.Command("modprobe", "loop").Run() // the module may be built in or absent; the device decides
	_, err := os.Stat(device)
	return err == nil
}
