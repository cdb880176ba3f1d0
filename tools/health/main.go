// health-reader says how the readers of others understand objects: the library of kstatus, and Lua as Argo CD runs it.
//
//	health-reader kstatus             reads objects as JSON, one a line; prints `<status>\t<message>` for each
//	health-reader lua <health.lua>    the same by a script of Argo CD's layout
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
		fmt.Fprintln(os.Stderr, "health-reader:", err)
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
	return nil, fmt.Errorf("expected kstatus, or lua and a file, found %q", args)
}
