package notify

import (
	"bufio"
	"context"
	"crypto/tls"
	"encoding/base64"
	"encoding/json"
	"encoding/pem"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	collectorpb "go.opentelemetry.io/proto/otlp/collector/logs/v1"
	logspb "go.opentelemetry.io/proto/otlp/logs/v1"
	"google.golang.org/protobuf/encoding/protojson"

	"github.com/shoeproof/shoeproof/internal/testkit"
)

// files are the files of an environment, by path.
type files map[string]string

func (f files) read(path string) ([]byte, error) {
	if text, ok := f[path]; ok {
		return []byte(text), nil
	}
	return nil, os.ErrNotExist
}

func (f files) environment() *Environment {
	return &Environment{
		ReadFile: f.read, ReadSecret: f.read, Now: func() time.Time { return time.Unix(1_800_000_000, 0) },
		TLS: func() *tls.Config { return &tls.Config{MinVersion: tls.VersionTLS12} }, Host: "audit.example", Version: "1.2",
	}
}

func setup(t *testing.T, f files, text string) Setup {
	t.Helper()
	s, err := Read(strings.NewReader(text), f.environment())
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// message has texts that try to break out of each format.
func message() *Message {
	return &Message{
		ID: "3f9a", Rule: "draw.banker.must-stay", Severity: "critical", Verdict: "BREACH", Kind: "deviation",
		PropertyID: "ac-1", TableID: "t|9", Round: 6, At: time.Unix(1_799_999_000, 5000), Expected: "a=b\\c",
		Observed: "<!channel> & [x](http://y)\nCEF:0|forged\r\nBcc: everyone@x.example", Money: "$10.00",
		Link: "https://audit.example/findings/3f9a", Local: "2027-01-15 03:00:00 EST",
	}
}

func send(t *testing.T, c Channel, m *Message) error {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	defer cancel()
	return c.Send(ctx, m)
}

// A chat receives the text escaped: no mention, no hidden link, no Markdown. An error does not have the URL.
func TestChats(t *testing.T) {
	var body []byte
	status := http.StatusOK
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ = io.ReadAll(r.Body)
		w.WriteHeader(status)
		_, _ = io.WriteString(w, "no_service\x1b")
	}))
	defer server.Close()
	f := files{"/url": server.URL + "/T0/secret\n", "/key": "0123456789abcdef"}
	s := setup(t, f, `
channels:
  - {name: pit, kind: slack, url_file: /url}
  - {name: room, kind: teams, url_file: /url, template: "{{.Rule}}\n{{.Observed}}"}
  - {name: hook, kind: webhook, url_file: /url, secret_file: /key}
routes: [{channel: pit}]
`)
	if err := send(t, s.Channels[0].Channel, message()); err != nil {
		t.Fatal(err)
	}
	var chat struct{ Text string }
	if err := json.Unmarshal(body, &chat); err != nil || strings.ContainsAny(chat.Text, "<>") ||
		!strings.Contains(chat.Text, "CRITICAL draw.banker.must-stay, ac-1 t|9 round 6\n") ||
		!strings.Contains(chat.Text, "&lt;!channel&gt; &amp;") || !strings.Contains(chat.Text, "Amount: $10.00") {
		t.Errorf("slack: %s %v", chat.Text, err)
	}
	if err := send(t, s.Channels[1].Channel, message()); err != nil {
		t.Fatal(err)
	}
	if text := string(body); strings.Contains(text, `"TextBlock"`) || strings.Contains(text, "Amount: ") ||
		!strings.Contains(text, `"RichTextBlock"`) ||
		!strings.Contains(text, `"url":"https://audit.example/findings/3f9a"`) {
		t.Errorf("teams: %s", text)
	}
	reminder := message()
	reminder.Reminder = 2
	if err := send(t, s.Channels[2].Channel, reminder); err != nil || !strings.Contains(string(body), `"reminder":2`) {
		t.Errorf("webhook: %s %v", body, err)
	}
	status = http.StatusForbidden
	for _, c := range s.Channels {
		err := send(t, c.Channel, message())
		if err == nil || !strings.Contains(err.Error(), "403") || strings.Contains(err.Error(), "secret") ||
			strings.Contains(err.Error(), "\x1b") || strings.Contains(c.Text, "secret") {
			t.Errorf("%s: %v, %s", c.Name, err, c.Text)
		}
	}
	server.Close()
	for _, c := range s.Channels {
		if err := send(t, c.Channel, message()); err == nil || strings.Contains(err.Error(), "secret") {
			t.Errorf("%s without a server: %v", c.Name, err)
		}
	}
}

