package notify

import (
	"bytes"
	"cmp"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net"
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"
)

// Syslog sends lines by RFC 5424: over TLS (RFC 5425), over TCP with the same framing by octet counting, or by UDP
// (RFC 5426), which confirms nothing.
type Syslog struct {
	network, address string
	tls              *tls.Config
	host, version    string
}

// Line is a line of syslog.
type Line struct {
	At       time.Time
	Severity int    // of syslog: 0 emergency to 7 debug
	Kind     string // MSGID
	Data     [][2]string
	Text     string
}

const (
	facility = 13 // log audit
	// enterprise is the number that RFC 5612 reserves for documentation, since this product has none.
	enterprise = "32473"
	// maxLine is the maximum length of a line in bytes; receivers must take 2,048 and should take 8,192. With values of
	// at most maxValue bytes, escaped, the structured data of a line of the console log is always whole.
	maxLine  = 8192
	maxValue = 480
	maxCEF   = 1000 // bytes of a value of the Common Event Format
	// drained is how long a receiver may take to close a connection whose lines were sent.
	drained = 3 * time.Second
)

// errUnread is the error of a receiver that keeps a connection open whose lines were sent: it may not have read them.
var errUnread = errors.New("the receiver did not close the connection after the last line, and may not have read them")

// Send sends a message in the Common Event Format.
func (s *Syslog) Send(ctx context.Context, m *Message) error {
	return s.Write(ctx, Line{At: m.At, Severity: level(m.Severity), Kind: "finding", Text: s.cef(m)})
}

// level is the level of syslog of a finding's severity.
func level(severity string) int {
	if l := map[string]int{"critical": 2, "major": 3, "minor": 4}[severity]; l > 0 {
		return l
	}
	return 6
}

// Write sends lines over one connection.
func (s *Syslog) Write(ctx context.Context, lines ...Line) error {
	if err := s.write(ctx, lines); err != nil {
		return fmt.Errorf("syslog to %s: %w", s.address, err)
	}
	return nil
}

func (s *Syslog) write(ctx context.Context, lines []Line) error {
	conn, err := connect(ctx, s.network, s.address, s.tls)
	if err != nil {
		return err
	}
	defer func() { _ = conn.Close() }()
	defer context.AfterFunc(ctx, func() { _ = conn.Close() })()
	if s.network == "udp" {
		for i := range lines {
			if _, err := conn.Write(s.format(&lines[i])); err != nil {
				return err
			}
		}
		return nil
	}
	var out bytes.Buffer
	for i := range lines {
		line := s.format(&lines[i])
		out.WriteString(strconv.Itoa(len(line)) + " ")
		out.Write(line)
	}
	if _, err := out.WriteTo(conn); err != nil {
		return err
	}
	// Syslog has no acknowledgement. A receiver that is gone resets the connection instead of closing it.
	if half, ok := conn.(interface{ CloseWrite() error }); ok {
		if err := half.CloseWrite(); err != nil {
			return err
		}
	}
	if err := conn.SetReadDeadline(time.Now().Add(drained)); err != nil {
		return err
	}
	_, err = io.Copy(io.Discard, conn)
	if failed, ok := errors.AsType[net.Error](err); ok && failed.Timeout() {
		return errUnread
	}
	return errors.Join(err, ctx.Err())
}

// format is a line of RFC 5424, cut at maxLine.
func (s *Syslog) format(l *Line) []byte {
	var out bytes.Buffer
	fmt.Fprintf(&out, "<%d>1 %s %s shoeproof - %s ", facility*8+l.Severity,
		l.At.UTC().Format("2006-01-02T15:04:05.000000Z"), token(s.host, 255), token(l.Kind, 32))
	if len(l.Data) == 0 {
		out.WriteString("-")
	} else {
		out.WriteString("[shoeproof@" + enterprise)
		for _, d := range l.Data {
			fmt.Fprintf(&out, ` %s="%s"`, d[0], escaped(d[1], `"\]`, maxValue))
		}
		out.WriteString("]")
	}
	out.WriteString(" " + oneLine(l.Text))
	if out.Len() > maxLine {
		return bytes.ToValidUTF8(out.Bytes()[:maxLine], nil)
	}
	return out.Bytes()
}

// token is a field of the header: printable ASCII without spaces.
func token(text string, length int) string {
	text = strings.Map(func(r rune) rune {
		if r <= ' ' || r > '~' {
			return '_'
		}
		return r
	}, text)
	if text == "" {
		return "-"
	}
	return text[:min(len(text), length)]
}

// oneLine replaces what begins another line, and what changes the order of the characters after it.
func oneLine(text string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsControl(r) || unicode.In(r, unicode.Zl, unicode.Zp, unicode.Bidi_Control) {
			return ' '
		}
		return r
	}, strings.ToValidUTF8(text, "\uFFFD"))
}

// escaped is a text on one line with a backslash before each of the marks, cut before the character that exceeds limit.
func escaped(text, marks string, limit int) string {
	var out strings.Builder
	for _, r := range oneLine(text) {
		size := utf8.RuneLen(r)
		marked := strings.ContainsRune(marks, r)
		if marked {
			size++
		}
		if out.Len()+size > limit {
			break
		}
		if marked {
			out.WriteByte('\\')
		}
		out.WriteRune(r)
	}
	return out.String()
}

// cef is a message in the Common Event Format, version 0.
func (s *Syslog) cef(m *Message) string {
	level := cmp.Or(map[string]string{"critical": "10", "major": "7", "minor": "4"}[m.Severity], "1")
	name := m.Rule
	if m.Test {
		name = "TEST, no finding"
	}
	head := func(text string) string { return escaped(text, `\|`, maxValue) }
	var out strings.Builder
	fmt.Fprintf(&out, "CEF:0|Shoeproof|console|%s|%s|%s|%s|", head(s.version), head(m.Rule), head(name), level)
	extension := func(key, value string) {
		if value != "" {
			out.WriteString(key + "=" + escaped(value, `\=`, maxCEF) + " ")
		}
	}
	labelled := func(n int, label, value string) {
		if value != "" {
			extension(fmt.Sprintf("cs%dLabel", n), label)
			extension(fmt.Sprintf("cs%d", n), value)
		}
	}
	extension("rt", strconv.FormatInt(m.At.UnixMilli(), 10))
	extension("externalId", m.ID)
	extension("cat", m.Kind)
	extension("outcome", m.Verdict)
	labelled(1, "property", m.PropertyID)
	labelled(2, "pit", m.PitID)
	labelled(3, "table", m.TableID)
	labelled(4, "shoe", m.ShoeID)
	labelled(5, "expected", m.Expected)
	labelled(6, "amount", m.Money)
	if m.Round > 0 {
		extension("cn1Label", "round")
		extension("cn1", strconv.FormatUint(uint64(m.Round), 10))
	}
	if m.Reminder > 0 {
		extension("cnt", strconv.Itoa(m.Reminder+1))
	}
	extension("request", m.Link)
	extension("msg", m.Observed)
	return strings.TrimSpace(out.String())
}
