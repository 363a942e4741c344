package rows

import "strings"

// Withdrawal is a row about a finding that a nightly run withdrew or restored. The last row of a finding counts. Its
// hash is in an entry of the console log; rows of older releases have none.
type Withdrawal struct {
	Property  string `column:"property_id,word,key"`
	Finding   string `column:"finding_id,key"`
	At        int64  `column:"at,time,key"` // ns UTC
	Action    string `column:"action,word"`
	Reason    string `column:"reason"`
	Run       string `column:"run_id"`
	GamingDay string `column:"gaming_day,day"`
	Shift     string `column:"shift,word"`
	Rule      string `column:"rule,word"`
	Hash      string `column:"hash"`
}

// The actions of a Withdrawal.
const (
	Withdraw = "withdraw"
	Restore  = "restore"
)

// The entries of the console log about withdrawals: WithdrawalAction precedes the action of a row, its object is the
// finding and its detail begins with LogText. WithdrawalsBegin has the number and the digest of the rows without a
// hash.
const (
	WithdrawalAction = "finding-"
	WithdrawalsBegin = "withdrawals-begin"
)

// Sum is the hash that the row must have.
func (w *Withdrawal) Sum() string {
	return sumOf("withdrawal", []int64{w.At}, w.Property, w.Finding, w.Action, w.Reason, w.Run, w.GamingDay, w.Shift,
		w.Rule)
}

// LogText is how an entry of the console log names the row. It replaces rows whose entries were logged and which were
// not stored, because the run before was interrupted.
func (w *Withdrawal) LogText(replaces []string) string {
	text := "sha256 " + w.Hash
	if len(replaces) > 0 {
		text += " replaces " + strings.Join(replaces, " ")
	}
	return text + ": " + w.Reason
}

// WithdrawalLogged reads a LogText: the hash of the row, and the hashes of the rows that it replaces.
func WithdrawalLogged(text string) (hash string, replaces []string) {
	head, _, _ := strings.Cut(text, ":")
	words := strings.Fields(head)
	if len(words) < 2 || words[0] != "sha256" {
		return "", nil
	}
	if len(words) > 2 && words[2] == "replaces" {
		replaces = words[3:]
	}
	return words[1], replaces
}
