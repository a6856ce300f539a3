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
	const usage = "usage: hamlet-probe serve ADDRESS | get URL | dial ADDRESS | lookup NAME | write FILE TEXT | fill FILE BYTES | read FILE"
	args = append(args, "", "", "") // the unused arguments of a verb are empty
	switch verb, first, second := args[0], args[1], args[2]; verb {
	case "serve":
		return serve(first)
	case "get":
		client := http.Client{Timeout: limit}
		response, err := client.Get(first)
		if err != nil {
			return err
		}
		defer func() { _ = response.Body.Close() }()
		_, err = io.Copy(os.Stdout, response.Body)
		return err
	case "dial":
		conn, err := net.DialTimeout("tcp", first, limit)
		if err != nil {
			return err
		}
		fmt.Println("connected")
		return conn.Close()
	case "lookup":
		ctx, cancel := context.WithTimeout(context.Background(), limit)
		defer cancel()
		found, err := net.DefaultResolver.LookupHost(ctx, first)
		if err != nil {
			return err
		}
		fmt.Println(found)
		return nil
	case "write":
		return os.WriteFile(first, []byte(second), 0o644)
	case "fill":
		return fill(first, second)
	case "read":
		raw, err := os.ReadFile(first)
		fmt.Printf("%s", raw)
		return err
	}
	return errors.New(usage)
}

// serve answers every request with the name of the pod.
func serve(address string) error {
	name, err := os.Hostname()
	if err != nil {
		return err
	}
	fmt.Println("serving as", name)
	return http.ListenAndServe(address, http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		fmt.Fprintln(w, name)
	}))
}

// fill writes zeros, one MiB at a time, until the file has the size or the disk is full.
func fill(path, bytes string) error {
	size, err := strconv.ParseInt(bytes, 10, 64)
	if err != nil {
		return err
	}
	file, err := os.Create(path)
	if err != nil {
		return err
	}
	block := make([]byte, 1<<20)
	for left := size; left > 0 && err == nil; left -= int64(len(block)) {
		_, err = file.Write(block[:min(left, int64(len(block)))])
	}
	return errors.Join(err, file.Close())
}
