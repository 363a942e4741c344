package store

import "context"

// View is a filter of the queue that a person saved under a name.
type View struct {
	Name  string `ch:"name"`
	Query string `ch:"query"` // of the URL of the queue
}

// Actions of the console log about saved views: the object is the name, the detail the query. The log is their record,
// so that a person has them in each browser and at each replica.
const (
	ViewSaved   = "view-save"
	ViewRemoved = "view-remove"
	// MaxViews is the number of saved views of a person.
	MaxViews = 50
)

// Views returns the saved views of a person by name.
func (s *Store) Views(ctx context.Context, who Who) ([]View, error) {
	w := (&where{}).and(`property_id = '' AND action IN {actions:Array(String)}
		AND issuer = {issuer:String} AND subject = {subject:String}`,
		"actions", []string{ViewSaved, ViewRemoved}, "issuer", who.Issuer, "subject", who.Subject)
	return read[View](ctx, s, "saved views", `SELECT object AS name, argMax(detail, at) AS query FROM {{console_log}}
		WHERE `+w.String()+` GROUP BY object HAVING argMax(action, at) = '`+ViewSaved+`' ORDER BY name LIMIT 50`, w)
}
