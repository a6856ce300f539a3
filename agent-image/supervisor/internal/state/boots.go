// Package state stores data for the next start of the container outside the container's file system.
package state

import (
	"encoding/json"
	"io"
	"os"
	"path/filepath"
	"syscall"

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

// Begin reads the data of the last start and counts this one. An unreadable file counts as missing.
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
	// A program can leave a FIFO here, on which a blocking open would wait endlessly.
	file, err := os.OpenFile(path, os.O_RDONLY|syscall.O_NONBLOCK|syscall.O_NOFOLLOW, 0)
	if err != nil {
		return before
	}
	defer func() { _ = file.Close() }()
	if about, err := file.Stat(); err != nil || !about.Mode().IsRegular() {
		return before
	}
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
	// A new file: an existing one can be a FIFO or a link of a program.
	_ = os.RemoveAll(part)
	file, err := os.OpenFile(part, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return
	}
	_, err = file.Write(text)
	if file.Close() == nil && err == nil {
		_ = os.Rename(part, b.file)
	}
}
