package console

import (
	"net/http"
	"time"

	"github.com/shoeproof/shoeproof/console/store"
)

// Hooks are told what a console does; a nil one is not called. They are called from many goroutines, and hear of no
// person, table or finding.
type Hooks struct {
	// Answered is told of each request when its answer ended.
	Answered func(Answer)
	// SignInRefused is told of each identity that was not accepted, with the way in: ByOIDC, ByProxy, ByToken or ByChoice.
	SignInRefused func(by string)
	// Notified is told what becomes of each notification in each channel: it is Queued, then Sent or Failed.
	Notified func(channel, is string)
}

// Channels of notifications, and what becomes of one.
const (
	ToWebhook = "webhook"
	ToTopic   = "topic"

	Queued = "queued"
	Sent   = "sent"
	Failed = "failed" // after some attempts, or because too many were queued
)

// Other is the route and method of a request that no route answers.
const Other = "other"

// Answer is a request that was answered.
type Answer struct {
	// Method and Route are those of the list of routes, never what was asked for.
	Method, Route string
	Status        int
	Took          time.Duration
	// Stream says that events were sent for as long as a page was open.
	Stream bool
}

// filled has no nil.
func (h Hooks) filled() Hooks {
	if h.Answered == nil {
		h.Answered = func(Answer) {}
	}
	if h.SignInRefused == nil {
		h.SignInRefused = func(string) {}
	}
	if h.Notified == nil {
		h.Notified = func(string, string) {}
	}
	return h
}

// Channels are those that critical findings are told in.
func (o *Options) Channels() []string {
	var all []string
	if o.Webhook.URL != "" {
		all = append(all, ToWebhook)
	}
	if o.Topic != nil {
		all = append(all, ToTopic)
	}
	return all
}

// counted tells of each answer, also of those that no route gives.
func (c *Console) counted(mux *http.ServeMux, next http.Handler) http.Handler {
	known := map[string]route{}
	for _, r := range routes() {
		known[r.method+" "+r.path] = r
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		began := time.Now()
		a := Answer{Method: Other, Route: Other}
		_, pattern := mux.Handler(r)
		if rt, ok := known[pattern]; ok {
			a.Method, a.Route = rt.method, rt.path
		}
		noted := &noting{ResponseWriter: w}
		ended := false
		defer func() {
			a.Status, a.Took, a.Stream = noted.status, time.Since(began), w.Header().Get("Content-Type") == eventStream
			switch {
			case !ended: // it panicked, and the connection is cut
				a.Status = http.StatusInternalServerError
			case a.Status == 0 && r.Context().Err() != nil:
				a.Status = gone
			case a.Status == 0:
				a.Status = http.StatusOK
			}
			c.Hooks.Answered(a)
		}()
		next.ServeHTTP(noted, r)
		ended = true
	})
}

// gone is the status, which nobody sees, of a request whose asker did not wait for the answer.
const gone = 499

// noting remembers the status of an answer, 0 while there is none.
type noting struct {
	http.ResponseWriter
	status int
}

// WriteHeader passes the status on.
func (n *noting) WriteHeader(status int) {
	if n.status == 0 && status >= 200 {
		n.status = status
	}
	n.ResponseWriter.WriteHeader(status)
}

// Write is of a 200 if nothing else was said.
func (n *noting) Write(p []byte) (int, error) {
	if n.status == 0 {
		n.status = http.StatusOK
	}
	return n.ResponseWriter.Write(p)
}

// Unwrap lets http.ResponseController flush and set deadlines.
func (n *noting) Unwrap() http.ResponseWriter { return n.ResponseWriter }

// Vitals is how a console is at a moment.
type Vitals struct {
	// Streams are the open pages that are told of changes.
	Streams int
	Queue   store.Standing
	// Behind is how old the queue is that the console holds.
	Behind time.Duration
}

// Vitals asks nobody: all of it is in memory.
func (c *Console) Vitals() Vitals {
	now := c.Now()
	v := Vitals{Streams: c.live.count(), Queue: c.Store.Standing(now, c.High)}
	since := v.Queue.Read
	if since.IsZero() {
		since = c.began
	}
	v.Behind = now.Sub(since)
	return v
}