// certificate returns a certificate for 127.0.0.1 and the PEM of its authority.
func certificate(t *testing.T) (*tls.Config, string) {
	t.Helper()
	server := httptest.NewTLSServer(http.NotFoundHandler())
	defer server.Close()
	authority := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: server.Certificate().Raw})
	return &tls.Config{Certificates: server.TLS.Certificates, MinVersion: tls.VersionTLS12}, string(authority)
}

// smtpServer is a server that offers STARTTLS and a sign-in, and returns the mails that it accepts.
func smtpServer(t *testing.T, config *tls.Config, implicit bool) (string, chan string) {
	mails := make(chan string, 4)
	return testkit.Accept(t, func(conn net.Conn) {
		encrypted := implicit
		if implicit {
			conn = tls.Server(conn, config)
		}
		in := bufio.NewReader(conn)
		reply := func(text string) { fmt.Fprint(conn, text+"\r\n") }
		reply("220 mail.example")
		var log strings.Builder
		for {
			line, err := in.ReadString('\n')
			if err != nil {
				return
			}
			log.WriteString(line)
			switch verb, _, _ := strings.Cut(strings.TrimSpace(line), " "); strings.ToUpper(verb) {
			case "EHLO":
				extension := "STARTTLS"
				if encrypted {
					extension = "AUTH PLAIN"
				}
				reply("250-mail.example\r\n250 " + extension)
			case "STARTTLS":
				reply("220 go")
				conn, encrypted = tls.Server(conn, config), true
				in = bufio.NewReader(conn)
			case "AUTH":
				if !encrypted || !strings.Contains(line, base64.StdEncoding.EncodeToString([]byte("\x00ann\x00pass"))) {
					reply("535 no")
					continue
				}
				reply("235 ok")
			case "DATA":
				reply("354 go")
				for line != ".\r\n" {
					if line, err = in.ReadString('\n'); err != nil {
						return
					}
					log.WriteString(line)
				}
				mails <- log.String()
				reply("250 ok")
			case "QUIT":
				reply("221 bye")
				return
			default:
				reply("250 ok")
			}
		}
	}), mails
}

