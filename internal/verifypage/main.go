// Command verifypage writes verify.html, which verifies bundles in a browser: the WebAssembly of
// internal/verifypage/wasm, Go's runtime for it, a script and a style in one file. The policy in its head lets it load
// and send nothing.
package main

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	_ "embed"
	"encoding/base64"
	"flag"
	"fmt"
	"io"
	"os"
	"text/template"
)

//go:embed page.html.tmpl
var pageHTML string

//go:embed page.js
var pageJS string

//go:embed page.css
var pageCSS string

//go:embed worker.js
var workerJS string

func main() {
	version := flag.String("version", "unknown", "the release")
	out := flag.String("o", "verify.html", "file to write")
	flag.Parse()
	if err := write(*out, *version, flag.Args()); err != nil {
		fmt.Fprintln(os.Stderr, "verifypage:", err)
		os.Exit(1)
	}
}

func write(out, version string, args []string) error {
	if len(args) != 2 {
		return fmt.Errorf("%d arguments, want the WebAssembly and Go's wasm_exec.js", len(args))
	}
	wasm, err := os.ReadFile(args[0])
	if err != nil {
		return fmt.Errorf("read the WebAssembly: %w", err)
	}
	runtime, err := os.ReadFile(args[1])
	if err != nil {
		return fmt.Errorf("read Go's runtime: %w", err)
	}
	var page bytes.Buffer
	if err := assemble(&page, wasm, runtime, version); err != nil {
		return err
	}
	if err := os.WriteFile(out, page.Bytes(), 0o644); err != nil {
		return fmt.Errorf("write the page: %w", err)
	}
	return nil
}

// assemble writes the page. The same inputs give the same bytes.
func assemble(out io.Writer, wasm, runtime []byte, version string) error {
	t, err := template.New("page").Parse(pageHTML)
	if err != nil {
		return fmt.Errorf("read the page's template: %w", err)
	}
	var packed bytes.Buffer
	z, err := gzip.NewWriterLevel(&packed, gzip.BestCompression)
	if err != nil {
		return fmt.Errorf("compress the WebAssembly: %w", err)
	}
	if _, err = z.Write(wasm); err == nil {
		err = z.Close()
	}
	if err != nil {
		return fmt.Errorf("compress the WebAssembly: %w", err)
	}
	encode := base64.StdEncoding.EncodeToString
	hash := func(s string) string {
		sum := sha256.Sum256([]byte(s))
		return "'sha256-" + encode(sum[:]) + "'"
	}
	err = t.Execute(out, map[string]any{
		"Version": version, "CSS": pageCSS, "JS": pageJS,
		"Worker": encode(append(append(runtime, '\n'), workerJS...)), "WASM": encode(packed.Bytes()),
		"Policy": "default-src 'none'; connect-src 'none'; form-action 'none'; base-uri 'none'; worker-src blob:; " +
			"style-src " + hash(pageCSS) + "; script-src 'wasm-unsafe-eval' " + hash(pageJS),
	})
	if err != nil {
		return fmt.Errorf("write the page: %w", err)
	}
	return nil
}
