package console

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"mime"
	"net"
	"net/http"
	"net/url"
	"path"
	"strings"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"
	"golang.org/x/sync/singleflight"

	"github.com/shoeproof/shoeproof/console/store"
)

// route is one way in. The list of them is the only one: what is not on it does not answer.
type route struct {
	method, path string
	needs        Permission
	// public routes answer without an identity.
	public bool
	// api routes speak JSON and refuse with a status, not with a page.
	api   bool
	serve func(*Console, *exchange) error
}

func routes() []route {
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
		{method: "GET", path: "/shelves", needs: See, serve: shelvesPage},
		{method: "POST", path: "/shelves", needs: Supervise, serve: shelve},
		{method: "POST", path: "/shelves/lift", needs: Supervise, serve: lift},
		{method: "GET", path: "/handover", needs: See, serve: handoverPage},
		{method: "POST", path: "/handover", needs: HandOver, serve: handover},
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

		{method: "GET", path: "/sign-in", public: true, serve: signInPage},
		{method: "POST", path: "/sign-in", public: true, serve: signIn},
		{method: "GET", path: "/sign-in/oidc", public: true, serve: oidcStart},
		{method: "GET", path: "/sign-in/oidc/callback", public: true, serve: oidcCallback},
		{method: "POST", path: "/sign-out", needs: See, serve: signOut},
		{method: "POST", path: "/look", public: true, serve: look},
		{method: "GET", path: "/static/{file}", public: true, serve: staticFile},
		{method: "POST", path: "/csp-report", public: true, serve: cspReport},
		{method: "GET", path: "/healthz", public: true, serve: func(_ *Console, x *exchange) error { return x.text("ok") }},
		{method: "GET", path: "/readyz", public: true, serve: ready},

		{method: "GET", path: "/api/v1/openapi.json", needs: See, api: true, serve: openAPI},
		{method: "GET", path: "/api/v1/queue", needs: See, api: true, serve: apiQueue},
		{method: "GET", path: "/api/v1/findings", needs: See, api: true, serve: apiFindings},
		{method: "GET", path: "/api/v1/findings/{id}", needs: See, api: true, serve: apiFinding},
		{method: "POST", path: "/api/v1/findings/{id}/steps", needs: Triage, api: true, serve: apiStep},
		{method: "GET", path: "/api/v1/floor", needs: See, api: true, serve: apiFloor},
		{method: "GET", path: "/api/v1/shoes/{property}/{table}/{shoe}", needs: See, api: true, serve: apiShoe},
		{method: "POST", path: "/api/v1/shoes/{property}/{table}/{shoe}/replay", needs: See, api: true, serve: apiReplay},
		{method: "GET", path: "/api/v1/dealers", needs: See, api: true, serve: apiDealers},
	}
}

// exchange is one request and its answer.
type exchange struct {
	c     *Console
	w     http.ResponseWriter
	r     *http.Request
	who   *Identity
	route route
}

var (
	errWho       = errors.New("who you are was not accepted")
	errForbidden = errors.New("your role does not include this")
	errTooMany   = errors.New("too many attempts, wait a minute")
	errNoPage    = fmt.Errorf("no such page: %w", store.ErrNone)
)

// requestError is a request that no one can answer as it stands.
type requestError string

func (e requestError) Error() string { return string(e) }

func badRequest(layout string, args ...any) error { return requestError(fmt.Sprintf(layout, args...)) }

func (c *Console) serve(rt route) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		x := &exchange{c: c, w: w, r: r, route: rt, who: c.who(r)}
		if err := x.answer(); err != nil {
			x.refuse(err)
		}
	})
}

func (x *exchange) answer() error {
	switch {
	case x.route.public:
	case x.who == nil:
		return errWho
	case !x.who.May(x.route.needs):
		x.log("", "refused", x.r.URL.Path, string(x.route.needs))
		return errForbidden
	}
	if x.r.Method == http.MethodPost && x.route.path != "/csp-report" && !x.route.api {
		if err := x.r.ParseForm(); err != nil {
			return badRequest("this form cannot be read")
		}
	}
	return x.route.serve(x.c, x)
}

