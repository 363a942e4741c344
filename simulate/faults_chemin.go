package simulate

import (
	"fmt"
	"slices"
	"strings"

	"github.com/shoeproof/shoeproof/schema"
)

// against are those who may wager against the Banker, as met counterclockwise from him.
func (sc *scene) against() []*patron {
	t := sc.t
	first := slices.IndexFunc(t.Patrons(), func(p *patron) bool { return p.seat == t.Curator() })
	return append(slices.Clone(t.Patrons()[first+1:]), t.Patrons()[:first]...)
}

// eligible is the seat that may call suivi, 0 if none.
func (sc *scene) eligible() uint32 {
	for _, p := range sc.against() {
		if b := sc.t.Banking(); b.wagered > 0 && b.taken[p.seat] == b.wagered {
			return p.seat
		}
	}
	return 0
}

// others are the patrons who may wager and have no suivi.
func (sc *scene) others() []*patron {
	seat := sc.eligible()
	return slices.DeleteFunc(sc.against(), func(p *patron) bool { return p.seat == seat })
}

// calling replaces the calls and wagers against the Banker.
func (sc *scene) calling(calls []banco, stakes ...stake) {
	for i := range stakes {
		stakes[i].id = fmt.Sprintf("%s%d", sc.r.bank.wager.id, i+1)
		stakes[i].patron = sc.t.PatronAt(stakes[i].seat).ref
		stakes[i].spot, stakes[i].medium = schema.SpotAgainstBanker, schema.WagerMediumChips
	}
	sc.r.bank.calls, sc.r.stakes = calls, stakes
}

// offered stops where the scene did not offer what the wagers need.
func offered(sc *scene) error {
	if sc.seat == 0 {
		return errElsewhere
	}
	return nil
}

// misassign gives the first auction of the shoe to a lower bidder.
func misassign(sc *scene) error {
	b := sc.s.rounds[0].bank
	best := auction(b.bids)
	i := slices.IndexFunc(b.bids, func(x bid) bool { return x.amount < best.amount })
	if i < 0 {
		return errElsewhere
	}
	wrong := b.bids[i]
	b.to = wrong.seat
	// For as long as he has the bank the two change places; without calls nobody else is concerned.
	refs := map[uint32]string{}
	for k := range sc.s.rounds {
		r := &sc.s.rounds[k]
		for _, c := range r.seating {
			if c.seat == wrong.seat {
				return errElsewhere
			}
		}
		for _, st := range append([]stake{r.bank.wager}, r.stakes...) {
			refs[st.seat] = st.patron
		}
	}
	for k := range sc.s.rounds {
		r := &sc.s.rounds[k]
		if k > 0 && len(r.bank.bids) > 0 {
			break
		}
		r.bank.calls = nil
		r.bank.wager.seat, r.bank.wager.patron = wrong.seat, refs[wrong.seat]
		for i := range r.stakes {
			if st := &r.stakes[i]; st.seat == wrong.seat {
				st.seat, st.patron = best.seat, refs[best.seat]
			}
		}
	}
	sc.seat, sc.round = wrong.seat, 1
	return nil
}

func cheminFaults() []Fault {
	return append(bankerFaults(), againstFaults()...)
}

