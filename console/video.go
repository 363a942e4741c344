package console

import (
	"fmt"
	"net/url"
	"strings"
	"time"

	"github.com/shoeproof/shoeproof/console/store"
)

// video locates the recording of a finding.
type video struct {
	Camera   string
	At       time.Time
	URL      string
	Preserve time.Time
	Timecode string
}

func (c *Console) video(f *store.Finding, events []decodedEvent) *video {
	v := &video{At: f.At}
	v.locate(events)
	keep := c.Video.Keep
	if f.Severity == "critical" || f.Kind == "anomaly" {
		keep = c.Video.KeepCritical
	}
	if keep > 0 {
		v.Preserve = f.At.AddDate(0, 0, keep)
	}
	v.Timecode = v.At.In(c.Law.Calendar.Zone).Format("15:04:05.000 MST")
	if c.Video.Template != "" {
		camera := v.Camera
		if camera == "" {
			camera = f.TableID
		}
		v.URL = strings.NewReplacer(
			"{camera}", url.PathEscape(camera),
			"{from}", fmt.Sprint(v.At.Add(-10*time.Second).Unix()),
			"{to}", fmt.Sprint(v.At.Add(50*time.Second).Unix()),
			"{at}", url.QueryEscape(v.At.UTC().Format(time.RFC3339)),
		).Replace(c.Video.Template)
	}
	return v
}

// locate finds the camera and the time. They come from the first cited event with a camera, or else from the first
// event with a camera.
func (v *video) locate(events []decodedEvent) {
	for i := range events {
		e := &events[i]
		if e.Body.Video.CameraID == "" || v.Camera != "" && !e.Cited {
			continue
		}
		v.Camera, v.At = e.Body.Video.CameraID, time.Unix(0, e.Body.Video.At)
		if e.Body.Video.At == 0 {
			v.At = e.At
		}
		if e.Cited {
			return
		}
	}
}
