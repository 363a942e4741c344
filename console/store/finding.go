package store

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/shoeproof/shoeproof/schema"
)

// Finding is a finding with what triage made of it.
type Finding struct {
	ID         string    `ch:"id"`
	Kind       string    `ch:"kind"`
	Verdict    string    `ch:"verdict"`
	Rule       string    `ch:"rule"`
	Severity   string    `ch:"severity"`
	Citations  []string  `ch:"citations"`
	PropertyID string    `ch:"property_id"`
	PitID      string    `ch:"pit_id"`
	TableID    string    `ch:"table_id"`
	ShoeID     string    `ch:"shoe_id"`
	Round      uint32    `ch:"round"`
	Seat       uint32    `ch:"seat"`
	Subject    string    `ch:"subject"`
	DealerID   string    `ch:"dealer_id"`
	At         time.Time `ch:"at"`
	GamingDay  time.Time `ch:"gaming_day"`
	Shift      string    `ch:"shift"`
	Expected   string    `ch:"expected"`
	Observed   string    `ch:"observed"`
	Amount     int64     `ch:"amount"`
	Currency   string    `ch:"currency"`
	Seqs       []uint64  `ch:"seqs"`
	EventIDs   []string  `ch:"event_ids"`
	Rulebook   string    `ch:"rulebook"`
	Engine     string    `ch:"engine"`
	// State is empty for a finding that is for information and never was in the queue.
	State       string `ch:"state"`
	Owner       string `ch:"owner"`
	Fingerprint string `ch:"fingerprint"`
}

const findingColumns = `id, kind, verdict, rule, severity, citations, property_id, pit_id, table_id, shoe_id, round, seat, subject, dealer_id, at, gaming_day,
	shift, expected, observed, amount, currency, evidence.seqs AS seqs, evidence.event_ids AS event_ids, rulebook, engine`

const noTriage = `, '' AS state, '' AS owner, '' AS fingerprint`

// Finding is one finding.
func (s *Store) Finding(ctx context.Context, scope Scope, id string) (Finding, error) {
	w := in(scope).and("id = {id:String}", "id", id)
	var f Finding
	var rows []Waiting
	var both errgroup.Group
	both.Go(func() (err error) {
		// Without FINAL, for the index by id to leave out the rest.
		f, err = one[Finding](ctx, s, "finding", `SELECT `+findingColumns+noTriage+` FROM {{findings}} WHERE `+w.String()+` ORDER BY version DESC LIMIT 1`, w)
		return err
	})
	both.Go(func() (err error) {
		rows, err = s.rows(ctx, scope, []string{id})
		return err
	})
	err := both.Wait()
	if err == nil && len(rows) > 0 {
		f.State, f.Owner, f.Fingerprint = rows[0].State, rows[0].Owner, rows[0].Fingerprint
	}
	return f, err
}

// Where chooses findings by what they are about. A zero field chooses all.
type Where struct {
	Property, Table, Shoe, Dealer, Rule string
	Round                               uint32
	Since, Until                        time.Time
	Limit                               int
}

// Name says which finding an id is of.
type Name struct {
	ID       string `ch:"id"`
	Severity string `ch:"severity"`
	Rule     string `ch:"rule"`
	TableID  string `ch:"table_id"`
}

// Names are the names of findings that were closed, in no order.
func (s *Store) Names(ctx context.Context, scope Scope, closings []Action) ([]Name, error) {
	if len(closings) == 0 {
		return nil, nil
	}
	ids, first, last := make([]string, len(closings)), closings[0].At, closings[0].At
	for i, a := range closings {
		ids[i] = a.FindingID
		if a.At.Before(first) {
			first = a.At
		}
		if a.At.After(last) {
			last = a.At
		}
	}
	// Their rows in the queue changed when they were closed, by ClickHouse's clock, and the index by change leaves out the rest.
	w := in(scope).and("id IN {ids:Array(String)}", "ids", ids).with("first", first.Add(-time.Minute).UnixMilli(), "last", last.Add(time.Minute).UnixMilli())
	const columns = `SELECT id, severity, rule, table_id FROM `
	names, err := read[Name](ctx, s, "findings", columns+`{{open_findings}} WHERE changed_at BETWEEN fromUnixTimestamp64Milli({first:Int64}) AND fromUnixTimestamp64Milli({last:Int64}) AND `+
		w.String()+` LIMIT 1 BY id`, w)
	if err != nil || len(names) == len(ids) {
		return names, err
	}
	for _, n := range names {
		ids = slices.DeleteFunc(ids, func(id string) bool { return id == n.ID })
	}
	rest := in(scope).and("id IN {ids:Array(String)}", "ids", ids)
	more, err := read[Name](ctx, s, "findings", columns+`{{findings}} WHERE `+rest.String()+` LIMIT 1 BY id`, rest)
	return append(names, more...), err
}

