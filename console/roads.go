package console

import (
	"fmt"

	"github.com/shoeproof/shoeproof/console/store"
)

// cell is a round of a bead plate or a big road.
type cell struct {
	Col, Row               int
	X, Y                   int // its centre
	Round                  uint32
	Letter                 string // P, B, T or V
	Class                  string
	URL                    string
	Finding                string // id of a finding of the round, if any
	Text                   string // result, counts and cards, for people
	Ties                   int    // ties after the round, on the big road
	Natural                bool
	PlayerPair, BankerPair bool
}

// roads are the two score boards that are usual at tables.
type roads struct {
	Bead, Big       []cell
	BeadW, BigW     int
	Player, Banker  int
	Ties, Voids     int
	Naturals, Total int
}

const (
	roadRows = 6
	roadCell = 26
)

func roadsOf(rounds []store.Round, marked map[uint32]string) *roads {
	r := &roads{Total: len(rounds)}
	big := bigRoad{column: -1, taken: map[[2]int]bool{}}
	for i := range rounds {
		c := r.count(&rounds[i])
		c.Finding = marked[c.Round]
		bead := c
		bead.at(i/roadRows, i%roadRows)
		r.Bead = append(r.Bead, bead)
		big.add(c)
	}
	r.Big = big.cells
	r.BeadW = max(12, (len(rounds)+roadRows-1)/roadRows) * roadCell
	r.BigW = max(12, big.columns) * roadCell
	return r
}

// count returns the cell of a round and adds the round to the totals.
func (r *roads) count(round *store.Round) cell {
	c := letterOf(round.Result)
	c.Round, c.URL = round.Round, roundURL(round)
	c.Text = fmt.Sprintf("Round %d: %s %d–%d, %s", round.Round, words(round.Result), round.PlayerCount,
		round.BankerCount, round.Cards)
	switch c.Letter {
	case "P":
		r.Player++
	case "B":
		r.Banker++
	case "T":
		r.Ties++
	default:
		r.Voids++
	}
	c.Natural = round.PlayerCards == 2 && round.BankerCards == 2 && (round.PlayerCount >= 8 || round.BankerCount >= 8)
	if c.Natural {
		r.Naturals++
		c.Text += ", natural"
	}
	player, banker := finalHands(round.Cards, nil)
	if c.PlayerPair = isPair(player); c.PlayerPair {
		c.Text += ", player pair"
	}
	if c.BankerPair = isPair(banker); c.BankerPair {
		c.Text += ", banker pair"
	}
	return c
}

// isPair reports whether the first two cards of a hand have one rank.
func isPair(hand []dealtCard) bool {
	return len(hand) > 1 && hand[0].Suit != "" && hand[0].Rank == hand[1].Rank
}

// letterOf is the cell of a result, without its round.
func letterOf(result string) cell {
	letters := map[string]string{"PLAYER": "P", "BANKER": "B", "TIE": "T", "VOID": "V"}
	letter := letters[result]
	if letter == "" {
		return cell{Letter: "?", Class: "road-V"}
	}
	return cell{Letter: letter, Class: "road-" + letter}
}

// bigRoad places wins of one side in a column, from top to bottom; the other side starts a column.
type bigRoad struct {
	cells    []cell
	taken    map[[2]int]bool
	last     string
	column   int // in which the current run started
	col, row int
	columns  int
}

func (b *bigRoad) add(c cell) {
	switch {
	case c.Letter != "P" && c.Letter != "B":
		// A tie is a stroke through the preceding round.
		if n := len(b.cells); n > 0 && c.Letter == "T" {
			b.cells[n-1].Ties++
		}
		return
	case c.Letter != b.last:
		b.column++
		for b.taken[[2]int{b.column, 0}] {
			b.column++
		}
		b.col, b.row = b.column, 0
	case b.row+1 < roadRows && !b.taken[[2]int{b.col, b.row + 1}]:
		b.row++
	default: // the run turns right
		b.col++
	}
	b.last = c.Letter
	b.taken[[2]int{b.col, b.row}] = true
	c.at(b.col, b.row)
	b.columns = max(b.columns, b.col+1)
	b.cells = append(b.cells, c)
}

func (c *cell) at(col, row int) {
	c.Col, c.Row = col, row
	c.X, c.Y = col*roadCell+roadCell/2, row*roadCell+roadCell/2
}
