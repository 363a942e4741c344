package console

import (
	"net/http"
	"time"

	"github.com/shoeproof/shoeproof/console/store"
)

// Hooks observe a console; a nil hook is not called. They are called concurrently. Their arguments name no person,
// table or finding.
type Hooks struct {
	// Responded is called at the end of each response.
	Responded func(Response)
	// SignInRefused is called for each refused identity, with the mode: ByOIDC, ByProxy, ByToken or ByChoice.
	SignInRefused func(by string)
	// Notified is called for each notification and channel: first with Queued, then with Sent or Failed.
	Notified func(channel, outcome string)
	// Logged is called for lines of the console log that the log channel received, Sent, or did not receive, Lost.
	Logged func(outcome string, lines int)
}

// Channels of notifications, and outcomes of a notification.
const (
	ToWebhook = "webhook"
	toTopic   = "topic"

	Queued = "queued"
	Sent   = "sent"
	Lost   = "lost"
	Failed = "failed" // after all attempts, or because the queue was full
)

// otherRoute is the route and the method of a request that matches no route.
const otherRoute = "other"

// Response describes a response.
type Response struct {
	// Method and Route are from the list of routes, never from the request.
	Method, Route string
	Status        int
	Took          time.Duration
	// Stream reports a stream of events, which lasts as long as its page is open.
	Stream bool
}

// filled replaces nil hooks by empty functions.
func (h Hooks) filled() Hooks {
	if h.Responded == nil {
		h.Responded = func(Response) {}
	}
	if h.SignInRefused == nil {
		h.SignInRefused = func(string) {}
	}
	if h.Notified == nil {
		h.Notified = func(string, string) {}
	}
	if h.Logged == nil {
		h.Logged = func(string, int) {}
	}
	return h
}

// Channels returns the names of the channels of notifications.
func (o *Options) Channels() []string {
	var all []string
	for _, out := range outlets(o) {
		all = append(all, out.Name)
	}
	return all
}

// observed reports each response to the hooks, those without a route included.
func (c *Console) observed(mux *http.ServeMux, next http.Handler) http.Handler {
	known := map[string]route{}
	for _, r := range routes() {
		known[r.method+" "+r.path] = r
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		began := time.Now()
		resp := Response{Method: otherRoute, Route: otherRoute}
		_, pattern := mux.Handler(r)
		if rt, ok := known[pattern]; ok {
			resp.Method, resp.Route = rt.method, rt.path
		}
		recorded := &recorder{ResponseWriter: w}
		ended := false
		defer func() {
			resp.Status, resp.Took = recorded.status, time.Since(began)
			resp.Stream = w.Header().Get("Content-Type") == eventStream
			switch {
			case !ended: // the handler panicked
				resp.Status = http.StatusInternalServerError
			case resp.Status == 0 && r.Context().Err() != nil:
				resp.Status = clientClosed
			case resp.Status == 0:
				resp.Status = http.StatusOK
			}
			c.Hooks.Responded(resp)
		}()
		next.ServeHTTP(recorded, r)
		ended = true
	})
}

// clientClosed is the reported status of a request whose client disconnected before the response.
const clientClosed = 499

// recorder records the status of a response, 0 before the header is written.
type recorder struct {
	http.ResponseWriter
	status int
}

// WriteHeader records the first final status.
func (r *recorder) WriteHeader(status int) {
	if r.status == 0 && status >= 200 {
		r.status = status
	}
	r.ResponseWriter.WriteHeader(status)
}

// Write implies status 200.
func (r *recorder) Write(p []byte) (int, error) {
	if r.status == 0 {
		r.status = http.StatusOK
	}
	return r.ResponseWriter.Write(p)
}

// Unwrap lets http.ResponseController flush and set deadlines.
func (r *recorder) Unwrap() http.ResponseWriter { return r.ResponseWriter }

// Status is the state of a console at a moment.
type Status struct {
	// Streams is the number of open pages that receive changes.
	Streams int
	Queue   store.Backlog
	// QueueAge is the age of the queue that the console shows.
	QueueAge time.Duration
	// Dead is the number of dead letters by channel.
	Dead map[string]int
	// LogWaits is the number of lines of the console log that the log channel has not received.
	LogWaits int
}

// Status reads memory only, no query is sent.
func (c *Console) Status() Status {
	now := c.Now()
	s := Status{
		Streams: c.live.count(), Queue: c.Store.Backlog(now, c.High), QueueAge: c.queueAge(now), Dead: map[string]int{},
		LogWaits: c.stream.waiting(),
	}
	for _, o := range c.outlets {
		s.Dead[o.Name] = len(o.dead())
	}
	return s
}

// queueAge is how long ago the queue was read; before the first read, how long the console runs.
func (c *Console) queueAge(now time.Time) time.Duration {
	since := c.Store.ReadAt()
	if since.IsZero() {
		since = c.began
	}
	return now.Sub(since)
}
