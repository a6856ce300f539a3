// Package frame reads and writes JSON messages, each after its length as four bytes, most significant first.
package frame

import (
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
)

// MaxBytes is the longest message in either direction.
const MaxBytes = 1 << 20

// ErrTooLong means that the peer announced a message of more than MaxBytes. The stream cannot be read further.
var ErrTooLong = errors.New("the message is longer than 1 MiB: send it in parts")

// NotJSONError means that a message of a valid length is not the expected JSON. The stream can be read further.
type NotJSONError struct{ Err error }

func (e *NotJSONError) Error() string { return "the message cannot be read: " + e.Err.Error() }

func (e *NotJSONError) Unwrap() error { return e.Err }

// Read reads one message into out. It returns io.EOF at the end of the stream, and io.ErrUnexpectedEOF if the stream ends within
// a message.
func Read(r io.Reader, out any) error {
	var head [4]byte
	if _, err := io.ReadFull(r, head[:]); err != nil {
		return err
	}
	length := binary.BigEndian.Uint32(head[:])
	if length > MaxBytes {
		return ErrTooLong
	}
	// The memory grows with the bytes that arrive, not with the length that the peer announces.
	body, err := io.ReadAll(io.LimitReader(r, int64(length)))
	if err != nil {
		return err
	}
	if len(body) < int(length) {
		return io.ErrUnexpectedEOF
	}
	if err := json.Unmarshal(body, out); err != nil {
		return &NotJSONError{Err: err}
	}
	return nil
}

func Write(w io.Writer, value any) error {
	body, err := json.Marshal(value)
	if err != nil {
		return err
	}
	if len(body) > MaxBytes {
		return fmt.Errorf("an answer of %d bytes: %w", len(body), ErrTooLong)
	}
	message := make([]byte, 4, 4+len(body))
	binary.BigEndian.PutUint32(message, uint32(len(body)))
	_, err = w.Write(append(message, body...))
	return err
}