// Findings are findings, open or not, the latest first.
func (s *Store) Findings(ctx context.Context, scope Scope, x Where) ([]Finding, error) {
	w := in(scope).equal("property_id", x.Property).equal("table_id", x.Table).equal("shoe_id", x.Shoe).equal("rule", x.Rule)
	if x.Round > 0 {
		w.and("round = {round:UInt32}", "round", x.Round)
	}
	if !x.Since.IsZero() {
		w.and("at >= fromUnixTimestamp64Nano({since:Int64})", "since", x.Since.UnixNano())
	}
	if !x.Until.IsZero() {
		w.and("at < fromUnixTimestamp64Nano({until:Int64})", "until", x.Until.UnixNano())
	}
	f := Filter{Limit: x.Limit}
	query := `SELECT ` + findingColumns + noTriage + ` FROM {{findings}} `
	// What makes the id is the same in all versions of a finding, so it may choose before the newest is chosen.
	const once = ` ORDER BY at DESC, id, version DESC LIMIT 1 BY id`
	switch {
	case x.Dealer != "":
		// Without FINAL, for the projection by dealer. A version that named another dealer counts until it is merged away.
		chosen := `WHERE ` + w.equal("dealer_id", x.Dealer).String()
		query += chosen + ` AND at >= (SELECT min(at) FROM (SELECT at FROM {{findings}} ` + chosen + once + fmt.Sprint(" LIMIT ", f.limit()) + `))` + once
	case x.Shoe != "":
		query += `WHERE ` + w.String() + once // for the index by shoe
	default:
		query += `FINAL PREWHERE ` + w.String() + ` ORDER BY at DESC, id`
	}
	return read[Finding](ctx, s, "findings", query+fmt.Sprint(" LIMIT ", f.limit()), w)
}

// rows are the newest rows of findings in the queue, also of those that are closed.
func (s *Store) rows(ctx context.Context, scope Scope, ids []string) ([]Waiting, error) {
	w := in(scope).and("id IN {ids:Array(String)}", "ids", ids)
	return read[Waiting](ctx, s, "the state of findings", `SELECT `+strings.Join(columnsOf[Waiting](), ", ")+` FROM {{open_findings}} WHERE `+w.String()+
		` ORDER BY version DESC LIMIT 1 BY id`, w)
}

// Action is one step of triage.
type Action struct {
	FindingID   string    `ch:"finding_id"`
	At          time.Time `ch:"at"`
	PropertyID  string    `ch:"property_id"`
	Actor       string    `ch:"actor"`
	Action      string    `ch:"action"`
	From        string    `ch:"from_state"`
	To          string    `ch:"to_state"`
	Disposition string    `ch:"disposition"`
	Reason      string    `ch:"reason"`
	Note        string    `ch:"note"`
}

// Actions is what was done about a finding, the first step first.
func (s *Store) Actions(ctx context.Context, scope Scope, finding string) ([]Action, error) {
	w := in(scope).equal("finding_id", finding)
	return read[Action](ctx, s, "the steps of triage", `SELECT `+strings.Join(columnsOf[Action](), ", ")+` FROM {{finding_actions}} WHERE `+w.String()+` ORDER BY at LIMIT 1000`, w)
}

// ActionsSince are all steps since a moment, the latest first.
func (s *Store) ActionsSince(ctx context.Context, scope Scope, since time.Time, limit int) ([]Action, error) {
	w := in(scope).and("at >= fromUnixTimestamp64Nano({since:Int64})", "since", since.UnixNano())
	f := Filter{Limit: limit}
	return read[Action](ctx, s, "the steps of triage", `SELECT `+strings.Join(columnsOf[Action](), ", ")+` FROM {{finding_actions}} WHERE `+w.String()+` ORDER BY at DESC, finding_id`+fmt.Sprint(" LIMIT ", f.limit()), w)
}

