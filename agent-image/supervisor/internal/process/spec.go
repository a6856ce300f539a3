package process

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
)

type Spec struct {
	// Process is the caller's id of the process. A second start with the same id has no effect.
	Process string `json:"process"`
	// Owner groups processes that end together, for example those of a run.
	Owner string            `json:"owner,omitempty"`
	Argv  []string          `json:"argv"`
	Cwd   string            `json:"cwd,omitempty"`
	Env   map[string]string `json:"env,omitempty"`
	// Stdin is written to the process. With OpenStdin its input stays open for more.
	Stdin     []byte `json:"stdin,omitempty"`
	OpenStdin bool   `json:"openStdin,omitempty"`
	// Merge sends stderr to stdout, in the order of the writes.
	Merge  bool   `json:"merge,omitempty"`
	Limits Limits `json:"limits,omitzero"`
}

var idPattern = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._:-]*$`)

func checkID(field, id string) error {
	if len(id) > maxIDChars || !idPattern.MatchString(id) {
		return fmt.Errorf("%s must have 1 to %d letters, digits, '.', '_', ':' or '-'", field, maxIDChars)
	}
	return nil
}

func hasNul(text string) bool { return strings.ContainsRune(text, 0) }

func (s Spec) check() error {
	if err := checkID("process", s.Process); err != nil {
		return err
	}
	if s.Owner != "" {
		if err := checkID("owner", s.Owner); err != nil {
			return err
		}
	}
	switch {
	case len(s.Argv) == 0 || s.Argv[0] == "":
		return fmt.Errorf("argv is empty: write a program and its arguments")
	case len(s.Argv) > maxArgs:
		return fmt.Errorf("argv has %d entries: write at most %d, or a script", len(s.Argv), maxArgs)
	case len(s.Env) > maxEnv:
		return fmt.Errorf("env has %d entries: write at most %d", len(s.Env), maxEnv)
	case slices.ContainsFunc(s.Argv, hasNul) || hasNul(s.Cwd):
		return fmt.Errorf("argv and cwd cannot contain the character NUL")
	}
	for name, value := range s.Env {
		if name == "" || strings.ContainsAny(name, "=\x00") || hasNul(value) {
			return fmt.Errorf("env has the entry %q: write a non-empty name without '=' and NUL, and a value without NUL", name)
		}
	}
	return s.Limits.check()
}
