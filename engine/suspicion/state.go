package suspicion

import (
	"fmt"

	"github.com/shoeproof/shoeproof/detectors"
	"github.com/shoeproof/shoeproof/engine/play"
)

// State is the suspicion of a snapshot.
type State struct {
	Cards Cards
	Seen  Devices
	Tray  TrayState
	// Viewing is the shoe that is viewed.
	Viewing Viewing
	// Detectors is the state of the detectors, by themselves; empty if no shoe is viewed.
	Detectors []byte
}

// Viewing is which shoe is viewed.
type Viewing uint8

// Shoes that are viewed.
const (
	None Viewing = iota
	Present
	Previous
)

// State is the state of the table. It shares memory with it.
func (t *Table) State() State {
	st := State{Cards: t.cards, Seen: t.seen, Tray: t.tray}
	switch {
	case t.shoe == nil:
		return st
	case t.shoe == t.Play.Shoe:
		st.Viewing = Present
	case t.shoe == t.Play.Prev:
		st.Viewing = Previous
	}
	state, err := t.host.AppendState(nil)
	if err != nil {
		panic(err) // live detectors always have a state
	}
	st.Detectors = state
	return st
}

// Restore takes the state of a table whose play is restored.
func (t *Table) Restore(st *State) error {
	t.cards, t.seen, t.tray = st.Cards, st.Seen, st.Tray
	if st.Viewing > Previous {
		return fmt.Errorf("no shoe %d is viewed", st.Viewing)
	}
	t.shoe = [...]*play.Shoe{None: nil, Present: t.Play.Shoe, Previous: t.Play.Prev}[st.Viewing]
	if t.shoe == nil {
		return nil
	}
	var err error
	t.host, err = detectors.RestoreLive(t.Budget, st.Detectors)
	t.restored = true
	return err
}
