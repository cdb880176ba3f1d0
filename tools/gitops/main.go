// gitops-reader says how the programs of others understand what Sluice writes: kstatus, Lua as Argo CD runs it, and helm.
//
//	gitops-reader kstatus                     reads objects as JSON, one a line; prints `<status>\t<message>` for each
//	gitops-reader lua <health.lua>            the same by a script of Argo CD's layout
//	gitops-reader helm <chart> <namespace>    reads values; prints `objects\t<JSON>`, or `error\t<message>`
package main

import (
	"bufio"
	"fmt"
	"os"
	"strings"

	"k8s.io/apimachinery/pkg/util/json"
)

type reader func(object map[string]any) (status string, message string, err error)

func main() {
	if err := run(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "gitops-reader:", err)
		os.Exit(1)
	}
}

func run(args []string) error {
	read, err := readerOf(args)
	if err != nil {
		return err
	}
	lines := bufio.NewScanner(os.Stdin)
	lines.Buffer(nil, 16<<20)
	for lines.Scan() {
		var object map[string]any
		if err := json.Unmarshal(lines.Bytes(), &object); err != nil {
			return err
		}
		status, message, err := read(object)
		if err != nil {
			return err
		}
		fmt.Printf("%s\t%s\n", status, strings.ReplaceAll(message, "\n", " "))
	}
	return lines.Err()
}

func readerOf(args []string) (reader, error) {
	if len(args) == 1 && args[0] == "kstatus" {
		return kstatus, nil
	}
	if len(args) == 2 && args[0] == "lua" {
		script, err := os.ReadFile(args[1])
		return func(object map[string]any) (string, string, error) { return healthOf(string(script), object) }, err
	}
	if len(args) == 3 && args[0] == "helm" {
		return helm(args[1], args[2])
	}
	return nil, fmt.Errorf("expected kstatus, lua and a file, or helm, a chart and a namespace, found %q", args)
}