func bankerFaults() []Fault {
	kinds := only("nj-chemin")
	return []Fault{
		{Rule: "chemin.auction.highest-bidder", Doc: "the bank given to a lower bidder", Kinds: kinds, bend: misassign},
		{
			Rule: "chemin.auction.tie-break", Doc: "of two equal bids the farther preferred", Kinds: kinds,
			bend: func(sc *scene) error {
				b := sc.s.rounds[0].bank
				best := auction(b.bids)
				for i := range b.bids {
					if b.bids[i].seat < best.seat {
						b.bids[i].amount, b.to = best.amount, best.seat
						sc.seat, sc.round = best.seat, 1
						return nil
					}
				}
				return errElsewhere
			},
		},
		{
			Rule: "chemin.banker.deals", Doc: "another participant draws", Kinds: kinds, edit: strangeHand,
		},
		{
			Rule: "chemin.banker.wager-before-deal", Doc: "the Banker wagers after the first card", Kinds: kinds,
			bend: func(sc *scene) error { sc.r.bank.wager.medium = schema.WagerMediumChips; return nil },
			edit: func(sc *scene) string {
				sc.seat = sc.r.bank.wager.seat
				moves := []string{"move " + sc.on("banker_wagered after ") + sc.on("card_dealt nth=1")}
				for i := range sc.r.stakes {
					moves = append(moves, "move "+sc.on("wager_placed wager_id=%s after ", sc.r.stakes[i].id)+sc.on("banker_wagered"))
				}
				return strings.Join(moves, "\n")
			},
		},
		{
			Rule: "chemin.banker.first-wager", Doc: "the first wager below the bid", Kinds: kinds,
			bend: func(sc *scene) error {
				r := &sc.s.rounds[0]
				for i := range r.bank.bids {
					if b := &r.bank.bids[i]; b.seat == r.bank.wager.seat {
						b.amount = r.bank.wager.amount + 10_000
					}
				}
				sc.seat, sc.round = r.bank.wager.seat, 1
				return nil
			},
		},
		{
			Rule: "chemin.banker.wager-range", Doc: "more than twice the wager before, or less than it", Kinds: kinds,
			bets: func(sc *scene) {
				b := sc.r.bank
				if len(b.bids) > 0 || len(sc.others()) == 0 {
					return
				}
				sc.seat = b.wager.seat
				b.wager.amount = 2*sc.t.Banking().previous + 100
				if sc.t.Rand().IntN(2) == 0 {
					b.wager.amount = sc.t.Banking().previous - 100
				}
				sc.calling(nil, stake{seat: sc.others()[0].seat, amount: b.wager.amount / 2})
			},
			bend: offered,
		},
		{
			Rule: "chemin.banker.wager-outcome", Doc: "a stand-off collected", Kinds: kinds, accept: tied,
			edit: func(sc *scene) string {
				b := &sc.r.bank.wager
				sc.seat = b.seat
				old := sc.on("wager_returned wager_id=%s", b.id)
				return fmt.Sprintf("insert after %s: wager_collected wager_id=%s seat=%d amount=%d\ndelete %s", old, b.id, b.seat, b.amount, old)
			},
		},
		{
			Rule: "chemin.banker.cash-exchange", Doc: "the Banker's cash stays on the table", Kinds: kinds,
			bend: func(sc *scene) error {
				sc.r.bank.wager.medium, sc.seat = schema.WagerMediumCash, sc.r.bank.wager.seat
				return nil
			},
			edit: func(sc *scene) string { return "delete " + sc.on("cash_converted") },
		},
		{
			Rule: "chemin.draw.optional-cells", Doc: "the player stands on 4 or less", Kinds: kinds, Off: true,
			accept: func(_ *scene, c *coup) bool { return noNatural(c) && c.first(player) <= 4 },
			bend: func(sc *scene) error {
				for h := range 2 {
					sc.r.coup.hands[h] = sc.r.coup.hands[h][:2]
				}
				for k := range sc.s.rounds {
					sc.s.rounds[k].bank.calls = nil // later ones hang on the result
				}
				return nil
			},
		},
	}
}

