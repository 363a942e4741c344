package console

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/shoeproof/shoeproof/console/store"
	"github.com/shoeproof/shoeproof/schema"
)

// exchange is a request and its response.
type exchange struct {
	c     *Console
	w     http.ResponseWriter
	r     *http.Request
	user  *Identity // nil without a valid identity
	seen  seen      // before the request was answered
	route route
}

var (
	errUnauthenticated = errors.New("identity not accepted")
	errForbidden       = errors.New("permission missing")
	errTooMany         = errors.New("too many requests")
	errNoPage          = fmt.Errorf("page: %w", store.ErrNotFound)
)

// requestError is the error of a malformed request; its text is for the user.
type requestError string

func (e requestError) Error() string { return string(e) }

func badRequest(layout string, args ...any) error { return requestError(fmt.Sprintf(layout, args...)) }

func (c *Console) serve(rt route) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		ctx, done := rt.bounded(r.Context())
		defer done()
		r = r.WithContext(ctx)
		x := &exchange{c: c, w: w, r: r, route: rt, user: c.identify(r)}
		if x.user != nil {
			x.seen = c.seen(x.user.Scope(permSee))
		}
		if !x.admit() {
			x.fail(errTooMany)
			return
		}
		if err := x.serve(); err != nil {
			x.fail(err)
		}
	})
}

func (x *exchange) serve() error {
	switch {
	case x.route.public:
	case x.user == nil:
		return errUnauthenticated
	case !x.user.May(x.route.needs) || x.user.Kiosk && !x.route.kiosk:
		x.refused(x.r.URL.Path, string(x.route.needs))
		return errForbidden
	}
	if _, err := url.ParseQuery(x.r.URL.RawQuery); err != nil && !x.route.public {
		return badRequest("the parameters of the address cannot be read: %v", err) // a filter would be left out
	}
	if err := x.parameters(); err != nil {
		return err
	}
	if x.r.Method == http.MethodPost && x.route.path != "/csp-report" && !x.route.api {
		if err := x.r.ParseForm(); err != nil {
			return badRequest("The form is malformed.")
		}
	}
	return x.route.serve(x.c, x)
}

// parameters refuses parameters that the API or a page does not have.
func (x *exchange) parameters() error {
	rt := &x.route
	switch {
	case rt.api && rt.path != otherRoute:
		return x.known(operations()[rt.method+" "+rt.path].query)
	case rt.api, rt.public, rt.method != http.MethodGet, rt.query == anyQuery:
		return nil
	}
	return x.known(rt.query)
}

// known refuses a parameter that a route does not have or that is given twice: neither may look like an answer.
func (x *exchange) known(names string) error {
	known := strings.Fields(names)
	query := x.r.URL.Query()
	for _, name := range slices.Sorted(maps.Keys(query)) {
		if !slices.Contains(known, name) {
			return badRequest("unknown parameter %q, want %s", name, cmp.Or(strings.Join(known, ", "), "none"))
		}
		if n := len(query[name]); n > 1 {
			return badRequest("parameter %s is given %d times, want one value", name, n)
		}
	}
	return nil
}

// fail responds with an error. The details of an internal error are in the program's log only.
func (x *exchange) fail(err error) {
	if errors.Is(x.r.Context().Err(), context.Canceled) {
		return // the client has left
	}
	if errors.Is(err, errUnauthenticated) && x.signInHelps() {
		http.Redirect(x.w, x.r, "/sign-in?next="+url.QueryEscape(x.r.URL.RequestURI()), http.StatusSeeOther)
		return
	}
	status, text := x.explain(err)
	if status == http.StatusServiceUnavailable {
		x.w.Header().Set("Retry-After", "10")
	}
	if x.route.api {
		failJSON(x.w, status, text)
		return
	}
	x.w.Header().Set("Content-Type", "text/html; charset=utf-8")
	data := map[string]any{"Status": status, "Text": text}
	if back := x.r.PostForm.Get("next"); back != "" {
		data["Back"] = local(back)
	} else if from, err := url.Parse(x.r.Referer()); err == nil && from.Path != "" && x.r.Method == http.MethodPost {
		data["Back"] = local(from.RequestURI()) // the page of the form
	}
	if err := x.render(status, "error", http.StatusText(status), data); err != nil {
		x.c.Log.Error("rendering a page failed", "error", err)
	}
}

func failJSON(w http.ResponseWriter, status int, text string) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(map[string]string{"error": text})
}

