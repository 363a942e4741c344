package detectors

// All are the detectors in the order of their ids.
func All() []*Detector { return []*Detector{d07} }

// Live are those that run in the stream, Stored those that run over stored facts.
func Live() []*Detector { return only(true) }

// Stored are those that run over stored facts.
func Stored() []*Detector { return only(false) }

func only(live bool) []*Detector {
	var list []*Detector
	for _, d := range All() {
		if d.Live == live {
			list = append(list, d)
		}
	}
	return list
}
