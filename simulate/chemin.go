package simulate

import (
	"slices"
	"strconv"

	"github.com/shoeproof/shoeproof/schema"
)

// A bank is the Banker's part of a round of chemin de fer. N.J.A.C. 19:47-4.5 to 4.7.
type bank struct {
	// resigns gives up the shoe before the round; bids auction it.
	resigns bool
	bids    []bid
	to      uint32 // the bidder who gets the shoe, 0 for the right one
	wager   stake
	calls   []banco
}

type bid struct {
	seat   uint32
	amount int64
}

type banco struct {
	seat uint32
	call schema.BancoCall
}

// auction gives the shoe to the highest bidder, of equals to the one met first counterclockwise from
// the dealer. 19:47-4.5(b).
func auction(bids []bid) bid {
	var best bid
	for _, b := range bids {
		if b.amount > best.amount || b.amount == best.amount && b.seat < best.seat {
			best = b
		}
	}
	return best
}

// auctionShoe writes a change of the Banker.
func (w *writer) auctionShoe(b *bank) {
	if b.resigns {
		w.emitBy(&schema.BankerRelinquished{Seat: w.banker, Cause: "VOLUNTARY"}, w.patron(w.banker))
	}
	if len(b.bids) == 0 {
		return
	}
	for _, x := range b.bids {
		w.emitBy(&schema.BidOffered{Seat: x.seat, Amount: x.amount}, w.patron(x.seat))
	}
	best := auction(b.bids)
	for _, x := range b.bids {
		if x.seat == b.to {
			best = x
		}
	}
	w.banker = best.seat
	w.emit(&schema.BankerAssigned{Seat: best.seat, Amount: best.amount})
}

func (w *writer) patron(seat uint32) schema.Actor {
	return schema.Actor{Role: schema.RolePatron, ID: w.patronAt(seat)}
}

// betBank writes the Banker's wager and the calls that follow it.
func (w *writer) betBank(b *bank) {
	st := &b.wager
	w.emitBy(&schema.BankerWagered{WagerID: st.id, Seat: st.seat, Amount: st.amount, Medium: st.medium}, schema.Actor{Role: schema.RoleBanker, ID: w.patronAt(st.seat)})
	if st.medium == schema.WagerMediumCash {
		w.emit(&schema.CashConverted{WagerID: st.id, Amount: st.amount})
	}
	for _, c := range b.calls {
		w.emitBy(&schema.BancoAnnounced{Seat: c.seat, Call: c.call}, w.patron(c.seat))
	}
}

// settleBank settles the Banker's wager against those of the others, up to what they cover together.
func (w *writer) settleBank(r *roundPlan) {
	b := &r.bank.wager
	var covered int64
	for i := range r.stakes {
		covered += r.stakes[i].amount
	}
	against := slices.Clone(r.stakes)
	slices.SortStableFunc(against, func(a, b stake) int { return int(b.seat) - int(a.seat) })
	each := func(event func(st *stake) schema.Payload) {
		for i := range against {
			w.emit(event(&against[i]))
		}
	}
	switch r.coup.result() {
	case schema.ResultBanker:
		each(func(st *stake) schema.Payload {
			return &schema.WagerCollected{WagerID: st.id, Seat: st.seat, Amount: st.amount}
		})
		w.emit(&schema.WagerPaid{WagerID: b.id, Seat: b.seat, Amount: covered})
	case schema.ResultPlayer:
		w.emit(&schema.WagerCollected{WagerID: b.id, Seat: b.seat, Amount: covered})
		each(func(st *stake) schema.Payload {
			return &schema.WagerPaid{WagerID: st.id, Seat: st.seat, Amount: st.amount}
		})
	default:
		w.emit(&schema.WagerReturned{WagerID: b.id, Seat: b.seat, Amount: b.amount})
		each(func(st *stake) schema.Payload {
			return &schema.WagerReturned{WagerID: st.id, Seat: st.seat, Amount: st.amount}
		})
	}
}

// readBank notes the Banker's part from events.
func (r *roundReader) readBank(p schema.Payload) {
	if r.bank == nil {
		r.bank = &bank{}
	}
	switch p := p.(type) {
	case *schema.BankerRelinquished:
		r.bank.resigns = true
	case *schema.BidOffered:
		r.bank.bids = append(r.bank.bids, bid{p.Seat, p.Amount})
	case *schema.BankerWagered:
		r.bank.wager = stake{id: p.WagerID, seat: p.Seat, amount: p.Amount, medium: p.Medium}
	case *schema.BancoAnnounced:
		r.bank.calls = append(r.bank.calls, banco{p.Seat, p.Call})
	}
}

