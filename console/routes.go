package console

import (
	"context"
	"time"

	"github.com/shoeproof/shoeproof/console/store"
)

// route is one entry of the list of routes. Nothing else is served.
type route struct {
	method, path string
	needs        permission
	// public routes need no identity.
	public bool
	// api routes serve JSON and report errors as JSON.
	api bool
	// kiosk routes serve a screen with a grant of a kiosk; no other does.
	kiosk bool
	// probe routes have no limit of requests.
	probe bool
	// within is how long a request may take, 0 for answerWithin.
	within time.Duration
	// query are the parameters of a page. Operations has the parameters of the API.
	query string
	serve func(*Console, *exchange) error
}

// anyQuery is the query of a page that checks its parameters itself, or only redirects.
const anyQuery = "*"

const (
	// answerWithin is for all statements of a request together. A user waits no longer.
	answerWithin = store.AnswerWithin
	// longWithin leaves time for the answer before the server closes the connection after 60 s.
	longWithin = 50 * time.Second
	// ownLimit is of a route that sets the deadline of its answer itself.
	ownLimit time.Duration = -1
)

// bounded returns a context that ends when the time of a request is over.
func (rt *route) bounded(ctx context.Context) (context.Context, context.CancelFunc) {
	switch rt.within {
	case ownLimit:
		return ctx, func() {}
	case 0:
		return context.WithTimeout(ctx, answerWithin)
	}
	return context.WithTimeout(ctx, rt.within)
}

func routes() []route {
	return append(append(pageRoutes(), publicRoutes()...), apiRoutes()...)
}

func pageRoutes() []route {
	return append(caseRoutes(), []route{
		{method: "GET", path: "/{$}", needs: permSee, kiosk: true, query: anyQuery, serve: home},
		{method: "GET", path: "/queue", needs: permSee, query: anyQuery, serve: queuePage},
		{method: "POST", path: "/views", needs: permSee, serve: saveView},
		{method: "POST", path: "/views/remove", needs: permSee, serve: removeView},
		{method: "POST", path: "/triage", needs: permTriage, serve: triage},
		{method: "GET", path: "/findings/{id}", needs: permSee, serve: findingPage},
		{method: "GET", path: "/findings/{id}/events", needs: permUnmask, serve: rawPage},
		{method: "GET", path: "/exceptions/{property}/{day}", needs: permSee, query: "after", serve: exceptionsPage},
		{method: "GET", path: "/floor", needs: permSee, kiosk: true, query: "property wall", serve: floorPage},
		{method: "GET", path: "/tables/{property}/{table}", needs: permSee, query: "day", serve: tablePage},
		{method: "GET", path: "/shoes/{property}/{table}/{shoe}", needs: permSee, serve: shoePage},
		{method: "GET", path: "/rounds/{property}/{table}/{shoe}/{round}", needs: permSee, serve: roundPage},
		{method: "GET", path: "/rounds/{property}/{table}/{shoe}/{round}/events", needs: permUnmask, serve: rawRoundPage},
		{method: "POST", path: "/replay", needs: permSee, within: longWithin, serve: replayPage},
		{method: "GET", path: "/dealers", needs: permSee, query: "days", serve: dealersPage},
		{method: "GET", path: "/dealers/{property}/{dealer}", needs: permSee, query: "days", serve: dealerPage},
		{method: "GET", path: "/patrons/{property}/{patron}", needs: permSee, serve: patronPage},
		{method: "GET", path: "/silences", needs: permSee, query: "rule table property", serve: silencesPage},
		{method: "POST", path: "/silences", needs: permSupervise, serve: addSilence},
		{method: "POST", path: "/silences/lift", needs: permSupervise, serve: liftSilence},
		// The former names of the same pages.
		{method: "GET", path: "/shelves", needs: permSee, query: "rule table property", serve: silencesPage},
		{method: "POST", path: "/shelves", needs: permSupervise, serve: addSilence},
		{method: "POST", path: "/shelves/lift", needs: permSupervise, serve: liftSilence},
		{method: "GET", path: "/handover", needs: permSee, serve: handoverPage},
		{method: "POST", path: "/handover", needs: permHandOver, serve: handOver},
		{method: "GET", path: "/handovers/{property}/{id}", needs: permSee, serve: signedPage},
		{method: "POST", path: "/handovers/{property}/{id}", needs: permHandOver, serve: acceptHandover},
		{method: "GET", path: "/rates", needs: permSee, serve: ratesPage},
		{method: "GET", path: "/search", needs: permSee, query: "q list", serve: searchPage},
		{method: "GET", path: "/rules", needs: permSee, serve: rulesPage},
		{method: "GET", path: "/log", needs: permReadLog, query: logParameters, serve: logPage},
		{method: "GET", path: "/log.csv", needs: permReadLog, query: logParameters, within: longWithin, serve: logCSV},
		{method: "GET", path: "/account", needs: permSee, serve: accountPage},
		{method: "POST", path: "/account/end", needs: permSee, serve: endOwn},
		{method: "GET", path: "/sessions", needs: permSessions, serve: sessionsPage},
		{method: "POST", path: "/sessions/end", needs: permSessions, serve: endSession},
		{method: "GET", path: "/notifications", needs: permNotify, serve: notificationsPage},
		{method: "POST", path: "/notifications/test", needs: permNotify, serve: testChannel},
		{method: "POST", path: "/notifications/retry", needs: permNotify, serve: retryDead},
		{method: "POST", path: "/kiosks", needs: permSessions, serve: issueKiosk},
		{method: "POST", path: "/kiosks/revoke", needs: permSessions, serve: revokeKiosk},
		{method: "GET", path: "/day", needs: permExport, query: "property day", serve: dayPage},
		{method: "GET", path: "/exports", needs: permExport, serve: exportsPage},
		{
			method: "GET", path: "/exports/findings.csv", needs: permExport, query: anyQuery, within: longWithin,
			serve: findingsCSV,
		},
		{
			method: "GET", path: "/exports/surveillance-log.csv", needs: permExport, query: "property day shift",
			within: longWithin, serve: surveillanceLog,
		},
		{method: "GET", path: "/exports/bundles/{property}/{name}", needs: permExport, within: ownLimit, serve: download},
		{method: "POST", path: "/exports/verify", needs: permExport, within: ownLimit, serve: verify},
		{method: "GET", path: "/help", needs: permSee, serve: helpPage},
		{method: "GET", path: "/live", needs: permSee, kiosk: true, query: "after", within: ownLimit, serve: liveStream},
		{method: "POST", path: "/sign-out", needs: permSee, serve: signOut},
	}...)
}

