// Command hamlet-probe is the program in the image that the cluster's own tests run: it serves, dials, resolves names
// and writes files, so the image needs no shell.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"strconv"
	"time"
)

// limit bounds each connection; it is short, because tests retry.
const limit = 3 * time.Second

func main() {
	if err := dispatch(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "error:", err)
		os.Exit(1)
	}
}

func dispatch(args []string) error {
	if len(args) < 1 || args[0] == "--help" {
		fmt.Println("usage: hamlet-probe serve ADDRESS | get URL | dial ADDRESS | lookup NAME | write FILE TEXT | fill FILE BYTES | read FILE")
		return nil
	}
	verbs := map[string]struct {
		arguments int
		run       func(args []string) error
	}{
		"serve":  {1, serve},
		"get":    {1, get},
		"dial":   {1, dial},
		"lookup": {1, lookup},
		"write":  {2, func(a []string) error { return os.WriteFile(a[0], []byte(a[1]), 0o644) }},
		"fill":   {2, fill},
		"read":   {1, read},
	}
	verb, ok := verbs[args[0]]
	if !ok || len(args)-1 != verb.arguments {
		return errors.New("see hamlet-probe --help")
	}
	return verb.run(args[1:])
}

// serve answers every request with the name of the pod.
func serve(args []string) error {
	name, err := os.Hostname()
	if err != nil {
		return err
	}
	fmt.Println("serving as", name)
	return http.ListenAndServe(args[0], http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		fmt.Fprintln(w, name)
	}))
}

func get(args []string) error {
	client := http.Client{Timeout: limit}
	response, err := client.Get(args[0])
	if err != nil {
		return err
	}
	defer func() { _ = response.Body.Close() }()
	_, err = io.Copy(os.Stdout, response.Body)
	return err
}

func dial(args []string) error {
	conn, err := net.DialTimeout("tcp", args[0], limit)
	if err != nil {
		return err
	}
	fmt.Println("connected")
	return conn.Close()
}

func lookup(args []string) error {
	ctx, cancel := context.WithTimeout(context.Background(), limit)
	defer cancel()
	found, err := net.DefaultResolver.LookupHost(ctx, args[0])
	if err != nil {
		return err
	}
	fmt.Println(found)
	return nil
}

// fill writes zeros, one MiB at a time, until the file has the size or the disk is full.
func fill(args []string) error {
	size, err := strconv.ParseInt(args[1], 10, 64)
	if err != nil {
		return err
	}
	file, err := os.Create(args[0])
	if err != nil {
		return err
	}
	block := make([]byte, 1<<20)
	for left := size; left > 0 && err == nil; left -= int64(len(block)) {
		_, err = file.Write(block[:min(left, int64(len(block)))])
	}
	return errors.Join(err, file.Close())
}

func read(args []string) error {
	raw, err := os.ReadFile(args[0])
	if err != nil {
		return err
	}
	_, err = os.Stdout.Write(raw)
	return err
}
