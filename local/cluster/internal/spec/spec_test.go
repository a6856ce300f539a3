package spec

import (
	"fmt"
	"net"
	"net/netip"
	"strings"
	"testing"
)

func options(change func(*Options)) Options {
	o := Options{Name: "hamlet", Profile: ProfileFull, State: "/var/lib/x", GPUsPerNode: 1}
	change(&o)
	return o
}

func TestNewRefusesWhatCannotWork(t *testing.T) {
	cases := map[string]struct {
		change func(*Options)
		says   string
	}{
		"name with a slash":           {func(o *Options) { o.Name = "a/b" }, "--name"},
		"empty name":                  {func(o *Options) { o.Name = "" }, "--name"},
		"slot too high":               {func(o *Options) { o.Slot = MaxSlot + 1 }, "--slot"},
		"negative GPUs":               {func(o *Options) { o.GPUsPerNode = -1 }, "--gpus"},
		"unknown profile":             {func(o *Options) { o.Profile = "big" }, "--profile"},
		"relative state":              {func(o *Options) { o.State = "x" }, "--state"},
		"state too long for a socket": {func(o *Options) { o.State = "/" + strings.Repeat("x", 100) }, "--state"},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			_, err := New(options(c.change))
			if err == nil || !strings.Contains(err.Error(), c.says) {
				t.Fatalf("got %v, want an error about %s", err, c.says)
			}
		})
	}
}

// Any two clusters of a machine must differ in every resource that the machine has only
// once.
func TestSlotsShareNothing(t *testing.T) {
	seen := map[string]int{}
	claim := func(slot int, what string) {
		if other, ok := seen[what]; ok && other != slot {
			t.Errorf("slots %d and %d both take %s", other, slot, what)
		}
		seen[what] = slot
	}
	ranges := map[netip.Prefix]int{}
	for slot := range MaxSlot + 1 {
		s, err := New(options(func(o *Options) { o.Slot = slot }))
		if err != nil {
			t.Fatal(err)
		}
		claim(slot, s.Bridge)
		for _, n := range s.Nodes {
			claim(slot, n.Unique)
			claim(slot, n.Veth)
			claim(slot, n.IP)
			if len(n.Veth) > 15 {
				t.Errorf("link name %s is too long for the kernel", n.Veth)
			}
			if !netip.MustParsePrefix(s.PodCIDR).Overlaps(netip.MustParsePrefix(n.PodCIDR)) {
				t.Errorf("pods of %s lie outside %s", n.Name, s.PodCIDR)
			}
		}
		for _, text := range []string{s.PodCIDR, s.ServiceCIDR} {
			prefix := netip.MustParsePrefix(text)
			for other, owner := range ranges {
				if prefix.Overlaps(other) {
					t.Errorf("%s of slot %d overlaps %s of slot %d", prefix, slot, other, owner)
				}
			}
			ranges[prefix] = slot
		}
	}
}

func TestClustersOfOneNameHaveTheirOwnCgroups(t *testing.T) {
	one, _ := New(options(func(*Options) {}))
	two, _ := New(options(func(o *Options) { o.State = "/var/lib/y" }))
	if one.Cgroup == two.Cgroup {
		t.Fatalf("both use %s: taking one down would kill the other", one.Cgroup)
	}
}

func TestSaveAndLoad(t *testing.T) {
	want, err := New(options(func(o *Options) { o.State = t.TempDir() }))
	if err != nil {
		t.Skip(err) // a temporary folder with a very long name
	}
	if err := want.Save(); err != nil {
		t.Fatal(err)
	}
	got, err := Load(want.State)
	if err != nil || got.APIHost != want.APIHost || len(got.Nodes) != 2 {
		t.Fatalf("got %+v, %v", got, err)
	}
}

func TestFreePortsAreDistinct(t *testing.T) {
	p, err := FreePorts()
	if err != nil {
		t.Fatal(err)
	}
	seen := map[int]bool{}
	for _, port := range []int{p.API, p.EtcdClient, p.EtcdPeer, p.ControllerManager, p.Scheduler} {
		if port == 0 || seen[port] {
			t.Fatalf("ports %+v", p)
		}
		seen[port] = true
		if claim, err := net.Listen("unix", fmt.Sprintf("@hamlet-port-%d", port)); err == nil {
			_ = claim.Close()
			t.Errorf("port %d is not claimed", port)
		}
	}
}
