package finding

import "fmt"

// Severity is the weight of a finding, in ascending order.
type Severity uint8

// Severities.
const (
	Info Severity = iota
	Minor
	Major
	Critical
)

// severities are all severities in ascending order.
func severities() []Severity { return []Severity{Info, Minor, Major, Critical} }

func (s Severity) String() string {
	switch s {
	case Info:
		return "info"
	case Minor:
		return "minor"
	case Major:
		return "major"
	case Critical:
		return "critical"
	}
	return "unknown"
}

// ParseSeverity reads the word of a severity.
func ParseSeverity(word string) (Severity, bool) {
	for _, s := range severities() {
		if s.String() == word {
			return s, true
		}
	}
	return 0, false
}

// MarshalText is the word of the severity.
func (s Severity) MarshalText() ([]byte, error) { return []byte(s.String()), nil }

// UnmarshalText reads the word of a severity.
func (s *Severity) UnmarshalText(word []byte) error {
	parsed, ok := ParseSeverity(string(word))
	if !ok {
		return fmt.Errorf("severity %q: want info, minor, major or critical", word)
	}
	*s = parsed
	return nil
}
