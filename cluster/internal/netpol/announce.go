package netpol

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"os"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/types"
)

// announceTime bounds the conversation about one pod.
const announceTime = 5 * time.Second

// announcement is what the CNI plugin says of a pod whose network it has just made.
type announcement struct {
	Namespace string `json:"namespace"`
	Name      string `json:"name"`
	IP        string `json:"ip"`
}

// Announce tells a node's agent of a new pod and returns once the pod's rules are
// in place. Without it a pod would run for a moment with no rules at all.
func Announce(socket, namespace, name, ip string) error {
	conn, err := net.DialTimeout("unix", socket, announceTime)
	if err != nil {
		return fmt.Errorf("the network policy agent does not listen: %w", err)
	}
	defer func() { _ = conn.Close() }()
	if err := conn.SetDeadline(time.Now().Add(announceTime)); err != nil {
		return err
	}
	if err := json.NewEncoder(conn).Encode(announcement{Namespace: namespace, Name: name, IP: ip}); err != nil {
		return err
	}
	var problem string
	if err := json.NewDecoder(conn).Decode(&problem); err != nil {
		return fmt.Errorf("the network policy agent's answer: %w", err)
	}
	if problem != "" {
		return errors.New(problem)
	}
	return nil
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
	_ = conn.SetDeadline(time.Now().Add(announceTime))
	var said announcement
	if err := json.NewDecoder(conn).Decode(&said); err != nil {
		return
	}
	problem := ""
	if err := a.admit(ctx, said); err != nil {
		problem = err.Error()
	}
	_ = json.NewEncoder(conn).Encode(problem)
}

// admit notes the pod's address and applies the rules. The kubelet knows the pod
// from the API server, so it is here too or will be in a moment.
func (a *Agent) admit(ctx context.Context, said announcement) error {
	const tries, pause = 40, 50 * time.Millisecond
	for try := 0; ; try++ {
		_, err := a.pods.Pods(said.Namespace).Get(said.Name)
		if err == nil {
			break
		}
		if !apierrors.IsNotFound(err) || try == tries {
			return fmt.Errorf("pod %s/%s: %w", said.Namespace, said.Name, err)
		}
		time.Sleep(pause)
	}
	a.mu.Lock()
	a.announced[types.NamespacedName{Namespace: said.Namespace, Name: said.Name}] = said.IP
	a.mu.Unlock()
	return a.sync(ctx)
}
