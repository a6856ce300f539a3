// Package state stores data for the next start of the container outside the container's file system.
package state

import (
	"encoding/json"
	"io"
	"os"
	"path/filepath"

	"hamlet.village/hands/internal/process"
)

// maxBytes is the maximum size of the file, which processes in the container can also write.
const maxBytes = 256 << 10

type boots struct {
	Boots   int64          `json:"boots"`
	Running []process.Lost `json:"running"`
}

// Boots counts the starts of the container in one pod, and lists the processes that ran when the last one ended.
type Boots struct {
	file string
	// Number is 1 for the first start of the container in its pod.
	Number int64
	// Lost processes ran when the container ended, for example for lack of memory.
	Lost []process.Lost
}

// Begin reads the data of the last start and counts this one. A file that cannot be read counts as none.
func Begin(folder string) *Boots {
	b := &Boots{file: filepath.Join(folder, "running.json")}
	before := read(b.file)
	b.Number, b.Lost = before.Boots+1, before.Running
	if len(b.Lost) > process.MaxKept {
		b.Lost = b.Lost[:process.MaxKept]
	}
	b.Note(nil)
	return b
}

func read(path string) boots {
	var before boots
	file, err := os.Open(path)
	if err != nil {
		return before
	}
	defer func() { _ = file.Close() }()
	text, err := io.ReadAll(io.LimitReader(file, maxBytes))
	if err != nil || json.Unmarshal(text, &before) != nil || before.Boots < 0 {
		return boots{}
	}
	return before
}

// Note stores the running processes. If there is no space for it, the next start reports fewer lost ones.
func (b *Boots) Note(running []process.Lost) {
	text, err := json.Marshal(boots{Boots: b.Number, Running: running})
	if err != nil {
		return
	}
	part := b.file + ".part"
	if os.WriteFile(part, text, 0o600) == nil {
		_ = os.Rename(part, b.file)
	}
}
