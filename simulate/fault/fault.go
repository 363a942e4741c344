package fault

import (
	"slices"

	"github.com/shoeproof/shoeproof/schema"
	"github.com/shoeproof/shoeproof/simulate/internal/shoe"
)

// Fault breaks exactly one requirement of the catalogue.
type Fault struct {
	// Rule is the requirement, Doc the breach in a few words.
	Rule, Doc string
	// Kinds are the kinds of table at which it can be planted, see Kinds.
	Kinds []string
	// Off says that the rulebooks do not enforce the requirement unless a house asks for it.
	Off bool

	// tune changes the configuration before the table opens.
	tune func(*schema.TableConfig)
	// wagers adds the wagers that the round at issue needs, accept says which cards will do.
	wagers func(*scene)
	accept func(*scene, *shoe.Coup) bool
	// bend changes the plan before the cutting card is placed, late after it; between acts after the
	// shoe and before the next.
	bend, late, betweenShoes func(*scene) error
	// edit returns edits, in the language of ParseEdits, to what was written.
	edit func(*scene) string
	// alter changes what was written directly.
	alter func(*scene) error
	// secondTable configures a second table of the pit, which plays legally; idle only opens it.
	secondTable func(*schema.TableConfig)
	idleBeside  bool
	// cardsBehind plays the shoe through, with so many cards behind the cutting card. lead plays a legal shoe
	// of the same length before.
	cardsBehind     int
	legalShoeBefore bool
	// notInRound says that the finding is about the shoe or the table, not about the round. alone says that
	// every shoe of the table has it: the next one is only shuffled.
	notInRound, everyShoe bool
}

// Want is the finding that a planted fault must lead to, and no other of level minor or above.
// Round is 0 for a finding about a shoe or a table; Seat is 0 where no single seat is concerned.
type Want struct {
	Rule  string
	Round uint32
	Seat  uint32
}

// All lists the faults, family by family in the order of the catalogue.
func All() []Fault {
	return slices.Concat(
		shoeFaults(), batchFaults(), countFaults(), openFaults(), shuffleFaults(), cutFaults(), curatorFaults(), wagerFaults(),
		supplementalFaults(), dealFaults(), midiFaults(), drawFaults(), announceFaults(), lastHandFaults(), outcomeFaults(),
		payoutFaults(), treasureFaults(), vigorishFaults(), vigorishModeFaults(), orderFaults(), irregFaults(), discardFaults(),
		cheminFaults(), layoutFaults(), paytableFaults(), externalFaults(), floorFaults(),
	)
}
