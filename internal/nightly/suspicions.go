package nightly

import (
	"context"
	"fmt"

	"github.com/shoeproof/shoeproof/finding"
	"github.com/shoeproof/shoeproof/internal/tracing"
	"github.com/shoeproof/shoeproof/internal/watch"
	"github.com/shoeproof/shoeproof/schema"
)

// Suspicions compares what a watch found in a day with what the night finds in the same rounds, in order.
type Suspicions struct {
	// Scored is false if the day was not scored again.
	Scored bool
	// Findings counts the findings of the night. Watched is false if no watch has scored the day.
	Findings int
	Watched  bool
	// Late are findings that differ because a feed was late: the watch scored its rounds by themselves. Behind are
	// findings that the watch had not reached. Neither is a fault: the night stores what the watch does not have.
	Late, Behind int
	// Missing are findings of the night alone, Extra of the watch alone, Changed of both with other contents, for no
	// reason that is known.
	Missing, Extra, Changed int
	// Keys is the number of detectors and keys whose evidence was compared, Differing that of those whose evidence
	// differed.
	Keys, Differing int
}

// score scores a day again, nil if the run does not: the detectors need whole days.
func (r *run) score(ctx context.Context, w window) (*watch.Night, error) {
	if r.Shift != "" || !r.Score {
		return nil, nil
	}
	ctx, span := tracing.Start(ctx, "score "+w.day)
	night, err := watch.ScoreDay(ctx, r.store, r.store,
		watch.Options{Property: r.Property, Engine: r.Engine, Limit: r.Limit}, w.day)
	if err != nil {
		err = fmt.Errorf("score %s again: %w", w.day, err)
	}
	tracing.End(span, err)
	return &night, err
}

// suspicions compares the night with what the watch found. It returns the findings of the night and those about
// differences.
func (r *run) suspicions(ctx context.Context, w window, live []finding.Finding) (
	found []finding.Finding, s Suspicions, err error,
) {
	again := r.scored
	if again == nil {
		if again, err = r.score(ctx, w); again == nil || err != nil {
			return nil, s, err
		}
	}
	s.Scored, s.Findings, s.Keys, s.Differing = true, len(again.Findings), again.Keys, again.Differing
	if s.Watched = again.Scored >= w.from; !s.Watched {
		return again.Findings, s, nil
	}
	none := &lateness{}
	differ := reconcileAll(watch.Suspicions(live), again.Findings, r.Engine.Version, none, func(f *finding.Finding) bool {
		switch {
		case again.LateSubjects[f.Subject] != 0:
			s.Late++
		case int64(f.At) > again.Scored:
			s.Behind++
		default:
			return true
		}
		return false
	})
	s.Missing, s.Extra, s.Changed = differ.Missing, differ.Extra, differ.Changed
	return append(again.Findings, differ.Findings...), s, nil
}

// text is the line of a summary.
func (s *Suspicions) text() string {
	switch {
	case !s.Watched:
		return fmt.Sprintf("%d, scored by this run alone", s.Findings)
	case s.Missing+s.Extra+s.Changed > 0:
		return fmt.Sprintf("DIFFER: %d; %d missing live, %d only live, %d with other content", s.Findings, s.Missing,
			s.Extra, s.Changed)
	case s.Late+s.Behind > 0:
		return fmt.Sprintf("%d; %d of late feeds, %d that the watch had not reached", s.Findings, s.Late, s.Behind)
	}
	return fmt.Sprintf("equal: %d, evidence about %s", s.Findings, schema.Count(s.Keys, "key"))
}