// refuse responds with an error before a request has a route: as JSON at a path of the API.
func refuse(w http.ResponseWriter, r *http.Request, status int, text string) {
	if strings.HasPrefix(r.URL.Path, "/api/") {
		failJSON(w, status, text)
		return
	}
	http.Error(w, text, status)
}

// signInHelps reports whether the request comes from a browser that can show the sign-in page.
func (x *exchange) signInHelps() bool {
	return !x.route.api && !x.route.public && x.r.Method == http.MethodGet && x.c.SignIn != ByProxy &&
		x.r.Header.Get("Authorization") == "" && strings.Contains(x.r.Header.Get("Accept"), "text/html")
}

// explain returns the status and the text of an error, and logs what an operator of the program must know.
func (x *exchange) explain(err error) (status int, text string) {
	var bad requestError
	switch {
	case errors.Is(err, errUnauthenticated):
		switch {
		case !x.route.public && x.r.Method == http.MethodPost:
			return http.StatusUnauthorized, "You are signed out, and nothing was done. Sign in first."
		case !x.route.public:
			return http.StatusUnauthorized, "Sign in first."
		}
		x.c.Hooks.SignInRefused(x.c.SignIn)
		x.c.Log.Warn("sign-in refused", "error", err, "remote", x.remote())
		return http.StatusUnauthorized, "The sign-in was refused."
	case errors.Is(err, errForbidden):
		return http.StatusForbidden, "Your role does not permit this."
	case errors.Is(err, errTooMany):
		if strings.HasPrefix(x.route.path, "/sign-in") {
			x.c.Hooks.SignInRefused(x.c.SignIn)
		}
		return http.StatusTooManyRequests, "Too many requests. Wait a minute and try again."
	case errors.Is(err, store.ErrNotFound):
		return http.StatusNotFound, "Not found, or not within your properties."
	case errors.Is(err, store.ErrNoArchive):
		x.c.Log.Warn("a request needs the archive", "path", x.r.URL.Path, "error", err)
		return http.StatusNotImplemented, "This console has no access to the archive (set console.archive.user)."
	case errors.Is(err, store.ErrTransition):
		return http.StatusConflict, strings.ToUpper(err.Error()[:1]) + err.Error()[1:] + "."
	case errors.As(err, &bad):
		return http.StatusBadRequest, bad.Error()
	case store.Overloaded(err) && x.r.Method != http.MethodPost: // a repeated POST may act twice
		x.c.Log.Error("request failed: ClickHouse is overloaded", "path", x.r.URL.Path, "error", err)
		return http.StatusServiceUnavailable, "The database is overloaded. Try again in ten seconds."
	case store.Unreachable(err) && x.r.Method != http.MethodPost:
		x.c.Log.Error("request failed: ClickHouse does not answer", "path", x.r.URL.Path, "error", err)
		return http.StatusServiceUnavailable, "The database does not answer. Try again in ten seconds."
	case store.Unreachable(err):
		x.c.Log.Error("request failed: ClickHouse does not answer", "path", x.r.URL.Path, "error", err)
		return http.StatusInternalServerError, "The database did not answer. Check whether the action was done before you " +
			"repeat it."
	}
	x.c.Log.Error("request failed", "path", x.r.URL.Path, "error", err)
	return http.StatusInternalServerError, "Internal error. The console's program log has the details."
}

// view is what the frame of a page shows, and the data of the page.
type view struct {
	Title, Page string
	User        *Identity
	Mode        string
	Path, Here  string // Here is the path with the query
	Now         time.Time
	Light       bool
	Clock       string // of the reader: empty, 12 or utc
	Critical    int    // open critical findings in the user's scope
	Seen        seen
	Version     string
	// Done is the report of the last action, and Undo names the action if it can be undone, until UndoUntil.
	Done, Undo string
	UndoUntil  time.Time
	Data       any

	x *exchange
}

// May is for templates.
func (v *view) May(p string) bool { return v.User != nil && v.User.May(permission(p)) }

// MayAt is for what belongs to one property: a user may have other permissions at another.
func (v *view) MayAt(p, property string) bool {
	return v.User != nil && v.User.Scope(permission(p)).Has(property)
}

// Several reports whether the user sees more than one property.
func (v *view) Several() bool { return v.User != nil && v.x.several() }

func (x *exchange) page(name, title string, data any) error {
	return x.render(http.StatusOK, name, title, data)
}