func TestMail(t *testing.T) {
	keys, authority := certificate(t)
	f := files{"/ca": authority, "/password": "pass\n", "/wrong": "guess"}
	for _, mode := range []string{"starttls", "implicit"} {
		at, mails := smtpServer(t, keys, mode == "implicit")
		config := fmt.Sprintf(`
channels:
  - {name: shift, kind: email, server: "%s", tls: %s, ca_file: /ca, user: ann, password_file: /password,
     from: shoeproof@casino.example, to: [shift@casino.example, lead@casino.example]}
`, at, mode)
		s := setup(t, f, config)
		reminder := message()
		reminder.Reminder = 1
		reminder.Rule = "draw\r\nBcc: everyone@x.example"
		if err := send(t, s.Channels[0].Channel, reminder); err != nil {
			t.Fatal(mode, err)
		}
		mail := <-mails
		_, data, _ := strings.Cut(mail, "DATA")
		head, body, _ := strings.Cut(data, "\r\n\r\n")
		decoded, err := base64.StdEncoding.DecodeString(strings.TrimSuffix(strings.ReplaceAll(body, "\r\n", ""), "."))
		text, failed := standard(t).render(reminder)
		if err != nil || failed != nil || string(decoded) != text || !strings.Contains(text, "Reminder 1, not acknowledged") {
			t.Errorf("%s: %v %v %s, want %s", mode, err, failed, decoded, text)
		}
		subject, _, _ := strings.Cut(text, "\n")
		for _, want := range []string{
			"Message-ID: <3f9a.1@casino.example>", "References: <3f9a.0@casino.example>",
			"To: shift@casino.example, lead@casino.example", "From: shoeproof@casino.example",
			"Subject: " + strings.TrimSpace(subject),
			"Date: " + f.environment().Now().Format(time.RFC1123Z), "Auto-Submitted: auto-generated",
		} {
			if !strings.Contains(head+"\r\n", "\n"+want+"\r\n") {
				t.Errorf("%s: no %q in %s", mode, want, head)
			}
		}
		if !strings.Contains(mail, "MAIL FROM:<shoeproof@casino.example>") {
			t.Errorf("%s: the sender of %s", mode, mail)
		}
		if strings.Contains(head, "\nBcc") || strings.Count(mail, "RCPT TO") != 2 {
			t.Errorf("%s: a header was forged: %s", mode, mail)
		}
		s = setup(t, f, strings.Replace(config, "/password", "/wrong", 1))
		if err := send(t, s.Channels[0].Channel, message()); err == nil || !strings.Contains(err.Error(), "sign in") {
			t.Errorf("%s with a wrong password: %v", mode, err)
		}
		s = setup(t, f, strings.Replace(config, "ca_file: /ca, ", "", 1))
		if err := send(t, s.Channels[0].Channel, message()); err == nil || !strings.Contains(err.Error(), "certificate") {
			t.Errorf("%s with an unknown authority: %v", mode, err)
		}
	}
	connected := make(chan struct{}, 2)
	silent := testkit.Accept(t, func(conn net.Conn) { connected <- struct{}{}; _, _ = io.Copy(io.Discard, conn) })
	s := setup(t, f, `channels: [{name: a, kind: email, server: "`+silent+`", tls: none, from: a@b.example, to: [c@d.example]}]`)
	ctx, cancel := context.WithTimeout(t.Context(), time.Second) // enough to connect on a busy machine
	defer cancel()
	if err := s.Channels[0].Channel.Send(ctx, message()); err == nil {
		t.Error("a silent server: no error")
	}
	<-connected
	ctx, cancel = context.WithCancel(t.Context())
	go func() { <-connected; cancel() }() // the program ends
	if err := s.Channels[0].Channel.Send(ctx, message()); err == nil {
		t.Error("a silent server and the end of the program: no error")
	}
}

// A test of a channel is a message of its own: two of them are not one conversation, nor is one a finding's.
func TestMailOfATest(t *testing.T) {
	s := mail{from: "a@b.example", to: []string{"c@d.example"}, now: time.Now}
	ids := map[string]bool{}
	for _, m := range []*Message{TestMessage(time.Now(), "", ""), TestMessage(time.Now(), "", ""), message()} {
		_, id, _ := strings.Cut(string(s.encode(m, "text")), "Message-ID: ")
		id, _, _ = strings.Cut(id, "\r\n")
		if ids[id] || strings.HasPrefix(id, "<test.") != m.Test || !strings.HasSuffix(id, "@b.example>") {
			t.Errorf("the message of a test %v has the id %s beside %v", m.Test, id, ids)
		}
		ids[id] = true
	}
}

func standard(t *testing.T) layout {
	t.Helper()
	l, err := newLayout("")
	if err != nil {
		t.Fatal(err)
	}
	return l
}

// frames reads the lines of a connection with octet counting.
func frames(conn net.Conn, lines chan<- string) {
	in := bufio.NewReader(conn)
	for {
		count, err := in.ReadString(' ')
		n, bad := strconv.Atoi(strings.TrimSpace(count))
		if err != nil || bad != nil {
			return
		}
		line := make([]byte, n)
		if _, err := io.ReadFull(in, line); err != nil {
			return
		}
		lines <- string(line)
	}
}

