package deal

import (
	"slices"
	"strconv"

	"github.com/shoeproof/shoeproof/schema"
	"github.com/shoeproof/shoeproof/simulate/internal/shoe"
)

// Banking is what the wagers of a Banker depend on.
type Banking struct {
	Previous int64
	// Wagered and Covered, by patron, are the wagers of the last round that was no stand-off, if the Banker won it.
	Wagered int64
	Covered map[string]int64
	lost    bool
}

// bankBets plans the Banker's wager and the wagers against it.
func (t *Table) bankBets(r *shoe.Round, k int) {
	b := &shoe.Bank{}
	r.Bank = b
	held := k > 0 && t.PatronAt(t.curator) != nil
	if held && (t.banking.lost && t.rng.IntN(2) == 0 || t.rng.IntN(12) == 0) {
		b.Relinquishes, held = true, false
	}
	minimum := t.banking.Previous
	maximum := 2 * minimum
	if !held {
		t.banking = Banking{}
		for _, p := range t.patrons {
			if t.rng.IntN(2) == 0 {
				b.Bids = append(b.Bids, shoe.Bid{Seat: p.Seat, Amount: p.UsualStake})
			}
		}
		if len(b.Bids) == 0 {
			p := t.patrons[t.rng.IntN(len(t.patrons))]
			b.Bids = []shoe.Bid{{Seat: p.Seat, Amount: p.UsualStake}}
		}
		t.rng.Shuffle(len(b.Bids), func(i, j int) { b.Bids[i], b.Bids[j] = b.Bids[j], b.Bids[i] })
		best := shoe.Auction(b.Bids)
		t.curator, minimum, maximum = best.Seat, best.Amount, 3*best.Amount
	}
	b.Wager = shoe.Stake{
		Seat: t.curator, Patron: t.PatronAt(t.curator).Ref, Amount: minimum,
		Medium: schema.WagerMediumChips,
	}
	switch {
	case minimum > 5_000_000:
	case t.rng.IntN(4) == 0:
		b.Wager.Amount = maximum
	case t.rng.IntN(4) == 0:
		b.Wager.Amount += minimum / 200 * 100
	}
	switch t.rng.IntN(16) {
	case 0:
		b.Wager.Medium = schema.WagerMediumCash
	case 1, 2:
		b.Wager.Medium = schema.WagerMediumPlaques
	}
	t.betAgainstBanker(r)
	t.numberWagers(r, k)
	b.Wager.ID = "w" + strconv.Itoa(t.shoes) + "." + strconv.Itoa(k+1) + ".b"
}

// betAgainstBanker plans the wagers against the Banker: suivi before banco before parts. 19:47-4.7.
func (t *Table) betAgainstBanker(r *shoe.Round) {
	b := r.Bank
	var others []*Patron // counterclockwise from the Banker
	first := slices.IndexFunc(t.patrons, func(p *Patron) bool { return p.Seat == t.curator })
	for k := 1; k < len(t.patrons); k++ {
		others = append(others, t.patrons[(first+k)%len(t.patrons)])
	}
	alone := func(p *Patron) {
		r.Stakes = append(r.Stakes, shoe.Stake{
			Seat: p.Seat, Patron: p.Ref, Spot: schema.SpotAgainstBanker, Amount: b.Wager.Amount,
			Medium: schema.WagerMediumChips,
		})
	}
	for _, p := range others {
		if t.banking.Covered[p.Ref] == t.banking.Wagered && t.banking.Wagered > 0 && t.rng.IntN(2) == 0 {
			b.Calls = append(b.Calls, shoe.Banco{Seat: p.Seat, Call: schema.BancoCallSuivi})
			alone(p)
			return
		}
	}
	if t.rng.IntN(4) == 0 {
		for _, p := range others {
			if t.rng.IntN(len(others)) < 2 {
				b.Calls = append(b.Calls,
					shoe.Banco{Seat: p.Seat, Call: schema.BancoCallSeul + schema.BancoCall(t.rng.IntN(2))})
			}
		}
		if len(b.Calls) > 0 {
			alone(t.PatronAt(b.Calls[0].Seat))
			t.rng.Shuffle(len(b.Calls), func(i, j int) { b.Calls[i], b.Calls[j] = b.Calls[j], b.Calls[i] })
			return
		}
	}
	left := b.Wager.Amount
	for i, p := range others {
		if left == 0 || i > 0 && t.rng.IntN(3) == 0 {
			continue
		}
		amount := min(p.UsualStake, left)
		left -= amount
		r.Stakes = append(r.Stakes, shoe.Stake{
			Seat: p.Seat, Patron: p.Ref, Spot: schema.SpotAgainstBanker, Amount: amount,
			Medium: schema.WagerMediumChips,
		})
	}
}

// noteBank updates what the wagers of the next Banker depend on.
func (t *Table) noteBank(r *shoe.Round) {
	t.banking.Previous = r.Bank.Wager.Amount
	result := r.Coup.Result()
	t.banking.lost = result == schema.ResultPlayer
	if result == schema.ResultTie || r.Void != 0 {
		return
	}
	t.banking.Wagered, t.banking.Covered = 0, nil
	if result == schema.ResultBanker {
		t.banking.Wagered, t.banking.Covered = r.Bank.Wager.Amount, map[string]int64{}
		for i := range r.Stakes {
			t.banking.Covered[r.Stakes[i].Patron] += r.Stakes[i].Amount
		}
	}
}
