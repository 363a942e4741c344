package migrations

import (
	"fmt"
	"slices"
	"strings"
)

// A Role is the set of rights of one kind of user.
type Role struct {
	Name string // writer, reader, console, archive, auditor, migrator or retention
	For  string // the program or person that uses it
	// ReadOnly users change only the limits of their queries.
	ReadOnly bool
	// Grants are in the notation of GRANT: INSERT ON shoeproof.events.
	Grants []string
}

// The tables by writer. A test compares the lists with the tables of the migrations.
var (
	// streamed are the tables that ingest fills, nightly the tables of the nightly audit, triaged the tables that
	// people fill at the console.
	streamed = []string{
		"events", "rounds", "wagers", "vigorish", "shoes", "table_configs", "notices", "table_memory", "evidence",
		"findings", "open_findings", "journal", "dead_letters", "feeds", "dealer_rounds", "dealer_findings", "waiting",
	}
	nightly = []string{
		"evidence", "findings", "open_findings", "dealer_findings", "audit_runs", "exports", "run_lines",
		"leases", "legal_holds", "watch_state", "withdrawals", "console_log",
	}
	// filled are the tables that audit migrate fills, or that a view which it creates fills; expiring are the tables of
	// which audit retention deletes old rows.
	filled   = []string{"schema_migrations", "leases", "open_findings", "feeds", "dealer_rounds", "dealer_findings"}
	expiring = []string{
		"events", "rounds", "wagers", "vigorish", "shoes", "evidence", "findings", "audit_runs", "exports",
	}
	triaged = []string{
		"open_findings", "finding_actions", "exports", "shelves", "handovers", "console_log", "case_steps", "leases",
	}
	// moved are the names of a table that a migration sorted again.
	moved = []string{"evidence", "evidence_by_day"}
	// naming are the tables whose rows may name patrons, with their columns that cannot.
	naming = map[string]string{
		"events": "", "table_memory": "", "case_steps": "", "dead_letters": "topic, partition, offset, place, reason",
	}
)

// limited roles have the limits of queries.
func (r *Role) limited() bool { return r.ReadOnly || r.Name == "console" }

// Roles returns the roles of a database, from ingest to the upgrade.
func (l Layout) Roles() ([]Role, error) {
	tables, views, err := l.made()
	if err != nil {
		return nil, err
	}
	insert := l.each("INSERT", streamed...)
	// The views that fill open_findings, feeds and the dealers' tables read inserted rows with the rights of the
	// inserter. An import of files finds events that are stored already, by their topic.
	insert = append(insert, l.each("SELECT", "schema_migrations", "journal", "table_memory", "findings", "waiting")...)
	insert = append(insert, l.each("SELECT(property_id, pit_id, table_id, seq, at, shoe_id, round, kind, topic)",
		"events")...)
	insert = append(insert, l.each("SELECT(property_id, dealer_id, gaming_day, table_id, shoe_id, round, at)",
		"rounds")...)
	// The command doctor lists statements that deleted or changed rows, and compares the definitions of all tables.
	const mutations = "SELECT(database, table, command, create_time) ON system.mutations"
	definitions := "SHOW TABLES, SHOW COLUMNS ON " + l.Database + ".*"
	insert = append(insert, "SELECT ON "+l.Name("v_progress"), mutations, definitions)
	var read, masked []string
	for _, t := range tables {
		read = append(read, l.each("SELECT", t)...)
		if columns, named := naming[t]; !named {
			masked = append(masked, l.each("SELECT", t)...)
		} else if columns != "" {
			masked = append(masked, l.each("SELECT("+columns+")", t)...)
		}
	}
	for _, v := range views {
		read = append(read, "SELECT ON "+l.Name(v))
		if columns, named := naming[strings.TrimPrefix(v, "v_")]; !named {
			masked = append(masked, "SELECT ON "+l.Name(v))
		} else if columns != "" {
			masked = append(masked, "SELECT("+columns+") ON "+l.Name(v))
		}
	}
	return []Role{
		{"writer", "ingest", false, insert},
		{"reader", "dashboards, and who only looks: nothing that names patrons", true, masked},
		{"console", "the console: what a reader may, and what people decide about findings", false, slices.Concat(masked,
			l.each("SELECT", "case_steps"), l.each("INSERT", triaged...))},
		{
			"archive",
			"the console's second user, for evidence and replays: events, which name patrons, and nothing else", true,
			append(l.each("SELECT", "schema_migrations", "events"), "SELECT ON "+l.Name("v_events")),
		},
		{"auditor", "the nightly audit and exports: also the archive, which names patrons", false, slices.Concat(read,
			l.each("INSERT", nightly...), []string{mutations, definitions})},
		{"migrator", "audit migrate", false, l.migrator()},
		{"retention", "audit retention: deletes old records", false, l.retention()},
	}, nil
}

