package cni

import (
	"bytes"
	"encoding/json"
	"net"
	"path/filepath"
	"strings"
	"testing"
)

// agentThatSays answers one announcement and sends it to the channel `received`.
func agentThatSays(t *testing.T, problem string) (socket string, received chan Announcement) {
	t.Helper()
	socket, received = filepath.Join(t.TempDir(), "s"), make(chan Announcement, 1)
	listener, err := net.Listen("unix", socket)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = listener.Close() })
	go func() {
		conn, err := listener.Accept()
		if err != nil {
			return
		}
		var said Announcement
		_ = json.NewDecoder(conn).Decode(&said)
		received <- said
		_ = json.NewEncoder(conn).Encode(problem)
	}()
	return socket, received
}

func add(socket string) (code int, out string) {
	environment := map[string]string{
		"CNI_COMMAND": "ADD", "CNI_ARGS": "IgnoreUnknown=1;K8S_POD_NAMESPACE=v;K8S_POD_NAME=ada;K8S_POD_UID=u1",
	}
	input := `{"cniVersion":"1.0.0","socket":"` + socket + `","prevResult":{"cniVersion":"1.0.0","ips":[{"address":"10.90.1.7/24"}]}}`
	var buffer bytes.Buffer
	code = Main(func(key string) string { return environment[key] }, strings.NewReader(input), &buffer)
	return code, buffer.String()
}

func TestAddAnnouncesThePodAndPassesTheResultOn(t *testing.T) {
	socket, received := agentThatSays(t, "")
	code, out := add(socket)
	if code != 0 || !strings.Contains(out, "10.90.1.7/24") {
		t.Fatalf("code %d, out %s", code, out)
	}
	if got := <-received; got != (Announcement{UID: "u1", Namespace: "v", Name: "ada", IP: "10.90.1.7"}) {
		t.Fatalf("announced %+v", got)
	}
}

func TestAPodDoesNotStartWithoutItsRules(t *testing.T) {
	socket, _ := agentThatSays(t, "nft said no")
	if code, out := add(socket); code == 0 || !strings.Contains(out, "nft said no") {
		t.Errorf("code %d, out %s", code, out)
	}
	if code, out := add(filepath.Join(t.TempDir(), "nobody")); code == 0 || !strings.Contains(out, "does not listen") {
		t.Errorf("without an agent: code %d, out %s", code, out)
	}
}
