package process

import (
	"errors"
	"io"
	"os"
	"sync"
	"sync/atomic"
	"syscall"
	"time"
)

var spooled atomic.Int64

type Output struct {
	Bytes int64 `json:"bytes"`
	// Kept bytes are in the file. The bytes after them are dropped, except for the tail.
	Kept int64  `json:"kept"`
	File string `json:"file,omitempty"`
	Head []byte `json:"head"`
	// Tail begins after the head, if the output is longer.
	Tail []byte `json:"tail,omitempty"`
	// Open means that a process can still write, even after the first one of its group has ended.
	Open bool `json:"open"`
}

// spool collects one stream: up to limit bytes in a file, and the last bytes in memory once the file is full.
type spool struct {
	mu sync.Mutex
	// file is created with the first byte, because most streams have none.
	file  *os.File
	path  string
	limit int64
	bytes int64
	kept  int64
	last  []byte
	done  chan struct{}
	open  bool
	// isGone means that the output was discarded.
	isGone bool
	// grown is closed at the next change for which a reader may wait: more kept bytes, or the end.
	grown chan struct{}
}

func newSpool(path string, limit int64) *spool {
	return &spool{path: path, limit: limit, done: make(chan struct{}), open: true, grown: make(chan struct{})}
}

// write appends to the file. On a full disk it writes only a part.
func (s *spool) write(data []byte) (int, error) {
	if s.file == nil {
		file, err := os.OpenFile(s.path, os.O_CREATE|os.O_TRUNC|os.O_RDWR|syscall.O_NOFOLLOW, 0o600)
		if err != nil {
			return 0, err
		}
		s.file = file
	}
	return s.file.WriteAt(data, s.kept)
}

const copyBytes = 16 << 10

var buffers = sync.Pool{New: func() any { return new([copyBytes]byte) }}

func (s *spool) fill(pipe *os.File) {
	buffer := buffers.Get().(*[copyBytes]byte)
	defer buffers.Put(buffer)
	for {
		n, err := pipe.Read(buffer[:])
		s.add(buffer[:n])
		if err != nil {
			break
		}
	}
	_ = pipe.Close()
	s.mu.Lock()
	s.open = false
	s.wake()
	s.mu.Unlock()
	close(s.done)
}

func (s *spool) wake() {
	close(s.grown)
	s.grown = make(chan struct{})
}

func (s *spool) add(data []byte) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.bytes += int64(len(data))
	if s.isGone {
		return
	}
	room := min(s.limit-s.kept, maxSpooled-spooled.Load(), int64(len(data)))
	if room > 0 {
		n, err := s.write(data[:room])
		s.kept += int64(n)
		spooled.Add(int64(n))
		s.wake()
		data = data[n:]
		if err != nil {
			s.limit = s.kept // The disk is full: count the rest.
		}
	}
	s.keepLast(data)
}

// keepLast keeps the end of the output that the file does not contain.
func (s *spool) keepLast(data []byte) {
	if len(data) == 0 {
		return
	}
	if s.limit > s.kept {
		s.limit = s.kept // After a gap, nothing more is written to the file.
		s.wake()
	}
	if len(data) >= TailBytes {
		s.last = append(s.last[:0], data[len(data)-TailBytes:]...)
		return
	}
	if over := len(s.last) + len(data) - TailBytes; over > 0 {
		s.last = append(s.last[:0], s.last[over:]...)
	}
	s.last = append(s.last, data...)
}

func (s *spool) describe() Output {
	s.mu.Lock()
	defer s.mu.Unlock()
	out := Output{Bytes: s.bytes, Kept: s.kept, File: s.path, Open: s.open, Head: []byte{}}
	if s.isGone {
		return out
	}
	out.Head = s.read(0, HeadBytes)
	after := max(int64(len(out.Head)), s.bytes-TailBytes)
	if after >= s.bytes {
		return out
	}
	out.Tail = s.read(after, max(0, s.kept-after))
	missing := min(s.bytes-max(after, s.kept), int64(len(s.last)))
	if missing > 0 {
		out.Tail = append(out.Tail, s.last[int64(len(s.last))-missing:]...)
	}
	return out
}

func (s *spool) read(offset, n int64) []byte {
	n = min(n, s.kept-offset)
	if n <= 0 {
		return []byte{}
	}
	data := make([]byte, n)
	got, err := s.file.ReadAt(data, offset)
	if err != nil && !errors.Is(err, io.EOF) {
		return []byte{}
	}
	return data[:got]
}

type Part struct {
	Data []byte `json:"data"`
	// More is false if no kept byte follows, now or later.
	More bool `json:"more"`
}

// slice returns up to n kept bytes from an offset. Without any, grown is closed when that may have changed.
func (s *spool) slice(offset, n int64) (part Part, grown <-chan struct{}) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.isGone || offset < 0 {
		return Part{Data: []byte{}}, s.grown
	}
	part.Data = s.read(offset, n)
	isFull := s.kept >= s.limit
	part.More = offset+int64(len(part.Data)) < s.kept || (s.open && !isFull)
	return part, s.grown
}

// follow is like slice, but blocks until data or the timeout.
func (s *spool) follow(offset, n int64, most time.Duration) Part {
	late := time.After(most)
	for {
		part, grown := s.slice(offset, n)
		if len(part.Data) > 0 || !part.More || n <= 0 {
			return part
		}
		select {
		case <-grown:
		case <-late:
			return part
		}
	}
}

// discard removes the file. Further output of the process is read and counted.
func (s *spool) discard() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.isGone {
		return
	}
	s.isGone = true
	spooled.Add(-s.kept)
	s.wake()
	if s.file != nil {
		_ = s.file.Close()
		_ = os.Remove(s.path)
	}
	s.file, s.last = nil, nil
}