// migrator returns the grants of statements of the migrations, which add and fill. They delete and change no stored
// row: the content of two columns was compressed in another way, and a table was sorted again; each has a grant of its
// own.
func (l Layout) migrator() []string {
	grants := []string{
		"SELECT, ALTER ADD COLUMN, ALTER ORDER BY, ALTER ADD INDEX, ALTER MATERIALIZE INDEX, ALTER ADD PROJECTION, " +
			"ALTER DROP PROJECTION, ALTER MATERIALIZE PROJECTION, ALTER SETTINGS, ALTER VIEW MODIFY QUERY, " +
			"ALTER COMMENT COLUMN, ALTER MODIFY COMMENT, " +
			"CREATE DATABASE, CREATE TABLE, CREATE VIEW, DROP VIEW, SHOW TABLES, SHOW COLUMNS ON " + l.Database + ".*",
	}
	grants = append(grants, l.each("INSERT", slices.Concat(filled, moved)...)...)
	grants = append(grants, l.each("DROP TABLE", moved...)...)
	grants = append(grants, l.each("ALTER MODIFY COLUMN(raw)", "events")...)
	grants = append(grants, l.each("ALTER MODIFY COLUMN(memory)", "table_memory")...)
	engines := []string{"MergeTree", "ReplacingMergeTree", "AggregatingMergeTree"}
	if l.replicated() {
		engines = []string{"ReplicatedMergeTree", "ReplicatedReplacingMergeTree", "ReplicatedAggregatingMergeTree"}
	}
	if l.Cluster != "" {
		engines = append(engines, "Distributed")
		grants = append(grants, "CLUSTER ON *.*", "REMOTE ON *.*")
	}
	for _, e := range engines {
		grants = append(grants, "TABLE ENGINE ON "+e)
	}
	return grants
}

// retention returns the grants of audit retention. It reads no record that names patrons: months are listed by the
// server's parts.
func (l Layout) retention() []string {
	grants := l.each("SELECT", "schema_migrations", "legal_holds", "leases", "audit_runs", "exports")
	grants = append(grants, l.each("INSERT", "leases")...)
	for _, t := range expiring {
		grants = append(grants, "ALTER DELETE ON "+l.StoredName(t))
	}
	grants = append(grants, "SELECT(database, table, partition, rows, bytes_on_disk, active) ON system.parts")
	if l.Cluster != "" {
		grants = append(grants, "CLUSTER ON *.*", "REMOTE ON *.*")
	}
	return grants
}

// made returns the tables and views that the migrations create.
func (l Layout) made() (tables, views []string, err error) {
	journal, err := Journal()
	if err != nil {
		return nil, nil, err
	}
	all, err := All()
	if err != nil {
		return nil, nil, err
	}
	single := Layout{Database: l.Database}
	for _, m := range append([]Migration{journal}, all...) {
		statements, err := m.Statements(single)
		if err != nil {
			return nil, nil, err
		}
		for _, s := range statements {
			what, rest, ok := strings.Cut(s, " "+l.Database+".")
			switch name, _, _ := strings.Cut(rest, " "); {
			case !ok:
			case what == "CREATE TABLE IF NOT EXISTS" && !slices.Contains(tables, name):
				tables = append(tables, name)
			case what == "RENAME TABLE":
				tables = slices.DeleteFunc(tables, func(t string) bool { return t == name })
			case what == "CREATE VIEW IF NOT EXISTS" || what == "CREATE OR REPLACE VIEW":
				views = append(views, name)
			}
		}
	}
	slices.Sort(views)
	return tables, slices.Compact(views), nil
}

// each grants a right on tables, and in a cluster on the stored tables too.
func (l Layout) each(right string, tables ...string) []string {
	var grants []string
	for _, t := range tables {
		grants = append(grants, right+" ON "+l.Name(t))
		if l.Cluster != "" {
			grants = append(grants, right+" ON "+l.StoredName(t))
		}
	}
	return grants
}

// PruneFinal is a setting of ClickHouse. With 0, a query with FINAL reads the months of its condition on the time; the
// default reads all months (ClickHouse issue 104263). All rows of a key are of one month, because their time is that of
// an event. If another release dates a row into another month, such a query shows it twice.
const PruneFinal = "defer_partition_pruning_after_final"

