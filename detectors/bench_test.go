package detectors

import (
	"fmt"
	"os"
	"testing"
)

// BenchmarkHost plays a shoe into all detectors, once.
func BenchmarkHost(b *testing.B) {
	for _, c := range []struct {
		name string
		host *Host
	}{{"live", NewLive(DefaultBudget())}, {"stored", oneStored(DefaultBudget())}} {
		b.Run(c.name, func(b *testing.B) {
			tb := newTable(b, 1)
			for b.Loop() {
				tb.play(c.host)
			}
		})
	}
}

func BenchmarkAppendState(b *testing.B) {
	h, err := RestoreLive(DefaultBudget(), benchState(b))
	if err != nil {
		b.Fatal(err)
	}
	var data []byte
	for b.Loop() {
		if data, err = h.AppendState(data[:0]); err != nil {
			b.Fatal(err)
		}
	}
	b.SetBytes(int64(len(data)))
}

func BenchmarkRestoreLive(b *testing.B) {
	data := benchState(b)
	b.SetBytes(int64(len(data)))
	for b.Loop() {
		if _, err := RestoreLive(DefaultBudget(), data); err != nil {
			b.Fatal(err)
		}
	}
}

func benchState(b *testing.B) []byte {
	data, err := os.ReadFile(fmt.Sprintf("testdata/live-state-%d.cbor", stateVersion))
	if err != nil {
		b.Fatal(err)
	}
	return data
}
