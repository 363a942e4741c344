package cheat

// Label is the truth about a table at which somebody cheats.
type Label struct {
	Cheat     string   `json:"cheat"`
	Doc       string   `json:"doc"`
	Honest    bool     `json:"honest,omitempty"`
	Breach    bool     `json:"breach,omitempty"`
	Detectors []string `json:"detectors"`
	Property  string   `json:"property_id"`
	Table     string   `json:"table_id"`
	// Key is what must be accused: its kind and, if that does not change from shoe to shoe, its id.
	Key string `json:"key"`
	// Patrons and Dealer are those in the know.
	Patrons []string `json:"patrons,omitempty"`
	Dealer  string   `json:"dealer,omitempty"`
	// Shoe is the first shoe with the cheat, Round the first round with an act of it.
	Shoe  string `json:"shoe_id"`
	Round int    `json:"round"`
	// Acts are the rounds in which something was done.
	Acts []Act `json:"acts,omitempty"`
}

// Act is a round in which a cheat did something. Round is 0 for a shoe that was tampered with.
type Act struct {
	Shoe  string `json:"shoe_id"`
	Round int    `json:"round"`
}
