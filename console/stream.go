package console

import (
	"context"
	"errors"
	"strconv"
	"sync/atomic"
	"time"

	"github.com/shoeproof/shoeproof/console/notify"
	"github.com/shoeproof/shoeproof/console/store"
)

// stream are the lines of the console log, and the actions of triage, that are to be sent as they are written. It is
// bounded: a receiver that does not answer costs lines of the copy, which the numbers of the chain show, and never the
// console.
type stream struct {
	queue chan notify.Line
	lost  atomic.Int64 // not yet reported to the receiver
	// sending is the number of lines that left the queue and that the receiver has not taken.
	sending atomic.Int64
	// logged counts lines, see Hooks.Logged.
	logged func(outcome string, lines int)
}

const (
	maxStream  = 10_000
	maxPart    = 200 // lines of one connection
	streamWait = 10 * time.Second
	lastWait   = 5 * time.Second // for what waits when the console ends
)

func (s *stream) put(actions []store.Action, entries []store.Entry) {
	for i := range actions {
		s.add(actionLine(&actions[i]))
	}
	for i := range entries {
		s.add(entryLine(&entries[i]))
	}
}

func (s *stream) add(l notify.Line) {
	select {
	case s.queue <- l:
	default:
		s.lost.Add(1)
		s.logged(Lost, 1)
	}
}

// waiting is the number of lines that the receiver has not taken.
func (s *stream) waiting() int { return len(s.queue) + int(s.sending.Load()) }

// sendLog sends the lines of the console log until ctx is done, and then what is left.
func (c *Console) sendLog(ctx context.Context) {
	var part []notify.Line
	for {
		select {
		case <-ctx.Done():
			c.sendRest(ctx, part)
			return
		case l := <-c.stream.queue:
			part = c.stream.fill(append(part, l))
		}
		for pause := time.Second; !c.sendPart(ctx, part); pause = min(2*pause, time.Minute) {
			timer := time.NewTimer(pause)
			select {
			case <-timer.C:
			case <-ctx.Done():
				timer.Stop()
			}
			if ctx.Err() != nil {
				break
			}
		}
		if ctx.Err() == nil {
			part = nil
		}
	}
}

// sendRest sends what waits when the console ends. What the receiver does not take in time is lost, counted and logged.
func (c *Console) sendRest(ctx context.Context, part []notify.Line) {
	last, cancel := context.WithTimeout(context.WithoutCancel(ctx), lastWait)
	defer cancel()
	for part = c.stream.fill(part); c.sendPart(last, part); part = c.stream.fill(nil) {
		if len(part) == 0 {
			return
		}
	}
	rest := len(part) + len(c.stream.queue)
	c.Hooks.Logged(Lost, rest)
	c.Log.Error("the console ends; the log channel did not receive the last lines of the console log", "lines", rest)
}

// fill adds the lines that wait to a part.
func (s *stream) fill(part []notify.Line) []notify.Line {
	for len(part) < maxPart {
		select {
		case l := <-s.queue:
			part = append(part, l)
		default:
			return part
		}
	}
	return part
}

// sendPart sends lines, and after them a line with the number of the lines that did not fit.
func (c *Console) sendPart(ctx context.Context, part []notify.Line) bool {
	c.stream.sending.Store(int64(len(part)))
	if len(part) == 0 {
		return true
	}
	lost := c.stream.lost.Swap(0)
	if lost > 0 {
		part = append(part, notify.Line{
			At: c.Now(), Severity: 3, Kind: "lines-lost", Text: count(lost, "line") + " of the console log not sent",
		})
	}
	limited, cancel := context.WithTimeout(ctx, streamWait)
	defer cancel()
	err := c.Notify.Log.Write(limited, part...)
	var refused *notify.RejectedError
	switch {
	case errors.As(err, &refused):
		c.Log.Error("the log channel rejected lines of the console log; they are not sent again",
			"lines", refused.Rejected, "error", err)
		c.Hooks.Logged(Lost, refused.Rejected)
		c.Hooks.Logged(Sent, refused.Of-refused.Rejected)
	case err != nil:
		if ctx.Err() == nil {
			c.Log.Error("sending the console log failed; the lines are sent again", "lines", len(part), "error", err)
		}
		c.stream.lost.Add(lost)
		return false
	default:
		c.Hooks.Logged(Sent, len(part))
	}
	c.stream.sending.Store(0)
	return true
}

// entryLine is a line of the console log with its place in the chain, which a receiver can compare with the table. The
// reason of a silence is text that a person typed: it stays in the log.
func entryLine(e *store.Entry) notify.Line {
	level := 5 // notice
	if e.Action == "refused" || e.Action == store.NotNotified {
		level = 4
	}
	detail := e.Detail
	if e.Action == "shelve" || e.Action == "lift" {
		detail = ""
	}
	return notify.Line{
		At: e.At, Severity: level, Kind: e.Action, Text: e.Actor + " " + e.Action + " " + e.Object,
		Data: append([][2]string{
			{"property", e.PropertyID},
			{"actor", e.Actor},
			{"role", e.Role},
			{"action", e.Action},
			{"object", e.Object},
			{"detail", detail},
			{"remote", e.Remote},
		}, proof(&e.Who, &e.Link)...),
	}
}

// actionLine is an action of triage, without its reason and its note, which a person typed.
func actionLine(a *store.Action) notify.Line {
	return notify.Line{
		At: a.At, Severity: 5, Kind: "triage", Text: a.Actor + " " + a.Action + " " + a.FindingID,
		Data: append([][2]string{
			{"property", a.PropertyID},
			{"actor", a.Actor},
			{"role", a.Role},
			{"action", a.Action},
			{"object", a.FindingID},
			{"detail", a.Disposition},
			{"from", a.From},
			{"to", a.To},
		}, proof(&a.Who, &a.Link)...),
	}
}

func proof(w *store.Who, l *store.Link) [][2]string {
	return [][2]string{
		{"issuer", w.Issuer},
		{"subject", w.Subject},
		{"method", w.Method},
		{"program", strconv.FormatBool(w.Program)},
		{"chain", l.Chain},
		{"link", strconv.FormatUint(l.Link, 10)},
		{"hash", l.Hash},
	}
}
