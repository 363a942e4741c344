package settings

// renamed is a setting with a new name. The old name of a setting, its flag and its variable are accepted for one
// release, with a warning.
type renamed struct{ Old, New string }

// renamedSettings is the table of old names. A release removes the entries of the release before.
func renamedSettings() []renamed {
	return []renamed{
		{"memory.idle", "snapshot.idle"},
		{"memory.offsets", "snapshot.offsets"},
	}
}

// renamed returns the setting under its old name, if it has one.
func (l *setting) renamed() (*setting, bool) {
	for _, r := range renamedSettings() {
		if r.New == l.key {
			return &setting{r.Old, "old name of " + r.New, l.field}, true
		}
	}
	return nil, false
}
