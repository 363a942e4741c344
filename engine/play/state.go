package play

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/shoeproof/shoeproof/baccarat"
	"github.com/shoeproof/shoeproof/law"
	"github.com/shoeproof/shoeproof/record"
)

// State is the play of a snapshot. Laws are in it by rulebook and game.
type State struct {
	Table      TableState
	Prev, Shoe *ShoeState
}

// State is the state of the table. It shares memory with it.
func (t *Table) State() State {
	st := State{Table: t.TableState}
	if t.Prev != nil {
		st.Prev = &t.Prev.ShoeState
	}
	if t.Shoe != nil {
		st.Shoe = &t.Shoe.ShoeState
	}
	return st
}

// Restore is the table with this state, which it keeps. A law of which no rulebook is left is none.
func Restore(property, id string, books law.Books, st State) (*Table, error) {
	t := &Table{Property: property, ID: id, books: books, TableState: st.Table}
	if t.Kept == nil || t.Patrons == nil || t.History.Attested == nil {
		return nil, fmt.Errorf("table %s: a list is missing", id)
	}
	var err error
	if t.Law, err = named(books, t.LawName); err != nil {
		return nil, err
	}
	if t.Prev, err = restoreShoe(books, st.Prev); err != nil {
		return nil, err
	}
	t.Shoe, err = restoreShoe(books, st.Shoe)
	return t, err
}

func restoreShoe(books law.Books, st *ShoeState) (*Shoe, error) {
	if st == nil {
		return nil, nil
	}
	l, err := named(books, st.LawName)
	if err != nil {
		return nil, fmt.Errorf("shoe %s: %w", st.ID, err)
	}
	for _, r := range [2]*record.Round{st.Round, st.Settling} {
		if r != nil {
			r.Recompose()
		}
	}
	return &Shoe{*st, l}, nil
}

func named(books law.Books, name string) (*law.Law, error) {
	if name == "" {
		return nil, nil
	}
	ruleset, game, ok := strings.Cut(name, "/")
	n, err := strconv.ParseUint(game, 10, 8)
	if !ok || err != nil {
		return nil, fmt.Errorf("law %q: want a rulebook and the number of a game", name)
	}
	if book := books[ruleset]; book != nil {
		l, _ := book.Law(baccarat.Game(n))
		return l, nil
	}
	return nil, nil
}
