package rules

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"time"

	"github.com/shoeproof/shoeproof/baccarat"
	"github.com/shoeproof/shoeproof/finding"
	"github.com/shoeproof/shoeproof/law"
	"github.com/shoeproof/shoeproof/numeric"
	"github.com/shoeproof/shoeproof/record"
	"github.com/shoeproof/shoeproof/stats"
)

var shuffleFamily = []*Rule{
	{
		Name: "shuffle.required", Doc: "A shoe is shuffled before it is loaded.",
		Breach:   "Reload of used cards without shuffling.",
		Severity: finding.Critical, At: Prepared, Needs: baccarat.FeedPreparation, Check: checkShuffled,
	},
	{
		Name: "shuffle.random-order", Doc: "The cards come in an order that a random shuffle can give.",
		Breach:   "Cards come out in new-deck order or in the order of the previous shoe.",
		Severity: finding.Major, At: Closed, Check: checkRandomOrder,
	},
	{
		Name: "shuffle.by-dealer",
		Doc: "The dealer does what the preparation of the cards gives to the dealer: shuffle, lacing, offer of the cut, " +
			"front cards to the back, cutting cards, opening burn.",
		Breach:   "A patron shuffles the cards.",
		Severity: finding.Major, At: Prepared, Needs: baccarat.FeedPreparation, Check: checkPreparedByDealer,
	},
	{
		Name: "shuffle.lacing", Doc: "About one deck is laced into the stack, evenly and once.",
		Breach:   "Lacing skipped, uneven or far from one deck.",
		Severity: finding.Minor, At: Prepared, Needs: baccarat.FeedPreparation, Check: checkLacing,
	},
	{
		Name:     "shuffle.option-pit-uniform",
		Doc:      "The reshuffle after lacing is done as the pit has elected, at every table.",
		Breach:   "One table reshuffles, its neighbour does not.",
		Severity: finding.Minor, At: Prepared, Needs: baccarat.FeedPreparation, Check: checkReshuffleOption,
		Floor: reshuffleAcrossPit,
	},
	{
		Name:     "shuffle.option-notice",
		Doc:      "The reshuffle option begins or ends after 30 minutes' written notice to surveillance and commission.",
		Breach:   "Notice 29 minutes before, oral, or to one recipient only.",
		Severity: finding.Major, At: Changed, Check: checkReshuffleNotice,
	},
	{
		Name: "shuffle.step-order", Doc: "Shuffle, lacing, reshuffle, offers, cut and loading come in their order.",
		Breach:   "Cut taken before lacing.",
		Severity: finding.Major, At: Prepared, Needs: baccarat.FeedPreparation, Check: checkShuffleOrder,
	},
}

func checkShuffled(p *Pass) {
	s := p.Shoe
	other, shuffled := p.shuffledFirst()
	switch {
	case shuffled:
	case other == nil:
		p.reportLoaded("shuffled before loading", "no shuffle")
	default:
		p.Suspect(Finding{ // one of the two names may be wrong
			Expected: "batch " + s.Loaded.Batch + " shuffled before loading", Observed: "batch " + other.Batch + " shuffled",
			Evidence: []record.Seq{other.Seq, s.Loaded.Seq},
		})
	}
}

// shuffledFirst reports whether the cards were shuffled before they were loaded; other is a shuffle of another batch.
func (p *Pass) shuffledFirst() (other *record.Shuffle, shuffled bool) {
	s := p.Shoe
	if s.Loaded.Seq == 0 || s.Joined || p.preShuffledElsewhere() {
		return nil, true
	}
	for i := range s.Prep.Shuffles {
		h := &s.Prep.Shuffles[i]
		switch {
		case h.AfterLacing || h.Seq > s.Loaded.Seq:
		case h.Batch == "" || p.Table.Batch(s.Loaded.Batch) == nil || h.Batch == s.Loaded.Batch:
			return nil, true // an unknown batch may have the cards that were shuffled
		default:
			other = h
		}
	}
	return other, false
}

// shuffledLate reports whether the cards were shuffled only when they were loaded: shuffle.required reports it.
func (p *Pass) shuffledLate() bool {
	other, shuffled := p.shuffledFirst()
	return p.judges("shuffle.required") && !shuffled && other == nil
}

// preShuffledElsewhere reports whether these are new cards whose opening a section without text governs.
func (p *Pass) preShuffledElsewhere() bool {
	b := p.newBatch()
	return b != nil && b.PreShuffled && p.Law.PreShuffledElsewhere
}

