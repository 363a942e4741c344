// Package console is what people open: the queue of findings, the evidence of each, the floor, and the
// records of what people did. Pages are made here and need no script to be read.
package console

import (
	"context"
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
	"time"

	"github.com/alexedwards/scs/v2"

	"github.com/shoeproof/shoeproof/console/store"
	"github.com/shoeproof/shoeproof/engine"
)

//go:embed web
var web embed.FS

// Modes of signing in.
const (
	ByOIDC  = "oidc"
	ByProxy = "proxy"
	ByToken = "token"
	// ByChoice asks who one wants to be. It is for a console that only this machine can reach.
	ByChoice = "none"
)

// Options are what a console needs.
type Options struct {
	Store *store.Store
	// Law is the engine's, for replays and for the calendar.
	Law engine.Options
	// PublicURL is how browsers reach the console: its scheme says whether cookies are kept to TLS.
	PublicURL *url.URL

	SignIn  string
	Access  Access
	OIDC    OIDC
	Proxy   Proxy
	Video   Video
	Webhook Webhook
	Exports Exports
	// Topic, if not nil, publishes a notification of a critical finding.
	Topic func(ctx context.Context, key string, value []byte) error

	// High is the amount, minor units, from which a finding is one step more urgent; 0 is never.
	High    int64
	Now     func() time.Time
	Log     *slog.Logger
	Version string
	Hooks   Hooks
}

// Proxy is a reverse proxy that tells who asks, in X-Forwarded-User and X-Forwarded-Groups.
type Proxy struct {
	// From are the addresses that it comes from, Secret what it sends as X-Shoeproof-Secret.
	From   []netip.Prefix
	Secret string
}

// Video says where recordings are found.
type Video struct {
	// Template is a URL with {camera}, {from} and {to}, in Unix seconds, and {at}, in RFC 3339; empty for none.
	Template string
	// Keep and KeepCritical are the days for which recordings are preserved.
	Keep, KeepCritical int
}

// Console is safe for concurrent use.
type Console struct {
	Options
	pages    map[string]*template.Template
	sessions *scs.SessionManager
	static   map[string]asset
	live     *live
	limits   *limits
	oidc     oidcState
	replays  chan struct{} // one token for each replay that may run
	cached   cache         // forgotten when the queue changes
	slow     cache         // figures of days, which are not
	reports  reports
	began    time.Time
}

// New makes a console.
func New(o Options) (*Console, error) {
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	if o.PublicURL == nil {
		return nil, errors.New("console: no public URL")
	}
	o.Hooks = o.Hooks.filled()
	c := &Console{
		Options: o, began: o.Now(), live: newLive(), limits: newLimits(o.Now), replays: make(chan struct{}, 2),
		cached: cache{now: o.Now}, slow: cache{now: o.Now, behind: make(chan func(), 1)},
	}
	c.sessions = scs.New()
	c.sessions.Lifetime = longestSession
	c.sessions.Cookie.Name = "shoeproof"
	if o.PublicURL.Scheme == "https" {
		c.sessions.Cookie.Name = "__Host-shoeproof"
		c.sessions.Cookie.Secure = true
	}
	c.sessions.Cookie.SameSite = http.SameSiteLaxMode
	c.sessions.HashTokenInStore = true
	if err := c.load(); err != nil {
		return nil, fmt.Errorf("console: %w", err)
	}
	return c, nil
}

// Run follows the queue until ctx is done: for open pages, and for notifications.
func (c *Console) Run(ctx context.Context) error {
	var wait sync.WaitGroup
	defer wait.Wait()
	queue := make(chan notification, 256)
	wait.Go(func() { c.deliver(ctx, queue) })
	wait.Go(func() {
		for {
			select {
			case <-ctx.Done():
				return
			case ask := <-c.slow.behind:
				ask()
			}
		}
	})
	c.follow(ctx, queue)
	return nil
}

// Handler answers browsers and programs.
func (c *Console) Handler() (http.Handler, error) {
	mux := http.NewServeMux()
	for _, r := range routes() {
		mux.Handle(r.method+" "+r.path, c.serve(r))
	}
	mux.Handle("/", c.serve(route{public: true, serve: func(*Console, *exchange) error { return store.ErrNone }}))
	cross := http.NewCrossOriginProtection()
	if err := cross.AddTrustedOrigin(c.PublicURL.Scheme + "://" + c.PublicURL.Host); err != nil {
		return nil, fmt.Errorf("console: public URL: %w", err)
	}
	cross.SetDenyHandler(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		c.Log.Warn("refused a request from another site", "path", r.URL.Path, "origin", r.Header.Get("Origin"), "remote", r.RemoteAddr)
		http.Error(w, "This request came from another site.", http.StatusForbidden)
	}))
	return c.counted(mux, c.guard(cross.Handler(c.sessions.LoadAndSave(mux)))), nil
}

func (c *Console) load() error {
	sub, err := fs.Sub(web, "web")
	if err != nil {
		return err
	}
	if c.static, err = assets(sub); err != nil {
		return err
	}
	c.pages, err = c.templates(sub)
	return err
}