// banking is what the wagers of a Banker depend on.
type banking struct {
	previous int64
	// taken are the stakes against the Banker in the last round that was no stand-off, if he won it.
	wagered int64
	taken   map[uint32]int64
	lost    bool
}

// bankBets plans the Banker's wager and those against it.
func (t *Table) bankBets(r *roundPlan, k int) {
	b := &bank{}
	r.bank = b
	held := k > 0 && t.PatronAt(t.curator) != nil
	if held && (t.banking.lost && t.rng.IntN(2) == 0 || t.rng.IntN(12) == 0) {
		b.resigns, held = true, false
	}
	least := t.banking.previous
	most := 2 * least
	if !held {
		t.banking = banking{}
		for _, p := range t.patrons {
			if t.rng.IntN(2) == 0 {
				b.bids = append(b.bids, bid{p.seat, p.unit})
			}
		}
		if len(b.bids) == 0 {
			p := t.patrons[t.rng.IntN(len(t.patrons))]
			b.bids = []bid{{p.seat, p.unit}}
		}
		t.rng.Shuffle(len(b.bids), func(i, j int) { b.bids[i], b.bids[j] = b.bids[j], b.bids[i] })
		best := auction(b.bids)
		t.curator, least, most = best.seat, best.amount, 3*best.amount
	}
	b.wager = stake{seat: t.curator, patron: t.PatronAt(t.curator).ref, amount: least, medium: schema.WagerMediumChips}
	switch {
	case least > 5_000_000:
	case t.rng.IntN(4) == 0:
		b.wager.amount = most
	case t.rng.IntN(4) == 0:
		b.wager.amount += least / 200 * 100
	}
	switch t.rng.IntN(16) {
	case 0:
		b.wager.medium = schema.WagerMediumCash
	case 1, 2:
		b.wager.medium = schema.WagerMediumPlaques
	}
	t.against(r)
	t.name(r, k)
	b.wager.id = "w" + strconv.Itoa(t.shoes) + "." + strconv.Itoa(k+1) + ".b"
}

// against plans the wagers against the Banker: suivi before banco before parts. 19:47-4.7.
func (t *Table) against(r *roundPlan) {
	b := r.bank
	var others []*patron // as met counterclockwise from the Banker
	first := slices.IndexFunc(t.patrons, func(p *patron) bool { return p.seat == t.curator })
	for k := 1; k < len(t.patrons); k++ {
		others = append(others, t.patrons[(first+k)%len(t.patrons)])
	}
	alone := func(p *patron) {
		r.stakes = append(r.stakes, stake{seat: p.seat, patron: p.ref, spot: schema.SpotAgainstBanker, amount: b.wager.amount, medium: schema.WagerMediumChips})
	}
	for _, p := range others {
		if t.banking.taken[p.seat] == t.banking.wagered && t.banking.wagered > 0 && t.rng.IntN(2) == 0 {
			b.calls = append(b.calls, banco{p.seat, schema.BancoCallSuivi})
			alone(p)
			return
		}
	}
	if t.rng.IntN(4) == 0 {
		for _, p := range others {
			if t.rng.IntN(len(others)) < 2 {
				b.calls = append(b.calls, banco{p.seat, schema.BancoCallSeul + schema.BancoCall(t.rng.IntN(2))})
			}
		}
		if len(b.calls) > 0 {
			alone(t.PatronAt(b.calls[0].seat))
			t.rng.Shuffle(len(b.calls), func(i, j int) { b.calls[i], b.calls[j] = b.calls[j], b.calls[i] })
			return
		}
	}
	left := b.wager.amount
	for i, p := range others {
		if left == 0 || i > 0 && t.rng.IntN(3) == 0 {
			continue
		}
		amount := min(p.unit, left)
		left -= amount
		r.stakes = append(r.stakes, stake{seat: p.seat, patron: p.ref, spot: schema.SpotAgainstBanker, amount: amount, medium: schema.WagerMediumChips})
	}
}

// noteBank keeps what the Banker's next round depends on.
func (t *Table) noteBank(r *roundPlan) {
	t.banking.previous = r.bank.wager.amount
	result := r.coup.result()
	t.banking.lost = result == schema.ResultPlayer
	if result == schema.ResultTie || r.void != 0 {
		return
	}
	t.banking.wagered, t.banking.taken = 0, nil
	if result == schema.ResultBanker {
		t.banking.wagered, t.banking.taken = r.bank.wager.amount, map[uint32]int64{}
		for i := range r.stakes {
			t.banking.taken[r.stakes[i].seat] += r.stakes[i].amount
		}
	}
}
