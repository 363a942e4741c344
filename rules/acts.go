package rules

import (
	"fmt"
	"slices"
	"strings"

	"github.com/shoeproof/shoeproof/baccarat"
	"github.com/shoeproof/shoeproof/record"
)

// checkPreparedByDealer judges who prepared the shoe, and who inspected new cards.
func checkPreparedByDealer(p *Pass) {
	var acts []record.Act
	for _, a := range p.Shoe.Acts {
		if a.Round == 0 && a.What != "call" && a.What != "offer of the shoe" {
			acts = append(acts, a)
		}
	}
	if b := p.newBatch(); b != nil && b.Inspected != 0 && b.InspectedAs != baccarat.RoleDealer {
		acts = append(acts, record.Act{Seq: b.Inspected, Role: b.InspectedAs, What: "inspection"})
	}
	p.acts(acts, p.shuffledAnew())
	p.shuffledByDealer()
}

// shuffledAnew reports whether the cards of the shoe are not new, where the text has the dealer shuffle new cards
// alone: 9 NYCRR 5324.21(d). Who shuffles them afterwards is in no sentence of it.
func (p *Pass) shuffledAnew() bool {
	return p.judges("open.shuffle-before-play") && p.newBatch() == nil
}

// shuffledByDealer reports a shuffle by a device where the text has the dealers shuffle.
func (p *Pass) shuffledByDealer() {
	if !p.judges("shuffle.required") || p.preShuffled() {
		return
	}
	for _, h := range p.Shoe.Prep.Shuffles {
		if h.Device {
			p.Suspect(Finding{
				Expected: "shuffled by the dealers", Observed: "shuffled by a device", Evidence: []record.Seq{h.Seq},
			})
			return
		}
	}
}

// checkPlayedByDealer judges who called, instructed, offered the shoe, paid, collected and marked.
func checkPlayedByDealer(p *Pass) {
	var acts []record.Act
	for _, a := range p.Shoe.Acts {
		if a.Round == 0 && a.What != "call" && a.What != "offer of the shoe" {
			continue
		}
		if p.unprinted(a) {
			p.CannotJudge("the text does not print who does it: "+a.What, a.Seq)
			continue
		}
		acts = append(acts, a)
	}
	p.acts(acts, false)
}

// unprinted reports whether who does an act is in none of the clauses of New Jersey minibaccarat: N.J.A.C. 19:47-7.9 to
// 7.12 are not printed. A house rulebook has clauses of its own.
func (p *Pass) unprinted(a record.Act) bool {
	c, _ := p.Law.Cited(p.rule.Name)
	mini := func(cite string) bool { return strings.HasPrefix(cite, "N.J.A.C. 19:47-7.") }
	return slices.ContainsFunc(c.Citations, mini) && len(p.exactly(p.ofAct(a)...)) == 0
}

// acts reports acts of the dealer that others did, one finding a round and role. It suspects them if the text gives the
// dealer none of them but the opening burn.
func (p *Pass) acts(acts []record.Act, burnAlone bool) {
	type who struct {
		round uint32
		role  baccarat.Role
	}
	seen := map[who]bool{}
	for _, a := range acts {
		w := who{a.Round, a.Role}
		if seen[w] {
			continue
		}
		seen[w] = true
		f := Finding{Round: a.Round, Expected: "done by the dealer"}
		var done, clauses []string
		for _, b := range acts {
			if b.Round == w.round && b.Role == w.role {
				f.Evidence = append(f.Evidence, b.Seq)
				done = append(done, b.What)
				clauses = append(clauses, p.ofAct(b)...)
			}
		}
		f.Observed = fmt.Sprintf("done by %v: %s", a.Role, strings.Join(done, ", "))
		f.Cites = p.exactly(clauses...)
		switch a.Role {
		case baccarat.RolePatron, baccarat.RoleSpectator, baccarat.RoleCurator, baccarat.RoleBanker:
			p.suspectIf(burnAlone && !slices.Contains(done, record.OpeningBurn), f)
		case baccarat.RoleDealer: // the relief of the other may not be on record
			f.Expected = "done by the dealer calling the game"
			f.Observed = "done by another dealer: " + strings.Join(done, ", ")
			p.Suspect(f)
		case baccarat.RoleFloorperson, baccarat.RoleSupervisor:
			p.Suspect(f)
		default:
			p.CannotJudge("who did it was not reported: "+done[0], a.Seq)
		}
	}
}

// ofAct are the clauses that give an act to the dealer, of each text that may be the table's.
func (p *Pass) ofAct(a record.Act) []string {
	switch a.What {
	case "shuffle", "inspection":
		return []string{"5324.21(d)"}
	case record.OpeningBurn:
		return []string{"5324.21(e)"}
	case "call":
		return ofCall(a.Call)
	case "instruction":
		return []string{"47-3.8(b)"}
	case "offer of the shoe":
		return []string{"47-3.6(b)"}
	case "cards placed":
		return []string{"(f)(3)(ii)(a)", "(f)(3)(ii)(b)", "(f)(3)(ii)(c)"}
	case "cards handed out":
		return []string{"(f)(3)(ii)(b)", "(f)(3)(ii)(c)"}
	case "offer of a hand":
		return []string{"(f)(3)(ii)(g)(1)"}
	case "cards picked up":
		return []string{"(i)(4)"}
	case "vigorish marked", "vigorish collected":
		if p.Config.Mode == baccarat.Tie25 {
			return []string{"(i)(2)", "47-7.3(d)"}
		}
		return []string{"(i)(2)", "47-3.3(c)", "47-7.3(c)"}
	case "winning wager paid":
		return append(ofPayment(a.Spot), "(i)(2)", "47-3.10(b)")
	default: // a losing wager is collected
		return []string{"(i)(2)", "47-3.10(b)"}
	}
}

// ofPayment are the clauses of minibaccarat that have the casino licensee pay a wager; those of every bet of the game
// if the wager is not known.
func ofPayment(spot baccarat.Spot) []string {
	switch {
	case spot == baccarat.SpotPlayer:
		return []string{"47-7.3(a)"}
	case spot == baccarat.SpotTie:
		return []string{"47-7.3(b)"}
	case spot == baccarat.SpotBanker:
		return []string{"47-7.3(c)"}
	case spot.SideBet() == baccarat.SidePair:
		return []string{"47-7.3(i)"}
	case spot.SideBet() == baccarat.SideTreasures:
		return []string{"69F-7.3(m)"}
	case spot == baccarat.NoSpot:
		return []string{"47-7.3(a)", "47-7.3(b)", "47-7.3(c)"}
	default:
		return nil
	}
}

// ofCall are the clauses on a call; on every call if it is not known which.
func ofCall(code baccarat.Code) []string {
	bets := []string{"(f)(2)", "47-3.7(b)", "47-7.7(b)"}
	counts := []string{"5324.21(g)", "47-3.8(a)", "47-7.8(a)"}
	result := []string{"(i)(1)", "47-3.10(a)", "69F-3.10(a)", "47-7.10(a)", "69F-7.10(a)"}
	switch code {
	case baccarat.NoCode:
		return slices.Concat(bets, counts, result)
	case baccarat.NoMoreBets, baccarat.CardsCommand:
		return bets
	case baccarat.PointCount:
		return counts
	case baccarat.LastHand:
		return []string{"47-3.8(e)"}
	default:
		return result
	}
}
