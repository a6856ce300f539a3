package main

import (
	"log"
	"strconv"
	"time"

	"hamlet.village/hands/internal/layer"
	"hamlet.village/hands/internal/process"
)

// layerVariable has the limit of the container's own disk, as the operator sets it in the pod.
const layerVariable = "HAMLET_LAYER_BYTES"

// wholeSystem is the file system of the container.
const wholeSystem = "/"

// layerBytesOf returns 0 for a text that is no number: then nothing is watched, and the kubelet alone limits.
func layerBytesOf(text string) int64 {
	bytes, err := strconv.ParseInt(text, 10, 64)
	if err != nil {
		return 0
	}
	return max(0, bytes)
}

// watched is a file system with a limit.
type watched struct {
	folder string
	bytes  int64
}

// watch ends all programs before the file system is full. Files that changed before the supervisor began are those of the image.
func (w watched) watch(table *process.Table, output string, began time.Time) {
	if w.bytes <= 0 {
		return
	}
	found, err := layer.Open(w.folder, output, began)
	if err != nil {
		log.Printf(`{"level":"warn","message":"the disk of the container is not watched","cause":%q}`, err)
		return
	}
	if w.folder == wholeSystem && !found.IsOverlay() {
		log.Print(`{"level":"warn","message":"the disk of the container is not watched","cause":"it is no overlay, and all of it would have to be counted"}`)
		return
	}
	go found.Watch(w.bytes, table)
}
