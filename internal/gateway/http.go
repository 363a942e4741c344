package gateway

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"strings"

	"github.com/shoeproof/shoeproof/schema"
)

// maxProblems is the number of events of a request whose reasons are returned.
const maxProblems = 20

// problem is an event that is refused.
type problem struct {
	// Event is the number of the event in the request, from 1.
	Event   int    `json:"event"`
	EventID string `json:"event_id,omitempty"`
	Reason  string `json:"reason"`
}

// reply is the body of each response.
type reply struct {
	Error    string     `json:"error,omitempty"`
	Problems []problem  `json:"problems,omitempty"`
	Events   []numbered `json:"events,omitempty"`
}

// refusal is a response that accepts nothing.
type refusal struct {
	status int
	reply
}

func (r *refusal) Error() string { return r.reply.Error }

func refuse(status int, format string, args ...any) *refusal {
	return &refusal{status, reply{Error: fmt.Sprintf(format, args...)}}
}

// Handler serves POST /v1/events.
func (g *Gateway) Handler() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("POST /v1/events", g.post)
	return mux
}

func (g *Gateway) post(w http.ResponseWriter, r *http.Request) {
	status, body := http.StatusAccepted, reply{}
	events, err := g.take(w, r)
	if err == nil {
		body.Events = events
		if h := g.o.Observe.Accepted; h != nil {
			repeated := 0
			for i := range events {
				if events[i].Repeated {
					repeated++
				}
			}
			h(len(events)-repeated, repeated)
		}
	} else {
		no := g.refusal(err)
		status, body = no.status, no.reply
	}
	switch status {
	case http.StatusUnauthorized:
		w.Header().Set("WWW-Authenticate", `Bearer realm="shoeproof gateway"`)
	case http.StatusTooManyRequests, http.StatusServiceUnavailable:
		w.Header().Set("Retry-After", "1")
	case http.StatusInsufficientStorage:
		w.Header().Set("Retry-After", "10")
	}
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(body)
	if h := g.o.Observe.Answered; h != nil {
		h(status)
	}
}

// refusal is the response to an error.
func (g *Gateway) refusal(err error) *refusal {
	no, conflict := (*refusal)(nil), (*conflictError)(nil)
	switch {
	case errors.As(err, &no):
		return no
	case errors.As(err, &conflict):
		return refuse(http.StatusConflict, "%v", conflict)
	case errors.As(err, new(*http.MaxBytesError)):
		return refuse(http.StatusRequestEntityTooLarge, "the request has more than %d bytes", g.o.Body)
	case errors.Is(err, errBusy):
		return refuse(http.StatusTooManyRequests, "%v", err)
	case errors.Is(err, errBacklog), errors.Is(err, errFull):
		return refuse(http.StatusInsufficientStorage, "%v", err)
	}
	return refuse(http.StatusServiceUnavailable, "not stored: repeat the request with the same event_ids")
}

// traceParentSize is the size of a W3C trace context of version 00. Who reads it judges its content.
const traceParentSize = 55

// take stores the events of a request.
func (g *Gateway) take(w http.ResponseWriter, r *http.Request) ([]numbered, error) {
	token := g.o.Tokens().find(r.Header.Get("Authorization"))
	if token == nil {
		if !g.strangers.allow(r, g.o.Log) {
			return nil, refuse(http.StatusTooManyRequests, "too many requests without a valid token: wait a minute")
		}
		return nil, refuse(http.StatusUnauthorized, "no valid token: want Authorization: Bearer SECRET")
	}
	read, err := readerOf(r)
	if err != nil {
		return nil, err
	}
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, g.o.Body))
	if err != nil {
		return nil, err
	}
	events, err := g.decode(read(body), token)
	if err != nil {
		return nil, err
	}
	if parent := r.Header.Get("Traceparent"); len(parent) == traceParentSize {
		for i := range events {
			events[i].parent = parent
		}
	}
	return g.submit(r.Context(), events, int64(len(body)))
}

// recordReader is a schema.Reader, or the one event of a body.
type recordReader interface{ Next() (schema.Record, error) }

type single struct {
	body []byte
	read bool
}

func (s *single) Next() (schema.Record, error) {
	if s.read || len(s.body) == 0 {
		return schema.Record{}, io.EOF
	}
	s.read = true
	return schema.Record{Value: s.body, Format: schema.JSON}, nil
}

// readerOf chooses how the body of a request is read.
func readerOf(r *http.Request) (func([]byte) recordReader, error) {
	if encoding := r.Header.Get("Content-Encoding"); encoding != "" && encoding != "identity" {
		return nil, refuse(http.StatusUnsupportedMediaType, "content-encoding %q, want none", encoding)
	}
	kind, _, _ := mime.ParseMediaType(r.Header.Get("Content-Type"))
	stream := func(format schema.Format) func([]byte) recordReader {
		return func(body []byte) recordReader { return schema.NewReader(bytes.NewReader(body), format, "the request") }
	}
	switch kind {
	case "application/json":
		return func(body []byte) recordReader { return &single{body: bytes.TrimSpace(body)} }, nil
	case "application/x-ndjson":
		return stream(schema.JSON), nil
	case "application/x-protobuf":
		return stream(schema.Protobuf), nil
	}
	return nil, refuse(http.StatusUnsupportedMediaType, "content-type %q, want application/json (one event), "+
		"application/x-ndjson (one a line) or application/x-protobuf (each behind its length as a varint)", kind)
}

// decode decodes all events of a request, or refuses it with the reasons of those that are invalid.
func (g *Gateway) decode(in recordReader, token *Token) ([]incoming, error) {
	decoder, ev := schema.NewDecoder(), schema.Event{}
	decoder.Accept(g.o.Words)
	var events []incoming
	var problems []problem
	foreign := false
	for n := 1; len(problems) < maxProblems; n++ {
		rec, err := in.Next()
		if err == io.EOF { //nolint:errorlint // a wrapped EOF is a record that is cut off
			break
		}
		if err == nil && len(rec.Value) > maxValue {
			err = fmt.Errorf("event: %d bytes, want %d at most", len(rec.Value), maxValue)
		}
		if err == nil {
			err = decoder.DecodeUnnumbered(rec.Format, rec.Value, &ev)
		}
		switch {
		case err != nil:
			problems = append(problems, problem{Event: n, Reason: schema.Explain(rec.Format, rec.Value, err)})
		case !token.allows(ev.PropertyID, ev.TableID):
			foreign = true
			problems = append(problems, problem{n, ev.EventID, fmt.Sprintf("the token is not for table %s/%s", ev.PropertyID,
				ev.TableID)})
		default:
			events = append(events, newIncoming(&ev, rec.Format))
		}
	}
	switch {
	case foreign:
		return nil, &refusal{http.StatusForbidden, reply{Error: "no event is stored", Problems: problems}}
	case len(problems) > 0:
		return nil, &refusal{http.StatusUnprocessableEntity, reply{Error: "no event is stored", Problems: problems}}
	case len(events) == 0:
		return nil, refuse(http.StatusBadRequest, "no event in the request")
	}
	return events, nil
}

// bearer is the secret of an Authorization header.
func bearer(header string) string {
	scheme, secret, _ := strings.Cut(header, " ")
	if !strings.EqualFold(scheme, "Bearer") {
		return ""
	}
	return strings.TrimSpace(secret)
}