func againstFaults() []Fault {
	kinds := only("nj-chemin")
	// staged changes the calls and wagers of the round at issue; it leaves sc.seat 0 where it cannot.
	staged := func(rule, doc string, stage func(*scene, *bank)) Fault {
		return Fault{Rule: rule, Doc: doc, Kinds: kinds, bets: func(sc *scene) { stage(sc, sc.r.bank) }, bend: offered}
	}
	return []Fault{
		{
			Rule: "chemin.against.after-banker", Doc: "a wager before the Banker's", Kinds: kinds,
			edit: func(sc *scene) string {
				sc.seat = sc.r.stakes[0].seat
				return "move " + sc.on("wager_placed wager_id=%s before ", sc.r.stakes[0].id) + sc.on("banker_wagered")
			},
		},
		staged("chemin.against.individual-cap", "one wager above the Banker's", func(sc *scene, b *bank) {
			sc.seat = sc.others()[0].seat
			sc.calling(nil, stake{seat: sc.seat, amount: b.wager.amount + 10_000})
		}),
		{
			Rule: "chemin.against.aggregate-cap", Doc: "together more than the Banker wagered", Kinds: kinds,
			bets: func(sc *scene) {
				o, b := sc.others(), sc.r.bank
				sc.calling(nil, stake{seat: o[0].seat, amount: b.wager.amount - 100}, stake{seat: o[1].seat, amount: 200})
			},
		},
		staged("chemin.suivi.eligibility", "suivi granted to one who had not covered the bank", func(sc *scene, b *bank) {
			sc.seat = sc.others()[0].seat
			sc.calling([]banco{{sc.seat, schema.BancoCallSuivi}}, stake{seat: sc.seat, amount: b.wager.amount})
		}),
		staged("chemin.suivi.priority", "a suivi passed over", func(sc *scene, b *bank) {
			if sc.seat = sc.eligible(); sc.seat == 0 {
				return
			}
			other := sc.others()[0].seat
			sc.calling([]banco{{sc.seat, schema.BancoCallSuivi}, {other, schema.BancoCallBanco}}, stake{seat: other, amount: b.wager.amount})
		}),
		staged("chemin.suivi.amount", "a suivi for half the bank", func(sc *scene, b *bank) {
			if sc.seat = sc.eligible(); sc.seat != 0 {
				sc.calling([]banco{{sc.seat, schema.BancoCallSuivi}}, stake{seat: sc.seat, amount: b.wager.amount / 2})
			}
		}),
		staged("chemin.banco.priority", "parts taken though banco was called", func(sc *scene, b *bank) {
			o := sc.others()
			sc.seat = o[0].seat
			sc.calling([]banco{{sc.seat, schema.BancoCallBanco}}, stake{seat: o[1].seat, amount: b.wager.amount / 2})
		}),
		staged("chemin.banco.nearest", "of two bancos the farther taken", func(sc *scene, b *bank) {
			o := sc.others()
			sc.seat = o[1].seat
			sc.calling([]banco{{o[0].seat, schema.BancoCallBanco}, {sc.seat, schema.BancoCallSeul}}, stake{seat: sc.seat, amount: b.wager.amount})
		}),
		staged("chemin.banco.amount", "a banco for half the bank", func(sc *scene, b *bank) {
			sc.seat = sc.others()[0].seat
			sc.calling([]banco{{sc.seat, schema.BancoCallBanco}}, stake{seat: sc.seat, amount: b.wager.amount / 2})
		}),
	}
}

// floorFaults need two tables of a pit.
func floorFaults() []Fault {
	nyPlain := only("ny-mini", "ny-midi")
	return []Fault{
		{
			Rule: "vig.uniform-property", Doc: "two tables at four and five percent", Kinds: nyPlain, wide: true,
			beside: func(c *schema.TableConfig) { c.Vigorish.Percent = 9 - c.Vigorish.Percent; fitUnit(c) },
		},
		{
			Rule: "order.pit-uniform", Doc: "two procedures in one pit", Kinds: append(punto(), nyPlain...), wide: true,
			beside: func(c *schema.TableConfig) { c.PaymentProcedure = c.PaymentProcedure%4 + 1 },
		},
		{
			Rule: "order.pit-mixed-baccarat", Doc: "another procedure than the baccarat table beside it", Kinds: nyPlain, wide: true, idle: true,
			beside: func(c *schema.TableConfig) {
				c.Game, c.PaymentProcedure, c.SideBets = schema.GameBaccarat, c.PaymentProcedure%4+1, nil
			},
		},
	}
}
