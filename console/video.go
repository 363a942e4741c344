package console

import (
	"cmp"
	"context"
	"fmt"
	"html/template"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/shoeproof/shoeproof/console/notify"
	"github.com/shoeproof/shoeproof/console/store"
)

// VideoSchemes are the schemes that the URL of a recording may have.
func VideoSchemes() []string { return []string{"http", "https", "vms"} }

// clip is a position in the recording of a camera.
type clip struct {
	Camera string // empty if no event names one; the URL then names the table
	At     time.Time
	URL    template.URL // empty without a template
}

// video locates the recording of a finding. Its position is that of the breach: the last event that the finding cites,
// because with that event the breach is complete.
type video struct {
	clip
	Preserve time.Time
	// Clips are the positions of the cited events, in order.
	Clips []clip
}

func (c *Console) video(f *store.Finding, events []decodedEvent) *video {
	camera := cameraOf(events)
	v := &video{clip: clip{Camera: camera, At: f.At, URL: c.videoURL(cmp.Or(camera, f.TableID), f.At)}}
	keep := c.Video.Keep
	if f.Severity == "critical" || f.Kind == "anomaly" {
		keep = c.Video.KeepCritical
	}
	if keep > 0 {
		v.Preserve = f.At.AddDate(0, 0, keep)
	}
	for i := range events {
		if events[i].Cited {
			v.Clips = append(v.Clips, c.clipOf(&events[i], camera, f.TableID))
		}
	}
	if n := len(v.Clips); n > 0 {
		v.clip = v.Clips[n-1]
	}
	return v
}

// cameraOf is the camera of events that name none: the last camera that the other events of their table name.
func cameraOf(events []decodedEvent) (camera string) {
	for i := range events {
		camera = cmp.Or(events[i].Body.Video.CameraID, camera)
	}
	return camera
}

// clipOf locates an event of a table. The camera is that of an event that names none.
func (c *Console) clipOf(e *decodedEvent, camera, table string) clip {
	p := clip{Camera: cmp.Or(e.Body.Video.CameraID, camera), At: time.Unix(0, e.Body.Video.At)}
	if e.Body.Video.At == 0 {
		p.At = e.At
	}
	p.URL = c.videoURL(cmp.Or(p.Camera, table), p.At)
	return p
}

// videoURL is the URL of a recording from 10 seconds before a time to 50 seconds after it. The template decides its
// scheme, one of VideoSchemes, so that it is safe in a link.
func (c *Console) videoURL(camera string, at time.Time) template.URL {
	scheme, _, _ := strings.Cut(c.Video.Template, ":")
	if !slices.Contains(VideoSchemes(), scheme) {
		return ""
	}
	return template.URL(strings.NewReplacer( //nolint:gosec // the scheme is checked and the values are escaped
		"{camera}", url.PathEscape(camera),
		"{from}", fmt.Sprint(at.Add(-10*time.Second).Unix()),
		"{to}", fmt.Sprint(at.Add(50*time.Second).Unix()),
		"{at}", url.QueryEscape(at.UTC().Format(time.RFC3339)),
	).Replace(c.Video.Template))
}

// timecode formats a position for people: date, time to the millisecond, zone.
func (c *Console) timecode(t time.Time) string {
	return t.In(c.Law.Calendar.Zone).Format(timecodeLayout)
}

const timecodeLayout = "2006-01-02 15:04:05.000 MST"

// position is a clip in the API and in notifications.
func (p clip) position() notify.Position {
	return notify.Position{Camera: p.Camera, At: p.At.UTC(), URL: string(p.URL)}
}

// breachAt locates the recording of a finding whose events this console may read.
func (c *Console) breachAt(ctx context.Context, id string) (notify.Position, error) {
	all := store.Scope{All: true}
	f, err := c.Store.Finding(ctx, all, id)
	if err != nil {
		return notify.Position{}, err
	}
	at := store.Location{Property: f.PropertyID, Table: f.TableID}
	events, err := c.Store.Events(ctx, all, at, citedBy(&f))
	return c.video(&f, decode(events, &f)).position(), err
}
