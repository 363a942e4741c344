package rows

import (
	"bytes"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// Columns that share their memory have the values that were appended, also after another one was reset and gave its
// blocks away.
func TestTextsShareBlocks(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		blocks := &Blocks{}
		columns := []Text{{from: blocks}, {from: blocks}, {}}
		want := make([][][]byte, len(columns))
		value := rapid.Custom(func(t *rapid.T) []byte {
			n := rapid.SampledFrom([]int{0, 1, 32, 300, blockSize - 1, blockSize, blockSize + 1}).Draw(t, "length")
			return bytes.Repeat([]byte{rapid.Byte().Draw(t, "byte")}, n)
		})
		for range rapid.IntRange(0, 60).Draw(t, "steps") {
			i := rapid.IntRange(0, len(columns)-1).Draw(t, "column")
			if rapid.IntRange(0, 9).Draw(t, "reset") == 0 {
				columns[i].Reset()
				want[i] = nil
				continue
			}
			v := value.Draw(t, "value")
			if rapid.Bool().Draw(t, "text") {
				columns[i].AppendString(string(v))
			} else {
				columns[i].Append(v)
			}
			want[i] = append(want[i], v)
		}
		for i := range columns {
			if columns[i].Len() != len(want[i]) {
				t.Fatalf("column %d has %d values, want %d", i, columns[i].Len(), len(want[i]))
			}
			for k, v := range want[i] {
				if !bytes.Equal(columns[i].At(k), v) {
					t.Fatalf("column %d, value %d: %d bytes differ from the %d appended", i, k, len(columns[i].At(k)), len(v))
				}
			}
		}
	})
}

// What a set gives back the next one takes: memory grows with what is held at one time, and not with what passes.
func TestBlocksAreUsedAgain(t *testing.T) {
	blocks := &Blocks{}
	one, other := &Set{}, &Set{}
	one.Share(blocks)
	other.Share(blocks)
	for range 10 {
		for _, set := range []*Set{one, other} {
			set.Events.Raw.Append(make([]byte, blockSize))
			set.Wagers.WagerID.AppendString("w")
			set.Reset()
		}
	}
	if n := len(blocks.free); n != 2 {
		t.Errorf("%d blocks, want 2: one for each column of a set", n)
	}
}

// A column of words has the values that were appended, each text once, whichever strings they came in.
func TestWords(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		long := strings.Repeat("x", 300)
		text := rapid.SampledFrom([]string{"", "a", "b", "ab", "PB-01", long, long[:1], long[:65]}) // of one address
		var w, all Words
		var want, both []string
		for range rapid.IntRange(0, 3).Draw(t, "fills") {
			w.Reset()
			want = want[:0]
			for _, v := range rapid.SliceOfN(text, 0, 200).Draw(t, "values") {
				if rapid.Bool().Draw(t, "copy") {
					v = strings.Clone(v)
				}
				w.Append(v)
				want = append(want, v)
			}
			all.AppendAll(&w)
			both = append(both, want...)
		}
		for _, c := range []struct {
			column *Words
			want   []string
		}{{&w, want}, {&all, both}} {
			var got []string
			for i := range c.column.Len() {
				got = append(got, c.column.At(i))
			}
			if !slices.Equal(got, c.want) {
				t.Fatalf("%q, want %q", got, c.want)
			}
			texts := slices.Sorted(slices.Values(c.column.Texts()))
			slices.Sort(c.want)
			if !slices.Equal(texts, slices.Compact(slices.Clone(c.want))) {
				t.Fatalf("texts %q of %q", texts, c.want)
			}
		}
	})
}

// The journal has the hash of each batch: a column that is not in it must follow from what is.
func TestDerivedColumns(t *testing.T) {
	var derived []string
	for _, table := range declared() {
		for _, c := range table.Columns {
			if c.Derived {
				derived = append(derived, table.Name+"."+c.Name)
			}
		}
	}
	// The range of the batch has the topic; copy is partition; the events have the time of the settlement.
	if want := []string{"events.topic", "events.copy", "rounds.settled_at"}; !slices.Equal(derived, want) {
		t.Errorf("derived columns %q, want %q", derived, want)
	}
}
