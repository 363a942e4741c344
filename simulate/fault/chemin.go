package fault

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/shoeproof/shoeproof/schema"
	"github.com/shoeproof/shoeproof/simulate/deal"
	"github.com/shoeproof/shoeproof/simulate/internal/shoe"
)

// opponents returns the patrons who may wager against the Banker, counterclockwise from the Banker.
func (sc *scene) opponents() []*deal.Patron {
	t := sc.table
	first := slices.IndexFunc(t.Patrons(), func(p *deal.Patron) bool { return p.Seat == t.Curator() })
	return append(slices.Clone(t.Patrons()[first+1:]), t.Patrons()[:first]...)
}

// suiviSeat returns the seat that may call suivi, 0 if none.
func (sc *scene) suiviSeat() uint32 {
	for _, p := range sc.opponents() {
		if b := sc.table.Banking(); b.Wagered > 0 && b.Covered[p.Ref] == b.Wagered {
			return p.Seat
		}
	}
	return 0
}

// withoutSuivi returns the opponents who may not call suivi.
func (sc *scene) withoutSuivi() []*deal.Patron {
	seat := sc.suiviSeat()
	return slices.DeleteFunc(sc.opponents(), func(p *deal.Patron) bool { return p.Seat == seat })
}

// replaceCalls replaces the calls and wagers against the Banker.
func (sc *scene) replaceCalls(calls []shoe.Banco, stakes ...shoe.Stake) {
	for i := range stakes {
		stakes[i].ID = fmt.Sprintf("%s%d", sc.round.Bank.Wager.ID, i+1)
		stakes[i].Patron = sc.table.PatronAt(stakes[i].Seat).Ref
		stakes[i].Spot, stakes[i].Medium = schema.SpotAgainstBanker, schema.WagerMediumChips
	}
	sc.round.Bank.Calls, sc.round.Stakes = calls, stakes
}

// offered fails where the scene did not offer what the wagers need.
func offered(sc *scene) error {
	if sc.seat == 0 {
		return errNotOffered
	}
	return nil
}

// misassign assigns the first auction of the shoe to a lower bidder.
func misassign(sc *scene) error {
	b := sc.plan.Rounds[0].Bank
	best := shoe.Auction(b.Bids)
	i := slices.IndexFunc(b.Bids, func(x shoe.Bid) bool { return x.Amount < best.Amount })
	if i < 0 {
		return errNotOffered
	}
	wrong := b.Bids[i]
	b.AssignedTo = wrong.Seat
	// Until the next auction the two patrons change places; without calls no other patron is concerned.
	refs := map[uint32]string{}
	for k := range sc.plan.Rounds {
		r := &sc.plan.Rounds[k]
		for _, c := range r.Seating {
			if c.Seat == wrong.Seat {
				return errNotOffered
			}
		}
		for _, st := range append([]shoe.Stake{r.Bank.Wager}, r.Stakes...) {
			refs[st.Seat] = st.Patron
		}
	}
	for k := range sc.plan.Rounds {
		r := &sc.plan.Rounds[k]
		if k > 0 && len(r.Bank.Bids) > 0 {
			break
		}
		r.Bank.Calls = nil
		r.Bank.Wager.Seat, r.Bank.Wager.Patron = wrong.Seat, refs[wrong.Seat]
		for i := range r.Stakes {
			if st := &r.Stakes[i]; st.Seat == wrong.Seat {
				st.Seat, st.Patron = best.Seat, refs[best.Seat]
			}
		}
	}
	sc.seat, sc.findingRound = wrong.Seat, 1
	return nil
}

func cheminFaults() []Fault {
	return slices.Concat(bankerFaults(), againstFaults(), suiviFaults(), bancoFaults())
}

func bankerFaults() []Fault { return append(auctionFaults(), bankerWagerFaults()...) }

