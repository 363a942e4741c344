//go:build unix

package watch

import (
	"bytes"
	"context"
	"errors"
	"io"
	"slices"

	"github.com/shoeproof/shoeproof/finding"
	"github.com/shoeproof/shoeproof/pipeline/clickhouse"
	"github.com/shoeproof/shoeproof/schema/rows"
)

// memory is a store of facts that are dropped once they were read: for play that no database would take in the time of
// a test.
type memory struct {
	rounds   []clickhouse.PlayedRound
	shoes    []clickhouse.ClosedShoe
	of       map[string][]clickhouse.PlayedRound // by shoe
	configs  []rows.Config
	findings []finding.Finding
	states   map[uint64][]byte
	evidence int
}

func newMemory() *memory {
	return &memory{of: map[string][]clickhouse.PlayedRound{}, states: map[uint64][]byte{}}
}

// add takes the rows of an engine.
func (m *memory) add(set *rows.Set) {
	misread, faults := map[[2]string]map[uint32]bool{}, map[string][]int64{}
	for i := range set.Findings {
		f := &set.Findings[i]
		switch {
		case f.Rule == "count.reader-suspected":
			at := [2]string{f.TableID, f.ShoeID}
			if misread[at] == nil {
				misread[at] = map[uint32]bool{}
			}
			misread[at][f.Round] = true
		case f.Kind == finding.DataFault && f.Rule != "feed.gap":
			faults[f.TableID] = append(faults[f.TableID], int64(f.At))
		}
	}
	r, w, at := &set.Rounds, &set.Wagers, map[string]map[uint32]int{}
	from := len(m.rounds)
	for i := range r.Round {
		p := clickhouse.PlayedRound{
			Pit: r.PitID[i], Table: r.TableID[i], Shoe: r.ShoeID[i], Round: r.Round[i], Settled: r.SettledAt[i],
			Decks: r.Decks[i], At: r.At[i], Dealer: r.DealerID[i], Config: r.ConfigID[i], Result: r.Result[i],
			Cards: string(r.Cards.At(i)), Unseen: string(r.Unseen.At(i)), Auditable: r.Auditable[i],
			Irregular: r.Irregular[i], FirstSeq: r.FirstSeq[i], Locked: r.LockedAt[i], Card: r.CardAt[i], End: r.EndAt[i],
			Batch: r.BatchID[i], Shuffler: r.Shuffler[i], Reader: r.Reader[i],
			Misread: misread[[2]string{r.TableID[i], r.ShoeID[i]}][r.Round[i]],
		}
		for _, moment := range faults[p.Table] {
			if p.At <= moment && moment <= p.Settled {
				p.Faults = append(p.Faults, moment)
			}
		}
		if at[p.Shoe] == nil {
			at[p.Shoe] = map[uint32]int{}
		}
		at[p.Shoe][p.Round] = len(m.rounds)
		m.rounds = append(m.rounds, p)
	}
	for i := range w.Round {
		p := &m.rounds[at[w.ShoeID[i]][w.Round[i]]]
		p.Wagers = append(p.Wagers, clickhouse.PlayedWager{
			Round: w.Round[i], ID: string(w.WagerID.At(i)), Seat: w.Seat[i], Spot: w.Spot[i], Patron: w.Patron[i],
			Stake: w.Stake[i], Done: w.Disposition[i], Ruled: w.Expected[i], Paid: w.Paid[i], Due: w.ExpectedPaid[i],
			Placed: w.PlacedAt[i], Late: w.Late[i], LockStake: w.LockStake[i], SettleStake: w.SettleStake[i],
		})
	}
	m.close(set, m.rounds[from:])
	m.configs = append(m.configs, set.Configs...)
	slices.SortFunc(m.rounds, func(a, b clickhouse.PlayedRound) int {
		x, y := a.Cursor(), b.Cursor()
		return x.Compare(&y)
	})
}

// close makes the shoes of a set, whose rounds have vigorish.
func (m *memory) close(set *rows.Set, played []clickhouse.PlayedRound) {
	type wager struct {
		shoe, id string
		round    uint32
	}
	owed := map[wager]*rows.Vigorish{}
	for i := range set.Vigorish {
		if v := &set.Vigorish[i]; v.Kind == "COMMISSION" {
			owed[wager{v.ShoeID, v.WagerID, v.Round}] = v
		}
	}
	for _, p := range played {
		p.Wagers = slices.Clone(p.Wagers)
		for i := range p.Wagers {
			x := &p.Wagers[i]
			if v := owed[wager{p.Shoe, x.ID, p.Round}]; v != nil {
				x.VigDue, x.VigTaken = v.Least, max(v.Marked, v.Collected)
				if v.CollectedSeq > 0 && x.VigTaken == 0 {
					x.VigTaken = v.Least
				}
			}
		}
		m.of[p.Shoe] = append(m.of[p.Shoe], p)
	}
	for i := range set.Shoes {
		s := &set.Shoes[i]
		m.shoes = append(m.shoes, clickhouse.ClosedShoe{
			Pit: s.PitID, Table: s.TableID, Shoe: s.ShoeID, At: s.At, Closed: s.ClosedAt, Decks: s.Decks, Out: s.CardsOut,
			Missing: s.Missing, Joined: s.Joined,
		})
	}
	slices.SortFunc(m.shoes, func(a, b clickhouse.ClosedShoe) int {
		x, y := a.Cursor(), b.Cursor()
		return x.Compare(&y)
	})
}

