// Package console serves the surveillance console: the queue of findings and their triage, the evidence of each
// finding, the floor, tables, shoes, dealers and patrons, and the records of what users did.
//
// A request passes a fixed chain: the guard (headers, rate limit, size limit), the check for requests from other sites,
// the session, and then one entry of the list of routes, which names the permission that it needs. A route reads the
// store in the scope of the user's grants and renders a page or JSON. Pages are complete without a script; the script
// adds keys and live updates.
//
// Run follows the queue in the background. It notifies open pages of changes, and sends notifications of the findings
// that arrive.
//
// The console judges nothing. Findings come from ingest; the one computation of its own is the replay, which runs the
// same engine over the archived events and compares the result with what is stored.
package console

import (
	"context"
	"crypto/rand"
	"embed"
	"errors"
	"fmt"
	"html/template"
	"io/fs"
	"log/slog"
	"net/http"
	"net/netip"
	"net/url"
	"sync"
	"sync/atomic"
	"time"

	"github.com/alexedwards/scs/v2"

	"github.com/shoeproof/shoeproof/console/notify"
	"github.com/shoeproof/shoeproof/console/store"
	"github.com/shoeproof/shoeproof/engine"
)

//go:embed web
var web embed.FS

// Modes of sign-in.
const (
	ByOIDC  = "oidc"
	ByProxy = "proxy"
	ByToken = "token"
	// ByChoice lets the user choose a role without a password. It is for a console on a loopback address.
	ByChoice = "none"
)

// Options configure a console.
type Options struct {
	Store *store.Store
	// Law configures the engine, for replays, and has the calendar.
	Law engine.Options
	// TrustedProxies are the networks whose X-Forwarded-For names the client.
	TrustedProxies []netip.Prefix
	// PublicURL is the URL that browsers use. With scheme https, cookies are restricted to TLS.
	PublicURL *url.URL

	SignIn  string
	Access  Access
	OIDC    OIDC
	Proxy   Proxy
	Video   Video
	Webhook notify.Webhook
	// Notify are further channels of notifications, and their routes.
	Notify  notify.Setup
	Exports Exports
	// Topic publishes the notification of a critical finding; nil publishes nothing.
	Topic func(ctx context.Context, key string, value []byte) error

	// High is the amount in minor units from which a finding is one step more urgent; 0 is never.
	High    int64
	Now     func() time.Time
	Log     *slog.Logger
	Version string
	Hooks   Hooks
}

// Proxy identifies the reverse proxy that sends the user in X-Forwarded-User and X-Forwarded-Groups.
type Proxy struct {
	// From are the addresses of the proxy, Secret is what it sends as X-Shoeproof-Secret.
	From   []netip.Prefix
	Secret string
}

// Video locates recordings.
type Video struct {
	// Template is a URL with {camera}, {from} and {to} in Unix seconds, and {at} in RFC 3339; empty for none.
	Template string
	// Keep and KeepCritical are the days for which recordings are preserved.
	Keep, KeepCritical int
}

// Console is safe for concurrent use.
type Console struct {
	Options
	pages       map[string]func() (map[string]*template.Template, error) // by the name of a clock
	sessions    *scs.SessionManager
	static      map[string]asset
	live        *live
	limits      *limits // of users
	strangers   *limits // of addresses
	readiness   readiness
	access      atomic.Pointer[Access]
	oidc        oidcState
	memberships memberships
	stale       chan string // sessions whose groups are to be read again
	ended       endings
	handing     sync.Mutex    // between the check and the write of a hand-over
	replaying   sync.Map      // accounts with a running replay
	replays     chan struct{} // one element for each running replay
	volatile    cache         // answers that a change of the queue clears
	saved       cache         // saved views of the users
	figures     cache         // figures of days, which no single change affects
	facts       cache         // what was recorded of tables
	lasting     cache         // what hardly ever changes, see lasting
	drawn       drawnRows
	reports     reports
	outlets     []*outlet
	begun       atomic.Bool // the log has the begin of notifications
	name        string      // of this process, for leases
	leading     atomic.Bool // this process sends the notifications
	catching    chan struct{}
	stream      stream
	pause       time.Duration // after the first failed attempt of a notification
	began       time.Time
}

// secureCookie is the name of the session's cookie if the console is served by https.
const secureCookie = "__Host-shoeproof"

