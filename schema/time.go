package schema

import "time"

// Time is Unix nanoseconds UTC. Its JSON is RFC 3339 with the fractional digits that it needs.
type Time int64

// MarshalJSON writes the time as a JSON string.
func (t Time) MarshalJSON() ([]byte, error) {
	return append(append([]byte{'"'}, t.String()...), '"'), nil
}

func (t Time) String() string {
	return time.Unix(0, int64(t)).UTC().Format("2006-01-02T15:04:05.999999999Z07:00")
}

// UnmarshalJSON is the inverse of MarshalJSON.
func (t *Time) UnmarshalJSON(data []byte) error {
	var at time.Time
	if err := at.UnmarshalJSON(data); err != nil {
		return err
	}
	*t = Time(at.UnixNano())
	return nil
}
