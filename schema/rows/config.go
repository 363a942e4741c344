package rows

// Config is a table configuration in force.
type Config struct {
	PropertyID  string `column:"property_id,word,key"`
	PitID       string `column:"pit_id,word,key"`
	TableID     string `column:"table_id,word,key"`
	Seq         uint64 `column:"seq,key"`
	At          int64  `column:"at,time,key"`
	EffectiveAt int64  `column:"effective_at,time"`
	Opened      bool   `column:"opened"`
	Closed      bool   `column:"closed"`
	ConfigID    string `column:"config_id,word"`
	Ruleset     string `column:"ruleset,word"`
	Game        string `column:"game,word"`
	Mode        string `column:"mode,word"`
	Percent     uint32 `column:"percent"`
	Procedure   uint32 `column:"procedure"`
	Reshuffle   bool   `column:"reshuffle"`
	Config      string `column:"config"` // canonical JSON of the TableConfig
	EventID     string `column:"event_id"`
}

// Notice is a notice filed with the regulator or posted for patrons.
type Notice struct {
	PropertyID  string   `column:"property_id,word,key"`
	PitID       string   `column:"pit_id,word,key"`
	TableID     string   `column:"table_id,word,key"`
	Seq         uint64   `column:"seq,key"`
	At          int64    `column:"at,time,key"`
	NoticeAt    int64    `column:"notice_at,time"`
	EffectiveAt int64    `column:"effective_at,time"`
	Topic       string   `column:"topic,word"`
	Filed       bool     `column:"filed"`
	Written     bool     `column:"written"`
	Recipients  []string `column:"recipients,word"`
	Medium      string   `column:"medium,word"`
}

// Snapshot is the state of a table after one record. A restart resumes from it.
type Snapshot struct {
	PropertyID string `column:"property_id,word,key"`
	TableID    string `column:"table_id,word,key"`
	Seq        uint64 `column:"seq,key"` // of the last event in the state
	At         int64  `column:"at,time"`
	State      string `column:"memory"`
	Engine     string `column:"engine,word"`
	// Topic, Partition and Offset are the record after which the snapshot was taken.
	Topic     string `column:"topic,word"`
	Partition int32  `column:"partition"`
	Offset    int64  `column:"offset,key"`
}
