package netpol

import (
	"context"
	"encoding/json"
	"fmt"
	"net"
	"os"
	"os/exec"
	"strings"
	"sync"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	corelisters "k8s.io/client-go/listers/core/v1"
	networkinglisters "k8s.io/client-go/listers/networking/v1"
	"k8s.io/client-go/tools/cache"

	"hamlet.village/cluster/internal/cni"
)

const (
	// Changes arrive in bursts: the agent waits this long for the rest of a burst.
	settle = 20 * time.Millisecond
	// The agent rewrites the rules at this interval even without a change, in case another program has removed them.
	rewrite = 30 * time.Second
)

// Agent keeps a node's rules consistent with the cluster's policies.
type Agent struct {
	node       string
	pods       corelisters.PodLister
	namespaces corelisters.NamespaceLister
	policies   networkinglisters.NetworkPolicyLister
	dirty      chan struct{}

	mu sync.Mutex
	// announced holds the addresses of starting pods, before the API server knows them.
	announced map[types.UID]string
	applied   string
}

// Run watches and enforces until the context ends.
func Run(ctx context.Context, client kubernetes.Interface, node, socket string) error {
	factory := informers.NewSharedInformerFactory(client, 0)
	a := &Agent{
		node: node, dirty: make(chan struct{}, 1), announced: map[types.UID]string{},
		pods:       factory.Core().V1().Pods().Lister(),
		namespaces: factory.Core().V1().Namespaces().Lister(),
		policies:   factory.Networking().V1().NetworkPolicies().Lister(),
	}
	mark := cache.ResourceEventHandlerFuncs{
		AddFunc:    func(any) { a.mark() },
		UpdateFunc: func(_, _ any) { a.mark() },
		DeleteFunc: func(object any) { a.forget(object); a.mark() },
	}
	for _, informer := range []cache.SharedIndexInformer{
		factory.Core().V1().Pods().Informer(),
		factory.Core().V1().Namespaces().Informer(),
		factory.Networking().V1().NetworkPolicies().Informer(),
	} {
		if _, err := informer.AddEventHandler(mark); err != nil {
			return err
		}
	}
	factory.Start(ctx.Done())
	factory.WaitForCacheSync(ctx.Done())
	if err := a.sync(ctx); err != nil {
		return err
	}
	// The agent accepts announcements only now: before the caches are complete, a pod would start with too few rules.
	if err := a.serve(ctx, socket); err != nil {
		return err
	}
	return a.loop(ctx)
}

func (a *Agent) mark() {
	select {
	case a.dirty <- struct{}{}:
	default:
	}
}

func (a *Agent) loop(ctx context.Context) error {
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-a.dirty:
			time.Sleep(settle)
		case <-time.After(rewrite):
			a.mu.Lock()
			a.applied = ""
			a.mu.Unlock()
		}
		if err := a.sync(ctx); err != nil {
			fmt.Println(time.Now().UTC().Format(time.RFC3339), err)
			time.Sleep(settle)
			a.mark()
		}
	}
}

// sync applies the present rules unless they are in place.
func (a *Agent) sync(ctx context.Context) error {
	a.mu.Lock()
	defer a.mu.Unlock()
	m, err := a.model()
	if err != nil {
		return err
	}
	script := Render(MakePlan(m))
	if script == a.applied {
		return nil
	}
	cmd := exec.CommandContext(ctx, "nft", "-f", "-")
	cmd.Stdin = strings.NewReader(script)
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("nft: %w: %s", err, strings.TrimSpace(string(out)))
	}
	a.applied = script
	return nil
}

// model builds the model from the watched objects. The caller holds the lock.
func (a *Agent) model() (Model, error) {
	m := Model{Namespaces: map[string]map[string]string{}}
	pods, err := a.pods.List(labels.Everything())
	if err != nil {
		return m, err
	}
	for _, pod := range pods {
		if ip := a.address(pod); ip != "" {
			m.Pods = append(m.Pods, describe(pod, ip, a.node))
		}
	}
	namespaces, err := a.namespaces.List(labels.Everything())
	if err != nil {
		return m, err
	}
	for _, namespace := range namespaces {
		m.Namespaces[namespace.Name] = namespace.Labels
	}
	m.Policies, err = a.policies.List(labels.Everything())
	return m, err
}

// address is a pod's address: the announced address, until the API server knows the same one. A pod on the node's
// network has no address of its own, and neither has a pod that has ended.
func (a *Agent) address(pod *corev1.Pod) string {
	if pod.Spec.HostNetwork || pod.Status.Phase == corev1.PodSucceeded || pod.Status.Phase == corev1.PodFailed {
		return ""
	}
	announced, ok := a.announced[pod.UID]
	if !ok {
		return pod.Status.PodIP
	}
	if announced == pod.Status.PodIP {
		delete(a.announced, pod.UID)
	}
	return announced
}

func (a *Agent) forget(object any) {
	if unknown, ok := object.(cache.DeletedFinalStateUnknown); ok {
		object = unknown.Obj
	}
	if pod, ok := object.(*corev1.Pod); ok {
		a.mu.Lock()
		delete(a.announced, pod.UID)
		a.mu.Unlock()
	}
}

func describe(pod *corev1.Pod, ip, node string) Pod {
	p := Pod{Namespace: pod.Namespace, Name: pod.Name, Labels: pod.Labels, IP: ip, Local: pod.Spec.NodeName == node}
	containers := append([]corev1.Container{}, pod.Spec.Containers...)
	for _, c := range pod.Spec.InitContainers { // sidecars serve ports too
		if c.RestartPolicy != nil && *c.RestartPolicy == corev1.ContainerRestartPolicyAlways {
			containers = append(containers, c)
		}
	}
	for _, c := range containers {
		for _, port := range c.Ports {
			if port.Name != "" {
				p.Ports = append(p.Ports, NamedPort{Name: port.Name, Protocol: port.Protocol, Port: port.ContainerPort})
			}
		}
	}
	return p
}

func (a *Agent) serve(ctx context.Context, socket string) error {
	_ = os.Remove(socket)
	listener, err := net.Listen("unix", socket)
	if err != nil {
		return err
	}
	go func() {
		<-ctx.Done()
		_ = listener.Close()
	}()
	go func() {
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			go a.answer(ctx, conn)
		}
	}()
	return nil
}

func (a *Agent) answer(ctx context.Context, conn net.Conn) {
	defer func() { _ = conn.Close() }()
	_ = conn.SetDeadline(time.Now().Add(cni.Time))
	var said cni.Announcement
	if err := json.NewDecoder(conn).Decode(&said); err != nil {
		return
	}
	problem := ""
	if err := a.admit(ctx, said); err != nil {
		problem = err.Error()
	}
	_ = json.NewEncoder(conn).Encode(problem)
}

// admit stores the pod's address and applies the rules. The kubelet got the pod from the API server, so the agent's
// cache has it already or gets it within a moment.
func (a *Agent) admit(ctx context.Context, said cni.Announcement) error {
	const tries, pause = 40, 50 * time.Millisecond
	for try := 0; ; try++ {
		pod, err := a.pods.Pods(said.Namespace).Get(said.Name)
		if err == nil && string(pod.UID) == said.UID {
			break
		}
		if try == tries {
			return fmt.Errorf("the network policy agent does not know pod %s/%s of uid %s", said.Namespace, said.Name, said.UID)
		}
		time.Sleep(pause)
	}
	a.mu.Lock()
	a.announced[types.UID(said.UID)] = said.IP
	a.mu.Unlock()
	return a.sync(ctx)
}
