package netpol

import (
	"context"
	"encoding/json"
	"fmt"
	"net"
	"os"
	"time"

	"k8s.io/apimachinery/pkg/types"

	"hamlet.village/cluster/internal/announce"
)

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
	_ = conn.SetDeadline(time.Now().Add(announce.Time))
	var said announce.Announcement
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
func (a *Agent) admit(ctx context.Context, said announce.Announcement) error {
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
