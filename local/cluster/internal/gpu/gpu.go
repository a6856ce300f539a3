// Package gpu simulates GPUs on nodes. The devices do not exist; the scheduler sees only their count.
package gpu

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/tools/cache"

	"hamlet.village/cluster/internal/kubeapi"
	"hamlet.village/cluster/internal/spec"
)

// recheck is the interval of the checks of every node. They repeat a patch that failed, for example while the API
// server was down.
const recheck = 10 * time.Second

// Run gives each node its GPUs, and gives them again when the node loses them: a restarted kubelet finds no device
// plugin and sets the count to zero.
func Run(ctx context.Context, s spec.Spec, client kubernetes.Interface) error {
	factory := informers.NewSharedInformerFactory(client, recheck)
	ensure := func(object any) {
		node, ok := object.(*corev1.Node)
		if !ok {
			return
		}
		if _, ours := s.NodeNamed(node.Name); !ours || has(node, s.GPUsPerNode) {
			return
		}
		if err := patch(ctx, client, node.Name, s.GPUsPerNode); err != nil {
			fmt.Printf("GPUs of %s: %v\n", node.Name, err)
		}
	}
	_, err := factory.Core().V1().Nodes().Informer().AddEventHandler(cache.ResourceEventHandlerFuncs{
		AddFunc:    ensure,
		UpdateFunc: func(_, now any) { ensure(now) },
	})
	if err != nil {
		return err
	}
	factory.Start(ctx.Done())
	<-ctx.Done()
	return nil
}

func has(node *corev1.Node, count int) bool {
	capacity := node.Status.Capacity[kubeapi.GPUResource]
	allocatable := node.Status.Allocatable[kubeapi.GPUResource]
	return capacity.Value() == int64(count) && allocatable.Value() == int64(count)
}

func patch(ctx context.Context, client kubernetes.Interface, node string, count int) error {
	amount := map[string]string{string(kubeapi.GPUResource): fmt.Sprint(count)}
	body, err := json.Marshal(map[string]any{"status": map[string]any{"capacity": amount, "allocatable": amount}})
	if err != nil {
		return err
	}
	_, err = client.CoreV1().Nodes().Patch(ctx, node, types.MergePatchType, body, metav1.PatchOptions{}, "status")
	return err
}
