package bench

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/shoeproof/shoeproof/detectors"
	"github.com/shoeproof/shoeproof/simulate/cheat"
	"github.com/shoeproof/shoeproof/simulate/deal"
)

// beginning is the shoe with which a cheat begins: the second, so that everyone has an honest shoe before, except a
// pair that sits down to offset.
func beginning(c *cheat.Cheat) int {
	if c.Scenario == "S11" {
		return 1
	}
	return 2
}

// outcome is the result of a run of a cheat up to the alarm of the detector of its cause.
type outcome struct {
	Caught bool
	// From the first act to the end of the round of the alarm, or to the horizon. Units are the scenario's unit.
	Rounds, Cards, Shoes, Units int
	// Lost is the gain of the cheat minus that of its twin without the cheat, minor units.
	Lost int64
	// First is the detector of the first notification after the cheat began; Cause and Key report whether it names a cause
	// and a culprit of the label. Early are the notifications before the cheat began.
	First      string
	Cause, Key bool
	Early      int
	// Alarms are counted by detector.
	Alarms map[string]int
}

// trial is a run of a cheat beside its twin without the cheat.
type trial struct {
	*table
	cheat  *cheat.Cheat
	host   *detectors.Host
	label  *cheat.Label
	out    outcome
	twin   *deal.Played // the shoe of the twin
	shoe   int          // its number
	begins int          // the number of the shoe in which the cheat begins
	acting bool         // the cheat has begun
	stop   bool
}

// runCheat plays a cheat with its detectors, or all of them, until the alarm or the horizon.
func (b *bench) runCheat(c *cheat.Cheat, seed uint64, all bool) (outcome, error) {
	x := trial{cheat: c, begins: beginning(c), out: outcome{Alarms: map[string]int{}}}
	by := cheat.Options{Cheat: c, From: x.begins}
	o := deal.Options{Seed: seed, Table: "b" + fmt.Sprint(seed)}
	x.table = newTable(o, by, b.offers)
	o.Config, by.Twin = x.config, true
	twin := cheat.NewTable(o, by)
	twin.Open()
	x.label = x.sim.Label()
	watching := chosen(c, all)
	policy := b.promise
	policy.Policy.Differential = c.Scenario == "N6"
	x.host = detectors.NewHost(policy, watching)
	x.exact = slices.ContainsFunc(watching, needsOdds)
	x.each = func(p *deal.PlayedRound, r *detectors.Round) {
		if !x.stop {
			x.count(p, r)
			x.alarms()
		}
	}
	for x.shoe = 1; x.shoe < x.begins+scenarios[c.Name].horizon && !x.stop; x.shoe++ {
		x.twin = twin.Play()
		if err := x.play(x.host); err != nil {
			return x.out, err
		}
		if x.shoe >= x.begins {
			x.out.Shoes++
		}
	}
	if slices.Contains([]string{"S4", "S5", "S10", "S13", "S14"}, c.Scenario) {
		x.out.Units = x.out.Shoes
	}
	return x.out, nil
}

// count adds a round of the cheat to the outcome, if there is one.
func (x *trial) count(p *deal.PlayedRound, r *detectors.Round) {
	if r == nil {
		return
	}
	label, out := x.label, &x.out
	if !x.acting {
		x.acting = x.shoe >= x.begins && (x.cheat.Honest || label.Shoe != "" &&
			(label.Round == 0 || label.Shoe != r.Shoe || label.Round <= int(r.Round)))
	}
	if !x.acting {
		return
	}
	out.Rounds++
	out.Cards += len(r.Cards)
	out.Units += x.units(x.cheat, label, p, r)
	out.Lost += gain(x.cheat, label, p)
	if i := int(r.Round) - 1; i < len(x.twin.Rounds) {
		out.Lost -= gain(x.cheat, label, &x.twin.Rounds[i])
	}
}

func (x *trial) alarms() {
	for i := range x.host.Alarms {
		a := &x.host.Alarms[i]
		if x.acting || x.shoe >= x.begins {
			x.out.Alarms[a.Detector.ID]++
		}
		if x.cheat.Scenario == "N4" && a.Detector.ID == "d19" {
			x.frozen = true // a ticket about the reader is open from now on
		}
		cause := slices.Contains(x.label.Detectors, a.Detector.ID)
		if !isPage(a.Detector) && !cause {
			continue
		}
		key := accuses(a, x.label)
		switch {
		case !x.acting:
			x.out.Early++
		case x.out.First == "":
			x.out.First, x.out.Cause, x.out.Key = a.Detector.ID, cause, key
		}
		if x.acting && key && a.Detector.ID == x.cheat.Detectors[0] {
			x.out.Caught, x.stop = true, true
		}
	}
}