func auctionFaults() []Fault {
	kinds := only("nj-chemin")
	return []Fault{
		{Rule: "chemin.auction.highest-bidder", Doc: "the bank given to a lower bidder", Kinds: kinds, bend: misassign},
		{
			Rule: "chemin.auction.tie-break", Doc: "of two equal bids the farther preferred", Kinds: kinds,
			bend: func(sc *scene) error {
				b := sc.plan.Rounds[0].Bank
				best := shoe.Auction(b.Bids)
				for i := range b.Bids {
					if b.Bids[i].Seat < best.Seat {
						b.Bids[i].Amount, b.AssignedTo = best.Amount, best.Seat
						sc.seat, sc.findingRound = best.Seat, 1
						return nil
					}
				}
				return errNotOffered
			},
		},
		{
			Rule: "chemin.auction.order", Doc: "bids before the cards are in the shoe", Kinds: kinds,
			edit: func(sc *scene) string {
				sc.seat, sc.findingRound = sc.plan.Rounds[0].Bank.Bids[0].Seat, 1
				return "move bid_offered nth=1 before shoe_loaded"
			},
		},
		{
			Rule: "chemin.banker.deals", Doc: "another participant draws", Kinds: kinds, edit: strangeHand,
		},
		{
			Rule: "chemin.banker.wager-before-deal", Doc: "the Banker wagers after the first card", Kinds: kinds,
			bend: func(sc *scene) error { sc.round.Bank.Wager.Medium = schema.WagerMediumChips; return nil },
			edit: func(sc *scene) string {
				sc.seat = sc.round.Bank.Wager.Seat
				moves := []string{"move " + sc.inRound("banker_wagered after ") + sc.inRound("card_dealt nth=1")}
				for i := range sc.round.Stakes {
					moves = append(moves,
						"move "+sc.inRound("wager_placed wager_id=%s after ",
							sc.round.Stakes[i].ID)+sc.inRound("banker_wagered"))
				}
				return strings.Join(moves, "\n")
			},
		},
		{
			Rule: "chemin.banker.first-wager", Doc: "the first wager below the bid", Kinds: kinds,
			bend: func(sc *scene) error {
				r := &sc.plan.Rounds[0]
				for i := range r.Bank.Bids {
					if b := &r.Bank.Bids[i]; b.Seat == r.Bank.Wager.Seat {
						b.Amount = r.Bank.Wager.Amount + 10_000
					}
				}
				sc.seat, sc.findingRound = r.Bank.Wager.Seat, 1
				return nil
			},
		},
	}
}

func bankerWagerFaults() []Fault {
	kinds := only("nj-chemin")
	return []Fault{
		{
			Rule: "chemin.banker.wager-range", Doc: "more than twice the wager before, or less than it", Kinds: kinds,
			wagers: func(sc *scene) {
				b := sc.round.Bank
				if len(b.Bids) > 0 || len(sc.withoutSuivi()) == 0 {
					return
				}
				sc.seat = b.Wager.Seat
				b.Wager.Amount = 2*sc.table.Banking().Previous + 100
				if sc.table.Rand().IntN(2) == 0 {
					b.Wager.Amount = sc.table.Banking().Previous - 100
				}
				sc.replaceCalls(nil, shoe.Stake{Seat: sc.withoutSuivi()[0].Seat, Amount: b.Wager.Amount / 2})
			},
			bend: offered,
		},
		{
			Rule: "chemin.banker.wager-outcome", Doc: "a stand-off collected", Kinds: kinds, accept: tied,
			edit: func(sc *scene) string {
				b := &sc.round.Bank.Wager
				sc.seat = b.Seat
				old := sc.inRound("wager_returned wager_id=%s", b.ID)
				return fmt.Sprintf("insert after %s: wager_collected wager_id=%s seat=%d amount=%d\ndelete %s", old,
					b.ID, b.Seat, b.Amount, old)
			},
		},
		{
			Rule: "chemin.banker.cash-exchange", Doc: "the Banker's cash stays on the table", Kinds: kinds,
			bend: func(sc *scene) error {
				sc.round.Bank.Wager.Medium, sc.seat = schema.WagerMediumCash, sc.round.Bank.Wager.Seat
				return nil
			},
			edit: func(sc *scene) string { return "delete " + sc.inRound("cash_converted") },
		},
		{
			Rule: "chemin.draw.optional-cells", Doc: "the player stands on 4 or less", Kinds: kinds, Off: true,
			accept: func(_ *scene, c *shoe.Coup) bool { return noNatural(c) && c.First(shoe.Player) <= 4 },
			bend: func(sc *scene) error {
				for h := range 2 {
					sc.round.Coup.Hands[h] = sc.round.Coup.Hands[h][:2]
				}
				for k := sc.index + 1; k < len(sc.plan.Rounds); k++ {
					sc.plan.Rounds[k].Bank.Calls = nil // later calls depend on the result
				}
				return nil
			},
		},
	}
}

