package console

import (
	"slices"

	"github.com/shoeproof/shoeproof/rules"
)

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

// home redirects to the page at which the work of a role begins.
func home(_ *Console, x *exchange) error {
	switch {
	case x.user.May(permTriage):
		return x.redirect("/queue")
	case x.user.May(permExport):
		return x.redirect("/exports")
	case x.user.May(permReadLog):
		return x.redirect("/log")
	}
	return x.redirect("/floor")
}
