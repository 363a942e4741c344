package cheat

import (
	"math/rand/v2"

	"github.com/shoeproof/shoeproof/simulate/deal"
)

// Options are the cheat, its beginning and whether it is only its twin.
type Options struct {
	Cheat *Cheat
	// From is the number of the shoe with which the cheat begins, 1 for the first.
	From int
	// Twin plays the same table with the same chance without the cheat.
	Twin bool
}

// Table is a table at which a cheat is played.
type Table struct {
	*deal.Table
	crook *crook
}

// NewTable returns a table that has not opened. It sets Options.Scheme and the options that the cheat needs, and
// Options.Config unless it names a ruleset.
func NewTable(o deal.Options, by Options) *Table {
	if o.Config.Ruleset == "" {
		o.Config = by.Cheat.TableConfig()
	}
	c := &crook{
		Cheat: by.Cheat, from: by.From, twin: by.Twin, rng: rand.New(rand.NewPCG(o.Seed, 0xc4ea7)),
		label: Label{
			Cheat: by.Cheat.Name, Doc: by.Cheat.Doc, Honest: by.Cheat.Honest, Breach: by.Cheat.Breach,
			Detectors: by.Cheat.Detectors, Key: by.Cheat.Key,
		},
	}
	o.Scheme, o.Regulars, o.ReadStakes, o.CountTray = c, by.Cheat.regulars, by.Cheat.Reads, by.Cheat.Trays
	o.NoisyReader = by.Cheat.Misread > 0
	c.table = deal.NewTable(o)
	c.label.Property, c.label.Table = c.table.Writer().Property, c.table.Writer().Table
	return &Table{c.table, c}
}

// Label returns what is true of the table so far.
func (t *Table) Label() *Label { return &t.crook.label }

// Play plays the next shoe without events and adds where the slug of the cheat lies.
func (t *Table) Play() *deal.Played {
	p := t.Table.Play()
	if c := t.crook; c.slug[0] > 0 {
		p.Slug = [2]int{len(c.before) - c.slug[0], len(c.before) - c.slug[1]}
	}
	return p
}
