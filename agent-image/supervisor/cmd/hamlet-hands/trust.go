package main

import (
	"fmt"
	"log"
	"os"
	"syscall"

	"hamlet.village/hands/internal/trust"
)

const (
	trustCommand = "trust"
	authority    = "/etc/hamlet/ca/ca.crt"
)

func place(certificate string) trust.Place {
	home := os.Getenv("HOME")
	if home == "" {
		home = "/root"
	}
	return trust.System(certificate, home)
}

// trustFiles lets programs trust the authority before the first of them starts. The tools of NSS and OpenSSL take longer, so a
// separate process runs them, which the supervisor reaps like any orphan.
func trustFiles() {
	is, err := trust.Files(place(authority))
	if err != nil {
		log.Printf(`{"level":"warn","message":"programs may not trust the village's authority","cause":%q}`, err)
	}
	program, failure := os.Executable()
	if !is || failure != nil {
		return
	}
	process := &os.ProcAttr{Env: os.Environ(), Files: []*os.File{nil, os.Stdout, os.Stderr}, Sys: &syscall.SysProcAttr{Setpgid: true}}
	if started, err := os.StartProcess(program, []string{program, trustCommand, authority}, process); err == nil {
		_ = started.Release()
	}
}

func trustTools(args []string) int {
	if len(args) != 1 {
		fmt.Fprint(os.Stderr, usage)
		return 2
	}
	if err := trust.Tools(place(args[0])); err != nil {
		log.Printf(`{"level":"warn","message":"some programs may not trust the village's authority","cause":%q}`, err)
		return 1
	}
	return 0
}
