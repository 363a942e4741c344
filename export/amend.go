package export

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"

	"github.com/shoeproof/shoeproof/finding"
)

// Amendment is a change to what an earlier export said. What was said stays in the log.
type Amendment struct {
	Amends    string `json:"amends"` // the id of the finding
	Reason    string `json:"reason"`
	GamingDay string `json:"gaming_day"`
	// Leaf is the leaf that it replaces and Was the SHA-256 of that leaf's line in hex; -1 and empty for a
	// late finding.
	Leaf int64  `json:"leaf"`
	Was  string `json:"was"`
	// Now is what is found now; nil if it was withdrawn.
	Now *finding.Finding `json:"now"`
}

// Why a finding is amended.
const (
	amendLate      = "late"      // its events came, or it was found, after its gaming day was exported
	amendChanged   = "changed"   // it is found otherwise now
	amendWithdrawn = "withdrawn" // it is no longer found
	amendRestored  = "restored"  // it is found again after it was withdrawn
)

// said is what the log says last of a finding.
type said struct {
	day  string
	leaf int64
	line [32]byte // SHA-256 of the leaf
	same [32]byte // of the finding without the release that found it
	gone bool
}

// index is what the log says of each finding, and which gaming days it has.
type index struct {
	findings map[string]*said
	days     map[string]bool
}

// toSay is what the log will say of a finding.
type toSay struct {
	id string
	said
}

// saidLine is how an index is kept: a line for each leaf.
type saidLine struct {
	ID   string `json:"id"`
	Day  string `json:"gaming_day"`
	Leaf int64  `json:"leaf"`
	Line string `json:"line_sha256"`
	Same string `json:"same_sha256"`
	Gone bool   `json:"gone"`
}

// exportedLine begins the index of an export.
type exportedLine struct {
	Export    int64  `json:"export"`
	GamingDay string `json:"gaming_day"`
	Leaves    int64  `json:"leaves"` // those that follow, without the manifest
}

func newIndex() *index { return &index{map[string]*said{}, map[string]bool{}} }

// found is one finding on its way into a bundle.
type found struct {
	finding finding.Finding
	same    [32]byte
}

// sameness is the hash of a finding without the release that found it: another release that finds the
// same changes nothing.
func sameness(f *finding.Finding) ([32]byte, error) {
	plain := *f
	plain.Engine = ""
	line, err := encode(&plain)
	return sha256.Sum256(line), err
}

// order is that of the leaves.
func order(a, b *finding.Finding) int {
	return cmp.Or(
		cmp.Compare(a.GamingDay, b.GamingDay), cmp.Compare(a.TableID, b.TableID), cmp.Compare(a.ShoeID, b.ShoeID),
		cmp.Compare(a.Round, b.Round), cmp.Compare(a.Rule, b.Rule), cmp.Compare(a.ID, b.ID),
	)
}

func amendmentOrder(a, b *Amendment) int {
	return cmp.Or(cmp.Compare(a.GamingDay, b.GamingDay), cmp.Compare(a.Amends, b.Amends))
}

// diff sorts what is found now into findings of the day and amendments of what the log said. Findings of
// gaming days that the log does not have wait for their own export.
func (x *index) diff(day *Day) ([]*found, []Amendment, error) {
	var fresh []*found
	var amendments []Amendment
	seen := map[*said]bool{}
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
		if before == nil && !x.days[f.GamingDay] && f.GamingDay != day.GamingDay {
			continue
		}
		one := &found{finding: *f}
		now := &one.finding
		now.Citations, now.Evidence.Seqs, now.Evidence.EventIDs = list(f.Citations), list(f.Evidence.Seqs), list(f.Evidence.EventIDs)
		same, err := sameness(now)
		if err != nil {
			return nil, nil, err
		}
		one.same = same
		switch {
		case before == nil && !x.days[f.GamingDay]:
			fresh = append(fresh, one)
		case before == nil:
			amendments = append(amendments, Amendment{Amends: f.ID, Reason: amendLate, GamingDay: f.GamingDay, Leaf: -1, Now: now})
		case before.gone:
			amendments = append(amendments, before.amend(f.ID, amendRestored, now))
		case before.same != same:
			amendments = append(amendments, before.amend(f.ID, amendChanged, now))
		}
	}
	for id, before := range x.findings { // sorted below
		if !seen[before] && !before.gone {
			amendments = append(amendments, before.amend(id, amendWithdrawn, nil))
		}
	}
	slices.SortFunc(fresh, func(a, b *found) int { return order(&a.finding, &b.finding) })
	slices.SortFunc(amendments, func(a, b Amendment) int { return amendmentOrder(&a, &b) })
	for i, f := range fresh[:max(len(fresh)-1, 0)] { // one id is of one table, shoe, round and rule
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

func (s *said) amend(id, reason string, now *finding.Finding) Amendment {
	return Amendment{Amends: id, Reason: reason, GamingDay: s.day, Leaf: s.leaf, Was: hex.EncodeToString(s.line[:]), Now: now}
}

// list is never nil, so that it is written as [].
func list[T any](v []T) []T {
	if v == nil {
		return []T{}
	}
	return v
}
