// Package doctor checks everything that ingest needs: its configuration, ClickHouse with its clock, schema and
// grants, the Kafka topic with its retention, and the consumer lag. Each failed check names a fix. It changes
// nothing and joins no consumer group.
package doctor

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/shoeproof/shoeproof/internal/settings"
	"github.com/shoeproof/shoeproof/pipeline/clickhouse"
	"github.com/shoeproof/shoeproof/schema/migrations"
)

// The statuses of a check.
const (
	OK   = "ok"
	Warn = "warn"
	Fail = "fail"
)

// Check is the result of one check.
type Check struct {
	Area   string `json:"area"`
	Status string `json:"status"` // ok, warn or fail
	Seen   string `json:"seen"`
	Fix    string `json:"fix,omitempty"`
}

// Options are the input of the checks.
type Options struct {
	Config    *settings.Ingest
	ConfigErr error  // of settings.Load
	Version   string // of this program
	Role      string // that the ClickHouse user must have, a name of migrations.Role
}

// run is a run of the checks.
type run struct {
	Options
	checks []Check

	progress []clickhouse.Progress
	known    bool          // progress was read
	ahead    time.Duration // of ClickHouse's clock against this machine's
}

// Run returns the checks in the order in which failures should be fixed. It ends within a minute.
func Run(ctx context.Context, o Options) []Check {
	ctx, cancel := context.WithTimeout(ctx, time.Minute)
	defer cancel()
	r := &run{Options: o}
	r.configuration()
	r.clickhouse(ctx)
	r.kafka(ctx)
	return r.checks
}

// Failed is the number of checks that failed.
func Failed(checks []Check) int {
	n := 0
	for _, c := range checks {
		if c.Status == Fail {
			n++
		}
	}
	return n
}

func (r *run) add(area, status, fix, layout string, args ...any) {
	r.checks = append(r.checks, Check{area, status, fmt.Sprintf(layout, args...), fix})
}

// fail adds a check that failed with an error.
func (r *run) fail(area string, err error, fix string) { r.add(area, Fail, fix, "%v", err) }

func (r *run) configuration() {
	const fix = "ingest config print shows each setting and its origin"
	if r.ConfigErr == nil {
		r.add("configuration", OK, "", "all settings of ingest are valid")
		return
	}
	complaints := settings.Complaints{}
	if !errors.As(r.ConfigErr, &complaints) {
		r.fail("configuration", r.ConfigErr, fix)
	}
	for _, err := range complaints {
		r.fail("configuration", err, fix)
	}
}

func (r *run) clickhouse(ctx context.Context) {
	config, err := r.Config.ClickHouse.Store(r.Version, nil, slog.New(slog.DiscardHandler))
	if err != nil {
		return // reported by configuration
	}
	store, err := clickhouse.Connect(ctx, config)
	if err != nil {
		r.fail("clickhouse", err, "check the settings named above, then the server and the network path to it")
		return
	}
	defer func() { _ = store.Close() }()
	version, ahead, err := store.Server(ctx)
	if err != nil {
		r.fail("clickhouse", err, "check the server's log")
		return
	}
	r.ahead = ahead
	r.add("clickhouse", OK, "", "%s answers as ClickHouse %s to user %q", strings.Join(config.Addrs, ","), version,
		config.User)
	r.clock()
	if err := store.CheckSchema(ctx); err != nil {
		r.fail("schema", err, "run audit migrate with the migrator's user")
		return
	}
	r.add("schema", OK, "", "database %s has the schema of this release", config.Database)
	r.definitions(ctx, store)
	r.mutations(ctx, store)
	r.trust(ctx, store)
	r.grants(ctx, store, migrations.Layout{Database: config.Database, Cluster: config.Cluster})
	if r.progress, err = store.Progress(ctx, r.Config.Kafka.Topic); err != nil {
		r.fail("journal", err, "grant the user its role, see audit grants")
		return
	}
	r.known = true
	waiting, err := store.Waiting(ctx, r.Config.Kafka.Topic)
	if err != nil {
		r.fail("feeds", err, "grant the user its role, see audit grants")
		return
	}
	r.feeds(waiting)
}

