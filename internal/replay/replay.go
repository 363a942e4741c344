// Package replay audits files of events without any service: files go in, findings and a summary come out.
package replay

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"time"

	"github.com/shoeproof/shoeproof/engine"
	"github.com/shoeproof/shoeproof/schema/rows"

	"github.com/shoeproof/shoeproof/internal/cli"
	"github.com/shoeproof/shoeproof/internal/output"
	"github.com/shoeproof/shoeproof/pipeline"
	"github.com/shoeproof/shoeproof/pipeline/file"
	"github.com/shoeproof/shoeproof/schema"
)

// maxDeadLetters is the number of dead letters that a summary lists.
const maxDeadLetters = 20

// Summary is the result of a replay without the findings.
type Summary struct {
	Files, Tables int
	Counts        engine.Counts
	// Dead are the first dead letters.
	Dead []rows.DeadLetter
	Open []engine.OpenShoe
}

// Files replays files in order into a sink. Progress may be nil; it receives the number of events so far.
func Files(ctx context.Context, src *file.Source, opt engine.Options, sink pipeline.Sink,
	progress func(events uint64),
) (Summary, error) {
	sum := Summary{Files: len(src.Paths())}
	opt.NoArchive = true
	auditor := engine.New(opt)
	floor := engine.NewFloor(opt)
	err := pipeline.Run(ctx, src, &recorder{sink, &sum.Dead, floor}, pipeline.RunOptions{
		NewStep: func() pipeline.Step { return &observed{auditor, progress} },
		Now:     time.Now, FlushRows: 20_000, FlushEvery: time.Second,
	})
	if err == nil {
		// The rules that compare tables need all of them.
		across := pipeline.Batch{Set: rows.Set{Findings: floor.Findings()}}
		auditor.Counts.Findings += uint64(len(across.Findings))
		err = sink.Write(ctx, &across)
	}
	sum.Tables, sum.Counts, sum.Open = auditor.Tables(), auditor.Counts, auditor.Open()
	var path *fs.PathError
	switch {
	case ctx.Err() != nil:
		return sum, errors.Join(file.ErrInterrupted, err)
	case errors.As(err, &path):
		return sum, cli.WrongUsage(err)
	}
	return sum, err
}

// observed is an engine that reports the number of events at each flush.
type observed struct {
	*engine.Engine
	progress func(events uint64) // may be nil
}

// Finish ends the stream, which nothing continues.
func (o *observed) Finish(out *rows.Set) {
	o.Engine.Finish(out)
	o.Unsettled(out)
}

// Low is called once for each flush.
func (o *observed) Low(next int64) (low, clock int64) {
	if o.progress != nil {
		o.progress(o.Counts.Events)
	}
	return o.Engine.Low(next)
}

// recorder keeps the first dead letters and the configurations that pass to the sink.
type recorder struct {
	pipeline.Sink
	dead  *[]rows.DeadLetter
	floor *engine.Floor
}

func (l *recorder) Write(ctx context.Context, set ...*pipeline.Batch) error {
	if err := l.Sink.Write(ctx, set...); err != nil {
		return err
	}
	for _, b := range set {
		l.floor.NoteAll(&b.Set)
		for _, d := range b.DeadLetters[:min(len(b.DeadLetters), maxDeadLetters-len(*l.dead))] {
			d.Raw = nil
			*l.dead = append(*l.dead, d)
		}
	}
	return nil
}

// Print writes the summary for people; findings is the text of their counts.
func (s *Summary) Print(out io.Writer, findings string) {
	c := &s.Counts
	fmt.Fprintf(out, "read        %s, %s: %s, %s, %s\n",
		schema.Count(s.Files, "file"), schema.Count(c.Events, "event"),
		schema.Count(s.Tables, "table"), schema.Count(c.Shoes, "shoe"), schema.Count(c.Rounds, "round"))
	fmt.Fprintf(out, "findings    %s\n", findings)
	if c.Duplicates > 0 {
		fmt.Fprintf(out, "duplicates  %d, each counted once\n", c.Duplicates)
	}
	if c.DeadLetters > 0 {
		fmt.Fprintf(out, "unreadable  %s, left out:\n", schema.Count(c.DeadLetters, "record"))
		for i := range s.Dead {
			fmt.Fprintf(out, "  %s: %s\n", output.Plain(s.Dead[i].Where), output.Plain(s.Dead[i].Reason))
		}
		if more := c.DeadLetters - uint64(len(s.Dead)); more > 0 {
			fmt.Fprintf(out, "  and %d more\n", more)
		}
	}
	for i := range s.Open {
		o := &s.Open[i]
		fmt.Fprintf(out, "still open  table %s/%s, shoe %s, round %d, event %d: the rules of the end of a shoe were not "+
			"evaluated\n",
			output.Plain(o.PropertyID), output.Plain(o.TableID), output.Plain(o.ShoeID), o.Round, o.LastSeq)
	}
}

// Size is the total size of the files; a file without a size counts 0.
func Size(paths []string) int64 {
	total := int64(0)
	for _, path := range paths {
		if info, err := os.Stat(path); err == nil {
			total += info.Size()
		}
	}
	return total
}
