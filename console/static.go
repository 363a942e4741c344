package console

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"io/fs"
	"mime"
	"net/http"
	"path"
	"sync"
	"time"
)

// asset is a static file of the pages.
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

// setTheme stores the colour theme, dark or light, in a cookie.
func setTheme(c *Console, x *exchange) error {
	name, value := "look", "dark"
	if x.r.PostFormValue("look") == "light" {
		value = "light"
	}
	if x.r.PostForm.Has("clock") {
		name, value = "clock", x.r.PostFormValue("clock")
		if c.pages[value] == nil {
			value = ""
		}
	}
	http.SetCookie(x.w, &http.Cookie{
		Name: name, Value: value, Path: "/", MaxAge: 365 * 24 * 3600, HttpOnly: true, SameSite: http.SameSiteLaxMode,
		Secure: c.PublicURL.Scheme == "https",
	})
	return x.redirect(local(x.r.PostFormValue("next")))
}

// reports counts the violations of the content security policy that browsers report.
type reports struct {
	mu   sync.Mutex
	last []string
	n    int
}

func cspReport(c *Console, x *exchange) error {
	if !c.allowStranger("csp", x.remote(), 20, time.Minute) {
		return errTooMany
	}
	var body bytes.Buffer
	if _, err := body.ReadFrom(x.r.Body); err != nil {
		return badRequest("The report is too long.")
	}
	c.Log.Warn("a browser reports a violation of the content security policy", "report", body.String())
	c.reports.mu.Lock()
	defer c.reports.mu.Unlock()
	c.reports.n++
	if len(c.reports.last) < 100 {
		c.reports.last = append(c.reports.last, body.String())
	}
	x.w.WriteHeader(http.StatusNoContent)
	return nil
}

func healthy(_ *Console, x *exchange) error { return x.text("ok") }

// readiness is the last result of a ping. A probe has no limit of requests, and the store is queried once a second.
type readiness struct {
	mu  sync.Mutex
	at  time.Time
	err error
}

func (r *readiness) check(ctx context.Context, ping func(context.Context) error) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if now := time.Now(); now.Sub(r.at) > time.Second {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), 3*time.Second)
		defer cancel()
		r.at, r.err = now, ping(ctx)
	}
	return r.err
}

func ready(c *Console, x *exchange) error {
	if err := c.readiness.check(x.r.Context(), c.Store.Ping); err != nil {
		http.Error(x.w, "not ready", http.StatusServiceUnavailable)
		return nil
	}
	return x.text("ready")
}
