package rows

// CaseStep is a step of a case of the console: who added what. Its hash is in an entry of the console log.
type CaseStep struct {
	PropertyID string `column:"property_id,word"`
	CaseID     string `column:"case_id"`
	At         int64  `column:"at"` // microseconds UTC
	Actor      string `column:"actor,word"`
	Role       string `column:"role,word"`
	Issuer     string `column:"issuer,word"`
	Subject    string `column:"subject"`
	Action     string `column:"action,word"`
	FindingID  string `column:"finding_id"`
	Kind       string `column:"kind,word"`
	Name       string `column:"name"`
	Text       string `column:"text"`
	SHA256     string `column:"sha256"` // of the content of a file
	Hash       string `column:"hash"`
}

// Sum is the hash that the step must have.
func (s *CaseStep) Sum() string {
	return sumOf("case", []int64{s.At}, s.PropertyID, s.CaseID, s.Actor, s.Role, s.Issuer, s.Subject, s.Action,
		s.FindingID, s.Kind, s.Name, s.Text, s.SHA256)
}

// CaseAction precedes the action of a step in its entry of the console log, whose object is the case and whose detail
// begins with LogText.
const CaseAction = "case-"

// LogText is how an entry of the console log names the step.
func (s *CaseStep) LogText() string { return "sha256 " + s.Hash }
