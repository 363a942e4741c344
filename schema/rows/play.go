package rows

// Rounds are the rounds as played.
type Rounds struct {
	PropertyID []string `column:"property_id,word,key"`
	PitID      []string `column:"pit_id,word"`
	TableID    []string `column:"table_id,word,key"`
	ShoeID     []string `column:"shoe_id,key"`
	Round      []uint32 `column:"round,key"`
	At         []int64  `column:"at,time"`
	GamingDay  []string `column:"gaming_day,day"`
	Shift      []string `column:"shift,word"`
	DealerID   []string `column:"dealer_id,word"`
	Ruleset    []string `column:"ruleset,word"`
	ConfigID   []string `column:"config_id,word"`
	// Result is the result of the cards as dealt. Cards are text such as "P 6c Kh B 7d Ks".
	Result      []string `column:"result,word"`
	PlayerCount []uint8  `column:"player_count"`
	BankerCount []uint8  `column:"banker_count"`
	PlayerCards []uint8  `column:"player_cards"`
	BankerCards []uint8  `column:"banker_cards"`
	Cards       Text     `column:"cards"`
	Wagers      []uint32 `column:"wagers"`
	Staked      []int64  `column:"staked"`
	Paid        []int64  `column:"paid"`
	ExpectedPay []int64  `column:"expected_pay"`
	Collected   []int64  `column:"collected"`
	Returned    []int64  `column:"returned"`
	Vigorish    []int64  `column:"vigorish"`
	// Auditable is false if events of the round are missing.
	Auditable []bool   `column:"auditable"`
	FirstSeq  []uint64 `column:"first_seq"`
	EndSeq    []uint64 `column:"end_seq"`
	// Unseen is the shoe before the first card of the round: for each of the 52 cards, clubs first and aces first, one
	// byte with the number not yet seen. It is empty if unknown. The chances are exact, from these cards.
	Decks        []uint32  `column:"decks"`
	Unseen       Text      `column:"unseen"`
	ChancePlayer []float64 `column:"chance_player"`
	ChanceBanker []float64 `column:"chance_banker"`
	ChanceTie    []float64 `column:"chance_tie"`
	LockedAt     []int64   `column:"locked_at,time"`
	CardAt       []int64   `column:"card_at,time"`
	EndAt        []int64   `column:"end_at,time"`
	BatchID      []string  `column:"batch_id,word"`
	Shuffler     []string  `column:"shuffler,word"`
	Reader       []string  `column:"reader,word"`
	// Irregular is true if a card of the round was carried over, moved, burned or discarded.
	Irregular []bool `column:"irregular"`
	// SettledAt is the time of the event that settled the round: the first card of the next one, or the end of the shoe.
	SettledAt []int64 `column:"settled_at,time,derived"`
}

// Wagers are the wagers as placed and settled.
type Wagers struct {
	PropertyID []string `column:"property_id,word,key"`
	TableID    []string `column:"table_id,word,key"`
	ShoeID     []string `column:"shoe_id,key"`
	Round      []uint32 `column:"round,key"`
	At         []int64  `column:"at,time"`
	GamingDay  []string `column:"gaming_day,day"`
	WagerID    Text     `column:"wager_id,key"`
	Seat       []uint32 `column:"seat"`
	Spot       []string `column:"spot,word"`
	Stake      []int64  `column:"stake"`
	Coupon     []int64  `column:"coupon"`
	Medium     []string `column:"medium,word"`
	// Patron is a keyed HMAC, empty if unknown.
	Patron       []string `column:"patron"`
	Disposition  []string `column:"disposition,word"`
	Expected     []string `column:"expected,word"`
	Paid         []int64  `column:"paid"`
	ExpectedPaid []int64  `column:"expected_paid"`
	Collected    []int64  `column:"collected"`
	Returned     []int64  `column:"returned"`
	PlacedSeq    []uint64 `column:"placed_seq"`
	// PlacedAt is when the wager was placed, last raised or last moved; Late is true if that was after the first card. EV
	// is the exact expectation of the patron per unit before the first card.
	PlacedAt []int64   `column:"placed_at,time"`
	Late     []bool    `column:"late"`
	EV       []float64 `column:"ev"`
	// LockStake and SettleStake are the stake as a device read it, -1 without a reading.
	LockStake   []int64 `column:"lock_stake"`
	SettleStake []int64 `column:"settle_stake"`
}

// Vigorish is what one banker wager owed and what was marked and collected of it.
type Vigorish struct {
	PropertyID   string `column:"property_id,word,key"`
	TableID      string `column:"table_id,word,key"`
	ShoeID       string `column:"shoe_id,key"`
	Round        uint32 `column:"round,key"`
	At           int64  `column:"at,time"`
	GamingDay    string `column:"gaming_day,day"`
	WagerID      string `column:"wager_id,key"`
	Seat         uint32 `column:"seat"`
	Kind         string `column:"kind,word,key"` // COMMISSION or TIE25
	Won          int64  `column:"won"`
	Least        int64  `column:"least"`
	Most         int64  `column:"most"`
	Marked       int64  `column:"marked"`
	Collected    int64  `column:"collected"`
	MarkedSeq    uint64 `column:"marked_seq"`
	CollectedSeq uint64 `column:"collected_seq"`
}

// Shoe is one shoe as played.
type Shoe struct {
	PropertyID string `column:"property_id,word,key"`
	PitID      string `column:"pit_id,word"`
	TableID    string `column:"table_id,word,key"`
	ShoeID     string `column:"shoe_id,key"`
	At         int64  `column:"at,time"`
	EndedAt    int64  `column:"ended_at,time"`
	// ClosedAt is the time of the event that completed the shoe for the rules of a whole shoe.
	ClosedAt    int64  `column:"closed_at,time"`
	GamingDay   string `column:"gaming_day,day"`
	Shift       string `column:"shift,word"`
	Ruleset     string `column:"ruleset,word"`
	Game        string `column:"game,word"`
	ConfigID    string `column:"config_id,word"`
	Decks       uint32 `column:"decks"`
	CardsOut    uint32 `column:"cards_out"`
	Remaining   uint32 `column:"remaining"`
	Rounds      uint32 `column:"rounds"`
	Unauditable uint32 `column:"unauditable"`
	Findings    uint32 `column:"findings"`
	Outstanding int64  `column:"outstanding"`
	Joined      bool   `column:"joined"`
	Missing     bool   `column:"missing"`
	FirstSeq    uint64 `column:"first_seq"`
	LastSeq     uint64 `column:"last_seq"`
	Rulebook    string `column:"rulebook,word"`
	Engine      string `column:"engine,word"`
}
