// Package volumes provides two StorageClasses: each volume is a folder on the node of its first pod. In the class with
// `size: enforced` a file system of the requested size is mounted on the folder, so that a full volume is full for its
// own pod alone.
//
// The package makes and removes folders on the machine itself, which binds a volume claim in milliseconds.
// local-path-provisioner, which uses the same controller library, starts a pod from a shell image for every folder.
package volumes

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/util/workqueue"
	"sigs.k8s.io/sig-storage-lib-external-provisioner/v13/controller"

	"hamlet.village/cluster/internal/machine"
	"hamlet.village/cluster/internal/spec"
)

// Provisioner is the name of this program in the StorageClass.
const Provisioner = "hamlet.village/local"

// workers is the number of volume claims handled at once; it suffices for a thousand claims.
const workers = 16

// Run serves volume claims until the context ends.
func Run(ctx context.Context, s spec.Spec, client kubernetes.Interface) error {
	f := folders{spec: s, canSize: machine.HasLoop()}
	if !f.canSize {
		fmt.Println("this kernel has no loop devices, so sizes of volumes are not enforced: modprobe loop, then up again")
	}
	c := controller.NewProvisionController(ctx, client, Provisioner, f,
		controller.LeaderElection(false),
		controller.Threadiness(workers),
		controller.RateLimiter(workqueue.DefaultTypedControllerRateLimiter[string]()),
		controller.MetricsPort(0),
	)
	c.Run(ctx)
	return nil
}

type folders struct {
	spec spec.Spec
	// canSize is false on a kernel without loop devices; then every volume is a plain folder.
	canSize bool
}

// Provision creates the folder and describes it. An unknown node is a simulated node: its volume is a description
// without a folder.
func (f folders) Provision(_ context.Context, o controller.ProvisionOptions) (
	*corev1.PersistentVolume, controller.ProvisioningState, error,
) {
	if o.SelectedNodeName == "" {
		return nil, controller.ProvisioningFinished, errors.New(
			"no node was chosen: the storage class needs volumeBindingMode WaitForFirstConsumer")
	}
	for _, mode := range o.PVC.Spec.AccessModes {
		if mode != corev1.ReadWriteOnce && mode != corev1.ReadWriteOncePod {
			return nil, controller.ProvisioningFinished, fmt.Errorf(
				"access mode %s is not supported: a volume is a folder on one node; use ReadWriteOnce or ReadWriteOncePod", mode)
		}
	}
	if o.PVC.Spec.VolumeMode != nil && *o.PVC.Spec.VolumeMode != corev1.PersistentVolumeFilesystem {
		return nil, controller.ProvisioningFinished, errors.New("only volumes of mode Filesystem are supported")
	}
	node := o.SelectedNodeName
	folder := filepath.Join(f.spec.VolumePath(node), o.PVName)
	if n, ours := f.spec.NodeNamed(node); ours {
		if err := f.make(n, folder, o); err != nil {
			return nil, controller.ProvisioningNoChange, err
		}
	}
	return describe(o, node, folder), controller.ProvisioningFinished, nil
}

func (f folders) make(n spec.Node, folder string, o controller.ProvisionOptions) error {
	if err := makeFolder(folder); err != nil {
		return err
	}
	if o.StorageClass.Parameters["size"] != "enforced" || !f.canSize {
		return nil
	}
	size := o.PVC.Spec.Resources.Requests[corev1.ResourceStorage]
	return makeSized(f.spec, n, folder, size.Value())
}

// makeFolder lets every user write, because the outer uid of a pod in a user namespace is not known in advance. Only
// root can enter the parent.
func makeFolder(folder string) error {
	if err := os.MkdirAll(filepath.Dir(folder), 0o711); err != nil {
		return err
	}
	if err := os.MkdirAll(folder, 0o777); err != nil {
		return err
	}
	return os.Chmod(folder, 0o777) // independent of the umask
}

func describe(o controller.ProvisionOptions, node, folder string) *corev1.PersistentVolume {
	return &corev1.PersistentVolume{
		ObjectMeta: metav1.ObjectMeta{Name: o.PVName},
		Spec: corev1.PersistentVolumeSpec{
			PersistentVolumeReclaimPolicy: *o.StorageClass.ReclaimPolicy,
			AccessModes:                   o.PVC.Spec.AccessModes,
			Capacity:                      corev1.ResourceList{corev1.ResourceStorage: o.PVC.Spec.Resources.Requests[corev1.ResourceStorage]},
			PersistentVolumeSource:        corev1.PersistentVolumeSource{Local: &corev1.LocalVolumeSource{Path: folder}},
			NodeAffinity: &corev1.VolumeNodeAffinity{Required: &corev1.NodeSelector{
				NodeSelectorTerms: []corev1.NodeSelectorTerm{{MatchExpressions: []corev1.NodeSelectorRequirement{{
					Key: corev1.LabelHostname, Operator: corev1.NodeSelectorOpIn, Values: []string{node},
				}}}},
			}},
		},
	}
}

// Delete removes the data of a volume, but nothing outside of the folder of the volumes.
func (f folders) Delete(_ context.Context, pv *corev1.PersistentVolume) error {
	if pv.Spec.Local == nil {
		return fmt.Errorf("volume %s belongs to another provisioner", pv.Name)
	}
	folder := filepath.Clean(pv.Spec.Local.Path)
	inside, err := filepath.Rel(f.spec.Path("volumes"), folder)
	if err != nil || !filepath.IsLocal(inside) || filepath.Base(folder) != pv.Name {
		return fmt.Errorf("volume %s is outside of %s, so its data stays", pv.Name, f.spec.Path("volumes"))
	}
	if n, ours := f.spec.NodeNamed(filepath.Dir(inside)); ours {
		if err := removeSized(f.spec, n, folder); err != nil {
			return err
		}
	}
	return os.RemoveAll(folder)
}

// suffix of the file that holds the file system of a volume, beside its folder.
const suffix = ".ext4"

// leastBytes is the size of the smallest ext4 file system with a useful journal.
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
	// Pods own all of the volume, so no block is reserved for the machine's root.
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