// New returns a console.
func New(o Options) (*Console, error) {
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	if o.PublicURL == nil {
		return nil, errors.New("console: no public URL")
	}
	o.Hooks = o.Hooks.filled()
	c := &Console{
		Options: o, began: o.Now(), live: newLive(), limits: newLimits(o.Now), strangers: newLimits(o.Now),
		replays: make(chan struct{}, 2), stale: make(chan string, 64), pause: 500 * time.Millisecond,
		volatile: cache{now: o.Now}, saved: cache{now: o.Now}, facts: cache{now: o.Now}, lasting: cache{now: o.Now},
		figures: cache{now: o.Now, background: make(chan func(), 1)},
		name:    rand.Text(), catching: make(chan struct{}, 1),
	}
	c.outlets = outlets(&o)
	if o.Notify.Log != nil {
		c.stream.queue, c.stream.logged = make(chan notify.Line, maxStream), o.Hooks.Logged
		if o.Store != nil {
			o.Store.Recorded(c.stream.put)
		}
	}
	c.SetAccess(o.Access)
	c.sessions = scs.New()
	c.sessions.Lifetime = maxSession
	c.sessions.Cookie.Name = "shoeproof"
	if o.PublicURL.Scheme == "https" {
		c.sessions.Cookie.Name = secureCookie
		c.sessions.Cookie.Secure = true
	}
	c.sessions.Cookie.SameSite = http.SameSiteLaxMode
	c.sessions.HashTokenInStore = true
	if err := c.load(); err != nil {
		return nil, fmt.Errorf("console: %w", err)
	}
	return c, nil
}

// Run follows the queue until ctx is done.
func (c *Console) Run(ctx context.Context) error {
	var wait sync.WaitGroup
	defer wait.Wait()
	for _, o := range c.outlets {
		wait.Go(func() { c.deliver(ctx, o) })
	}
	if len(c.outlets) > 0 {
		wait.Go(func() { c.lead(ctx) })
	}
	if c.Notify.Log != nil {
		wait.Go(func() { c.sendLog(ctx) })
	}
	wait.Go(func() {
		for {
			select {
			case <-ctx.Done():
				return
			case refresh := <-c.figures.background:
				refresh()
			}
		}
	})
	wait.Go(func() {
		if err := c.Store.BeginChains(ctx); err != nil && ctx.Err() == nil { // the first record tries again
			c.Log.Warn("beginning the chains of the console log failed", "error", err)
		}
	})
	for range 4 {
		wait.Go(func() {
			for {
				select {
				case <-ctx.Done():
					return
				case session := <-c.stale:
					c.regroup(ctx, session)
				}
			}
		})
	}
	c.follow(ctx)
	return nil
}

// Handler serves pages and the API.
func (c *Console) Handler() (http.Handler, error) {
	mux := http.NewServeMux()
	for _, r := range routes() {
		mux.Handle(r.method+" "+r.path, c.serve(r))
	}
	absent := func(*Console, *exchange) error { return errNoPage }
	mux.Handle("/", c.serve(route{public: true, serve: absent}))
	mux.Handle("/api/", c.serve(route{public: true, api: true, path: otherRoute, serve: absent}))
	cross := http.NewCrossOriginProtection()
	if err := cross.AddTrustedOrigin(c.PublicURL.Scheme + "://" + c.PublicURL.Host); err != nil {
		return nil, fmt.Errorf("console: public URL: %w", err)
	}
	cross.SetDenyHandler(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if remote := c.remoteOf(r); c.allowStranger("cross-site", remote, 10, time.Minute) {
			c.Log.Warn("cross-site request refused", "path", r.URL.Path, "origin", r.Header.Get("Origin"), "remote", remote)
		}
		refuse(w, r, http.StatusForbidden, "This request came from another site.")
	}))
	return c.observed(mux, c.guard(cross.Handler(c.sessions.LoadAndSave(mux)))), nil
}

func (c *Console) load() error {
	sub, err := fs.Sub(web, "web")
	if err != nil {
		return err
	}
	if c.static, err = assets(sub); err != nil {
		return err
	}
	c.pages = map[string]func() (map[string]*template.Template, error){}
	for _, name := range []string{"", twelveHours, utcHours} { // most consoles need the first alone
		c.pages[name] = sync.OnceValues(func() (map[string]*template.Template, error) {
			return c.templates(sub, c.clockOf(name))
		})
	}
	_, err = c.pages[""]()
	return err
}