// refuse says why there is no answer; what went wrong on our side is said in the log alone.
func (x *exchange) refuse(err error) {
	if x.r.Context().Err() != nil {
		return
	}
	status, text := http.StatusInternalServerError, "Something failed here. It is in the console's log."
	var bad requestError
	switch {
	case errors.Is(err, errWho):
		status, text = http.StatusUnauthorized, "Sign in first."
		if !x.route.api && !x.route.public && x.r.Method == http.MethodGet && x.c.SignIn != ByProxy && x.r.Header.Get("Authorization") == "" &&
			strings.Contains(x.r.Header.Get("Accept"), "text/html") {
			http.Redirect(x.w, x.r, "/sign-in?next="+url.QueryEscape(x.r.URL.RequestURI()), http.StatusSeeOther)
			return
		}
		if x.route.public {
			text = "Who you are was not accepted."
			x.c.Hooks.SignInRefused(x.c.SignIn)
			x.c.Log.Warn("a sign-in was refused", "error", err, "remote", x.r.RemoteAddr)
		}
	case errors.Is(err, errForbidden):
		status, text = http.StatusForbidden, "Your role does not include this."
	case errors.Is(err, errTooMany):
		status, text = http.StatusTooManyRequests, "Too many attempts. Wait a minute."
		if strings.HasPrefix(x.route.path, "/sign-in") {
			x.c.Hooks.SignInRefused(x.c.SignIn)
		}
	case errors.Is(err, store.ErrNone):
		status, text = http.StatusNotFound, "There is no such thing, or it is not yours to see."
	case errors.Is(err, store.ErrNoArchive):
		status, text = http.StatusNotImplemented, "This console may not read the archive: see console.archive.user."
		x.c.Log.Warn("a request needs the archive", "path", x.r.URL.Path, "error", err)
	case errors.Is(err, store.ErrStep):
		status, text = http.StatusConflict, strings.ToUpper(err.Error()[:1])+err.Error()[1:]+"."
	case errors.As(err, &bad):
		status, text = http.StatusBadRequest, bad.Error()
	default:
		x.c.Log.Error("a request failed", "path", x.r.URL.Path, "error", err)
	}
	if x.route.api {
		x.w.Header().Set("Content-Type", "application/json")
		x.w.WriteHeader(status)
		_ = json.NewEncoder(x.w).Encode(map[string]string{"error": text})
		return
	}
	x.w.Header().Set("Content-Type", "text/html; charset=utf-8")
	if err := x.render(status, "error", http.StatusText(status), map[string]any{"Status": status, "Text": text}); err != nil {
		x.c.Log.Error("a page failed", "error", err)
	}
}

// view is what every page shows around itself.
type view struct {
	Title, Page string
	Who         *Identity
	Mode        string
	Path, Here  string // Here with the query
	Now         time.Time
	Light       bool
	Version     string
	Data        any
}

// May is for templates.
func (v *view) May(p string) bool { return v.Who != nil && v.Who.May(Permission(p)) }

func (x *exchange) page(name, title string, data any) error {
	return x.render(http.StatusOK, name, title, data)
}

func (x *exchange) render(status int, name, title string, data any) error {
	v := &view{
		Title: title, Page: name, Who: x.who, Mode: x.c.SignIn, Path: x.r.URL.Path, Here: x.r.URL.RequestURI(), Now: x.c.Now(), Version: x.c.Version, Data: data,
	}
	if cookie, err := x.r.Cookie("look"); err == nil && cookie.Value == "light" {
		v.Light = true
	}
	var out bytes.Buffer
	if err := x.c.pages[name].ExecuteTemplate(&out, "base", v); err != nil {
		return fmt.Errorf("page %s: %w", name, err)
	}
	x.w.Header().Set("Content-Type", "text/html; charset=utf-8")
	x.w.WriteHeader(status)
	_, _ = out.WriteTo(x.w) // whoever asked is gone
	return nil
}

func (x *exchange) redirect(to string) error {
	http.Redirect(x.w, x.r, to, http.StatusSeeOther)
	return nil
}

func (x *exchange) text(s string) error {
	x.w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	_, _ = fmt.Fprintln(x.w, s)
	return nil
}

func (x *exchange) json(v any) error {
	x.w.Header().Set("Content-Type", "application/json")
	enc := json.NewEncoder(x.w)
	enc.SetEscapeHTML(true)
	_ = enc.Encode(v)
	return nil
}

func (x *exchange) scope() store.Scope { return x.who.Scope(x.route.needs) }

func (x *exchange) remote() string {
	host, _, err := net.SplitHostPort(x.r.RemoteAddr)
	if err != nil {
		return x.r.RemoteAddr
	}
	return host
}

func (x *exchange) entry(property, action, object, detail string) store.Entry {
	e := store.Entry{PropertyID: property, At: x.c.Now().UTC(), Action: action, Object: object, Detail: detail, Remote: x.remote()}
	if x.who != nil {
		e.Actor, e.Role = x.who.Name, x.who.Role()
	}
	return e
}

// log notes what was done. It is not undone if it cannot be noted, but that is said.
func (x *exchange) log(property, action, object, detail string) {
	if err := x.mustLog(property, action, object, detail); err != nil {
		x.c.Log.Error("the console's log was not written", "error", err, "action", action, "object", object)
	}
}

// mustLog is for what may only be done when it can be noted.
func (x *exchange) mustLog(property, action, object, detail string) error {
	return x.c.Store.Log(x.r.Context(), x.entry(property, action, object, detail))
}

// asset is a file that pages need.
type asset struct {
	data []byte
	kind string
	hash string
}