// limits bound the queries of a reader and of the console: a screen that needs too much fails, and ingest does not. A
// query may set its own within the maximum; 0, which is no limit, is below the minimum. The driver sets the time of a
// query a little above its timeout.
var limits = []struct{ name, value, max string }{
	{"max_execution_time", "60", "120"},
	{"max_memory_usage", "4000000000", "4000000000"},
	{"max_result_rows", "10000000", "10000000"},
}

// RoleSQL returns the statements that create the roles and set their rights, whatever the rights were before. They
// need a user with access management and may run again after every upgrade.
func (l Layout) RoleSQL() (string, error) {
	roles, err := l.Roles()
	if err != nil {
		return "", err
	}
	var out strings.Builder
	fmt.Fprintf(&out, `-- Roles of database %[1]s. Give them to users of yours, and each user a password of its own:
--   CREATE USER ingest IDENTIFIED WITH sha256_password BY '...' DEFAULT ROLE %[1]s_writer;
--   GRANT %[1]s_writer TO ingest;
`, l.Database)
	for _, r := range roles {
		name := l.Database + "_" + r.Name
		fmt.Fprintf(&out, "\n-- %s\nCREATE ROLE IF NOT EXISTS %s%s;\nGRANT%s\n    %s\nTO %s WITH REPLACE OPTION;\n",
			r.For, name, l.onCluster(), l.onCluster(), strings.Join(r.Grants, ",\n    "), name)
		if r.limited() {
			var settings []string
			if r.ReadOnly { // Not 1: readonly = 1 refuses the timeout that a driver sets.
				settings = append(settings, "readonly = 2")
			}
			for _, s := range limits {
				settings = append(settings, s.name+" = "+s.value+" MIN 1 MAX "+s.max)
			}
			settings = append(settings, PruneFinal+" = 0")
			fmt.Fprintf(&out, "CREATE SETTINGS PROFILE IF NOT EXISTS %s%s;\nALTER SETTINGS PROFILE %[1]s%[2]s "+
				"SETTINGS %[3]s TO %[1]s;\n", name, l.onCluster(), strings.Join(settings, ", "))
		}
	}
	return out.String(), nil
}

// RoleXML returns a file for users.d of servers that take no SQL for users: one user per role, with the name of the
// role. The SHA-256 of the password is in an environment variable of the server.
func (l Layout) RoleXML() (string, error) {
	roles, err := l.Roles()
	if err != nil {
		return "", err
	}
	var out strings.Builder
	fmt.Fprintf(&out, "<!-- Users of database %s. The passwords' SHA-256, in hex, come from "+
		"the server's environment:\n"+
		"     %s and so on. Narrow <networks> to the hosts that need them. -->\n<clickhouse>\n<profiles>\n", l.Database,
		l.variable(roles[0].Name))
	for _, r := range roles {
		fmt.Fprintf(&out, "    <%s_%s>", l.Database, r.Name)
		if r.ReadOnly {
			out.WriteString("<readonly>2</readonly>")
		}
		if r.limited() {
			var constraints strings.Builder
			for _, s := range limits {
				fmt.Fprintf(&out, "<%s>%s</%[1]s>", s.name, s.value)
				fmt.Fprintf(&constraints, "<%s><min>1</min><max>%s</max></%[1]s>", s.name, s.max)
			}
			fmt.Fprintf(&out, "<%s>0</%[1]s><constraints>%s</constraints>", PruneFinal, constraints.String())
		}
		fmt.Fprintf(&out, "</%s_%s>\n", l.Database, r.Name)
	}
	out.WriteString("</profiles>\n<users>\n")
	for _, r := range roles {
		name := l.Database + "_" + r.Name
		fmt.Fprintf(&out, "    <%[1]s> <!-- %[2]s -->\n        <password_sha256_hex from_env=\"%[3]s\"/>\n"+
			"        <networks><ip>::/0</ip></networks><profile>%[1]s</profile><quota>default</quota>\n        "+
			"<grants>\n",
			name,
			r.For, l.variable(r.Name))
		for _, g := range r.Grants {
			fmt.Fprintf(&out, "            <query>GRANT %s</query>\n", g)
		}
		fmt.Fprintf(&out, "        </grants>\n    </%s>\n", name)
	}
	out.WriteString("</users>\n</clickhouse>\n")
	return out.String(), nil
}

func (l Layout) variable(role string) string {
	return strings.ToUpper(l.Database + "_" + role + "_sha256")
}
