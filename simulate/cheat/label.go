package cheat

// Label is the ground truth about a table at which a cheat is played.
type Label struct {
	Cheat     string   `json:"cheat"`
	Doc       string   `json:"doc"`
	Honest    bool     `json:"honest,omitempty"`
	Breach    bool     `json:"breach,omitempty"`
	Detectors []string `json:"detectors"`
	Property  string   `json:"property_id"`
	Table     string   `json:"table_id"`
	// Key is the key that detectors must accuse: its kind and, unless it changes from shoe to shoe, its id.
	Key string `json:"key"`
	// Patrons and Dealer are the persons in the know.
	Patrons []string `json:"patrons,omitempty"`
	Dealer  string   `json:"dealer,omitempty"`
	// Shoe is the first shoe with the cheat, Round the first round with an act of it.
	Shoe  string `json:"shoe_id"`
	Round int    `json:"round"`
	// Acts are the rounds with an act of the cheat, 100,000 at most.
	Acts []Act `json:"acts,omitempty"`
}

// Act is a round in which the cheat acted. Round is 0 for a shoe that was tampered with.
type Act struct {
	Shoe  string `json:"shoe_id"`
	Round int    `json:"round"`
}