func assets(web fs.FS) (map[string]asset, error) {
	all := map[string]asset{}
	names, err := fs.Glob(web, "static/*")
	if err != nil {
		return nil, err
	}
	for _, name := range names {
		data, err := fs.ReadFile(web, name)
		if err != nil {
			return nil, err
		}
		sum := sha256.Sum256(data)
		all[path.Base(name)] = asset{data, mime.TypeByExtension(path.Ext(name)), hex.EncodeToString(sum[:6])}
	}
	return all, nil
}

func staticFile(c *Console, x *exchange) error {
	a, ok := c.static[x.r.PathValue("file")]
	if !ok {
		return errNoPage
	}
	x.w.Header().Set("Content-Type", a.kind)
	if x.r.URL.Query().Get("v") == a.hash {
		x.w.Header().Set("Cache-Control", "public, max-age=31536000, immutable")
	}
	_, _ = x.w.Write(a.data)
	return nil
}

// look keeps how somebody wants the pages to look.
func look(c *Console, x *exchange) error {
	value := "dark"
	if x.r.PostFormValue("look") == "light" {
		value = "light"
	}
	http.SetCookie(x.w, &http.Cookie{
		Name: "look", Value: value, Path: "/", MaxAge: 365 * 24 * 3600, HttpOnly: true, SameSite: http.SameSiteLaxMode, Secure: c.PublicURL.Scheme == "https",
	})
	return x.redirect(local(x.r.PostFormValue("next")))
}

// reports counts what browsers say they refused.
type reports struct {
	mu   sync.Mutex
	last []string
	n    int
}

func cspReport(c *Console, x *exchange) error {
	if !c.limits.allow("csp "+x.remote(), 20, time.Minute) {
		return errTooMany
	}
	var body bytes.Buffer
	if _, err := body.ReadFrom(x.r.Body); err != nil {
		return badRequest("the report is too long")
	}
	c.Log.Warn("a browser refused something of a page", "report", body.String())
	c.reports.mu.Lock()
	defer c.reports.mu.Unlock()
	c.reports.n++
	if len(c.reports.last) < 100 {
		c.reports.last = append(c.reports.last, body.String())
	}
	x.w.WriteHeader(http.StatusNoContent)
	return nil
}

func ready(c *Console, x *exchange) error {
	ctx, cancel := context.WithTimeout(x.r.Context(), 3*time.Second)
	defer cancel()
	if err := c.Store.Ping(ctx); err != nil {
		http.Error(x.w, "not ready", http.StatusServiceUnavailable)
		return nil
	}
	return x.text("ready")
}

// gather has a group find what goes into a variable.
func gather[T any](all *errgroup.Group, into *T, find func() (T, error)) {
	all.Go(func() (err error) {
		*into, err = find()
		return err
	})
}

// cache answers the same question of many pages with one query.
type cache struct {
	now func() time.Time
	// behind, if not nil, takes questions whose answer is to be asked for again: whoever asks meanwhile has the old one.
	behind chan func()
	flight singleflight.Group
	mu     sync.Mutex
	kept   map[string]kept
	// age grows whenever what was kept is no longer so: an answer to a question asked before is not kept.
	age uint64
}

type kept struct {
	value any
	// until when it is an answer, and until when it is one for those who will not wait for the next.
	until, end time.Time
}

// clear forgets all answers: something was changed.
func (c *cache) clear() {
	c.mu.Lock()
	defer c.mu.Unlock()
	clear(c.kept)
	c.age++
}

func (c *cache) fresh(key string) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.now().Before(c.kept[key].until)
}

// cachedFor asks at most once in a while; the answer is shared and must not be changed. It is that while old at most, or twice that
// where the next is asked for behind.
func cachedFor[T any](c *cache, key string, while time.Duration, ask func() (T, error)) (T, error) {
	const most = 200
	c.mu.Lock()
	k, ok := c.kept[key]
	age := c.age
	c.mu.Unlock()
	now := c.now()
	if ok && now.Before(k.until) {
		return k.value.(T), nil
	}
	again := func() (any, error) {
		v, err := ask()
		if err != nil {
			return v, err
		}
		now := c.now()
		c.mu.Lock()
		defer c.mu.Unlock()
		if len(c.kept) >= most {
			clear(c.kept)
		}
		if c.kept == nil {
			c.kept = map[string]kept{}
		}
		if c.age == age {
			c.kept[key] = kept{v, now.Add(while), now.Add(2 * while)}
		}
		return v, nil
	}
	if ok && c.behind != nil && now.Before(k.end) {
		select {
		case c.behind <- func() {
			if !c.fresh(key) {
				_, _, _ = c.flight.Do(fmt.Sprint(age, key), again) // an error is told to who waits for an answer
			}
		}:
		default: // another is asked for; whoever comes next tries again
		}
		return k.value.(T), nil
	}
	v, err, _ := c.flight.Do(fmt.Sprint(age, key), again)
	if err != nil {
		var none T
		return none, err
	}
	return v.(T), nil
}
