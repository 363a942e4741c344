//go:build unix

package watch

import (
	"bufio"
	"context"
	"errors"
	"io"
	"net/rpc"
	"os"
	"os/exec"
	"strconv"
	"testing"

	"github.com/shoeproof/shoeproof/pipeline/clickhouse"
)

// remoteFloor is a floor that another process plays. Evidence and findings are counted here, snapshots are files.
type remoteFloor struct {
	memory
	t    *testing.T
	rpc  *rpc.Client
	file string
	now  int64 // the watermark
	// number is that of the snapshot.
	number uint64
}

// FloorPlayer is the other process.
type FloorPlayer struct{ floor *floorStore }

// Span are the arguments of a query.
type Span struct {
	After clickhouse.Cursor
	Until int64
	Limit int
	Shoes []*clickhouse.ClosedShoe
}

// Until plays all tables up to a time and returns the watermark.
func (p *FloorPlayer) Until(s *Span, at *int64) (err error) {
	p.floor.until(s.Until)
	*at, _, err = p.floor.Watermark(context.Background(), "", 0)
	return err
}

// Settled are rounds.
func (p *FloorPlayer) Settled(s *Span, all *[]clickhouse.PlayedRound) (err error) {
	*all, err = p.floor.Settled(context.Background(), "", s.After, s.Until, s.Limit)
	return err
}

// Closed are shoes.
func (p *FloorPlayer) Closed(s *Span, all *[]clickhouse.ClosedShoe) (err error) {
	*all, err = p.floor.Closed(context.Background(), "", s.After, s.Until, s.Limit)
	return err
}

// RoundsOf are the rounds of shoes.
func (p *FloorPlayer) RoundsOf(s *Span, all *[][]clickhouse.PlayedRound) (err error) {
	*all, err = p.floor.RoundsOf(context.Background(), "", s.Shoes)
	return err
}

// TestFloorPlayer is the other process of TestFloorMemory; it serves its input.
func TestFloorPlayer(t *testing.T) {
	tables, err := strconv.Atoi(os.Getenv("SHOEPROOF_FLOOR_PLAYER"))
	if err != nil {
		t.Skip("not the other process of TestFloorMemory")
	}
	server := rpc.NewServer()
	if err := server.Register(&FloorPlayer{newFloorStore(tables)}); err != nil {
		t.Fatal(err)
	}
	server.ServeConn(pipe{os.NewFile(3, "calls"), os.NewFile(4, "answers")})
}

// pipe is a connection of two pipes.
type pipe struct {
	io.Reader
	io.WriteCloser
}

// otherFloor starts a process that plays tables.
func otherFloor(t *testing.T, tables int) *remoteFloor {
	t.Helper()
	calls, toPlayer, err := os.Pipe()
	fromPlayer, answers, again := os.Pipe()
	if err := errors.Join(err, again); err != nil {
		t.Fatal(err)
	}
	player := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^TestFloorPlayer$", "-test.timeout=0")
	player.Env = append(os.Environ(), "SHOEPROOF_FLOOR_PLAYER="+strconv.Itoa(tables))
	player.ExtraFiles, player.Stderr = []*os.File{calls, answers}, os.Stderr
	if err := errors.Join(player.Start(), calls.Close(), answers.Close()); err != nil {
		t.Fatal(err)
	}
	f := &remoteFloor{
		memory: *newMemory(), t: t, file: t.TempDir() + "/state",
		rpc: rpc.NewClient(pipe{bufio.NewReader(fromPlayer), toPlayer}),
	}
	f.configs = floorConfigs(tables)
	t.Cleanup(func() {
		_ = f.rpc.Close()
		_ = player.Wait()
	})
	return f
}

func (f *remoteFloor) until(at int64) {
	if err := f.rpc.Call("FloorPlayer.Until", &Span{Until: at}, &f.now); err != nil {
		f.t.Fatal(err)
	}
}

func (f *remoteFloor) Watermark(context.Context, string, int64) (slowest, newest int64, err error) {
	return f.now, f.now, nil
}

func (f *remoteFloor) Settled(_ context.Context, _ string, after clickhouse.Cursor, until int64, limit int) (
	all []clickhouse.PlayedRound, err error,
) {
	err = f.rpc.Call("FloorPlayer.Settled", &Span{After: after, Until: until, Limit: limit}, &all)
	return all, err
}

func (f *remoteFloor) Closed(_ context.Context, _ string, after clickhouse.Cursor, until int64, limit int) (
	all []clickhouse.ClosedShoe, err error,
) {
	err = f.rpc.Call("FloorPlayer.Closed", &Span{After: after, Until: until, Limit: limit}, &all)
	return all, err
}

func (f *remoteFloor) RoundsOf(_ context.Context, _ string, shoes []*clickhouse.ClosedShoe) (
	all [][]clickhouse.PlayedRound, err error,
) {
	err = f.rpc.Call("FloorPlayer.RoundsOf", &Span{Shoes: shoes}, &all)
	return all, err
}

func (f *remoteFloor) WatchState(context.Context, string, clickhouse.StateSeries, uint64) (
	number uint64, state io.Reader, err error,
) {
	file, err := os.Open(f.file)
	if errors.Is(err, os.ErrNotExist) {
		return 0, nil, nil
	}
	f.t.Cleanup(func() { _ = file.Close() })
	return f.number, bufio.NewReader(file), err
}

func (f *remoteFloor) WriteWatchState(_ context.Context, _ string, _ clickhouse.StateSeries, number uint64,
	write func(io.Writer) error,
) error {
	file, err := os.Create(f.file)
	if err != nil {
		return err
	}
	f.number = number
	return errors.Join(write(file), file.Close())
}