// definitions reports tables and views that differ from those that the migrations make. A changed view or TTL hides or
// deletes evidence; settings of storage are the administrator's choice.
func (r *run) definitions(ctx context.Context, store *clickhouse.Store) {
	const fix = "find out who changed it, and restore the definition by the statement that the line with - has; " +
		"audit run and audit coverage --archive show what is missing"
	changed, hidden, err := store.Definitions(ctx)
	if err != nil {
		r.add("definitions", Warn, "run audit grants again: the role may see the definitions of all tables", "%v", err)
		return
	}
	for _, addr := range slices.Sorted(maps.Keys(changed)) {
		for _, c := range changed[addr] {
			status := Fail
			if c.Settings {
				status = Warn
			}
			r.add("definitions", status, fix, "%s at %s is not as the migrations make it: %s", c.Table, addr, some(c.Lines))
		}
	}
	switch {
	case hidden > 0:
		r.add("definitions", Warn, "run doctor with role writer, auditor or migrator of audit grants",
			"the user cannot see %s", count(hidden, "table or view", "tables and views"))
	case len(changed) == 0:
		r.add("definitions", OK, "", "all tables and views are as the migrations make them")
	}
}

// mutations reports statements that deleted or changed rows of evidence.
func (r *run) mutations(ctx context.Context, store *clickhouse.Store) {
	all, err := store.Mutations(ctx)
	if err != nil {
		r.add("mutations", Warn, "run audit grants again: the roles writer and auditor may read system.mutations", "%v", err)
		return
	}
	if len(all) == 0 {
		r.add("mutations", OK, "", "the server knows no statement that deleted or changed rows of evidence")
		return
	}
	var texts []string
	for _, m := range all {
		texts = append(texts, fmt.Sprintf("%s at %s: %.80s", m.Table, m.At.UTC().Format(time.DateTime), m.Command))
	}
	r.add("mutations", Warn, "find out who did it; audit run and audit coverage --archive show what is missing",
		"rows of evidence were deleted or changed, %s: %s", count(len(all), "statement", "statements"), some(texts))
}

// trust states which nightly runs are taken as they were first found. Only an auditor may read the log.
func (r *run) trust(ctx context.Context, store *clickhouse.Store) {
	if r.Role != "auditor" {
		return
	}
	trusted, err := store.TrustedRuns(ctx)
	switch {
	case err != nil:
		r.add("trust", Warn, "run audit grants again: the role auditor may read the log of the console", "%v", err)
	case len(trusted) > 0:
		r.add("trust", OK, "", "nightly runs of releases that did not log them are taken as they were first found: who "+
			"wrote them is not known: %s", some(trusted))
	}
}

// feeds reports the tables whose events wait for a missing one.
func (r *run) feeds(waiting []clickhouse.Waiting) {
	if len(waiting) == 0 {
		r.add("feeds", OK, "", "no table waits for a missing event")
		return
	}
	fix := fmt.Sprintf("check the publishers of these tables; a running ingest gives an event up after %v "+
		"(reorder.max_wait)", r.Config.Reorder.MaxWait)
	if r.Config.Reorder.MaxWait == 0 {
		fix = "check the publishers of these tables, or set reorder.max_wait: ingest gives no event up"
	}
	var tables []string
	for i := range waiting {
		w := &waiting[i]
		tables = append(tables, fmt.Sprintf("%s/%s for event %d since %s, %s", w.PropertyID, w.TableID, w.Missing,
			w.Since.UTC().Format(time.DateTime), count(int(w.Events), "event waits", "events wait")))
	}
	r.add("feeds", Warn, fix, "%s: %s", count(len(waiting), "table waits", "tables wait"), some(tables))
}

