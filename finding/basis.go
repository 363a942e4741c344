package finding

// Basis is what the requirement behind a finding rests on: the text of the regulation, a reference in that text, a
// reading of another text that an option of the rulebook assumes, or that a rulebook adopts by name. It is empty for
// findings of detectors and for faults of the event feed: no regulation is read.
type Basis string

// Bases. An assumed and an adopted basis have the option after a colon.
const (
	Text        Basis = "text"
	ByReference Basis = "by-reference"
	// NotInForce is the basis of every finding about a round outside the dates of its rulebook.
	NotInForce Basis = "not-in-force"

	assumed = "assumed:"
	adopted = "adopted:"
)

// Assumed is the basis of a requirement that is read into a game from another text under an option.
func Assumed(option string) Basis { return Basis(assumed + option) }

// Adopted is the basis of a requirement whose reading a rulebook adopts.
func Adopted(option string) Basis { return Basis(adopted + option) }

// Proves reports whether a finding on this basis may be a BREACH. On any other basis it is SUSPECT.
func (b Basis) Proves() bool {
	return b != NotInForce && (len(b) < len(assumed) || b[:len(assumed)] != assumed)
}
