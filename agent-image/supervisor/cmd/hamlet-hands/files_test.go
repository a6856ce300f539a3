package main

import (
	"encoding/json"
	"testing"
)

func TestFilesByRequest(t *testing.T) {
	c := startSupervisor(t).client()
	root := t.TempDir()
	write := map[string]any{"root": root, "path": "a/b", "data": []byte("one"), "parents": true}
	expect(t, "a write", c.ask("fs.write", write).Code, "")
	expect(t, "a write over other content", c.ask("fs.write", map[string]any{"root": root, "path": "a/b", "data": []byte("two"), "ifSha256": "absent"}).Code, "changed")
	expect(t, "a way out", c.ask("fs.read", map[string]any{"root": root, "path": "../x", "bytes": 1}).Code, "outside")
	expect(t, "an unknown field", c.ask("fs.stat", map[string]any{"root": root, "path": "a", "follow": true}).Code, "invalid")
	expect(t, "a move", c.ask("fs.rename", map[string]any{"root": root, "path": "a/b", "to": "c"}).Code, "")
	var part struct{ Data []byte }
	if err := json.Unmarshal(c.ask("fs.read", map[string]any{"root": root, "path": "c", "bytes": 100}).Data, &part); err != nil {
		t.Fatal(err)
	}
	expect(t, "the content", string(part.Data), "one")
}
