package machine

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"

	"hamlet.village/cluster/internal/process"
	"hamlet.village/cluster/internal/spec"
)

// TrackingCgroup is the version 2 cgroup in which every process of the cluster starts. All descendants of these
// processes, with shims and containers, stay below it. On a hybrid machine version 2 has no controllers.
func TrackingCgroup(s spec.Spec) (string, error) {
	for _, m := range mountTable() {
		if m.kind == "cgroup2" {
			return filepath.Join(m.point, s.Cgroup), nil
		}
	}
	return "", errors.New("cgroup v2 is not mounted: mount it on /sys/fs/cgroup/unified")
}

func OpenCgroup(s spec.Spec, id string) (*os.File, error) {
	root, err := TrackingCgroup(s)
	if err != nil {
		return nil, err
	}
	folder := filepath.Join(root, id)
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return nil, err
	}
	return os.Open(folder)
}

// NodeCgroup is the name, in every hierarchy, of the cgroup of a node's pods.
func NodeCgroup(n spec.Node) string { return "/hamlet-" + n.Unique }

func EnsureNodeCgroups(n spec.Node) error {
	for _, m := range mountTable() {
		pure := m.kind == "cgroup2" && m.point == "/sys/fs/cgroup"
		if m.kind != "cgroup" && !pure { // on a hybrid machine the kubelet uses version 1
			continue
		}
		if pure {
			_ = os.WriteFile(m.point+"/cgroup.subtree_control", []byte("+cpuset +cpu +io +memory +pids"), 0o644)
		}
		folder := filepath.Join(m.point, NodeCgroup(n))
		if err := os.MkdirAll(folder, 0o755); err != nil {
			return err
		}
		if pure {
			continue
		}
		if err := copyCpuset(m.point, folder); err != nil {
			return err
		}
	}
	return nil
}

// copyCpuset copies the settings of the parent to a new version 1 cpuset: an empty cpuset accepts no process.
func copyCpuset(parent, child string) error {
	for _, file := range []string{"cpuset.cpus", "cpuset.mems"} {
		raw, err := os.ReadFile(filepath.Join(parent, file))
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		if err != nil {
			return err
		}
		if err := os.WriteFile(filepath.Join(child, file), raw, 0o644); err != nil {
			return err
		}
	}
	return nil
}

func inHierarchies(name string) []string {
	var found []string
	for _, m := range mountTable() {
		folder := filepath.Join(m.point, name)
		if _, err := os.Stat(folder); err == nil && (m.kind == "cgroup" || m.kind == "cgroup2") {
			found = append(found, folder)
		}
	}
	return found
}

func clusterCgroups(s spec.Spec) []string {
	found := inHierarchies(s.Cgroup)
	if OwnsNetwork(s) {
		for _, n := range s.Nodes {
			found = append(found, inHierarchies(NodeCgroup(n))...)
		}
	}
	return found
}

// RemoveCgroups kills every process in the cluster's cgroups and removes them.
func RemoveCgroups(s spec.Spec) error {
	folders := clusterCgroups(s)
	if err := killUntilGone(folders); err != nil {
		return err
	}
	var errs []error
	for _, folder := range folders {
		errs = append(errs, removeTree(folder))
	}
	return errors.Join(errs...)
}

// killUntilGone sends SIGKILL to the members of cgroups until there are none.
func killUntilGone(folders []string) error {
	const limit = 10 * time.Second
	for deadline := time.Now().Add(limit); ; time.Sleep(50 * time.Millisecond) {
		left := 0
		for _, folder := range folders {
			left += killAll(folder)
		}
		if left == 0 {
			return nil
		}
		if time.Now().After(deadline) {
			return fmt.Errorf("%d processes still run %s after SIGKILL", left, limit)
		}
	}
}

// killAll kills the members of a cgroup and of the cgroups below it, and returns their number. It reads the members
// each time, so it never uses a stale process id.
func killAll(folder string) int {
	count := 0
	for _, sub := range subfolders(folder) {
		raw, err := os.ReadFile(filepath.Join(sub, "cgroup.procs"))
		if err != nil {
			continue
		}
		for _, field := range strings.Fields(string(raw)) {
			pid, err := strconv.Atoi(field)
			if err != nil || pid <= 1 || pid == os.Getpid() {
				continue
			}
			count++
			_ = syscall.Kill(pid, syscall.SIGKILL)
		}
	}
	return count
}

func subfolders(folder string) []string {
	var found []string
	_ = filepath.WalkDir(folder, func(path string, d fs.DirEntry, err error) error {
		if err == nil && d.IsDir() {
			found = append(found, path)
		}
		return nil
	})
	slices.Sort(found)
	slices.Reverse(found)
	return found
}

// removeTree removes cgroups from the leaves up. It retries, because the kernel releases a dead process a moment after
// its end.
func removeTree(folder string) error {
	var err error
	for range 40 {
		err = nil
		for _, sub := range subfolders(folder) {
			if e := os.Remove(sub); e != nil && !errors.Is(e, fs.ErrNotExist) {
				err = e
			}
		}
		if err == nil {
			return nil
		}
		time.Sleep(50 * time.Millisecond)
	}
	return err
}

// KillRecorded kills the processes of an earlier supervisor, after it has checked their start time. Shims and
// containers continue: the new containerd adopts them.
func KillRecorded(s spec.Spec) {
	for _, record := range process.LoadRecords(s.Path("run", "pids")) {
		for tries := 0; record.Alive() && tries < 100; tries++ {
			_ = syscall.Kill(record.Pid, syscall.SIGKILL)
			time.Sleep(50 * time.Millisecond)
		}
	}
}

// CutNode disconnects a node from the network. Neither side is notified: a process that dies afterwards cannot close a
// connection.
func CutNode(n spec.Node) error { return ip("link set " + n.Veth + " down") }

// JoinNode connects a node to the network again; idempotent.
func JoinNode(n spec.Node) error { return ip("link set " + n.Veth + " up") }

// KillNode sends SIGKILL to every process of a node's pods and components. The caller must first stop the programs that
// would restart them.
func KillNode(s spec.Spec, n spec.Node) error {
	folders, err := nodeCgroups(s, n)
	if err != nil {
		return err
	}
	if err := killUntilGone(folders); err != nil {
		return fmt.Errorf("node %s: %w", n.Name, err)
	}
	return nil
}

// nodeCgroups lists the cgroups of a node's processes: those of its pods in every hierarchy, and those in which its
// components started.
func nodeCgroups(s spec.Spec, n spec.Node) ([]string, error) {
	tracking, err := TrackingCgroup(s)
	if err != nil {
		return nil, err
	}
	folders, err := filepath.Glob(filepath.Join(tracking, "*-"+n.Name))
	if err != nil {
		return nil, err
	}
	return append(folders, inHierarchies(NodeCgroup(n))...), nil
}
