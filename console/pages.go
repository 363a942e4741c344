package console

import (
	"net/url"
	"slices"
	"strings"

	"github.com/shoeproof/shoeproof/console/store"
	"github.com/shoeproof/shoeproof/rules"
)

// search redirects to the finding or table that the text names, or to the open findings that contain the text.
func search(c *Console, x *exchange) error {
	const maxText, idLength = 200, 32
	q := strings.TrimSpace(x.r.FormValue("q"))
	if len(q) > maxText {
		return badRequest("The search text is limited to %d characters.", maxText)
	}
	if len(q) == idLength {
		if f, err := c.Store.Finding(x.r.Context(), x.scope(), q); err == nil {
			return x.redirect("/findings/" + url.PathEscape(f.ID))
		}
	}
	tiles, err := c.Store.Floor(x.r.Context(), x.scope(), store.Location{})
	if err != nil {
		return err
	}
	for i := range tiles {
		if t := &tiles[i]; strings.EqualFold(t.TableID, q) {
			return x.redirect(pathOf("tables", t.PropertyID, t.TableID))
		}
	}
	return x.redirect("/queue?q=" + url.QueryEscape(q))
}

func rulesPage(_ *Console, x *exchange) error {
	return x.page("rules", "Rules", map[string]any{"Rules": rules.All()})
}

func logPage(c *Console, x *exchange) error {
	actor, action := x.r.FormValue("actor"), x.r.FormValue("action")
	scope := x.scope()
	scope.Properties = append(slices.Clone(scope.Properties), "") // entries without a property, such as a sign-in
	entries, err := c.Store.Entries(x.r.Context(), scope, actor, action)
	if err != nil {
		return err
	}
	return x.page("log", "Console log", map[string]any{"Entries": entries, "Actor": actor, "Action": action})
}

func helpPage(_ *Console, x *exchange) error {
	return x.page("help", "Help", map[string]any{"Roles": roles()})
}
