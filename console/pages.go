package console

import (
	"github.com/shoeproof/shoeproof/rules"
)

func rulesPage(_ *Console, x *exchange) error {
	return x.page("rules", "Rules", map[string]any{"Rules": rules.All()})
}

func helpPage(_ *Console, x *exchange) error {
	return x.page("help", "Help", map[string]any{"Roles": roles()})
}

// home redirects to the page at which the work of a role begins.
func home(_ *Console, x *exchange) error {
	switch {
	case x.user.Kiosk:
		return x.redirect("/floor?wall=1")
	case x.user.May(permTriage):
		return x.redirect("/queue")
	case x.user.May(permExport):
		return x.redirect("/day")
	case x.user.May(permReadLog):
		return x.redirect("/log")
	}
	return x.redirect("/floor")
}
