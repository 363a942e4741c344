package engine

import (
	"encoding/hex"

	"github.com/shoeproof/shoeproof/schema"
)

// mask puts the pseudonym in place of a patron reference, and the words of the contract in place of free text, before
// anything keeps the event: of what the engine writes, only the record's own bytes have them.
func (e *Engine) mask(ev *schema.Event) {
	Plain(ev, e.opt.PatronKey, e.words)
	switch p := ev.Payload.(type) {
	case *schema.SeatOccupied:
		p.PatronRef = e.patron(p.PatronRef)
	case *schema.SeatVacated:
		p.PatronRef = e.patron(p.PatronRef)
	case *schema.WagerPlaced:
		p.PatronRef = e.patron(p.PatronRef)
	case *schema.BankerWagered:
		p.PatronRef = e.patron(p.PatronRef)
	default: // names no patron
	}
}

// patron is the pseudonym of a reference, empty of none.
func (e *Engine) patron(ref string) string {
	if ref == "" {
		return ""
	}
	if masked, ok := e.patrons[ref]; ok {
		return masked
	}
	masked := e.pseudonym(ref)
	if len(e.patrons) > 1<<16 {
		clear(e.patrons)
	}
	e.patrons[ref] = masked
	return masked
}

// pseudonym is Pseudonym under the key of the engine, with one HMAC for all patrons.
func (e *Engine) pseudonym(ref string) string {
	e.key = append(append(e.key[:0], "player\x00"...), ref...)
	e.pseudonyms.Reset()
	e.pseudonyms.Write(e.key)
	sum := e.pseudonyms.Sum(e.key[:0])[:16]
	e.key = hex.AppendEncode(sum, sum)
	return string(e.key[len(sum):])
}