// chosen returns the detectors of a cheat's cause, or all.
func chosen(c *cheat.Cheat, all bool) []*detectors.Detector {
	if all {
		return detectors.All()
	}
	return slices.DeleteFunc(detectors.All(), func(d *detectors.Detector) bool { return d.ID != c.Detectors[0] })
}

// needsOdds reports whether a detector uses the odds of the cards left.
func needsOdds(d *detectors.Detector) bool {
	return !slices.Contains([]string{"d01", "d02", "d04", "d05", "d11", "d12", "d13", "d14", "d15", "d19"}, d.ID)
}

// isPage reports whether alarms of a detector count against the false-alarm budget.
func isPage(d *detectors.Detector) bool {
	return d.Tier == detectors.Exact || d.Tier == detectors.Tolerance
}

// accuses reports whether an alarm names a person or a device of the label.
func accuses(a *detectors.Alarm, label *cheat.Label) bool {
	kind, id, _ := strings.Cut(label.Key, ":")
	switch kind {
	case "shoe", "batch", "table":
		// There is only one table.
		return true
	}
	named := strings.FieldsFunc(a.Key.ID, func(r rune) bool { return r == '+' || r == '/' })
	return slices.ContainsFunc(strings.Split(id, "+"), func(who string) bool { return slices.Contains(named, who) })
}

// unit is the unit of the delay of a scenario.
func unit(c *cheat.Cheat) string {
	switch c.Scenario {
	case "S3":
		return "cards of the slug"
	case "S5", "S10", "S4", "S13", "S14":
		return "shoes"
	case "S6":
		return "late bets"
	case "S7":
		return "changes"
	case "S8":
		return "banker wins"
	case "S9", "S15":
		return "settlements"
	}
	return "rounds"
}

// units is the number of units in a round.
func (t *table) units(c *cheat.Cheat, label *cheat.Label, p *deal.PlayedRound, r *detectors.Round) int {
	n := 0
	for i := range p.Stakes {
		st := &p.Stakes[i]
		mine := slices.Contains(label.Patrons, st.Patron)
		dealing := p.Dealer == label.Dealer
		switch c.Scenario {
		case "S6":
			n += one(mine && st.Lead < 2e9)
		case "S7":
			n += one(mine && st.AtLock != st.AtSettlement)
		case "S8":
			n += one(dealing && st.VigDue > 0)
		case "S9":
			n += one(dealing)
		case "S15":
			n += one(dealing && mine)
		}
	}
	switch c.Scenario {
	case "S6", "S7", "S8", "S9", "S15":
		return n
	case "S3":
		return min(len(r.Cards), max(t.dealt-t.slug[0], 0))
	}
	return 1
}

func one(b bool) int {
	if b {
		return 1
	}
	return 0
}

// gain is the net win of the accomplices in a round, or of all patrons if the dealer errs.
func gain(c *cheat.Cheat, label *cheat.Label, p *deal.PlayedRound) int64 {
	var sum int64
	for i := range p.Stakes {
		if st := &p.Stakes[i]; c.Key == "dealer" || slices.Contains(label.Patrons, st.Patron) {
			sum += st.Net
		}
	}
	return sum
}

// delays are the statistics of the delays, in units.
type delays struct {
	mean, upper, median, p90 float64
	power                    float64
}

// measure computes the delays of the runs. A run without an alarm counts with its horizon, so that the mean is a lower
// bound if power is under 1; upper is the upper 95 % bound of the mean.
func measure(outcomes []outcome) delays {
	units := make([]float64, len(outcomes))
	var d delays
	for i, o := range outcomes {
		units[i] = float64(o.Units)
		d.mean += units[i]
		d.power += float64(one(o.Caught))
	}
	n := float64(len(outcomes))
	d.mean /= n
	d.power /= n
	var square float64
	for _, u := range units {
		square += (u - d.mean) * (u - d.mean)
	}
	d.upper = d.mean + 1.645*math.Sqrt(square/max(n-1, 1)/n)
	slices.Sort(units)
	d.median, d.p90 = units[len(units)/2], units[min(len(units)*9/10, len(units)-1)]
	return d
}
