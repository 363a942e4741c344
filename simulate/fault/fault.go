package fault

import (
	"slices"

	"github.com/shoeproof/shoeproof/schema"
	"github.com/shoeproof/shoeproof/simulate/deal"
	"github.com/shoeproof/shoeproof/simulate/internal/shoe"
)

// Fault breaks exactly one rule of the catalogue, but for those Beside it.
type Fault struct {
	// Rule is the rule, Doc the breach in a few words.
	Rule, Doc string
	// Kinds are the kinds of table at which it can be planted, see deal.Kinds.
	Kinds []string
	// Beside are rules that the same act breaks as well, in the same round and at the same seat.
	Beside []string
	// Off: the shipped rulebooks enforce the rule only if a house turns it on.
	Off bool

	// modes are the kinds of vigorish of a rulebook with which it can be planted; nil for the elected one.
	modes func(*deal.Game) []string
	// tune changes the configuration before the table opens.
	tune func(*schema.TableConfig)
	// wagers adds the wagers that the round at issue needs, accept reports whether its cards will do.
	wagers func(*scene)
	accept func(*scene, *shoe.Coup) bool
	// bend changes the plan before the cutting card is placed, late after it. betweenShoes acts after the shoe and
	// before the next.
	bend, late, betweenShoes func(*scene) error
	// edit returns edits of the events, in the language of script.Parse.
	edit func(*scene) string
	// alter changes the events directly.
	alter func(*scene) error
	// secondTable configures a second table of the pit, which plays legally; idleBeside only opens it.
	secondTable func(*schema.TableConfig)
	idleBeside  bool
	// cardsBehind plays the shoe through, with so many cards behind the cutting card. legalShoeBefore plays a legal
	// shoe first.
	cardsBehind     int
	legalShoeBefore bool
	// notInRound: the finding is about the shoe or the table. everyShoe: every shoe of the table has the breach, so
	// that the next one is only shuffled.
	notInRound, everyShoe bool
	// alone: another fault in the round hides this one, which is recognised by its being the only one.
	alone bool
	// settled: the fault is in the order in which both its wagers are settled, though it moves steps of one alone.
	settled bool
}

// Want is a finding that an audit must report for a planted fault, and no other of severity minor or above. Round
// is 0 for a finding about a shoe or a table; Seat is 0 where no single seat is concerned.
type Want struct {
	Rule  string
	Round uint32
	Seat  uint32
}

// All returns the faults, family by family in the order of the catalogue.
func All() []Fault {
	return slices.Concat(
		shoeFaults(), batchFaults(), countFaults(), openFaults(), shuffleFaults(), cutFaults(), curatorFaults(),
		wagerFaults(),
		supplementalFaults(), dealFaults(), midiFaults(), drawFaults(), announceFaults(), lastHandFaults(),
		outcomeFaults(),
		payoutFaults(), treasureFaults(), vigorishFaults(), vigorishModeFaults(), chargeFaults(),
		orderFaults(), irregFaults(),
		discardFaults(),
		cheminFaults(), layoutFaults(), paytableFaults(), externalFaults(), floorFaults(),
	)
}
