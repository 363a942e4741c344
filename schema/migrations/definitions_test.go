package migrations

import "testing"

// The columns of a view follow its tables; its SELECT does not, nor do the columns of a table.
func TestCompareViews(t *testing.T) {
	const short, long = "\n(\n    `a` String\n)", "\n(\n    `a` String,\n    `b` String\n)"
	if c, differs := Compare("v", "CREATE VIEW d.v"+short+"\nAS SELECT *\nFROM d.t", "CREATE VIEW d.v"+long+
		"\nAS SELECT *\nFROM d.t"); differs {
		t.Errorf("a view with more columns: %v", c)
	}
	if _, differs := Compare("v", "CREATE VIEW d.v"+short+"\nAS SELECT *\nFROM d.t", "CREATE VIEW d.v"+short+
		"\nAS SELECT *\nFROM d.t\nWHERE a = ''"); !differs {
		t.Error("a view that hides rows is not found")
	}
	if _, differs := Compare("t", "CREATE TABLE d.t"+long+"\nENGINE = MergeTree", "CREATE TABLE d.t"+short+
		"\nENGINE = MergeTree"); !differs {
		t.Error("a dropped column is not found")
	}
}
