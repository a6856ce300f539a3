package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

const (
	mib = 1 << 20
	// layerLimit is that of the kubelet in these tests: programs are ended at 205 MiB.
	layerLimit = 256 * mib
)

// startWatched starts a supervisor that watches a folder.
func startWatched(t *testing.T) (c *client, folder string) {
	folder = t.TempDir()
	s := &supervisor{t: t, folder: t.TempDir(), output: filepath.Join(folder, "out")}
	command := exec.Command(os.Args[0], "serve", "--folder", s.folder, "--output", s.output, "--layer", folder, "--layer-bytes", itoa(layerLimit))
	s.launch(command)
	t.Cleanup(s.end)
	return s.client(), folder
}

// usedIn returns the disk space that the files of a folder take.
func usedIn(t *testing.T, folder string) int {
	t.Helper()
	out, err := exec.Command("du", "-s", "--block-size=1M", folder).Output()
	if err != nil {
		t.Fatal(err)
	}
	var used int
	if _, err := fmt.Sscan(string(out), &used); err != nil {
		t.Fatal(err)
	}
	return used
}

func TestAFullDiskEndsProgramsAndLeavesTheirFiles(t *testing.T) {
	c, folder := startWatched(t)
	in := map[string]any{"cwd": folder}
	left := filepath.Join(t.TempDir(), "pid")
	c.sh("leaves", fmt.Sprintf("setsid sh -c 'echo $$ >%s; exec sleep 600' >/dev/null 2>&1 &", left), in)
	c.begin("beside", "sleep 600", in)
	// It stays below the limit, even if the supervisor checks late.
	c.begin("fills", "mkdir cache; fallocate -l 190M cache/base; for i in $(seq 30); do head -c 1M /dev/zero >cache/$i; sleep 0.2; done; sleep 600", in)
	ended := c.wait("fills")
	expect(t, "cause", ended.Exit.Cause, "full")
	for _, part := range []string{"of at most 256 MiB", "the most is in " + folder + "/cache (", "Remove files", "All programs were ended"} {
		expect(t, part+" in "+ended.Exit.Note, strings.Contains(ended.Exit.Note, part), true)
	}
	expect(t, "the program beside it", c.wait("beside").Exit.Cause, "full")
	until(t, "the leftovers of an ended program have ended", func() bool { return !isAlive(pidIn(t, left)) })
	if used := usedIn(t, folder); used < 204 || used >= 256 {
		t.Errorf("%d MiB are used", used)
	}

	// Above the mark, programs run as long as they do not grow, so that an agent can clean up.
	expect(t, "a small file", *c.sh("small", "head -c 300K /dev/zero >small; sleep 1", in).Exit.Code, 0)
	expect(t, "a program that continues to grow", c.sh("grows", "while :; do head -c 1M /dev/zero >>more; sleep 0.1; done", in).Exit.Cause, "full")
	expect(t, "cleaning", *c.sh("cleans", "rm -r cache more; sleep 1", in).Exit.Code, 0)
	expect(t, "work goes on", *c.sh("works", "head -c 30M /dev/zero >work; sleep 1; rm work", in).Exit.Code, 0)
}

func TestAJumpAboveTheLimitEndsPrograms(t *testing.T) {
	c, folder := startWatched(t)
	in := map[string]any{"cwd": folder}
	c.begin("jumps", "fallocate -l 400M jump; sleep 600", in)
	ended := c.wait("jumps")
	expect(t, "cause", ended.Exit.Cause, "full")
	expect(t, "the file stays", usedIn(t, folder) >= 400, true)
	expect(t, "cleaning", *c.sh("cleans", "rm jump", in).Exit.Code, 0)
}

func TestWhoFillsTheDiskAndEndsAtOnceIsNamedToTheNext(t *testing.T) {
	c, folder := startWatched(t)
	in := map[string]any{"cwd": folder}
	jumped := c.sh("jumps", "fallocate -l 400M jump", in)
	expect(t, "cause", jumped.Exit.Cause, "exit")
	until(t, "the next program reports it", func() bool {
		next := c.sh(fmt.Sprint("next-", time.Now().UnixNano()), "true", in).Exit
		return next.Cause == "exit" && strings.Contains(next.Note, "400 MiB of at most")
	})
	expect(t, "it is reported once", c.sh("later", "true", in).Exit.Note, "")
}

func TestLayerBytesOf(t *testing.T) {
	for text, want := range map[string]int64{"": 0, "4Gi": 0, "-1": 0, "4294967296": 4 << 30} {
		expect(t, text, layerBytesOf(text), want)
	}
}
