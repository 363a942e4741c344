package console

import "github.com/shoeproof/shoeproof/console/store"

// cell is a round on a bead plate or a big road.
type cell struct {
	Col, Row int
	X, Y     int // its middle
	Round    uint32
	Letter   string // P, B, T or V
	Class    string
	Finding  string // the id of one, if the round has any
	Ties     int    // after it, on the big road
	Natural  bool
}

// roads are the two pictures that the tables themselves show.
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
	letters := map[string]string{"PLAYER": "P", "BANKER": "B", "TIE": "T", "VOID": "V"}
	taken := map[[2]int]bool{}
	start, col, row, last, cols := -1, 0, 0, "", 0
	for i := range rounds {
		round := &rounds[i]
		c := cell{Round: round.Round, Letter: letters[round.Result], Finding: marked[round.Round]}
		if c.Letter == "" {
			c.Letter = "?"
		}
		c.Natural = round.PlayerCards == 2 && round.BankerCards == 2 && (round.PlayerCount >= 8 || round.BankerCount >= 8)
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
		if c.Natural {
			r.Naturals++
		}
		c.Class = "road-" + c.Letter
		if c.Letter == "?" {
			c.Class = "road-V"
		}
		bead := c
		bead.at(i/roadRows, i%roadRows)
		r.Bead = append(r.Bead, bead)
		switch {
		case c.Letter != "P" && c.Letter != "B":
			// A tie is a stroke through the round before it.
			if n := len(r.Big); n > 0 && c.Letter == "T" {
				r.Big[n-1].Ties++
			}
			continue
		case c.Letter != last: // a new column
			start++
			for taken[[2]int{start, 0}] {
				start++
			}
			col, row = start, 0
		case row+1 < roadRows && !taken[[2]int{col, row + 1}]:
			row++
		default: // the tail turns right
			col++
		}
		last = c.Letter
		taken[[2]int{col, row}] = true
		c.at(col, row)
		cols = max(cols, col+1)
		r.Big = append(r.Big, c)
	}
	r.BeadW = max(12, (len(rounds)+roadRows-1)/roadRows) * roadCell
	r.BigW = max(12, cols) * roadCell
	return r
}

func (c *cell) at(col, row int) {
	c.Col, c.Row = col, row
	c.X, c.Y = col*roadCell+roadCell/2, row*roadCell+roadCell/2
}