func caseRoutes() []route {
	return []route{
		{method: "GET", path: "/cases", needs: permReadCases, serve: casesPage},
		{method: "POST", path: "/cases", needs: permCases, serve: openCase},
		{method: "POST", path: "/cases/add", needs: permCases, serve: addFindingToCase},
		{method: "GET", path: "/cases/{property}/{id}", needs: permReadCases, serve: casePage},
		{method: "POST", path: "/cases/{property}/{id}", needs: permCases, serve: changeCase},
		{method: "POST", path: "/cases/{property}/{id}/files", needs: permCases, within: longWithin, serve: attach},
		{
			method: "GET", path: "/cases/{property}/{id}/files/{sha256}", needs: permReadCases, within: longWithin,
			serve: attachment,
		},
	}
}

func publicRoutes() []route {
	return []route{
		{method: "GET", path: "/sign-in", public: true, serve: signInPage},
		{method: "POST", path: "/sign-in", public: true, serve: signIn},
		{method: "GET", path: "/kiosk", public: true, serve: kioskPage},
		{method: "POST", path: "/kiosk", public: true, serve: enrol},
		{method: "GET", path: "/sign-in/oidc", public: true, within: longWithin, serve: oidcStart},
		{method: "GET", path: "/sign-in/oidc/callback", public: true, within: longWithin, serve: oidcCallback},
		{method: "POST", path: "/look", public: true, serve: setTheme},
		{method: "GET", path: "/static/{file}", public: true, serve: staticFile},
		{method: "POST", path: "/csp-report", public: true, serve: cspReport},
		{method: "GET", path: "/healthz", public: true, probe: true, serve: healthy},
		{method: "GET", path: "/readyz", public: true, probe: true, serve: ready},
	}
}

func apiRoutes() []route {
	const shoe, aRound = "/api/v1/shoes/{property}/{table}/{shoe}", "/api/v1/rounds/{property}/{table}/{shoe}/{round}"
	return []route{
		{method: "GET", path: "/api/v1/openapi.json", public: true, api: true, serve: openAPI},
		{method: "GET", path: "/api/v1/queue", needs: permSee, api: true, serve: apiQueue},
		{method: "GET", path: "/api/v1/findings", needs: permSee, api: true, serve: apiFindings},
		{method: "GET", path: "/api/v1/findings/{id}", needs: permSee, api: true, serve: apiFinding},
		{method: "POST", path: "/api/v1/findings/{id}/steps", needs: permTriage, api: true, serve: apiTriage},
		{method: "GET", path: "/api/v1/floor", needs: permSee, api: true, serve: apiFloor},
		{method: "GET", path: shoe, needs: permSee, api: true, serve: apiShoe},
		{method: "POST", path: shoe + "/replay", needs: permSee, api: true, within: longWithin, serve: apiReplay},
		{method: "GET", path: aRound, needs: permSee, api: true, serve: apiRound},
		{method: "GET", path: "/api/v1/rounds", needs: permSee, api: true, serve: apiRounds},
		{method: "GET", path: "/api/v1/patrons/{property}/{patron}", needs: permSee, api: true, serve: apiPatron},
		{method: "GET", path: "/api/v1/silences", needs: permSee, api: true, serve: apiSilences},
		{method: "POST", path: "/api/v1/silences", needs: permSupervise, api: true, serve: apiSilence},
		{method: "POST", path: "/api/v1/silences/{id}/lift", needs: permSupervise, api: true, serve: apiLift},
		{method: "GET", path: "/api/v1/log", needs: permReadLog, api: true, serve: apiLog},
		{method: "GET", path: "/api/v1/dealers", needs: permSee, api: true, serve: apiDealers},
	}
}