func (x *exchange) render(status int, name, title string, data any) error {
	v := &view{
		Title: title, Page: name, User: x.user, Mode: x.c.SignIn, Path: x.r.URL.Path, Here: x.r.URL.RequestURI(),
		Now: x.c.Now(), Version: x.c.Version, Data: data, Seen: x.seen, x: x,
	}
	if x.user != nil && x.user.May(permSee) {
		scope := x.user.Scope(permSee)
		v.Critical, _ = cached(x.r.Context(), &x.c.volatile, fmt.Sprintf("criticals %#v", scope), queueTTL,
			func(context.Context) (int, error) { return x.c.Store.Criticals(scope), nil })
	}
	v.Done, v.Undo, v.UndoUntil = x.reported()
	if cookie, err := x.r.Cookie("look"); err == nil && cookie.Value == "light" {
		v.Light = true
	}
	if cookie, err := x.r.Cookie("clock"); err == nil && x.c.pages[cookie.Value] != nil {
		v.Clock = cookie.Value
	}
	pages, err := x.c.pages[v.Clock]()
	if err != nil {
		return err
	}
	var out bytes.Buffer
	if err := pages[name].ExecuteTemplate(&out, "base", v); err != nil {
		return fmt.Errorf("page %s: %w", name, err)
	}
	if bytes.ContainsFunc(out.Bytes(), schema.Hidden) {
		out = *bytes.NewBufferString(schema.Visible(out.String()))
	}
	x.w.Header().Set("Content-Type", "text/html; charset=utf-8")
	x.w.WriteHeader(status)
	_, _ = out.WriteTo(x.w) // an error is a closed connection
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

// detached is the exchange with a detached context, for an answer that other requests share.
func (x *exchange) detached() (*exchange, context.CancelFunc) {
	d := *x
	ctx, done := detached(x.r.Context())
	d.r = x.r.WithContext(ctx)
	return &d, done
}

// scope is the properties at which the user has the permission that the route needs.
func (x *exchange) scope() store.Scope { return x.user.Scope(x.route.needs) }

func (x *exchange) remote() string { return x.c.remoteOf(x.r) }

// log appends to the console log. What was done stays done if the log cannot be written; the failure is logged.
func (x *exchange) log(property, action, object, detail string) {
	if err := x.mustLog(property, action, object, detail); err != nil {
		x.c.Log.Error("writing the console log failed", "error", err, "action", action, "object", object)
	}
}

// maxRefused is the number of refusals of one user or address in a minute that the log has; the next minute goes on.
// maxStrangers is that of all addresses together.
const (
	maxRefused   = 20
	maxStrangers = 400
)

// refused appends a refusal to the console log.
func (x *exchange) refused(object, detail string) {
	n := 0
	if x.user != nil {
		n = x.c.limits.count("refused "+x.user.Who.Account(), time.Minute)
	} else {
		// All strangers together have a limit, too: they may have many addresses.
		n = x.c.strangers.count("refused "+network(x.remote()), time.Minute)
		n = max(n, x.c.limits.count("refused strangers", time.Minute)-maxStrangers+maxRefused)
	}
	switch {
	case n <= maxRefused:
		x.log("", "refused", object, detail)
	case n == maxRefused+1:
		x.log("", "refused", "further ones of this minute", "not listed")
	}
}

// refusedBearer logs a wrong token of a program. Where there is no session, the store is reached by an exchange.
func (c *Console) refusedBearer(r *http.Request) {
	(&exchange{c: c, r: r}).refused(r.URL.Path, "unknown or expired token")
}

// cut bounds a text that a request chooses.
func cut(text string) string {
	const most = 512
	if len(text) <= most {
		return text
	}
	return strings.ToValidUTF8(text[:most], "") + fmt.Sprintf("… (%d bytes)", len(text))
}

// mustLog is for actions that are permitted only if they are logged.
func (x *exchange) mustLog(property, action, object, detail string) error {
	return x.c.Store.Log(x.r.Context(), x.entry(property, action, object, detail))
}

// entry is a line of the console log about this request.
func (x *exchange) entry(property, action, object, detail string) store.Entry {
	e := store.Entry{
		PropertyID: property, At: x.c.Now().UTC(), Action: action, Object: cut(object), Detail: cut(detail),
		Remote: x.remote(),
	}
	if x.user != nil {
		e.Actor, e.Role, e.Who = x.user.Name, x.user.Role(), x.user.Who
	}
	return e
}