func (m *memory) Watermark(context.Context, string, int64) (slowest, newest int64, err error) {
	if len(m.rounds)+len(m.shoes) == 0 {
		return 0, 0, nil
	}
	if len(m.rounds) > 0 {
		newest = m.rounds[len(m.rounds)-1].Settled
	}
	if len(m.shoes) > 0 {
		newest = max(newest, m.shoes[len(m.shoes)-1].Closed)
	}
	return newest, newest, nil
}

func (m *memory) Settled(_ context.Context, _ string, after clickhouse.Cursor, until int64, limit int) (
	all []clickhouse.PlayedRound, err error,
) {
	from := slices.IndexFunc(m.rounds, func(p clickhouse.PlayedRound) bool {
		c := p.Cursor()
		return c.Compare(&after) > 0
	})
	if from < 0 {
		m.rounds = nil
		return nil, nil
	}
	m.rounds = m.rounds[from:]
	n := 0
	for n < min(limit, len(m.rounds)) && m.rounds[n].Settled <= until {
		n++
	}
	return slices.Clone(m.rounds[:n]), nil
}

func (m *memory) Closed(_ context.Context, _ string, after clickhouse.Cursor, until int64, limit int) (
	all []clickhouse.ClosedShoe, err error,
) {
	from := slices.IndexFunc(m.shoes, func(s clickhouse.ClosedShoe) bool {
		c := s.Cursor()
		return c.Compare(&after) > 0
	})
	if from < 0 {
		m.shoes = nil
		return nil, nil
	}
	m.shoes = m.shoes[from:]
	n := 0
	for n < min(limit, len(m.shoes)) && m.shoes[n].Closed <= until {
		n++
	}
	return slices.Clone(m.shoes[:n]), nil
}

func (*memory) Overdue(context.Context, string, *clickhouse.Behind, int) (
	[]clickhouse.PlayedRound, []clickhouse.ClosedShoe, error,
) {
	return nil, nil, nil
}

func (m *memory) RoundsOf(_ context.Context, _ string, shoes []*clickhouse.ClosedShoe) (
	all [][]clickhouse.PlayedRound, err error,
) {
	for _, c := range shoes {
		played, ok := m.of[c.Shoe]
		if !ok {
			return nil, errors.New("no shoe " + c.Shoe)
		}
		delete(m.of, c.Shoe)
		all = append(all, played)
	}
	return all, nil
}

func (m *memory) Configs(_ context.Context, _ string, from, before int64) ([]rows.Config, error) {
	last := map[string]int64{} // of each table, before from
	for i := range m.configs {
		if c := &m.configs[i]; c.EffectiveAt < from {
			last[c.TableID] = max(last[c.TableID], c.EffectiveAt)
		}
	}
	return slices.DeleteFunc(slices.Clone(m.configs), func(c rows.Config) bool {
		at, known := last[c.TableID]
		return c.EffectiveAt >= before || c.EffectiveAt < from && (!known || c.EffectiveAt != at)
	}), nil
}

func (*memory) Gaps(context.Context, string, []rows.Config, int64) ([]finding.Finding, error) {
	return nil, nil
}

func (*memory) FirstRounds(context.Context, string, int64, int64) (*rows.Rounds, error) {
	return &rows.Rounds{}, nil
}

func (*memory) NameEvents(context.Context, []finding.Finding) error { return nil }

func (m *memory) WatchState(_ context.Context, _ string, _ clickhouse.StateSeries, before uint64) (
	number uint64, state io.Reader, err error,
) {
	for n := range m.states {
		if n < before {
			number = max(number, n)
		}
	}
	return number, bytes.NewReader(m.states[number]), nil
}

func (m *memory) WriteWatchState(_ context.Context, _ string, _ clickhouse.StateSeries, number uint64,
	write func(io.Writer) error,
) error {
	var state bytes.Buffer
	err := write(&state)
	clear(m.states)
	m.states[number] = state.Bytes()
	return err
}

func (m *memory) AddEvidence(_ context.Context, _ string, list []rows.Evidence) error {
	m.evidence += len(list)
	return nil
}

func (m *memory) AddWatched(_ context.Context, _ string, list []finding.Finding) error {
	m.findings = append(m.findings, list...)
	return nil
}
