// hamlet-hands is process 1 of the container in which the tools of an agent run.
package main

import (
	"errors"
	"flag"
	"fmt"
	"log"
	"os"
	"os/signal"
	"path/filepath"
	"runtime/debug"
	"strconv"
	"syscall"
	"time"

	"hamlet.village/hands/internal/layer"
	"hamlet.village/hands/internal/process"
	"hamlet.village/hands/internal/server"
	"hamlet.village/hands/internal/sources"
	"hamlet.village/hands/internal/state"
)

const (
	// endTime is the part of the pod's 10 s of grace for processes that were asked to end.
	endTime = 7 * time.Second
	// memoryLimit makes the garbage collector work harder before the supervisor grows; the supervisor holds little but buffers.
	memoryLimit = 24 << 20
	// collectAt is the heap growth, in per cent, at which garbage is collected; the default is 100.
	collectAt = 40
	// layerVariable contains the limit of the container's own disk, as the operator sets it in the pod.
	layerVariable = "HAMLET_LAYER_BYTES"
)

const usage = `usage: hamlet-hands serve [--folder FOLDER] [--output FOLDER]
       hamlet-hands own UID FOLDER...
       hamlet-hands trust CERTIFICATE

serve starts and watches the processes of an agent's tools, for clients of the
socket hands.sock in the folder. own gives folders with all that is in them to a
user, before the resident starts. trust gives an authority to OpenSSL and NSS.

  --folder FOLDER   folder of the socket, which outlives the container; /run/hands by default
  --output FOLDER   folder of the outputs, which is emptied; /var/tmp/hands by default
  --layer FOLDER    file system that programs may fill beside their volumes; / by default
  --layer-bytes N   bytes at which the kubelet evicts the pod, by default those of HAMLET_LAYER_BYTES;
                    before that the programs end, and 0 watches nothing
  --help            this text
`

func main() {
	os.Exit(run(os.Args[1:]))
}

func run(args []string) int {
	log.SetFlags(0)
	if len(args) == 0 {
		fmt.Fprint(os.Stderr, usage)
		return 2
	}
	switch args[0] {
	case "own":
		return own(args[1:])
	case "serve":
		return serve(args[1:])
	case trustCommand:
		return trustTools(args[1:])
	case "--help", "-h":
		fmt.Print(usage)
		return 0
	}
	fmt.Fprint(os.Stderr, usage)
	return 2
}

func own(args []string) int {
	if len(args) < 2 {
		fmt.Fprint(os.Stderr, usage)
		return 2
	}
	uid, err := strconv.Atoi(args[0])
	if err != nil || uid < 0 {
		fmt.Fprint(os.Stderr, usage)
		return 2
	}
	if err := state.Own(uid, args[1:]); err != nil {
		log.Print(err)
		return 1
	}
	return 0
}

func serve(args []string) int {
	flags := flag.NewFlagSet("serve", flag.ContinueOnError)
	flags.Usage = func() { fmt.Fprint(os.Stderr, usage) }
	folder := flags.String("folder", "/run/hands", "")
	output := flags.String("output", "/var/tmp/hands", "")
	layerFolder := flags.String("layer", "/", "")
	layerBytes := flags.Int64("layer-bytes", layerBytesOf(os.Getenv(layerVariable)), "")
	if err := flags.Parse(args); err != nil || flags.NArg() > 0 {
		return 2
	}
	trustFiles()
	if err := sources.Lead(sources.System()); err != nil {
		log.Printf(`{"level":"warn","message":"apt or cargo may not find the registries of the village","cause":%q}`, err)
	}
	debug.SetMemoryLimit(memoryLimit)
	debug.SetGCPercent(collectAt)
	if err := supervise(*folder, *output, disk{folder: *layerFolder, bytes: *layerBytes}); err != nil {
		log.Print(err)
		return 1
	}
	return 0
}

// supervise serves until SIGTERM or SIGINT, and then ends all processes.
func supervise(folder, output string, layer disk) error {
	began := time.Now()
	adoptOrphans()
	boots := state.Begin(folder)
	table, err := process.NewTable(output, boots.Note)
	if err != nil {
		return err
	}
	children, ends := make(chan os.Signal, 1), make(chan os.Signal, 1)
	signal.Notify(children, syscall.SIGCHLD)
	signal.Notify(ends, syscall.SIGTERM, syscall.SIGINT)
	go func() {
		for range children {
			table.Reap()
		}
	}()
	layer.watch(table, began)
	listener, err := server.Listen(filepath.Join(folder, "hands.sock"))
	if err != nil {
		return err
	}
	go func() {
		<-ends
		table.Close(endTime)
		_ = listener.Close()
	}()
	log.Printf(`{"level":"info","message":"the hands are ready","boots":%d,"lost":%d}`, boots.Number, len(boots.Lost))
	return server.New(table, boots).Serve(listener)
}

// layerBytesOf returns 0 for a text that is not a number: then the supervisor watches nothing, and only the kubelet sets a limit.
func layerBytesOf(text string) int64 {
	bytes, err := strconv.ParseInt(text, 10, 64)
	if err != nil {
		return 0
	}
	return max(0, bytes)
}

type disk struct {
	folder string
	bytes  int64
}

// watch ends all programs before the disk is full. Files that changed before the supervisor began belong to the image.
func (d disk) watch(table *process.Table, began time.Time) {
	if d.bytes <= 0 {
		return
	}
	found, err := layer.Open(d.folder, began)
	if err == nil && d.folder == "/" && !found.IsOverlay() {
		err = errors.New("it is not an overlay, so all its files would have to be counted")
	}
	if err != nil {
		log.Printf(`{"level":"warn","message":"the disk of the container is not watched","cause":%q}`, err)
		return
	}
	go found.Watch(d.bytes, table)
}

// adoptOrphans makes the supervisor the parent of orphans even if it is not process 1, as in its tests.
func adoptOrphans() {
	const setChildSubreaper = 36 // prctl(2)
	_, _, _ = syscall.Syscall6(syscall.SYS_PRCTL, setChildSubreaper, 1, 0, 0, 0, 0)
}
