package console

import (
	"cmp"
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"net/http"
	"net/netip"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/shoeproof/shoeproof/console/store"
)

// kiosk is the grant of a screen that no person sits at: the wall of one property, and nothing else, without an idle
// limit, until it is revoked or expires. The console log is its record: a line issues it, another revokes it. The log
// has the hash of its key.
type kiosk struct {
	ID       string       `json:"-"`
	Name     string       `json:"name"`
	Property string       `json:"-"`
	SHA256   string       `json:"sha256"`
	From     netip.Prefix `json:"from"` // network of the screen; zero for any
	Expires  time.Time    `json:"expires"`
	By       string       `json:"-"`
	At       time.Time    `json:"-"`
}

// Actions of the console log about kiosks: the object is the id.
const (
	kioskIssue  = "kiosk-issue"
	kioskRevoke = "kiosk-revoke"
	kioskEnrol  = "kiosk-enrol"
	// maxKioskDays is the maximum validity of a grant.
	maxKioskDays = 366
	maxKiosks    = 100 // of a property
	byKiosk      = "kiosk"
)

// kiosks returns the grants in force by id. A grant that another replica revoked has an effect for some seconds.
func (c *Console) kiosks(ctx context.Context) (map[string]kiosk, error) {
	return cached(ctx, &c.volatile, "kiosks", 2*time.Second, func(ctx context.Context) (map[string]kiosk, error) {
		now := c.Now()
		issued, err := c.Store.Granted(ctx, kioskIssue, kioskRevoke, now.AddDate(0, 0, -maxKioskDays))
		if err != nil {
			return nil, err
		}
		all := map[string]kiosk{}
		for i := range issued {
			e := &issued[i]
			k := kiosk{ID: e.Object, Property: e.PropertyID, By: e.Actor, At: e.At}
			if err := json.Unmarshal([]byte(e.Detail), &k); err != nil {
				c.Log.Error("a kiosk of the console log is malformed", "kiosk", e.Object, "error", err)
				continue
			}
			if now.Before(k.Expires) {
				all[k.ID] = k
			}
		}
		return all, nil
	})
}

func (c *Console) kioskCookie() string {
	if c.PublicURL.Scheme == "https" {
		return secureCookie + "-kiosk"
	}
	return "shoeproof-kiosk"
}

// screen returns the identity of a kiosk, nil without a valid key.
func (c *Console) screen(r *http.Request) *Identity {
	cookie, err := r.Cookie(c.kioskCookie())
	if err != nil {
		return nil
	}
	id, _ := c.kioskOf(r, cookie.Value)
	return id
}

// kioskOf returns the identity and the grant of a key.
func (c *Console) kioskOf(r *http.Request, key string) (*Identity, *kiosk) {
	all, err := c.kiosks(r.Context())
	if err != nil {
		c.Log.Error("reading the kiosks failed", "error", err)
		return nil, nil
	}
	sum := sha256.Sum256([]byte(key))
	hash := hex.EncodeToString(sum[:])
	for _, k := range all {
		if !equalSecrets(hash, k.SHA256) || !c.Now().Before(k.Expires) {
			continue
		}
		from, err := netip.ParseAddr(c.remoteOf(r))
		if k.From.IsValid() && (err != nil || !k.From.Contains(from.Unmap())) {
			return nil, nil
		}
		return &Identity{
			Name: "kiosk " + k.Name, Who: store.Who{Issuer: byKiosk, Subject: k.ID, Method: byKiosk, Program: true},
			Grants: []Grant{{Role: "viewer", Properties: []string{k.Property}}}, Kiosk: true,
		}, &k
	}
	return nil, nil
}

func kioskPage(_ *Console, x *exchange) error { return x.page("kiosk", "Kiosk", nil) }

