package export

import (
	"context"
	"errors"
	"fmt"

	"github.com/shoeproof/shoeproof/schema/rows"
)

// Heads are the ends of the records on which an export rests. They are in the manifest, and so under the signature of
// the checkpoint: what changes before an end later is another history.
type Heads struct {
	// Chains are the ends of the chains of triage and of the console log, of the property and of no property.
	Chains []rows.ChainHead `json:"chains"`
	// Journal has the digest of the journal of each partition.
	Journal []rows.JournalHead `json:"journal"`
	// Facts is the digest of the facts of the gaming day.
	Facts *Facts `json:"facts,omitempty"`
	// Accepted is why the export was made although the records are not proven, with what is not.
	Accepted *Unproven `json:"accepted,omitempty"`
}

// Facts is the digest of the rounds, wagers, vigorish, shoes, configurations and notices with times in the gaming day.
type Facts struct {
	SHA256 string `json:"sha256"`
	// Run is the id of the nightly run that proved them from the archive; empty if none did.
	Run string `json:"run"`
}

// Unproven is the acceptance of records that are not proven.
type Unproven struct {
	Reason   string   `json:"reason"`
	Problems []string `json:"problems"`
}

// records writes the actions of triage since the last export, each a leaf.
func (b *builder) records(steps []rows.Step) error {
	if len(steps) == 0 {
		return nil
	}
	return b.write(pathSteps, func(o *out) error {
		for i := range steps {
			line, err := encode(&steps[i])
			if err != nil {
				return err
			}
			b.log.add(line)
			if err := o.line(line); err != nil {
				return err
			}
		}
		return nil
	})
}

// step checks an action of triage: its content has its hash, and the actions are in the order of their chains.
func (v *verifier) step(line []byte) error {
	var s rows.Step
	if err := decode(line, &s, encode); err != nil {
		return err
	}
	last := v.content.lastStep
	switch {
	case s.PropertyID != v.manifest.Property:
		return fmt.Errorf("action %d of chain %s has property %q, the export %q", s.Link, s.Chain, s.PropertyID,
			v.manifest.Property)
	case s.Sum() != s.Hash:
		return fmt.Errorf("action %d of chain %s does not have the hash of its content", s.Link, s.Chain)
	case s.Chain < last.Chain || s.Chain == last.Chain && s.Link <= last.Link:
		return fmt.Errorf("action %d of chain %s is out of order", s.Link, s.Chain)
	}
	v.content.lastStep = rows.ChainHead{Chain: s.Chain, Link: s.Link}
	v.content.steps = append(v.content.steps, rows.ChainHead{
		Property: s.PropertyID, Chain: s.Chain, Link: s.Link, Hash: s.Hash,
	})
	return nil
}

// recorded compares the heads and the actions of triage with the database.
func (v *verifier) recorded(ctx context.Context, db *Database, found *differences) error {
	h := v.manifest.Heads
	if h == nil {
		return nil
	}
	if db.Records == nil {
		return errors.New("the records of the database cannot be read")
	}
	missing, err := db.Records(ctx, h, v.content.steps)
	if err != nil {
		return err
	}
	found.add(missing, "record", "of the console and the journal missing or different")
	return nil
}