func checkLacing(p *Pass) {
	s := p.Shoe
	if p.preShuffledElsewhere() {
		p.CannotJudge("whether pre-shuffled cards must be laced is not in the text", p.loading()...)
		return
	}
	laced := s.Prep.Laced
	about := func(cards uint32) bool { return abs(int64(cards)-deck) <= int64(p.laceTolerance()) }
	if n := len(laced); n != 1 {
		cards, one := uint32(0), false
		for _, l := range laced {
			cards, one = cards+l.Cards, one || p.deckLaced(l)
		}
		if about(cards) { // in several parts
			for _, l := range laced {
				if l.Uneven {
					p.reportUneven(l.Seq)
				}
			}
			return
		}
		if one && (p.misplacedLacing() > 0 || p.lacedLate()) {
			return // shuffle.step-order reports it
		}
		if !one && slices.ContainsFunc(laced, func(l record.Laced) bool { return l.Cards == 0 }) {
			p.CannotJudge(lacingUnread, laced[0].Seq)
			return
		}
		p.suspectIf(one, Finding{ // published again, or done again because it was not even
			Expected: "laced once", Observed: times("laced", n), Evidence: []record.Seq{s.First, s.Loaded.Seq},
		})
		return
	}
	switch l := laced[0]; {
	case l.Uneven:
		p.reportUneven(l.Seq)
	case l.Cards == 0:
		p.CannotJudge(lacingUnread, l.Seq)
	case !about(l.Cards):
		p.Report(Finding{
			Expected: fmt.Sprintf("about 52 cards, %d more or less", p.laceTolerance()), Observed: fmt.Sprint(l.Cards),
			Evidence: []record.Seq{l.Seq},
		})
	}
}

const lacingUnread = "how many cards were laced was not reported"

// laceTolerance is how many cards more or less than a deck are about one.
func (p *Pass) laceTolerance() int {
	tolerance, err := strconv.Atoi(p.option("lace_tolerance"))
	if err != nil {
		return 10
	}
	return tolerance
}

// deckLaced reports whether about one deck was laced evenly.
func (p *Pass) deckLaced(l record.Laced) bool {
	return abs(int64(l.Cards)-deck) <= int64(p.laceTolerance()) && !l.Uneven
}

func (p *Pass) reportUneven(at record.Seq) {
	p.Report(Finding{Expected: "evenly dispersed into the stack", Observed: "uneven", Evidence: []record.Seq{at}})
}

// times is a count of an act, in words.
func times(act string, n int) string {
	switch n {
	case 0:
		return "not " + act
	case 1:
		return act + " once"
	}
	return fmt.Sprintf("%s %d times", act, n)
}

func reshuffled(done bool) string {
	if done {
		return "shuffled again after lacing"
	}
	return "not shuffled again after lacing"
}

func checkReshuffleOption(p *Pass) {
	s := p.Shoe
	done := slices.ContainsFunc(s.Prep.Shuffles, func(h record.Shuffle) bool { return h.AfterLacing })
	if done == p.Config.ReshuffleAfterLacing || s.Loaded.Seq == 0 {
		return
	}
	switch elected, known := p.electedAtShuffle(done); {
	case elected:
	case !known:
		p.CannotJudge("what was elected when the cards were shuffled was not reported", s.First)
	default:
		p.Report(Finding{
			Expected: reshuffled(p.Config.ReshuffleAfterLacing) + ", as elected", Observed: reshuffled(done),
			Evidence: append(p.configEvidence(), s.First, s.Loaded.Seq),
		})
	}
}

// electedAtShuffle reports whether the election in force when the cards were shuffled, or a later one, was to shuffle
// them again after the lacing, or not to. It is not known if the record of the elections begins after the shuffle, and
// not with the opening of the table.
func (p *Pass) electedAtShuffle(again bool) (elected, known bool) {
	for i := range slices.Backward(p.Table.Changes) {
		c := &p.Table.Changes[i]
		if c.Config.ReshuffleAfterLacing == again && p.governs(c.Config) {
			return true, true
		}
		if c.At <= p.Shoe.At || c.Opened {
			return false, true
		}
	}
	return false, false
}

func checkReshuffleNotice(p *Pass) {
	p.judgeNotice(record.TopicReshuffleOption, "reshuffle option", func(before, now *law.Config) bool {
		if before == nil {
			return now.ReshuffleAfterLacing
		}
		return before.ReshuffleAfterLacing != now.ReshuffleAfterLacing
	})
}

