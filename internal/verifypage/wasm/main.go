//go:build js && wasm

// Command wasm is the verification of package export for a browser. The page of internal/verifypage starts it in a
// worker, once for each verification: it reads the worker's variable input, calls done with the result as JSON, and
// ends.
package main

import (
	"context"
	"encoding/json"
	"fmt"
	"syscall/js"
	_ "time/tzdata" // a browser has no file of time zones

	"github.com/shoeproof/shoeproof/export"
)

// version is set by the linker.
var version = "unknown"

// result is a verdict, or the error for want of which there is none.
type result struct {
	*export.Verdict
	Error string `json:"error,omitempty"`
	// Accepted is the file of accepted exports with this one; empty unless the bundle is good.
	Accepted string `json:"accepted,omitempty"`
}

func main() {
	r, err := verify(js.Global().Get("input"))
	if err != nil {
		r = &result{Error: err.Error()}
	}
	data, err := json.Marshal(r)
	if err != nil {
		data = fmt.Appendf(nil, `{"error":%q}`, err)
	}
	js.Global().Call("done", string(data))
}

func verify(input js.Value) (*result, error) {
	policy, err := export.ParsePolicy(read(input.Get("policy")))
	if err != nil {
		return nil, fmt.Errorf("policy: %w", err)
	}
	opt := export.VerifyOptions{Policy: policy, Replay: true, Engine: "shoeproof@" + version}
	if c := input.Get("checkpoint"); c.Truthy() {
		opt.Checkpoint = read(c)
	}
	v, accepted, err := export.VerifyZip(context.Background(), input.Get("name").String(), read(input.Get("bundle")),
		read(input.Get("accepted")), opt)
	if err != nil {
		return nil, err
	}
	return &result{Verdict: v, Accepted: string(accepted)}, nil
}

// read copies a Uint8Array; nil for another value.
func read(from js.Value) []byte {
	if !from.Truthy() {
		return nil
	}
	data := make([]byte, from.Length())
	js.CopyBytesToGo(data, from)
	return data
}