// Closed are the findings that were closed before a moment and have not been reopened, the last ones first; further is the
// moment before which there may be more, zero at the end.
func (s *Store) Closed(ctx context.Context, scope Scope, before time.Time, limit int) (closed []Action, further time.Time, err error) {
	f := Filter{Limit: limit}
	var closings []Action
	// Further and further back, for the projection by time to leave out the rest.
	for days := 1; len(closings) < f.limit() && days < 1<<14; days *= 16 {
		w := in(scope).and("to_state = 'closed' AND action != 'note' AND at >= fromUnixTimestamp64Nano({from:Int64}) AND at < fromUnixTimestamp64Nano({before:Int64})",
			"from", before.AddDate(0, 0, -days).UnixNano(), "before", before.UnixNano())
		closings, err = read[Action](ctx, s, "what was closed", `SELECT `+columns[Action]()+` FROM {{finding_actions}} WHERE `+w.String()+
			` ORDER BY at DESC, finding_id`+fmt.Sprint(" LIMIT ", f.limit()), w)
		if err != nil {
			return nil, further, err
		}
	}
	if len(closings) == 0 {
		return nil, further, nil
	}
	if len(closings) == f.limit() {
		further = closings[len(closings)-1].At
	}
	ids := make([]string, len(closings))
	for i := range closings {
		ids[i] = closings[i].FindingID
	}
	// Only a reopening leads out of closed, and there are few of them.
	w := in(scope).and("action = 'reopen' AND at > fromUnixTimestamp64Nano({oldest:Int64}) AND finding_id IN {ids:Array(String)}",
		"oldest", closings[len(closings)-1].At.UnixNano(), "ids", ids)
	reopened, err := read[Action](ctx, s, "what was reopened", `SELECT `+columns[Action]()+` FROM {{finding_actions}} WHERE `+w.String()+` ORDER BY at DESC LIMIT 1 BY finding_id`, w)
	last := map[string]time.Time{}
	for i := range reopened {
		last[reopened[i].FindingID] = reopened[i].At
	}
	return slices.DeleteFunc(closings, func(a Action) bool { return last[a.FindingID].After(a.At) }), further, err
}

// Event is one event of the archive.
type Event struct {
	Seq       uint64    `ch:"seq"`
	EventID   string    `ch:"event_id"`
	At        time.Time `ch:"at"`
	ShoeID    string    `ch:"shoe_id"`
	Round     uint32    `ch:"round"`
	Kind      string    `ch:"kind"`
	Format    string    `ch:"format"`
	Raw       string    `ch:"raw"` // may name patrons
	SHA256    string    `ch:"sha256"`
	Partition int32     `ch:"partition"`
	Offset    int64     `ch:"offset"`
}

const eventColumns = "seq, event_id, at, shoe_id, round, kind, toString(format) AS format, raw, toString(sha256) AS sha256, partition, offset"

// Events are the events of a table by their numbers: from first to last, and the further ones.
func (s *Store) Events(ctx context.Context, scope Scope, property, table string, first, last uint64, further []uint64) ([]Event, error) {
	w := in(scope).equal("property_id", property).equal("table_id", table)
	w.and("(seq BETWEEN {first:UInt64} AND {last:UInt64} OR seq IN {further:Array(UInt64)})", "first", first, "last", last, "further", append([]uint64{}, further...))
	var rows []Event
	err := s.archive.Conn().Select(limited(ctx), &rows, s.named(`SELECT `+eventColumns+` FROM {{events}} FINAL PREWHERE `+w.String()+
		` ORDER BY seq, event_id`+fmt.Sprint(" LIMIT ", 2*MostRows)), w.args...)
	return rows, archived(err)
}

// Decode reads an event of the archive.
func (e *Event) Decode(d *schema.Decoder) (schema.Event, error) {
	var ev schema.Event
	format := schema.Protobuf
	if e.Format == "json" {
		format = schema.JSON
	}
	if err := d.Decode(format, []byte(e.Raw), &ev); err != nil {
		return ev, fmt.Errorf("event %d: %w", e.Seq, err)
	}
	return ev.Clone(), nil
}

// EachEvent gives the events of a table as they came, up to a number, at most limit of them, the last ones if
// there are more; it says whether they begin with the table's first.
func (s *Store) EachEvent(ctx context.Context, scope Scope, property, table string, until uint64, limit int, each func(*Event) error) (whole bool, err error) {
	w := in(scope).equal("property_id", property).equal("table_id", table).and("seq <= {until:UInt64}", "until", until)
	from := uint64(0)
	if until > uint64(limit) {
		from = until - uint64(limit)
	}
	w.and("seq > {from:UInt64}", "from", from)
	rows, err := s.archive.Conn().Query(limited(ctx), s.named(`SELECT `+eventColumns+` FROM {{events}} FINAL PREWHERE `+w.String()+
		` ORDER BY partition, offset SETTINGS max_result_rows = 0`), w.args...)
	if err != nil {
		return false, archived(err)
	}
	defer func() { _ = rows.Close() }()
	for rows.Next() {
		var e Event
		if err := rows.ScanStruct(&e); err != nil {
			return false, fmt.Errorf("read events: %w", err)
		}
		if e.Seq == 1 {
			whole = true
		}
		if err := each(&e); err != nil {
			return false, err
		}
	}
	return whole, archived(rows.Err())
}