// Syslog carries a message in CEF, and lines with structured data, over TCP, TLS and UDP. No text begins another line
// or another field, and a long line is cut.
func TestSyslog(t *testing.T) {
	config, authority := certificate(t)
	lines := make(chan string, 8)
	plain := testkit.Accept(t, func(conn net.Conn) { frames(conn, lines) })
	encrypted := testkit.Accept(t, func(conn net.Conn) { frames(tls.Server(conn, config), lines) })
	packets, err := (&net.ListenConfig{}).ListenPacket(t.Context(), "udp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = packets.Close() })
	go func() {
		data := make([]byte, 1<<16)
		for {
			n, _, err := packets.ReadFrom(data)
			if err != nil {
				return
			}
			lines <- string(data[:n])
		}
	}()
	for _, server := range []string{"tcp://" + plain, "tls://" + encrypted, "udp://" + packets.LocalAddr().String()} {
		authorities := ""
		if strings.HasPrefix(server, "tls") {
			authorities = ", ca_file: /ca"
		}
		s := setup(t, files{"/ca": authority},
			fmt.Sprintf(`channels: [{name: siem, kind: syslog, server: "%s", console_log: true%s}]`, server, authorities))
		if s.Log == nil {
			t.Fatal("the channel does not receive the console log")
		}
		if err := send(t, s.Channels[0].Channel, message()); err != nil {
			t.Fatal(server, err)
		}
		const head = `<106>1 2027-01-15T07:43:20.000005Z audit.example shoeproof - finding - CEF:0|Shoeproof|console|1.2|` +
			`draw.banker.must-stay|draw.banker.must-stay|10|`
		line := <-lines
		if !strings.HasPrefix(line, head) || strings.ContainsAny(line, "\r\n") || !strings.Contains(line, "cs3=t|9 ") ||
			!strings.Contains(line, `cs5=a\=b\\c`) {
			t.Errorf("%s: %s", server, line)
		}
		log := Line{
			At: time.Unix(0, 0), Severity: 5, Kind: "sign in", Text: "<13>1 forged\n" + strings.Repeat("x", 2*maxLine),
			Data: [][2]string{{"actor", `ann" role="admin"]`}},
		}
		if err := s.Log.Write(t.Context(), log, log); err != nil {
			t.Fatal(server, err)
		}
		for range 2 {
			line := <-lines
			if !strings.HasPrefix(line, `<109>1 1970-01-01T00:00:00.000000Z audit.example shoeproof - sign_in `+
				`[shoeproof@32473 actor="ann\" role=\"admin\"\]"] <13>1 forged x`) || len(line) > maxLine {
				t.Errorf("%s: %.200s", server, line)
			}
		}
	}
	s := setup(t, nil, `channels: [{name: siem, kind: syslog, server: "tls://`+encrypted+`"}]`)
	if err := send(t, s.Channels[0].Channel, message()); err == nil {
		t.Error("an unknown authority is accepted")
	}
	gone := testkit.Accept(t, func(conn net.Conn) { _ = conn.(*net.TCPConn).SetLinger(0) })
	s = setup(t, nil, `channels: [{name: siem, kind: syslog, server: "tcp://`+gone+`"}]`)
	if err := send(t, s.Channels[0].Channel, message()); err == nil {
		t.Error("a receiver that resets the connection: no error")
	}
}

// parsed is a line of RFC 5424 with the structured data by name; it fails for a line that is not well formed.
func parsed(t *testing.T, line string) (data map[string]string, text string) {
	t.Helper()
	header := strings.SplitN(line, " ", 7)
	if len(header) != 7 || !strings.HasPrefix(line, "<") {
		t.Fatalf("no header: %.200q", line)
	}
	rest, data := header[6], map[string]string{}
	if strings.HasPrefix(rest, "- ") {
		return data, rest[2:]
	}
	_, rest, _ = strings.Cut(rest, " ")
	for {
		name, after, ok := strings.Cut(rest, `="`)
		if _, twice := data[name]; !ok || twice || strings.ContainsAny(name, ` "]`) {
			t.Fatalf("a parameter %.50q, %d read, of a line of %d bytes", name, len(data), len(line))
		}
		var value strings.Builder
		for i := 0; ; i++ {
			if i == len(after) {
				t.Fatalf("the parameter %s is cut", name)
			}
			if after[i] == '"' {
				rest = after[i+1:]
				break
			}
			if after[i] == '\\' {
				i++
			}
			value.WriteByte(after[i])
		}
		if data[name] = value.String(); strings.HasPrefix(rest, "] ") {
			return data, rest[2:]
		}
		rest = strings.TrimPrefix(rest, " ")
	}
}

// No text, however long, begins another line, another parameter or another field, or takes the place in the chain,
// which comes last, off a line.
func TestSyslogInjection(t *testing.T) {
	lines := make(chan string, 1)
	address := testkit.Accept(t, func(conn net.Conn) { frames(conn, lines) })
	s := setup(t, nil, `channels: [{name: siem, kind: syslog, server: "tcp://`+address+`", console_log: true}]`)
	names := strings.Fields("property actor role action object detail from to issuer subject method program chain " +
		"link hash")
	for _, hostile := range []string{
		"a\nb", "a\r\n<13>1 - - - - - - b", "a\u2028b\u2029c\u0085d", "a\x00b", "a\u202eb\u2066c",
		`" hash="0`, `a"] b`, `\`, `a\`, "]",
		"\xff\xfe", "9999 <13>1 x", "|CEF:0|x|y|z|1|n|10|", "act=x cs1=y",
		strings.Repeat(`"`, 1<<16), strings.Repeat(`\`, 1<<16),
		strings.Repeat("\U0001F0A1", 1<<14), strings.Repeat("]\n", 1<<15), strings.Repeat("x", 1<<20),
	} {
		l := Line{At: time.Unix(0, 0), Severity: 5, Kind: hostile, Text: hostile}
		for _, name := range names {
			l.Data = append(l.Data, [2]string{name, hostile})
		}
		l.Data[len(l.Data)-1][1] = "the last"
		if err := s.Log.Write(t.Context(), l); err != nil {
			t.Fatalf("%.20q: %v", hostile, err)
		}
		line := <-lines
		data, text := parsed(t, line)
		visible := oneLine(hostile)
		if len(line) > maxLine || strings.ContainsAny(line, "\r\n\x00\u0085\u2028\u2029\u202e\u2066") ||
			len(data) != len(names) || data["hash"] != "the last" || !strings.HasPrefix(visible, data["object"]) ||
			!strings.HasPrefix(visible, text) ||
			len(data["object"]) < min(len(visible), maxValue/2-3) {
			t.Errorf("%.20q: %d bytes, %d of %d parameters, object %.40q, text %.40q", hostile, len(line), len(data),
				len(names), data["object"], text)
		}
		m := message()
		m.Rule, m.Expected, m.Observed, m.TableID, m.Link = hostile, hostile, hostile, hostile, hostile
		if err := send(t, s.Channels[0].Channel, m); err != nil {
			t.Fatal(err)
		}
		data, text = parsed(t, <-lines)
		for range 7 { // of the head, each up to a bar without a backslash
			for text[0] != '|' {
				text = text[1+strings.Count(text[:1], `\`):]
			}
			text = text[1:]
		}
		var have []string
		for _, k := range regexp.MustCompile(`(?:^|\s)(\w+)=`).FindAllStringSubmatch(text, -1) {
			have = append(have, k[1])
		}
		const want = "rt externalId cat outcome cs1Label cs1 cs3Label cs3 cs5Label cs5 cs6Label cs6 cn1Label cn1 " +
			"request msg"
		if len(data) != 0 || strings.Join(have, " ") != want {
			t.Errorf("%.20q: keys %v: %.300s", hostile, have, text)
		}
	}
}

// A receiver that accepts and does not read, does not shake hands, or is gone in the middle is an error, never a line
// that counts as sent.
func TestSyslogReceivers(t *testing.T) {
	t.Parallel()
	config, authority := certificate(t)
	hangs := func(net.Conn) { <-t.Context().Done() }
	shakes := func(conn net.Conn) {
		_ = tls.Server(conn, config).HandshakeContext(t.Context())
		hangs(conn)
	}
	reset := func(conn net.Conn) {
		_, _ = conn.Read(make([]byte, 1000))
		_ = conn.(*net.TCPConn).SetLinger(0)
	}
	for name, x := range map[string]struct {
		scheme string
		serve  func(net.Conn)
		lines  int
	}{
		"it accepts and hangs":                  {"tcp", hangs, 1},
		"it accepts and hangs, a flood":         {"tcp", hangs, 5000},
		"it does not shake hands":               {"tls", hangs, 1},
		"it shakes hands and hangs":             {"tls", shakes, 1},
		"it resets in the middle":               {"tcp", reset, 5000},
		"it resets the handshake":               {"tls", func(c net.Conn) { _ = c.(*net.TCPConn).SetLinger(0) }, 1},
		"it answers without end and reads none": {"tcp", func(c net.Conn) { _, _ = io.Copy(c, endless{}) }, 1},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			authorities := ""
			if x.scheme == "tls" {
				authorities = ", ca_file: /ca"
			}
			s := setup(t, files{"/ca": authority}, fmt.Sprintf(
				`channels: [{name: siem, kind: syslog, server: "%s://%s", console_log: true%s}]`,
				x.scheme, testkit.Accept(t, x.serve), authorities))
			lines := make([]Line, x.lines)
			for i := range lines {
				lines[i] = Line{At: time.Unix(0, 0), Kind: "x", Text: strings.Repeat("x", 8000)}
			}
			ctx, cancel := context.WithTimeout(t.Context(), 2*drained)
			defer cancel()
			if err := s.Log.Write(ctx, lines...); err == nil {
				t.Error("the lines count as sent")
			}
		})
	}
}

// endless is a reader without an end.
type endless struct{}

func (endless) Read(p []byte) (int, error) { return len(p), nil }

func TestRead(t *testing.T) {
	f := files{"/url": "https://chat.example/x", "/plain": "http://chat.example/x", "/key": "short"}
	const slack = "channels: [{name: pit, kind: slack, url_file: /url}]\n"
	const good = slack + "routes: [{channel: pit, properties: [ac-1], severities: [critical, major], " +
		"verdicts: [BREACH], rules: [draw], every: 10m, times: 3}]"
	s := setup(t, f, good)
	r := s.Routes[0]
	for change, want := range map[string]bool{
		"": true, "ac-2": false, "minor": false, "SUSPECT": false, "drawn.x": false, "draw": true,
	} {
		m := message()
		switch change {
		case "ac-2":
			m.PropertyID = change
		case "minor":
			m.Severity = change
		case "SUSPECT":
			m.Verdict = change
		case "drawn.x", "draw":
			m.Rule = change
		}
		if r.Selects(m) != want {
			t.Errorf("%q: %v, want %v", change, !want, want)
		}
	}
	if setup(t, f, slack+"routes: [{channel: pit}]").Routes[0].Selects(&Message{Severity: "major"}) {
		t.Error("a route without severities selects more than critical findings")
	}
	for text, want := range map[string]string{
		"chanels: []": "chanels",
		"channels: [{name: Pit, kind: slack, url_file: /url}]":                                       "lower-case",
		"channels: [{name: topic, kind: slack, url_file: /url}]":                                     "neither webhook",
		"channels: [{name: a, kind: fax}]":                                                           `kind "fax"`,
		"channels: [{name: a, kind: slack, url_file: /none}]":                                        "not exist",
		"channels: [{name: a, kind: slack, url_file: /plain}]":                                       "want an https URL",
		"channels: [{name: a, kind: slack, url_file: /url, server: 'x:1'}]":                          "server: not of",
		"channels: [{name: a, kind: slack, url_file: /url, template: '{{.Patron}}'}]":                "Patron",
		"channels: [{name: a, kind: slack, url_file: /url, template: '{{'}]":                         "template",
		"channels: [{name: a, kind: webhook, url_file: /url, secret_file: /key}]":                    "5 bytes",
		"channels: [{name: a, kind: email, server: 'x:1', from: a@b.example}]":                       "to: want",
		"channels: [{name: a, kind: email, server: 'x:1', from: A <a@b>, to: [c@d.example]}]":        "want one such as",
		"channels: [{name: a, kind: email, server: 'x:1', tls: none, user: a, password_file: /key}]": "in the clear",
		"channels: [{name: a, kind: syslog, server: 'http://x:1'}]":                                  "want tls://",
		"channels: [{name: a, kind: syslog, server: 'tcp://x:1', ca_file: /url}]":                    "want a server tls://",
		"channels: [{name: a, kind: slack, url_file: /url, console_log: true}]":                      "of kind syslog",
		slack + "routes: [{channel: pitt}]":                                                          `channel "pitt"`,
		slack + "routes: [{channel: pit, severities: [high]}]":                                       `"high"`,
		slack + "routes: [{channel: pit, every: 10m}]":                                               "want both",
		slack + "routes: [{channel: pit, every: 1s, times: 3}]":                                      "from 1m",
		"channels: [{name: a, kind: slack, url_file: /url}, {name: a, kind: teams, url_file: /url}]": "two channels",
	} {
		_, err := Read(strings.NewReader(text), f.environment())
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", text, err, want)
		}
	}
}

// A collector receives messages and lines as log records of OpenTelemetry; what it rejects is an error.
func TestOTLP(t *testing.T) {
	var got []*logspb.LogRecord
	answer := `{"partialSuccess":{}}`
	server := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		var request collectorpb.ExportLogsServiceRequest
		if err := protojson.Unmarshal(body, &request); err != nil {
			t.Errorf("%v in %s", err, body)
		}
		if r.URL.Path != "/v1/logs" || r.Header.Get("Authorization") != "Bearer canary" {
			t.Errorf("%s with %q", r.URL.Path, r.Header.Get("Authorization"))
		}
		got = request.ResourceLogs[0].ScopeLogs[0].LogRecords
		_, _ = io.WriteString(w, answer)
	}))
	defer server.Close()
	authority := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: server.Certificate().Raw})
	f := files{"/ca": string(authority), "/auth": "Bearer canary\n"}
	s := setup(t, f, `
channels:
  - {name: otel, kind: otlp, server: "`+server.URL+`", ca_file: /ca, secret_file: /auth, console_log: true}
`)
	if strings.Contains(s.Channels[0].Text, "canary") || s.Log == nil {
		t.Errorf("%+v", s)
	}
	if err := send(t, s.Channels[0].Channel, message()); err != nil {
		t.Fatal(err)
	}
	attribute := func(r *logspb.LogRecord, key string) string {
		for _, a := range r.Attributes {
			if a.Key == key {
				return a.Value.GetStringValue()
			}
		}
		return ""
	}
	const critical, warning = logspb.SeverityNumber_SEVERITY_NUMBER_ERROR2, logspb.SeverityNumber_SEVERITY_NUMBER_WARN
	if r := got[0]; r.SeverityNumber != critical || r.EventName != "shoeproof.finding" ||
		r.TimeUnixNano != 1_799_999_000_000_005_000 || attribute(r, "rule") != "draw.banker.must-stay" ||
		attribute(r, "round") != "6" || strings.ContainsAny(r.Body.GetStringValue(), "\r\n") {
		t.Errorf("%v", r)
	}
	err := s.Log.Write(t.Context(),
		Line{At: time.Unix(5, 0), Severity: 5, Kind: "signed-in", Data: [][2]string{{"hash", "ab"}}, Text: "ann signed in"},
		Line{At: time.Unix(6, 0), Severity: 4, Kind: "refused"})
	if err != nil || len(got) != 2 || attribute(got[0], "hash") != "ab" || got[1].EventName != "shoeproof.refused" ||
		got[1].SeverityNumber != warning {
		t.Errorf("%v %v", got, err)
	}
	answer = `{"partialSuccess":{"rejectedLogRecords":"1","errorMessage":"no\nroom"}}`
	if err := s.Log.Write(t.Context(), Line{Kind: "x"}); err == nil ||
		!strings.Contains(err.Error(), "rejected 1 of 1 log records: no room") {
		t.Errorf("a rejected record: %v", err)
	}
	for text, want := range map[string]string{
		`{name: a, kind: otlp, server: "http://otel.example:4318"}`:                 "want https://HOST",
		`{name: a, kind: otlp, server: "https://otel.example", template: "{{.}}"}`:  "template: not of a channel of kind otlp",
		`{name: a, kind: otlp, server: "https://otel.example", secret_file: /none}`: "secret_file: ",
	} {
		_, err := Read(strings.NewReader("channels: ["+text+"]"), f.environment())
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", text, err, want)
		}
	}
}
