package files

import (
	"io"

	"hamlet.village/hands/internal/process"
)

const (
	maxEntries = 2000
	// maxHashed is the largest size of a file that gets a hash.
	maxHashed = 64 << 20
)

type ReadArgs struct {
	Place
	Offset int64 `json:"offset"`
	Bytes  int   `json:"bytes"`
}

type Part struct {
	Entry
	Data []byte `json:"data"`
	// Sha256 of the whole file in hex; absent if the file is larger than 64 MiB.
	Sha256 string `json:"sha256,omitempty"`
}

func Read(a ReadArgs) (Part, *process.Fault) {
	root, problem := a.open()
	if problem != nil {
		return Part{}, problem
	}
	defer func() { _ = root.Close() }()
	file, info, problem := openFile(root, a.Place)
	if problem != nil {
		return Part{}, problem
	}
	defer func() { _ = file.Close() }()
	part := Part{Entry: entryOf(info), Data: make([]byte, max(0, min(a.Bytes, MaxBytes)))}
	n, err := file.ReadAt(part.Data, max(0, a.Offset))
	if err != nil && err != io.EOF {
		return Part{}, explain(err, a.Place)
	}
	part.Data = part.Data[:n]
	if info.Size() <= maxHashed {
		if part.Sha256, err = hashOf(file); err != nil {
			return Part{}, explain(err, a.Place)
		}
	}
	return part, nil
}

// Stat describes the file at a place. It does not follow a link at the end of the path.
func Stat(p Place) (Entry, *process.Fault) {
	root, problem := p.open()
	if problem != nil {
		return Entry{}, problem
	}
	defer func() { _ = root.Close() }()
	info, err := root.Lstat(p.Path)
	if err != nil {
		return Entry{}, explain(err, p)
	}
	return entryOf(info), nil
}

// Listing is the content of a folder, by name.
type Listing struct {
	Entries []Entry `json:"entries"`
	// More is true if the folder has more entries than the listing.
	More bool `json:"more"`
}

func List(p Place) (Listing, *process.Fault) {
	root, problem := p.open()
	if problem != nil {
		return Listing{}, problem
	}
	defer func() { _ = root.Close() }()
	folder, err := root.Open(p.Path)
	if err != nil {
		return Listing{}, explain(err, p)
	}
	defer func() { _ = folder.Close() }()
	found, err := folder.ReadDir(maxEntries + 1)
	if err != nil && err != io.EOF {
		return Listing{}, explain(err, p)
	}
	listing := Listing{Entries: []Entry{}, More: len(found) > maxEntries}
	for _, each := range found[:min(len(found), maxEntries)] {
		if info, err := each.Info(); err == nil {
			listing.Entries = append(listing.Entries, entryOf(info))
		} else {
			// The entry was removed meanwhile; its kind is still known.
			listing.Entries = append(listing.Entries, Entry{Name: each.Name(), Kind: kindOf(each.Type())})
		}
	}
	return listing, nil
}
