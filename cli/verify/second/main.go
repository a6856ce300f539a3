// Command second verifies a Hamlet log with golang.org/x/mod/sumdb. It opens the signed note, rebuilds the tree from
// the entries, and compares roots, tiles, inclusion and consistency proofs with its own. It reads one JSON document and
// prints how many agree, or the first difference.
package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"

	"golang.org/x/mod/sumdb/note"
	"golang.org/x/mod/sumdb/tlog"
)

type document struct {
	Key        string
	Checkpoint string
	Entries    [][]byte
	Inclusion  []struct {
		Position int64
		Size     int64
		Hashes   [][]byte
	}
	Consistency []struct {
		From, To int64
		Hashes   [][]byte
	}
	Tiles []struct {
		Level, Number int64
		Hashes        []byte
	}
}

type memory []tlog.Hash

func (m memory) ReadHashes(indexes []int64) ([]tlog.Hash, error) {
	hashes := make([]tlog.Hash, len(indexes))
	for i, index := range indexes {
		hashes[i] = m[index]
	}
	return hashes, nil
}

func proofOf(hashes [][]byte) []tlog.Hash {
	proof := make([]tlog.Hash, len(hashes))
	for i, hash := range hashes {
		copy(proof[i][:], hash)
	}
	return proof
}

func check(doc document) (int, error) {
	verifier, err := note.NewVerifier(doc.Key)
	if err != nil {
		return 0, err
	}
	opened, err := note.Open([]byte(doc.Checkpoint), note.VerifierList(verifier))
	if err != nil {
		return 0, err
	}
	var stored memory
	for i, entry := range doc.Entries {
		hashes, err := tlog.StoredHashes(int64(i), entry, stored)
		if err != nil {
			return 0, err
		}
		stored = append(stored, hashes...)
	}
	size := int64(len(doc.Entries))
	root, err := tlog.TreeHash(size, stored)
	if err != nil {
		return 0, err
	}
	if signed := fmt.Sprintf("%s\n%d\n%s\n", verifier.Name(), size, root); opened.Text != signed {
		return 0, fmt.Errorf("the checkpoint has %q, but the entries give %q", opened.Text, signed)
	}
	agreed := 2
	for _, tile := range doc.Tiles {
		want, err := tlog.ReadTileData(tlog.Tile{H: 8, L: int(tile.Level), N: tile.Number, W: len(tile.Hashes) / tlog.HashSize}, stored)
		if err != nil || !bytes.Equal(want, tile.Hashes) {
			return agreed, fmt.Errorf("tile %d of level %d differs: %v", tile.Number, tile.Level, err)
		}
		agreed++
	}
	for _, claim := range doc.Inclusion {
		root, err := tlog.TreeHash(claim.Size, stored)
		if err == nil {
			err = tlog.CheckRecord(proofOf(claim.Hashes), claim.Size, root, claim.Position, tlog.RecordHash(doc.Entries[claim.Position]))
		}
		if err != nil {
			return agreed, fmt.Errorf("entry %d of %d: %v", claim.Position, claim.Size, err)
		}
		agreed++
	}
	for _, claim := range doc.Consistency {
		from, err := tlog.TreeHash(claim.From, stored)
		if err != nil {
			return agreed, err
		}
		to, err := tlog.TreeHash(claim.To, stored)
		if err != nil {
			return agreed, err
		}
		if err := tlog.CheckTree(proofOf(claim.Hashes), claim.To, to, claim.From, from); err != nil {
			return agreed, fmt.Errorf("%d to %d: %v", claim.From, claim.To, err)
		}
		agreed++
	}
	return agreed, nil
}

func main() {
	var doc document
	if err := json.NewDecoder(os.Stdin).Decode(&doc); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(2)
	}
	agreed, err := check(doc)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	fmt.Println(agreed)
}
