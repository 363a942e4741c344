package rows

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"slices"
)

// Step is an action of triage, Entry a line of the console log. Both are links of the chain of one console process and
// property, which has one numbering over both tables. Rows of older releases have no chain.

// Step is an action of triage on one finding.
type Step struct {
	FindingID   string `column:"finding_id" json:"finding_id"`
	At          int64  `column:"at,time" json:"at"` // ns UTC
	PropertyID  string `column:"property_id,word" json:"property_id"`
	Actor       string `column:"actor,word" json:"actor"`
	Action      string `column:"action,word" json:"action"`
	From        string `column:"from_state,word" json:"from_state"`
	To          string `column:"to_state,word" json:"to_state"`
	Disposition string `column:"disposition,word" json:"disposition"`
	Reason      string `column:"reason" json:"reason"`
	Note        string `column:"note" json:"note"`
	Role        string `column:"role,word" json:"role"`
	Issuer      string `column:"issuer,word" json:"issuer"`
	Subject     string `column:"subject" json:"subject"`
	Method      string `column:"sign_in,word" json:"sign_in"`
	Session     string `column:"session" json:"session"`
	Program     bool   `column:"program" json:"program"`
	Chain       string `column:"chain" json:"chain"`
	Link        uint64 `column:"link" json:"link"`
	Prev        string `column:"prev" json:"prev"`
	Hash        string `column:"hash" json:"hash"`
	Key         string `column:"mac_key,word" json:"mac_key,omitempty"`
	MAC         string `column:"mac" json:"mac,omitempty"`
}

// Entry is a line of the console log.
type Entry struct {
	PropertyID string `column:"property_id,word"`
	At         int64  `column:"at"` // microseconds UTC
	Actor      string `column:"actor,word"`
	Role       string `column:"role,word"`
	Action     string `column:"action,word"`
	Object     string `column:"object"`
	Detail     string `column:"detail"`
	Remote     string `column:"remote"`
	Issuer     string `column:"issuer,word"`
	Subject    string `column:"subject"`
	Method     string `column:"sign_in,word"`
	Session    string `column:"session"`
	Program    bool   `column:"program"`
	Chain      string `column:"chain"`
	Link       uint64 `column:"link"`
	Prev       string `column:"prev"`
	Hash       string `column:"hash"`
	Key        string `column:"mac_key,word"`
	MAC        string `column:"mac"`
}

// Sum is the hash that the step must have: the SHA-256, in hex, of the kind of the row and of all columns but the hash
// and its HMAC.
func (s *Step) Sum() string {
	return sumOf("step", []int64{s.At, int64(s.Link), flag(s.Program)}, s.FindingID, s.PropertyID, s.Actor, s.Action,
		s.From, s.To, s.Disposition, s.Reason, s.Note, s.Role, s.Issuer, s.Subject, s.Method, s.Session, s.Chain, s.Prev)
}

// Sum is the hash that the entry must have.
func (e *Entry) Sum() string {
	return sumOf("entry", []int64{e.At, int64(e.Link), flag(e.Program)}, e.PropertyID, e.Actor, e.Role, e.Action,
		e.Object, e.Detail, e.Remote, e.Issuer, e.Subject, e.Method, e.Session, e.Chain, e.Prev)
}

func flag(b bool) int64 {
	if b {
		return 1
	}
	return 0
}

// sumOf encodes texts with their lengths in front, so that two encodings are equal only if the values are.
func sumOf(kind string, numbers []int64, texts ...string) string {
	b := []byte("shoeproof-" + kind + "/1\n")
	for _, n := range numbers {
		b = binary.BigEndian.AppendUint64(b, uint64(n))
	}
	for _, text := range texts {
		b = append(binary.AppendUvarint(b, uint64(len(text))), text...)
	}
	sum := sha256.Sum256(b)
	return hex.EncodeToString(sum[:])
}

// ChainHead names a link of a chain.
type ChainHead struct {
	Property string `json:"property"`
	Chain    string `json:"chain"`
	Link     uint64 `json:"link"`
	Hash     string `json:"hash"`
}

// JournalHead is the digest of the journal of one partition up to an offset.
type JournalHead struct {
	Topic     string `json:"topic"`
	Partition int32  `json:"partition"`
	First     int64  `json:"first"`
	To        int64  `json:"to"`
	Ranges    int64  `json:"ranges"`
	SHA256    string `json:"sha256"`
}

// Genesis is the detail of the first link of a chain, an entry with the action GenesisAction and the chain as its
// object. It names the ends of the other chains of the property, which no other chain named, so that a whole chain
// cannot vanish once another one has begun. Without another chain it has the number and the digest of the rows without
// one, of older releases.
type Genesis struct {
	Follows []ChainHead `json:"follows"`
	Before  *Unchained  `json:"before,omitempty"`
}

// Unchained are the rows of a property from before there were chains: their number, and the sum, modulo 2^256, of their
// SHA-256.
type Unchained struct {
	Steps       uint64 `json:"steps"`
	StepsDigest string `json:"steps_digest"`
	Log         uint64 `json:"log"`
	LogDigest   string `json:"log_digest"`
}

// Actions of entries that a proof reads.
const (
	GenesisAction = "chain" // the first entry of a chain
	PlaceAction   = "hold-place"
	ReleaseAction = "hold-release"
	RunAction     = "audit-run"        // its object is the run, its detail begins with the hash of the row
	RunsBegin     = "audit-runs-begin" // its detail has the hashes of runs from before runs were logged
	HeadsAction   = "journal-heads"    // its detail has the heads of the journal, as a run found them
)

// Actions of triage: the actions of steps, and of the entries that belong to them.
const (
	Acknowledge = "acknowledge"
	Review      = "review"
	Assign      = "assign"
	Escalate    = "escalate"
	Note        = "note"
	Close       = "close"
	Confirm     = "confirm"
	Reject      = "reject"
	Reopen      = "reopen"
	// Undo takes back the last action of the same user, without notes. Both stay in the history.
	Undo = "undo"
)

// IsTriage reports whether an action is one of triage.
func IsTriage(action string) bool {
	return slices.Contains([]string{
		Acknowledge, Review, Assign, Escalate, Note, Close, Confirm, Reject, Reopen, Undo,
	}, action)
}

// Noted is what a person noted with an action. The note of an assignment is the owner, of an undo the action undone.
func Noted(action, note string) string {
	if action == Assign || action == Undo {
		return ""
	}
	return note
}

// IsUndoable reports whether an action can be undone. What closes or reopens a finding cannot: that is a decision with
// a reason.
func IsUndoable(action string) bool {
	return slices.Contains([]string{Acknowledge, Review, Escalate, Assign}, action)
}
