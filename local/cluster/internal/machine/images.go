package machine

import (
	"os"
	"os/exec"

	"hamlet.village/cluster/internal/spec"
)

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

// UnmountImage removes the mount; it fails while a pod uses the folder. A folder without a mount is no error.
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