// clock compares the clocks of log lines, certificates and the journal. Findings use the tables' clocks.
func (r *run) clock() {
	const fix = "synchronize both clocks by NTP"
	off := r.ahead.Abs().Round(time.Millisecond)
	switch {
	case off >= time.Minute:
		r.add("clock", Fail, fix, "the clocks of ClickHouse and of this machine differ by %v", off)
	case off >= time.Second:
		r.add("clock", Warn, fix, "the clocks of ClickHouse and of this machine differ by %v", off)
	default:
		r.add("clock", OK, "", "the clocks of ClickHouse and of this machine differ by %v", off)
	}
}

func (r *run) grants(ctx context.Context, store *clickhouse.Store, layout migrations.Layout) {
	user := r.Config.ClickHouse.User
	roles, err := layout.Roles()
	if err != nil {
		r.fail("grants", err, "")
		return
	}
	role := roles[slices.IndexFunc(roles, func(x migrations.Role) bool { return x.Name == r.Role })]
	never := neverGranted(layout, role.Name)
	has, err := store.Has(ctx, role.Grants)
	if err == nil {
		var more map[string]bool
		more, err = store.Has(ctx, never)
		maps.Copy(has, more)
	}
	switch {
	case errors.Is(err, clickhouse.ErrCannotTell):
		r.add("grants", Warn, "compare SHOW GRANTS with audit grants", "this server does not support the query: %v", err)
		return
	case err != nil:
		r.fail("grants", err, "")
		return
	}
	var missing, excess []string
	for _, g := range role.Grants {
		if !has[g] {
			missing = append(missing, g)
		}
	}
	for _, g := range never {
		if has[g] {
			excess = append(excess, g)
		}
	}
	fix := "run the statements of audit grants and grant the user role " + layout.Database + "_" + role.Name
	switch {
	case len(missing) > 0:
		r.add("grants", Fail, fix, "user %q lacks %s of role %s: %s", user, count(len(missing), "right", "rights"), role.Name,
			some(missing))
	case len(excess) > 0:
		r.add("grants", Warn, fix, "user %q has all rights of role %s and more than it needs: %s", user, role.Name,
			some(excess))
	default:
		r.add("grants", OK, "", "user %q has the rights of role %s and none to delete or change rows", user, role.Name)
	}
}

// neverGranted returns rights that delete, change or read what a role must not, on all tables or on one of evidence.
func neverGranted(layout migrations.Layout, role string) []string {
	var never []string
	if role == "reader" || role == "console" {
		never = append(never, "SELECT ON "+layout.Database+".events")
	}
	for _, on := range []string{
		layout.Database + ".*", layout.StoredName("events"), layout.StoredName("findings"), layout.StoredName("console_log"),
		layout.StoredName("finding_actions"), layout.StoredName("journal"), layout.StoredName("legal_holds"),
	} {
		for _, right := range []string{
			"DROP TABLE", "TRUNCATE", "ALTER UPDATE", "ALTER TTL", "ALTER DROP COLUMN", "ALTER DELETE", "ALTER ADD COLUMN",
		} {
			deletes := role == "retention" && right == "ALTER DELETE" &&
				(on == layout.StoredName("events") || on == layout.StoredName("findings"))
			if !deletes && (role != "migrator" || right != "ALTER ADD COLUMN") {
				never = append(never, right+" ON "+on)
			}
		}
	}
	return append(never, "ACCESS MANAGEMENT ON *.*")
}

// some lists the first strings of a list and the number of the others.
func some(list []string) string {
	const limit = 3
	if len(list) > limit {
		return strings.Join(list[:limit], ", ") + fmt.Sprintf(" and %d more", len(list)-limit)
	}
	return strings.Join(list, ", ")
}

func count(n int, one, many string) string {
	if n == 1 {
		return fmt.Sprintf("1 %s", one)
	}
	return fmt.Sprintf("%d %s", n, many)
}
