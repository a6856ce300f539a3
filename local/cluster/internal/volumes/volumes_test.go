package volumes

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	storagev1 "k8s.io/api/storage/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/sig-storage-lib-external-provisioner/v13/controller"

	"hamlet.village/cluster/internal/spec"
)

func newFolders(t *testing.T) folders {
	t.Helper()
	return folders{spec: spec.Spec{State: t.TempDir(), Nodes: []spec.Node{{Name: "sparky1"}}}}
}

func claim(node string, mode corev1.PersistentVolumeAccessMode) controller.ProvisionOptions {
	policy := corev1.PersistentVolumeReclaimDelete
	return controller.ProvisionOptions{
		PVName: "pvc-1", SelectedNodeName: node, StorageClass: &storagev1.StorageClass{ReclaimPolicy: &policy},
		PVC: &corev1.PersistentVolumeClaim{Spec: corev1.PersistentVolumeClaimSpec{AccessModes: []corev1.PersistentVolumeAccessMode{mode}}},
	}
}

func TestAVolumeIsAFolderThatGoesWithIt(t *testing.T) {
	f, ctx := newFolders(t), context.Background()
	pv, _, err := f.Provision(ctx, claim("sparky1", corev1.ReadWriteOnce))
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(pv.Spec.Local.Path, "x"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := f.Delete(ctx, pv); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(pv.Spec.Local.Path); !os.IsNotExist(err) {
		t.Fatalf("the data is still there: %v", err)
	}
}

func TestASimulatedNodeGetsNoFolder(t *testing.T) {
	f := newFolders(t)
	pv, _, err := f.Provision(context.Background(), claim("kwok-1", corev1.ReadWriteOnce))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(pv.Spec.Local.Path); !os.IsNotExist(err) {
		t.Fatal("a folder was made for a node that does not exist")
	}
}

func TestClaimsThatCannotBeMet(t *testing.T) {
	f := newFolders(t)
	for name, o := range map[string]controller.ProvisionOptions{
		"no node": claim("", corev1.ReadWriteOnce), "shared by nodes": claim("sparky1", corev1.ReadWriteMany),
	} {
		if _, _, err := f.Provision(context.Background(), o); err == nil {
			t.Errorf("%s: provisioned", name)
		}
	}
}

func TestAKernelWithoutLoopDevicesMakesPlainFolders(t *testing.T) {
	f := newFolders(t)
	o := claim("sparky1", corev1.ReadWriteOnce)
	o.StorageClass.Parameters = map[string]string{"size": "enforced"}
	pv, _, err := f.Provision(context.Background(), o)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(pv.Spec.Local.Path + suffix); !os.IsNotExist(err) {
		t.Fatal("a file system was made")
	}
}

func TestASizedVolumeHasALeastSize(t *testing.T) {
	f := newFolders(t)
	f.canSize = true
	o := claim("sparky1", corev1.ReadWriteOnce)
	o.StorageClass.Parameters = map[string]string{"size": "enforced"}
	o.PVC.Spec.Resources.Requests = corev1.ResourceList{corev1.ResourceStorage: resource.MustParse("1Mi")}
	if _, _, err := f.Provision(context.Background(), o); err == nil || !strings.Contains(err.Error(), "at least 16Mi") {
		t.Fatalf("a volume of 1Mi was made: %v", err)
	}
}

// A user who may write PersistentVolumes must not be able to empty the disk with them.
func TestDeleteStaysInside(t *testing.T) {
	f := newFolders(t)
	for _, path := range []string{"/", "/etc", f.spec.Path("etcd"), f.spec.Path("volumes"), f.spec.Path("volumes", "sparky1"), f.spec.Path("volumes", "..", "pvc-1")} {
		pv := &corev1.PersistentVolume{ObjectMeta: metav1.ObjectMeta{Name: "pvc-1"}}
		pv.Spec.Local = &corev1.LocalVolumeSource{Path: path}
		if err := f.Delete(context.Background(), pv); err == nil {
			t.Errorf("%s was deleted", path)
		}
	}
}
