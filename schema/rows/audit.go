package rows

// Evidence is a detector's factor for one round and one key.
type Evidence struct {
	Detector   string  `column:"detector,word,key"`
	Key        string  `column:"key,key"`
	At         int64   `column:"at,time,key"`
	PropertyID string  `column:"property_id,word,key"`
	TableID    string  `column:"table_id,word,key"`
	ShoeID     string  `column:"shoe_id,key"`
	Round      uint32  `column:"round,key"`
	Seq        uint64  `column:"seq"`
	GamingDay  string  `column:"gaming_day,day"`
	LnE        float64 `column:"ln_e"`
	Start      float64 `column:"start"`
	Engine     string  `column:"engine,word"`
}

// DeadLetter is a record that could not be decoded.
type DeadLetter struct {
	Topic     string `column:"topic,word,key"`
	Partition int32  `column:"partition,key"`
	Offset    int64  `column:"offset,key"`
	Where     string `column:"place"`
	Reason    string `column:"reason"`
	Raw       []byte `column:"raw"`
}

// Journal is one flushed range of a partition.
type Journal struct {
	Topic        string
	Partition    int32
	From, To     int64
	Low          int64
	Clock        int64 // the partition's clock before Low, ns UTC
	Generation   int32
	RulesVersion string
	Engine       string
	Records      uint64
	Rows         uint64
	Hash         string
	CRC          uint32 // of the records
}