// staged replaces the calls and wagers of the round at issue; it leaves sc.seat 0 where it cannot.
func staged(rule, doc string, stage func(*scene, *shoe.Bank)) Fault {
	return Fault{
		Rule: rule, Doc: doc, Kinds: only("nj-chemin"), wagers: func(sc *scene) { stage(sc, sc.round.Bank) },
		bend: offered,
	}
}

func againstFaults() []Fault {
	kinds := only("nj-chemin")
	return []Fault{
		{
			Rule: "chemin.wager.late", Doc: "a wager against the Banker after the first card", Kinds: kinds,
			edit: func(sc *scene) string {
				sc.seat = sc.round.Stakes[0].Seat
				return "move " + sc.inRound("wager_placed wager_id=%s after ", sc.round.Stakes[0].ID) +
					sc.inRound("card_dealt nth=1")
			},
		},
		{
			Rule: "chemin.against.after-banker", Doc: "a wager before the Banker's", Kinds: kinds,
			edit: func(sc *scene) string {
				sc.seat = sc.round.Stakes[0].Seat
				return "move " + sc.inRound("wager_placed wager_id=%s before ", sc.round.Stakes[0].ID) +
					sc.inRound("banker_wagered")
			},
		},
		{
			Rule: "chemin.against.opportunity", Doc: "the wagers opened to one seat only", Kinds: kinds,
			edit: func(sc *scene) string {
				var seats []string
				for _, seat := range sc.seated() {
					if seat != sc.round.Bank.Wager.Seat {
						seats, sc.seat = append(seats, strconv.Itoa(int(seat))), seat
					}
				}
				if len(seats) < 2 {
					return ""
				}
				return fmt.Sprintf("insert after %s: wagering_opened seats=%s", sc.inRound("banker_wagered"),
					strings.Join(seats[:len(seats)-1], ","))
			},
		},
		{
			Rule: "chemin.against.not-banker", Doc: "a wager of the Banker's own at another seat", Kinds: kinds,
			edit: func(sc *scene) string {
				st := &sc.round.Stakes[0]
				if st.Amount == sc.round.Bank.Wager.Amount {
					return "" // who loses against a covered bank has the next banco suivi
				}
				sc.seat = st.Seat
				return fmt.Sprintf("set %s: patron_ref=%s\nset %s: patron_ref=%s", sc.inRound("banker_wagered"),
					sc.round.Bank.Wager.Patron, sc.inRound("wager_placed wager_id=%s", st.ID), sc.round.Bank.Wager.Patron)
			},
		},
		staged("chemin.against.individual-cap", "one wager above the Banker's", func(sc *scene, b *shoe.Bank) {
			sc.seat = sc.withoutSuivi()[0].Seat
			sc.replaceCalls(nil, shoe.Stake{Seat: sc.seat, Amount: b.Wager.Amount + 10_000})
		}),
		{
			Rule: "chemin.against.aggregate-cap", Doc: "together more than the Banker wagered", Kinds: kinds,
			wagers: func(sc *scene) {
				o, b := sc.withoutSuivi(), sc.round.Bank
				sc.replaceCalls(nil, shoe.Stake{Seat: o[0].Seat, Amount: b.Wager.Amount - 100},
					shoe.Stake{Seat: o[1].Seat, Amount: 200})
			},
		},
	}
}

