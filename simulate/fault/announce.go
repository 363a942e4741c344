package fault

import (
	"slices"

	"github.com/shoeproof/shoeproof/schema"
	"github.com/shoeproof/shoeproof/simulate/internal/shoe"
)

func announceFaults() []Fault {
	return append(countAnnouncementFaults(), sideBetAnnouncementFaults()...)
}

func countAnnouncementFaults() []Fault {
	full := slices.Concat(punto(), only("pair-mini", "treasures-mini"), nyAll(), midi())
	delete := func(code string) func(*scene) string {
		return func(sc *scene) string { return "delete " + sc.inRound("announced code=%s", code) }
	}
	return []Fault{
		{
			Rule: "announce.initial-counts", Doc: "a wrong count called", Kinds: append(only("nj-mini"), full...),
			edit: func(sc *scene) string {
				return "set " + sc.inRound("announced code=POINT_COUNT hand=BANKER: value+=1")
			},
		},
		{
			Rule: "announce.count-order", Doc: "the banker's count called first", Kinds: append(punto(), ny()...),
			tune: func(c *schema.TableConfig) { c.DealingStyle = schema.DealingStyleFaceUp },
			edit: func(sc *scene) string {
				return "swap " + sc.inRound("announced code=POINT_COUNT hand=PLAYER with ") +
					sc.inRound("announced code=POINT_COUNT hand=BANKER")
			},
		},
		{
			Rule: "announce.final-counts", Doc: "a wrong final count called", Kinds: full,
			edit: func(sc *scene) string {
				return "set " + sc.inRound("announced code=FINAL_COUNT hand=BANKER: value+=1")
			},
		},
		{
			Rule: "announce.winner", Doc: "the losing hand called", Kinds: full, accept: playerWon,
			edit: func(sc *scene) string {
				return "set " + sc.inRound("announced code=PLAYER_WINS: code=BANKER_WINS hand=BANKER")
			},
		},
		{Rule: "announce.tie-hand", Doc: "a tie not called", Kinds: full, accept: tied, edit: delete("TIE_HAND")},
	}
}

func sideBetAnnouncementFaults() []Fault {
	treasures := only("treasures-punto", "treasures-mini")
	delete := func(code string) func(*scene) string {
		return func(sc *scene) string { return "delete " + sc.inRound("announced code=%s", code) }
	}
	one := func(t schema.Treasure) condition {
		return func(_ *scene, c *shoe.Coup) bool { return c.Treasure() == t }
	}
	return []Fault{
		{
			Rule: "announce.total-cards", Doc: "a wrong number of cards called",
			Kinds: only("total-punto", "total-mini"),
			edit:  func(sc *scene) string { return "set " + sc.inRound("announced code=TOTAL_CARDS: value+=1") },
		},
		{
			Rule: "announce.pair", Doc: "a pair not called", Kinds: only("pair-punto", "pair-mini"),
			wagers: staking(schema.SpotPlayerPair, 500), // its payment shows that no card was misread
			accept: func(_ *scene, c *shoe.Coup) bool { return c.Pair(shoe.Player) }, edit: delete("PLAYER_PAIR"),
		},
		{
			Rule: "announce.dragon-7", Doc: "a dragon 7 not called", Kinds: only("ny-ez", "ny-midi-ez"), accept: dragon,
			edit: delete("DRAGON_7"),
		},
		{
			Rule: "announce.panda-8", Doc: "a panda 8 not called", Kinds: only("ny-ez", "ny-midi-ez"), accept: panda,
			edit: delete("PANDA_8"),
		},
		{
			Rule: "announce.treasures-highest", Doc: "a Heavenly 9 of both hands called as one", Kinds: treasures,
			accept: one(schema.TreasureHeavenly9Both),
			edit: func(sc *scene) string {
				return "set " + sc.inRound("announced code=TREASURE: treasure=HEAVENLY_9_ONE")
			},
		},
		{
			Rule: "announce.before-settlement", Doc: "a losing wager swept before the call",
			Kinds:  slices.Concat(punto(), nyAll(), midi()),
			wagers: staking(schema.SpotPlayer, 6000), accept: bankerWon,
			edit: func(sc *scene) string {
				text := "move " + sc.inRound("wager_collected wager_id=%s before ", sc.stake.ID) +
					sc.inRound("announced code=FINAL_COUNT hand=PLAYER")
				sc.stake = nil
				return text
			},
		},
	}
}
