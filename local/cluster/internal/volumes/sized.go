package volumes

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"hamlet.village/cluster/internal/machine"
	"hamlet.village/cluster/internal/spec"
)

// suffix of the file that holds the file system of a volume, beside its folder.
const suffix = ".ext4"

// leastBytes is the smallest ext4 file system with a journal that is worth its name.
const leastBytes = 16 << 20

// makeSized creates a file system of the given size in a sparse file, and mounts it on the folder. A repeated call
// continues where an interrupted one ended.
func makeSized(s spec.Spec, n spec.Node, folder string, bytes int64) error {
	if bytes < leastBytes {
		return fmt.Errorf("a volume of %d bytes is too small: request at least 16Mi", bytes)
	}
	image := folder + suffix
	if _, err := os.Stat(image); errors.Is(err, fs.ErrNotExist) {
		if err := formatted(image, bytes); err != nil {
			return err
		}
	} else if err != nil {
		return err
	}
	return machine.MountImage(s, n, image, folder)
}

// formatted makes the file under another name first, so that a file with the right name is always whole.
func formatted(image string, bytes int64) error {
	draft := image + ".new"
	file, err := os.OpenFile(draft, os.O_CREATE|os.O_TRUNC|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	if err := errors.Join(file.Truncate(bytes), file.Close()); err != nil {
		return err
	}
	// Pods own all of the volume, so no block is kept for the machine's root.
	out, err := exec.Command("mkfs.ext4", "-q", "-F", "-m", "0", draft).CombinedOutput()
	if err != nil {
		return fmt.Errorf("mkfs.ext4 %s: %w: %s", draft, err, strings.TrimSpace(string(out)))
	}
	return os.Rename(draft, image)
}

// MountAll mounts the sized volumes of a node, whose mounts end with the node's mount namespace.
func MountAll(s spec.Spec, n spec.Node) error {
	images, err := filepath.Glob(filepath.Join(s.VolumePath(n.Name), "*"+suffix))
	if err != nil {
		return err
	}
	var errs []error
	for _, image := range images {
		errs = append(errs, machine.MountImage(s, n, image, strings.TrimSuffix(image, suffix)))
	}
	return errors.Join(errs...)
}

// removeSized unmounts a volume and removes its file; a volume without a file is a plain folder.
func removeSized(s spec.Spec, n spec.Node, folder string) error {
	image := folder + suffix
	if _, err := os.Stat(image); errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err := machine.UnmountImage(s, n, folder); err != nil {
		return err
	}
	return os.Remove(image)
}