func suiviFaults() []Fault {
	return []Fault{
		staged("chemin.suivi.eligibility", "suivi granted to one who had not covered the bank",
			func(sc *scene, b *shoe.Bank) {
				sc.seat = sc.withoutSuivi()[0].Seat
				sc.replaceCalls([]shoe.Banco{{Seat: sc.seat, Call: schema.BancoCallSuivi}},
					shoe.Stake{Seat: sc.seat, Amount: b.Wager.Amount})
			}),
		staged("chemin.suivi.priority", "a suivi passed over", func(sc *scene, b *shoe.Bank) {
			if sc.seat = sc.suiviSeat(); sc.seat == 0 {
				return
			}
			other := sc.withoutSuivi()[0].Seat
			sc.replaceCalls([]shoe.Banco{
				{Seat: sc.seat, Call: schema.BancoCallSuivi},
				{Seat: other, Call: schema.BancoCallBanco},
			}, shoe.Stake{Seat: other, Amount: b.Wager.Amount})
		}),
		staged("chemin.suivi.amount", "a suivi for half the bank", func(sc *scene, b *shoe.Bank) {
			if sc.seat = sc.suiviSeat(); sc.seat != 0 {
				sc.replaceCalls([]shoe.Banco{{Seat: sc.seat, Call: schema.BancoCallSuivi}},
					shoe.Stake{Seat: sc.seat, Amount: b.Wager.Amount / 2})
			}
		}),
	}
}

func bancoFaults() []Fault {
	return []Fault{
		staged("chemin.banco.priority", "parts taken though banco was called", func(sc *scene, b *shoe.Bank) {
			o := sc.withoutSuivi()
			sc.seat = o[0].Seat
			sc.replaceCalls([]shoe.Banco{{Seat: sc.seat, Call: schema.BancoCallBanco}},
				shoe.Stake{Seat: o[1].Seat, Amount: b.Wager.Amount / 2})
		}),
		staged("chemin.banco.nearest", "of two bancos the farther taken", func(sc *scene, b *shoe.Bank) {
			o := sc.withoutSuivi()
			sc.seat = o[1].Seat
			sc.replaceCalls([]shoe.Banco{
				{Seat: o[0].Seat, Call: schema.BancoCallBanco},
				{Seat: sc.seat, Call: schema.BancoCallSeul},
			}, shoe.Stake{Seat: sc.seat, Amount: b.Wager.Amount})
		}),
		{
			Rule: "chemin.banco.area", Doc: "a banco put beside its area", Kinds: only("nj-chemin"),
			edit: func(sc *scene) string {
				b := sc.round.Bank
				at := slices.IndexFunc(sc.round.Stakes, func(st shoe.Stake) bool {
					return slices.ContainsFunc(b.Calls, func(c shoe.Banco) bool { return c.Seat == st.Seat })
				})
				if at < 0 {
					return ""
				}
				sc.seat = sc.round.Stakes[at].Seat
				return "set " + sc.inRound("wager_placed wager_id=%s: area_ok=false", sc.round.Stakes[at].ID)
			},
		},
		staged("chemin.banco.amount", "a banco for half the bank", func(sc *scene, b *shoe.Bank) {
			sc.seat = sc.withoutSuivi()[0].Seat
			sc.replaceCalls([]shoe.Banco{{Seat: sc.seat, Call: schema.BancoCallBanco}},
				shoe.Stake{Seat: sc.seat, Amount: b.Wager.Amount / 2})
		}),
	}
}

// seated are the occupied seats when the round began.
func (sc *scene) seated() []uint32 {
	var seats []uint32
	for i := range sc.events {
		switch p := sc.events[i].Payload.(type) {
		case *schema.TableOpened:
			seats = slices.Clone(p.OccupiedSeats)
		case *schema.SeatOccupied:
			seats = append(seats, p.Seat)
		case *schema.SeatVacated:
			seats = slices.DeleteFunc(seats, func(seat uint32) bool { return seat == p.Seat })
		case *schema.RoundStarted:
			if sc.events[i].ShoeID == sc.plan.ID && int(sc.events[i].Round) == sc.number {
				return seats
			}
		}
	}
	return seats
}