// judgeNotice requires the written notice, 30 minutes before, to the commission and to surveillance,
// of what a configuration changes, or begins where the record of the game begins with it. With no notice at all
// the first use may lie before the record: then it cannot be judged.
func (p *Pass) judgeNotice(topic record.NoticeTopic, what string, changes func(before, now *law.Config) bool) {
	last, again := int64(math.MinInt64), false
	var before, used *law.Config
	for i := range p.Table.Changes {
		now := &p.Table.Changes[i]
		if !now.Used || !p.governs(now.Config) {
			continue
		}
		before, used = used, now.Config
		if !changes(before, now.Config) {
			continue
		}
		file, short := p.filed(topic, last, now.At, 30*time.Minute)
		from := len(p.Findings)
		if !now.InRound {
			last = now.At
		}
		switch {
		case file.given && before == nil && now.Opened:
			// The table opened with it: what is on file was recorded before its first use.
		case file.given:
			p.reportNotice(
				file, now, "written notice to the commission and to surveillance 30 minutes before", what+" put in force",
			)
		case before == nil && len(short) == 0:
			p.CannotJudge("the first use of the "+what+" may lie before the record", now.Seq)
		default:
			p.Report(Finding{
				Expected: "written notice to the commission and to surveillance 30 minutes before",
				Observed: what + " put in force without it", Evidence: append(short, now.Seq),
			})
		}
		again = p.tellApart(from, now, again)
	}
}

// checkShuffleOrder compares the steps with their order. A lacing before the due one is no step too early if
// the steps from the shuffle on follow it; one after it is suspected if it may be that one, reported again.
func checkShuffleOrder(p *Pass) {
	laced := p.Shoe.Prep.Laced
	f, wrong := p.stepsReversed(laced)
	switch extra := p.misplacedLacing(); {
	case !wrong, extra == 0: // shuffled and laced again before the cut
	case extra > 0 && laced[extra].Cards == laced[extra-1].Cards && laced[extra].Uneven == laced[extra-1].Uneven:
		f.Observed += "; it may be the lacing before, reported again"
		p.Suspect(f)
	default:
		p.Report(f)
	}
}

// misplacedLacing is the index of a lacing without which the steps are in their order, if another one is as the text
// has it; -1 if there is none.
func (p *Pass) misplacedLacing() int {
	laced := p.Shoe.Prep.Laced
	if _, wrong := p.stepsReversed(laced); len(laced) < 2 || !wrong {
		return -1
	}
	for i := range laced {
		rest := slices.Delete(slices.Clone(laced), i, i+1)
		if _, wrong := p.stepsReversed(rest); !wrong && slices.ContainsFunc(rest, p.deckLaced) {
			return i
		}
	}
	return -1
}

// lacedLate reports whether the steps are out of their order, and cards were laced again when the stack was offered or
// cut already: the order of the steps has it, whichever step it names first.
func (p *Pass) lacedLate() bool {
	laced := p.Shoe.Prep.Laced
	if _, wrong := p.stepsReversed(laced); len(laced) < 2 || !wrong {
		return false
	}
	return slices.ContainsFunc(p.cutSteps(0, math.MaxUint64), func(g stepGroup) bool {
		return len(g.seqs) > 0 && g.seqs[0] < laced[len(laced)-1].Seq
	})
}

// stepsReversed is what the first step that comes too early shows, with the lacings of a list. A recut begins a part of
// its own, since the steps from the offers on are done again.
func (p *Pass) stepsReversed(lacings []record.Laced) (f Finding, wrong bool) {
	prep := &p.Shoe.Prep
	first, again := stepGroup{name: "shuffle"}, stepGroup{name: "reshuffle"}
	late := p.shuffledLate()
	for _, h := range prep.Shuffles {
		switch {
		case h.AfterLacing:
			again.seqs = append(again.seqs, h.Seq)
		case !late:
			first.seqs = append(first.seqs, h.Seq)
		}
	}
	laced := stepGroup{name: "lacing"}
	for _, l := range lacings {
		laced.seqs = append(laced.seqs, l.Seq)
	}
	groups := []stepGroup{first, laced, again}
	from := record.Seq(0)
	for _, r := range prep.Recuts {
		groups = append(groups, p.cutSteps(from, r.Seq)...)
		if f, wrong = permuted(groups); wrong {
			return f, true
		}
		groups, from = nil, r.Seq
	}
	return permuted(append(groups, p.cutSteps(from, math.MaxUint64)...))
}