// enrol gives the browser of a screen the key of its grant as a cookie, and leads to the wall.
func enrol(c *Console, x *exchange) error {
	if !c.allowStranger("kiosk", x.remote(), 10, time.Minute) {
		return errTooMany
	}
	key := strings.TrimSpace(x.r.PostFormValue("key"))
	id, k := c.kioskOf(x.r, key)
	if id == nil {
		return fmt.Errorf("%w: unknown, revoked or expired key of a kiosk", errUnauthenticated)
	}
	x.user = id
	if err := x.mustLog(k.Property, kioskEnrol, k.ID, k.Name); err != nil {
		return err
	}
	http.SetCookie(x.w, &http.Cookie{
		Name: c.kioskCookie(), Value: key, Path: "/", Expires: k.Expires, HttpOnly: true,
		Secure: c.PublicURL.Scheme == "https", SameSite: http.SameSiteLaxMode,
	})
	return x.redirect("/floor?wall=1")
}

// issueKiosk adds a grant, and shows its key once.
func issueKiosk(c *Console, x *exchange) error {
	const maxName = 64
	form := x.r.PostForm
	days, err := strconv.Atoi(form.Get("days"))
	k := kiosk{ID: rand.Text(), Property: form.Get("property"), Name: strings.TrimSpace(form.Get("name"))}
	switch {
	case err != nil || days < 1 || days > maxKioskDays:
		return badRequest("A kiosk is valid for 1 to %d days.", maxKioskDays)
	case k.Name == "" || len(k.Name) > maxName:
		return badRequest("A kiosk needs a name of at most %d characters.", maxName)
	case k.Property == "" || !x.scope().Has(k.Property):
		return errForbidden
	}
	if text := strings.TrimSpace(form.Get("from")); text != "" {
		if k.From, err = networkOf(text); err != nil {
			return badRequest("%q: want an address or a network such as 10.0.3.0/24.", text)
		}
	}
	have, err := c.kiosksIn(x)
	if err != nil {
		return err
	}
	of := 0
	for i := range have {
		if have[i].Property == k.Property {
			of++
		}
	}
	if of >= maxKiosks {
		return badRequest("A property has at most %d kiosks: revoke one first.", maxKiosks)
	}
	key := rand.Text() + rand.Text()
	sum := sha256.Sum256([]byte(key))
	k.SHA256, k.Expires = hex.EncodeToString(sum[:]), c.Now().AddDate(0, 0, days).UTC().Truncate(time.Second)
	detail, err := json.Marshal(k)
	if err != nil {
		return fmt.Errorf("encode a kiosk: %w", err)
	}
	e := x.entry(k.Property, kioskIssue, k.ID, "")
	e.Detail = string(detail) // the record of the grant, which is never cut
	if err := c.Store.Log(x.r.Context(), e); err != nil {
		return err
	}
	c.volatile.clear()
	return c.sessionList(x, key)
}

// networkOf parses a network, or an address as the network of itself.
func networkOf(text string) (netip.Prefix, error) {
	if addr, err := netip.ParseAddr(text); err == nil {
		return addr.Prefix(addr.BitLen())
	}
	p, err := netip.ParsePrefix(text)
	return p.Masked(), err
}

func revokeKiosk(c *Console, x *exchange) error {
	all, err := c.kiosksIn(x)
	if err != nil {
		return err
	}
	i := slices.IndexFunc(all, func(k kiosk) bool { return k.ID == x.r.PostFormValue("id") })
	if i < 0 {
		return errNoPage
	}
	if err := x.mustLog(all[i].Property, kioskRevoke, all[i].ID, all[i].Name); err != nil {
		return err
	}
	c.volatile.clear()
	return x.redirect("/sessions")
}

// kiosksIn are the grants of the properties in scope, the latest first.
func (c *Console) kiosksIn(x *exchange) ([]kiosk, error) {
	all, err := c.kiosks(x.r.Context())
	var in []kiosk
	for _, k := range all {
		if x.scope().Has(k.Property) {
			in = append(in, k)
		}
	}
	slices.SortFunc(in, func(a, b kiosk) int { return cmp.Or(b.At.Compare(a.At), cmp.Compare(a.ID, b.ID)) })
	return in, err
}
