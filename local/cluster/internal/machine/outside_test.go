package machine

import (
	"slices"
	"strings"
	"testing"

	"hamlet.village/cluster/internal/spec"
)

func TestResolversOfTheMachineThatPodsCanReach(t *testing.T) {
	cases := map[string][]string{
		"nameserver 192.0.2.1\nnameserver 192.0.2.2\noptions edns0\n": {"192.0.2.1", "192.0.2.2"},
		"# a comment\nnameserver 127.0.0.53\n":                        nil,
		"nameserver ::1\nnameserver 2001:db8::1\n":                    nil,
		"nameserver\nnameserver fifty\nnameserver 192.0.2.3 # x":      {"192.0.2.3"},
		strings.Repeat("nameserver 192.0.2.1\n", 20):                  slices.Repeat([]string{"192.0.2.1"}, maxResolvers),
	}
	for text, want := range cases {
		if got := resolversIn(text); !slices.Equal(got, want) {
			t.Errorf("%q: %v, want %v", text, got, want)
		}
	}
}

func TestTheWayOutLeavesTheClustersOwnTrafficAlone(t *testing.T) {
	s, err := spec.New(spec.Options{Name: "a", Profile: spec.ProfileFull, State: "/var/tmp/a", Slot: 3})
	if err != nil {
		t.Fatal(err)
	}
	const own = "{ 10.90.48.0/20, 10.99.0.0/16, 10.89.3.0/24 }"
	if want := "ip saddr " + own + " ip daddr != " + own + " masquerade"; !strings.Contains(outsideRules(s), want) {
		t.Errorf("%s\nlacks %s", outsideRules(s), want)
	}
}