// stepGroup is the events of one step of a preparation.
type stepGroup struct {
	name string
	seqs []record.Seq
}

// cutSteps are the steps from the offers to the loading between two events.
func (p *Pass) cutSteps(from, to record.Seq) []stepGroup {
	prep := &p.Shoe.Prep
	groups := []stepGroup{
		{name: "offer of the cut"}, {name: "cut"}, {name: "transposing"}, {name: "cutting card"}, {name: "loading"},
	}
	add := func(group int, seq record.Seq) {
		if seq > from && seq < to {
			groups[group].seqs = append(groups[group].seqs, seq)
		}
	}
	for _, o := range prep.Offers {
		add(0, o.Seq)
	}
	for _, c := range prep.Cuts {
		if len(groups[1].seqs) == 0 { // another rule has a second one
			add(1, c.Seq)
		}
	}
	for _, m := range prep.Transposed {
		add(2, m.Seq)
	}
	for _, c := range prep.Cutcards {
		add(3, c.Seq)
	}
	for _, l := range prep.Loads {
		add(4, l)
	}
	return groups
}

// permuted is what the first step that comes too early shows.
func permuted(groups []stepGroup) (f Finding, wrong bool) {
	last, name := record.Seq(0), ""
	for _, g := range groups {
		for _, seq := range g.seqs {
			if seq < last {
				return Finding{
					Expected: "shuffle, lacing, reshuffle, offers, cut, transposing, cutting cards, loading",
					Observed: g.name + " before " + name, Evidence: []record.Seq{seq, last},
				}, true
			}
		}
		if len(g.seqs) > 0 {
			last, name = max(last, slices.Max(g.seqs)), g.name
		}
	}
	return f, false
}

// deck is how many places must be seen before a repeated order is judged.
const deck = 52

// checkRandomOrder tests the order in which the cards left the shoe: adjacent cards in new-deck
// order, the longest run of them, and places that repeat the shoe before. A statistical rule; the
// probability that an honest shoe reaches it is random_alpha.
func checkRandomOrder(p *Pass) {
	s := p.Shoe
	decks := float64(s.Loaded.Decks)
	alpha, err := strconv.ParseFloat(p.option("random_alpha"), 64)
	if err != nil || s.Loaded.Seq == 0 || len(s.Order) < 2 {
		return
	}
	pairs, successors, run, longest := 0, 0, 1, 1
	for i := 1; i < len(s.Order); i++ {
		a, b := s.Order[i-1], s.Order[i]
		if a == baccarat.Unread || b == baccarat.Unread {
			run = 1
			continue
		}
		pairs++
		if a.Suit() == b.Suit() && a.Rank()+1 == b.Rank() {
			successors++
			run++
			longest = max(longest, run)
			continue
		}
		run = 1
	}
	same, places := 0, 0
	for i := range min(len(s.Order), len(s.Prep.Before)) {
		if s.Order[i] != baccarat.Unread && s.Prep.Before[i] != baccarat.Unread {
			places++
			if s.Order[i] == s.Prep.Before[i] {
				same++
			}
		}
	}
	next := decks / (float64(52*decks) - 1)
	evidence := []record.Seq{s.First, s.Loaded.Seq, s.LastCard}
	// Only an order that is repeated card by card is proof; the rest is a probability.
	claim := p.Suspect
	if 13*successors >= 12*(pairs-1) || places >= deck && same == places {
		claim = p.Report
	}
	switch {
	case stats.UpperTail(uint64(pairs), uint64(successors), next) < alpha:
		claim(Finding{
			Expected: "cards in random order",
			Observed: fmt.Sprintf("%d of %d neighbours in new-deck order", successors, pairs), Evidence: evidence,
		})
	case float64(pairs)*numeric.Pow(next, float64(longest-1)) < alpha:
		claim(Finding{
			Expected: "cards in random order", Observed: fmt.Sprintf("%d cards running in new-deck order", longest),
			Evidence: evidence,
		})
	case places >= deck && stats.UpperTail(uint64(places), uint64(same), 1.0/52) < alpha:
		claim(Finding{
			Expected: "cards in random order",
			Observed: fmt.Sprintf("%d of %d places as in the shoe before", same, places), Evidence: evidence,
		})
	}
}
