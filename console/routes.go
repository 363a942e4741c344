package console

// route is one entry of the list of routes. Nothing else is served.
type route struct {
	method, path string
	needs        Permission
	// public routes need no identity.
	public bool
	// api routes serve JSON and report errors as JSON.
	api   bool
	serve func(*Console, *exchange) error
}

func routes() []route {
	return append(append(pageRoutes(), publicRoutes()...), apiRoutes()...)
}

func pageRoutes() []route {
	return []route{
		{method: "GET", path: "/{$}", needs: See, serve: func(_ *Console, x *exchange) error { return x.redirect("/queue") }},
		{method: "GET", path: "/queue", needs: See, serve: queuePage},
		{method: "POST", path: "/triage", needs: Triage, serve: triage},
		{method: "GET", path: "/findings/{id}", needs: See, serve: findingPage},
		{method: "GET", path: "/findings/{id}/events", needs: Unmask, serve: rawPage},
		{method: "GET", path: "/floor", needs: See, serve: floorPage},
		{method: "GET", path: "/tables/{property}/{table}", needs: See, serve: tablePage},
		{method: "GET", path: "/shoes/{property}/{table}/{shoe}", needs: See, serve: shoePage},
		{method: "POST", path: "/replay", needs: See, serve: replayPage},
		{method: "GET", path: "/dealers", needs: See, serve: dealersPage},
		{method: "GET", path: "/dealers/{property}/{dealer}", needs: See, serve: dealerPage},
		{method: "GET", path: "/patrons/{property}/{patron}", needs: See, serve: patronPage},
		{method: "GET", path: "/silences", needs: See, serve: silencesPage},
		{method: "POST", path: "/silences", needs: Supervise, serve: addSilence},
		{method: "POST", path: "/silences/lift", needs: Supervise, serve: liftSilence},
		// The former names of the same pages.
		{method: "GET", path: "/shelves", needs: See, serve: silencesPage},
		{method: "POST", path: "/shelves", needs: Supervise, serve: addSilence},
		{method: "POST", path: "/shelves/lift", needs: Supervise, serve: liftSilence},
		{method: "GET", path: "/handover", needs: See, serve: handoverPage},
		{method: "POST", path: "/handover", needs: HandOver, serve: handOver},
		{method: "GET", path: "/rates", needs: See, serve: ratesPage},
		{method: "GET", path: "/search", needs: See, serve: search},
		{method: "GET", path: "/rules", needs: See, serve: rulesPage},
		{method: "GET", path: "/log", needs: ReadLog, serve: logPage},
		{method: "GET", path: "/exports", needs: Export, serve: exportsPage},
		{method: "GET", path: "/exports/findings.csv", needs: Export, serve: findingsCSV},
		{method: "GET", path: "/exports/surveillance-log.csv", needs: Export, serve: surveillanceLog},
		{method: "GET", path: "/exports/bundles/{property}/{name}", needs: Export, serve: download},
		{method: "POST", path: "/exports/verify", needs: Export, serve: verify},
		{method: "GET", path: "/help", needs: See, serve: helpPage},
		{method: "GET", path: "/live", needs: See, serve: liveStream},
		{method: "POST", path: "/sign-out", needs: See, serve: signOut},
	}
}

func publicRoutes() []route {
	return []route{
		{method: "GET", path: "/sign-in", public: true, serve: signInPage},
		{method: "POST", path: "/sign-in", public: true, serve: signIn},
		{method: "GET", path: "/sign-in/oidc", public: true, serve: oidcStart},
		{method: "GET", path: "/sign-in/oidc/callback", public: true, serve: oidcCallback},
		{method: "POST", path: "/look", public: true, serve: setTheme},
		{method: "GET", path: "/static/{file}", public: true, serve: staticFile},
		{method: "POST", path: "/csp-report", public: true, serve: cspReport},
		{method: "GET", path: "/healthz", public: true, serve: func(_ *Console, x *exchange) error { return x.text("ok") }},
		{method: "GET", path: "/readyz", public: true, serve: ready},
	}
}

func apiRoutes() []route {
	const shoe = "/api/v1/shoes/{property}/{table}/{shoe}"
	return []route{
		{method: "GET", path: "/api/v1/openapi.json", needs: See, api: true, serve: openAPI},
		{method: "GET", path: "/api/v1/queue", needs: See, api: true, serve: apiQueue},
		{method: "GET", path: "/api/v1/findings", needs: See, api: true, serve: apiFindings},
		{method: "GET", path: "/api/v1/findings/{id}", needs: See, api: true, serve: apiFinding},
		{method: "POST", path: "/api/v1/findings/{id}/steps", needs: Triage, api: true, serve: apiTriage},
		{method: "GET", path: "/api/v1/floor", needs: See, api: true, serve: apiFloor},
		{method: "GET", path: shoe, needs: See, api: true, serve: apiShoe},
		{method: "POST", path: shoe + "/replay", needs: See, api: true, serve: apiReplay},
		{method: "GET", path: "/api/v1/dealers", needs: See, api: true, serve: apiDealers},
	}
}
