package clickhouse

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/shoeproof/shoeproof/schema/rows"
)

// withdrawalProof matches the withdrawals of a property with their entries in the console log.
type withdrawalProof struct {
	logged   map[string]string // entries without their row yet: action and finding, by hash
	replaced []string          // hashes of rows that were logged and not stored
	begin    *rows.Entry       // first entry that counts the rows without a hash
}

// entry takes an entry of the log.
func (p *withdrawalProof) entry(e *rows.Entry) {
	if e.Action == rows.WithdrawalsBegin {
		if p.begin == nil || e.At < p.begin.At {
			p.begin = e
		}
		return
	}
	hash, replaces := rows.WithdrawalLogged(e.Detail)
	if p.logged == nil {
		p.logged = map[string]string{}
	}
	p.logged[hash] = strings.TrimPrefix(e.Action, rows.WithdrawalAction) + " " + e.Object
	p.replaced = append(p.replaced, replaces...)
}

// row returns what is wrong with a row, empty if nothing is.
func (p *withdrawalProof) row(w *Withdrawal) string {
	if w.Hash == "" {
		return ""
	}
	entry, ok := p.logged[w.Hash]
	delete(p.logged, w.Hash)
	switch {
	case w.Hash != w.Sum():
		return fmt.Sprintf("withdrawal, %s of finding %s: changed after it was written", w.Action, w.Finding)
	case !ok || entry != w.Action+" "+w.Finding:
		return fmt.Sprintf("withdrawal, %s of finding %s: not in the log, or there twice", w.Action, w.Finding)
	}
	return ""
}

// unstored drops the entries that a later one replaces. What is left has no row.
func (p *withdrawalProof) unstored() map[string]string {
	for _, hash := range p.replaced {
		delete(p.logged, hash)
	}
	return p.logged
}

// withdrawals compares the stored withdrawals with the entries that the chains have.
func (p *chainProver) proveWithdrawals(ctx context.Context, s *Store) error {
	err := s.eachWithdrawal(ctx, p.Property, "", func(w *Withdrawal) {
		if wrong := p.withdrawals.row(w); wrong != "" {
			p.problem("%s", wrong)
		}
	})
	if err != nil || p.withdrawals.begin == nil {
		return err
	}
	before, err := s.unhashedWithdrawals(ctx, p.Property)
	if logged := p.withdrawals.begin.Detail; before != logged {
		p.problem("withdrawals without a hash: %s, and %s when the first hash was logged", before, logged)
	}
	return err
}

// unhashedWithdrawals describes the rows of releases before the hash, by their number and digest.
func (s *Store) unhashedWithdrawals(ctx context.Context, property string) (string, error) {
	ctx, cancel := context.WithTimeout(ctx, s.cfg.ReadTimeout)
	defer cancel()
	var n uint64
	var digest string
	err := s.conn.QueryRow(ctx, "SELECT count(), "+
		digestOf("property_id, finding_id, at, action, reason, run_id, gaming_day, shift, rule")+" FROM "+
		s.name("withdrawals")+" WHERE property_id = {property:String} AND hash = ''",
		params("property", property)...).Scan(&n, &digest)
	return fmt.Sprintf("%d rows, %s", n, digest), s.explain("count the withdrawals without a hash", err)
}

// WithdrawalLog is what the console log has about the withdrawals of a property.
type WithdrawalLog struct {
	// Begin describes the rows without a hash, if no entry counts them yet.
	Begin string
	// Unstored are the hashes of rows that were logged and are not stored, by finding.
	Unstored map[string][]string
}

// WithdrawalLog reads what a run must log besides its own withdrawals.
func (s *Store) WithdrawalLog(ctx context.Context, property string) (log WithdrawalLog, err error) {
	var p withdrawalProof
	c, err := s.cursor(ctx, "console_log", property, "AND chain != '' AND (action = '"+rows.WithdrawalsBegin+
		"' OR startsWith(action, '"+rows.WithdrawalAction+"')) ORDER BY at")
	if err != nil {
		return log, err
	}
	defer c.close()
	for c.next() {
		p.entry(c.entry)
	}
	if c.err != nil {
		return log, c.err
	}
	if err := s.eachWithdrawal(ctx, property, "", func(w *Withdrawal) { p.row(w) }); err != nil {
		return log, err
	}
	log.Unstored = map[string][]string{}
	for hash, entry := range p.unstored() {
		_, id, _ := strings.Cut(entry, " ")
		log.Unstored[id] = append(log.Unstored[id], hash)
	}
	for _, hashes := range log.Unstored {
		slices.Sort(hashes)
	}
	if p.begin == nil {
		log.Begin, err = s.unhashedWithdrawals(ctx, property)
	}
	return log, err
}
