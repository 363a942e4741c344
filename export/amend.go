package export

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"

	"github.com/shoeproof/shoeproof/finding"
)

// Amendment changes an entry of an earlier export. The earlier entry stays in the log.
type Amendment struct {
	Amends    string `json:"amends"` // the id of the finding
	Reason    string `json:"reason"`
	GamingDay string `json:"gaming_day"`
	// Leaf is the replaced leaf, Was the SHA-256 of that leaf's line in hex; -1 and empty for a late finding.
	Leaf int64  `json:"leaf"`
	Was  string `json:"was"`
	// Now is the current finding; nil if it was withdrawn.
	Now *finding.Finding `json:"now"`
	// Why is the cause of the change for people. Bundles of earlier releases have none.
	Why string `json:"why,omitempty"`

	before *entry // of the log; nil for a late finding
}

// The reasons of amendments.
const (
	amendLate      = "late"      // it was found after its gaming day was exported
	amendChanged   = "changed"   // its content differs now
	amendWithdrawn = "withdrawn" // it is no longer found
	amendRestored  = "restored"  // it is found again after a withdrawal
)

// digested is a finding with the digest of its content.
type digested struct {
	finding finding.Finding
	digest  [32]byte
}

// digestOf is the digest of a finding without its release, so that a release with the same result amends nothing.
func digestOf(f *finding.Finding) ([32]byte, error) {
	plain := *f
	plain.Engine = ""
	line, err := encode(&plain)
	return sha256.Sum256(line), err
}

// findingOrder is the order of the leaves.
func findingOrder(a, b *finding.Finding) int {
	return cmp.Or(cmp.Compare(a.GamingDay, b.GamingDay), cmp.Compare(a.TableID, b.TableID),
		cmp.Compare(a.ShoeID, b.ShoeID), cmp.Compare(a.Round, b.Round), cmp.Compare(a.Rule, b.Rule), cmp.Compare(a.ID, b.ID))
}

func amendmentOrder(a, b *Amendment) int {
	return cmp.Or(cmp.Compare(a.GamingDay, b.GamingDay), cmp.Compare(a.Amends, b.Amends))
}

// diff compares the current findings with the log. It returns the new findings of the day and the amendments of
// earlier entries. Findings of gaming days that were never exported are skipped: they go into a later export.
func (x *index) diff(day *Day) ([]*digested, []Amendment, error) {
	var fresh []*digested
	var amendments []Amendment
	seen := map[*entry]bool{}
	for f, err := range day.Findings {
		if err != nil {
			return nil, nil, fmt.Errorf("read findings: %w", err)
		}
		if f.PropertyID != day.Property {
			return nil, nil, fmt.Errorf("finding %s is of property %q, want %q", f.ID, f.PropertyID, day.Property)
		}
		before := x.findings[f.ID]
		if before != nil && seen[before] {
			return nil, nil, twice(f.ID)
		}
		if before != nil {
			seen[before] = true
		}
		if before == nil && !x.exported(f.GamingDay) && f.GamingDay != day.GamingDay {
			continue
		}
		one := &digested{finding: *f}
		now := &one.finding
		now.Citations, now.Evidence.Seqs, now.Evidence.EventIDs = list(f.Citations), list(f.Evidence.Seqs),
			list(f.Evidence.EventIDs)
		digest, err := digestOf(now)
		if err != nil {
			return nil, nil, err
		}
		one.digest = digest
		switch {
		case before == nil && !x.exported(f.GamingDay):
			fresh = append(fresh, one)
		case before == nil:
			amendments = append(amendments, Amendment{
				Amends: f.ID, Reason: amendLate, GamingDay: f.GamingDay, Leaf: -1,
				Why: day.repeated(f.GamingDay) + " found it",
				Now: now,
			})
		case before.gone:
			amendments = append(amendments, before.amend(f.ID, amendRestored,
				day.repeated(f.GamingDay)+" found it again", now))
		case before.digest != digest:
			amendments = append(amendments, before.amend(f.ID, amendChanged,
				day.repeated(f.GamingDay)+" found it with other content", now))
		}
	}
	if err := day.nameLate(amendments); err != nil {
		return nil, nil, err
	}
	for id, before := range x.findings { // sorted below
		if !seen[before] && !before.gone {
			why := cmp.Or(day.Withdrawn[id], "it is not in the database, and no run withdrew it")
			amendments = append(amendments, before.amend(id, amendWithdrawn, why, nil))
		}
	}
	return ordered(fresh, amendments)
}

// ordered sorts findings and amendments. A duplicate id is an error.
func ordered(fresh []*digested, amendments []Amendment) ([]*digested, []Amendment, error) {
	slices.SortFunc(fresh, func(a, b *digested) int { return findingOrder(&a.finding, &b.finding) })
	slices.SortFunc(amendments, func(a, b Amendment) int { return amendmentOrder(&a, &b) })
	for i, f := range fresh[:max(len(fresh)-1, 0)] { // an id has one table, shoe, round and rule
		if f.finding.ID == fresh[i+1].finding.ID {
			return nil, nil, twice(f.finding.ID)
		}
	}
	for i, a := range amendments[:max(len(amendments)-1, 0)] {
		if a.Amends == amendments[i+1].Amends {
			return nil, nil, twice(a.Amends)
		}
	}
	return fresh, amendments, nil
}

func twice(id string) error { return fmt.Errorf("finding %s was read twice", id) }

func (s *entry) amend(id, reason, why string, now *finding.Finding) Amendment {
	return Amendment{
		Amends:    id,
		Reason:    reason,
		Why:       why,
		GamingDay: s.day,
		Leaf:      s.leaf,
		Was:       hex.EncodeToString(s.line[:]),
		Now:       now,
		before:    s,
	}
}

// nameLate names the late events of the table of each amendment that is no withdrawal, which has its own reason.
func (d *Day) nameLate(amendments []Amendment) error {
	days := map[string]map[string]string{}
	for i := range amendments {
		a := &amendments[i]
		late, known := days[a.GamingDay]
		if !known && d.Late != nil {
			var err error
			if late, err = d.Late(a.GamingDay); err != nil {
				return err
			}
			days[a.GamingDay] = late
		}
		if events := late[a.Now.TableID]; events != "" {
			a.Why = events + " arrived after the export; " + a.Why
		}
	}
	return nil
}

// repeated names the audit that gave a gaming day other findings after its export.
func (d *Day) repeated(gamingDay string) string {
	for i := range d.Runs {
		if r := &d.Runs[i]; gamingDay == d.GamingDay && r.Supersedes != "" {
			return "the audit of the day was repeated, and run " + r.ID + ", which supersedes run " + r.Supersedes + ","
		}
	}
	return "an audit after the export"
}

// list replaces nil with an empty list, which JSON writes as [].
func list[T any](v []T) []T {
	if v == nil {
		return []T{}
	}
	return v
}
