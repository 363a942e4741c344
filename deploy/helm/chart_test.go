// Package helm_test holds the chart to what it promises. It needs helm, which `make helm` builds.
package helm_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"
)

var update = flag.Bool("update", false, "write the chart's README")

const kubeVersion = "1.35.4"

type object map[string]any

func (o object) kind() string { return fmt.Sprint(o["kind"]) }
func (o object) name() string { return fmt.Sprint(at(o, "metadata", "name")) }

// at follows names into maps and gives nil where they end.
func at(v any, path ...string) any {
	for _, p := range path {
		v = mapping(v)[p]
	}
	return v
}

// mapping is a map, however it was decoded.
func mapping(v any) map[string]any {
	if o, ok := v.(object); ok {
		return o
	}
	m, _ := v.(map[string]any)
	return m
}

func list(v any) []any {
	l, _ := v.([]any)
	return l
}

func helm(t *testing.T, args ...string) (stdout, stderr string, err error) {
	t.Helper()
	program := os.Getenv("SHOEPROOF_HELM")
	if program == "" {
		t.Skip("NOT RUN: SHOEPROOF_HELM names no helm; `make helm` builds one and runs this")
	}
	cmd := exec.CommandContext(t.Context(), program, args...)
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	err = cmd.Run()
	return out.String(), errs.String(), err
}

func render(t *testing.T, args ...string) []object {
	t.Helper()
	template := []string{"template", "sp", "shoeproof", "--namespace", "audit", "--kube-version", kubeVersion}
	out, errs, err := helm(t, append(template, args...)...)
	if err != nil {
		t.Fatalf("helm template %v: %v\n%s", args, err, errs)
	}
	var all []object
	dec := yaml.NewDecoder(strings.NewReader(out))
	for {
		var o object
		if err := dec.Decode(&o); errors.Is(err, io.EOF) {
			return all
		} else if err != nil {
			t.Fatalf("helm template %v: %v", args, err)
		}
		if o != nil {
			all = append(all, o)
		}
	}
}

// each runs a test over every file of values in ci/.
func each(t *testing.T, test func(t *testing.T, values string, all []object)) {
	files, err := filepath.Glob("shoeproof/ci/*-values.yaml")
	if err != nil || len(files) < 12 {
		t.Fatalf("%d files of values, %v; want a dozen", len(files), err)
	}
	for _, file := range append(files, sample(t)) {
		t.Run(
			strings.TrimSuffix(filepath.Base(file), "-values.yaml"),
			func(t *testing.T) { test(t, file, render(t, "-f", file)) },
		)
	}
}

// sample writes the values of docs/install.md to a file.
func sample(t *testing.T) string {
	t.Helper()
	guide, err := os.ReadFile("../../docs/install.md")
	if err != nil {
		t.Fatal(err)
	}
	_, rest, ok := strings.Cut(string(guide), "4. **Values.**")
	text, _, also := strings.Cut(rest, "\n   Bundles and the signed head")
	_, text, both := strings.Cut(text, "\n\n")
	if !ok || !also || !both {
		t.Fatal("docs/install.md has no sample of values in step 4")
	}
	file := filepath.Join(t.TempDir(), "install-values.yaml")
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return file
}

// pod is the pod of an object that makes some, with its template's labels.
func pod(o object) (spec any, labels map[string]any) {
	template := at(o, "spec", "template")
	if o.kind() == "CronJob" {
		template = at(o, "spec", "jobTemplate", "spec", "template")
	}
	return at(template, "spec"), mapping(at(template, "metadata", "labels"))
}

func TestLint(t *testing.T) {
	each(t, func(t *testing.T, values string, _ []object) {
		out, errs, err := helm(t, "lint", "--strict", "--kube-version", kubeVersion, "shoeproof", "-f", values)
		if err != nil {
			t.Errorf("%v\n%s%s", err, out, errs)
		}
	})
}

// Pod Security "restricted", a bound on memory, and no token of the API, for every pod.
func TestPodsAreRestricted(t *testing.T) {
	each(t, func(t *testing.T, _ string, all []object) {
		pods := 0
		for _, o := range all {
			spec, _ := pod(o)
			if spec == nil {
				continue
			}
			pods++
			want := func(what string, have, want any) {
				if have != want {
					t.Errorf("%s %s: %s is %v, want %v", o.kind(), o.name(), what, have, want)
				}
			}
			want("runAsNonRoot", at(spec, "securityContext", "runAsNonRoot"), true)
			want("seccomp", at(spec, "securityContext", "seccompProfile", "type"), "RuntimeDefault")
			want("token", at(spec, "automountServiceAccountToken"), false)
			for _, c := range list(at(spec, "containers")) {
				want("escalation", at(c, "securityContext", "allowPrivilegeEscalation"), false)
				want("root filesystem", at(c, "securityContext", "readOnlyRootFilesystem"), true)
				want("capabilities", fmt.Sprint(at(c, "securityContext", "capabilities", "drop")), "[ALL]")
				if at(c, "resources", "limits", "memory") == nil {
					t.Errorf("%s %s: no memory limit", o.kind(), o.name())
				}
			}
			for _, v := range list(at(spec, "volumes")) {
				if at(v, "hostPath") != nil {
					t.Errorf("%s %s: mounts a path of its host", o.kind(), o.name())
				}
			}
		}
		if pods == 0 {
			t.Error("no pods")
		}
	})
}

// What a pod mounts is there: a ConfigMap of this release with that key, a claim of it, or a Secret that the values
// name.
func TestMountsExist(t *testing.T) {
	each(t, func(t *testing.T, values string, all []object) {
		maps := map[string]any{}
		claims := map[string]bool{"bundles": true} // existingClaim of reaudit-values.yaml
		for _, o := range all {
			switch o.kind() {
			case "ConfigMap":
				maps[o.name()] = o["data"]
			case "PersistentVolumeClaim":
				claims[o.name()] = true
			}
		}
		for _, o := range all {
			spec, _ := pod(o)
			mounted := map[any]bool{}
			for _, v := range list(at(spec, "volumes")) {
				mounted[at(v, "name")] = true
				if name := at(v, "configMap", "name"); name != nil {
					for _, item := range list(at(v, "configMap", "items")) {
						if at(maps[fmt.Sprint(name)], fmt.Sprint(at(item, "key"))) == nil {
							t.Errorf("%s %s: ConfigMap %v has no %v", o.kind(), o.name(), name, at(item, "key"))
						}
					}
				}
				if claim := at(v, "persistentVolumeClaim", "claimName"); claim != nil && !claims[fmt.Sprint(claim)] {
					t.Errorf("%s %s: no claim %v", o.kind(), o.name(), claim)
				}
			}
			for _, c := range list(at(spec, "containers")) {
				for _, m := range list(at(c, "volumeMounts")) {
					if !mounted[at(m, "name")] {
						t.Errorf("%s %s: mounts %v, which is no volume", o.kind(), o.name(), at(m, "name"))
					}
				}
			}
		}
	})
}

// Every pod is under exactly one policy, which lets it do what it must and no more.
func TestNetworkPolicies(t *testing.T) {
	needs := map[string][]string{
		"ingest": {"dns", "kafka", "clickhouse"}, "watch": {"dns", "clickhouse"}, "console": {"dns", "clickhouse"},
		"nightly": {"dns", "clickhouse"}, "migrate": {"dns", "clickhouse"}, "gateway": {"dns", "kafka"},
	}
	for _, c := range []struct {
		values            string
		kafka, clickhouse int
		web, stored       bool
	}{
		{"defaults", 9093, 9440, false, false},
		{"secure", 9093, 9440, false, false},
		{"ingress", 9093, 9440, true, false},
		{"reaudit", 9093, 9440, false, false},
		{"bucket", 9093, 9440, false, true},
		{"gateway", 9093, 9440, false, false},
	} {
		t.Run(c.values, func(t *testing.T) {
			all := render(t, "-f", "shoeproof/ci/"+c.values+"-values.yaml")
			port := map[string]int{"dns": 53, "kafka": c.kafka, "clickhouse": c.clickhouse, "web": 443}
			for _, o := range all {
				spec, labels := pod(o)
				if spec == nil {
					continue
				}
				component := fmt.Sprint(labels["app.kubernetes.io/component"])
				var under []object
				for _, p := range all {
					if p.kind() == "NetworkPolicy" && selects(at(p, "spec", "podSelector", "matchLabels"), labels) {
						under = append(under, p)
					}
				}
				if len(under) != 1 {
					t.Fatalf("%s %s is under %d policies, want 1", o.kind(), o.name(), len(under))
				}
				want := map[int]bool{}
				for _, flow := range needs[component] {
					want[port[flow]] = true
				}
				if c.web && component == "console" { // it also sends to notify_topic
					want[port["web"]], want[port["kafka"]] = true, true
				}
				if c.stored && component == "nightly" {
					want[8333] = true
				}
				if c.values == "gateway" && (component == "ingest" || component == "nightly") { // its settings have tracing
					want[4318] = true
				}
				have := map[int]bool{}
				for _, e := range list(at(under[0], "spec", "egress")) {
					if len(list(at(e, "ports"))) == 0 {
						t.Errorf("%s: a flow to every port", under[0].name())
					}
					for _, p := range list(at(e, "ports")) {
						have[at(p, "port").(int)] = true
					}
				}
				if !maps.Equal(have, want) {
					t.Errorf("%s may reach %v, needs %v", component, have, want)
				}
				if got := fmt.Sprint(at(under[0], "spec", "policyTypes")); got != "[Ingress Egress]" {
					t.Errorf("%s governs %s", under[0].name(), got)
				}
				open := map[string]string{} // port to namespace
				for _, in := range list(at(under[0], "spec", "ingress")) {
					for _, p := range list(at(in, "ports")) {
						from := at(list(at(in, "from"))[0], "namespaceSelector", "matchLabels")
						open[fmt.Sprint(at(p, "port"))] += fmt.Sprint(at(from, "kubernetes.io/metadata.name"))
					}
				}
				serves := map[string]map[string]string{
					"ingest": {"metrics": "monitoring"}, "watch": {"metrics": "monitoring"},
					"console": {"metrics": "monitoring", "http": "ingress-nginx"},
					"gateway": {"metrics": "monitoring", "events": "tables"},
				}[component]
				if !maps.Equal(open, serves) {
					t.Errorf("%s: can be reached at %v, want %v", component, open, serves)
				}
			}
		})
	}
}

func selects(selector any, labels map[string]any) bool {
	want := mapping(selector)
	for k, v := range want {
		if labels[k] != v {
			return false
		}
	}
	return len(want) > 0
}

// What selects pods is the same in every release, or an upgrade would be refused.
func TestSelectorsNeverChange(t *testing.T) {
	selectors := func(all []object) map[string]string {
		out := map[string]string{}
		for _, o := range all {
			if o.kind() == "Deployment" {
				out[o.name()] = fmt.Sprint(at(o, "spec", "selector", "matchLabels"))
			}
		}
		return out
	}
	before := selectors(render(t, "-f", "shoeproof/ci/property-values.yaml"))
	after := selectors(
		render(t, "--set", "image.tag=9.9.9,ingest.replicas=5", "-f", "shoeproof/ci/monitored-values.yaml"),
	)
	if len(before) != 2 || !maps.Equal(before, after) {
		t.Errorf("before %v\nafter  %v", before, after)
	}
}

// The programs accept the files that the chart writes.
func TestProgramsReadTheirFiles(t *testing.T) {
	if os.Getenv("SHOEPROOF_HELM") == "" {
		t.Skip("NOT RUN: SHOEPROOF_HELM names no helm; `make helm` builds one and runs this")
	}
	bin := t.TempDir()
	build := exec.CommandContext(t.Context(), "go", "build", "-o", bin, "../../cmd/ingest", "../../cmd/audit")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("go build: %v\n%s", err, out)
	}
	key, err := privateKeys()
	if err != nil {
		t.Fatal(err)
	}
	each(t, func(t *testing.T, _ string, all []object) {
		files := 0
		for _, o := range all {
			text, ok := at(o, "data", "shoeproof.yaml").(string)
			if !ok {
				continue
			}
			files++
			// The secrets and rulebooks lie elsewhere here.
			dir := t.TempDir()
			for _, sub := range []string{"secrets", "tls", "rulebooks", "console"} {
				if err := os.MkdirAll(filepath.Join(dir, sub), 0o700); err != nil {
					t.Fatal(err)
				}
			}
			put := func(name, text string) {
				if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o400); err != nil {
					t.Fatal(err)
				}
			}
			for _, name := range []string{"clickhouse", "archive", "patron_key", "kafka", "chain_key"} {
				put("secrets/"+name, "0123456789abcdef0123456789abcdef")
			}
			put("secrets/tokens.yaml", "tokens: [{name: pit-3, properties: [ac-1], sha256: "+strings.Repeat("1f", 32)+"}]\n")
			put("console/oidc", "0123456789abcdef0123456789abcdef")
			put("console/access.yaml", "groups: {surveillance: [{role: operator, properties: [ac-1]}]}\n")
			for name, pem := range key {
				put("tls/"+name, pem)
			}
			for name, book := range mapping(o["data"]) {
				if file, ok := strings.CutPrefix(name, "rulebook."); ok {
					put("rulebooks/"+file, fmt.Sprint(book))
				}
			}
			config := filepath.Join(dir, "shoeproof.yaml")
			paths := strings.NewReplacer("/etc/shoeproof/", dir+"/", "/var/lib/shoeproof/exports", dir)
			put("shoeproof.yaml", paths.Replace(text))
			program := []string{"audit"}
			switch {
			case strings.HasSuffix(o.name(), "-ingest"):
				program = []string{"ingest"}
			case strings.HasSuffix(o.name(), "-gateway"):
				program = []string{"ingest", "gateway"}
			}
			args := append(program[1:], "config", "validate", "--config", config)
			cmd := exec.CommandContext(t.Context(), filepath.Join(bin, program[0]), args...)
			cmd.Env = []string{} // a SHOEPROOF_ variable that is no setting is refused
			out, err := cmd.CombinedOutput()
			if err != nil {
				t.Errorf("%s config validate of ConfigMap %s: %v\n%s\n%s", program, o.name(), err, out, text)
			}
		}
		if files == 0 {
			t.Error("no configuration file")
		}
	})
}

// complete are the values of a console that can run.
const complete = "console.enabled=true,console.settings.console.sign_in=token," +
	"console.settings.console.access_file=/etc/shoeproof/console/access.yaml,secrets.console.name=x," +
	"console.settings.console.public_url=https://audit.example"

func TestValuesAreRefused(t *testing.T) {
	for _, c := range []struct{ set, want string }{
		{"ingset.replicas=1", "additional properties 'ingset' not allowed"},
		{"ingest.replica=1", "additional properties 'replica' not allowed"},
		{"ingest.replicas=0", "minimum: got 0, want 1"},
		{"ingest.replicas=two", "got string, want integer"},
		{"ingest.settings.kafka.toppic=x", "additional properties 'toppic' not allowed"},
		{"ingest.settings.flush.every=soon", "does not match pattern"},
		{"settings.clickhouse.password=x", "additional properties 'password' not allowed"},
		{"settings.clickhouse.user=x", "additional properties 'user' not allowed"},
		{"settings.flush.rows=1", "additional properties 'flush' not allowed"},
		{"properties={ac-1}", "nightly.settings.export.licensee: the licensee's name"},
		{"console.enabled=true", "console.settings.console.sign_in: want oidc, proxy or token"},
		{"console.settings.console.listen=:1", "additional properties 'listen' not allowed"},
		{"console.settings.console.metrics_listen=:1", "additional properties 'metrics_listen' not allowed"},
		{"watch.settings.watch.metrics_listen=:1", "additional properties 'watch' not allowed"},
		{"ingest.keda.min=0", "minimum: got 0, want 1"},
		{
			"nightly.settings.export.licensee=x,properties={ac_1,ac-1}",
			"properties: ac_1 and ac-1 give objects of one name, such as sp-shoeproof-export-ac-1;",
		},
		{
			"nightly.enabled=false,watch.enabled=true,fullnameOverride=the-audit-of-all-tables," +
				"properties={casino-hotel-boardwalk-1,casino-hotel-boardwalk-2}", "properties: casino-hotel-boardwalk-1 and ",
		},
		{"ingest.keda.enabled=true", "ingest.keda.authentication: want the TriggerAuthentication"},
		{
			"ingest.keda.enabled=true,ingest.settings.kafka.tls.enabled=false,ingest.settings.kafka.sasl.mechanism=plain," +
				"ingest.settings.kafka.sasl.username=x,secrets.kafkaPassword.name=x",
			"ingest.keda.authentication: want the TriggerAuthentication",
		},
		{"ingest.grace=5", "minimum: got 5, want 15"},
		{"properties={Ac 1}", "does not match pattern"},
		{"nightly.run=daily", "does not match pattern"},
		{"image.pullPolicy=Sometimes", "value must be one of"},
		{"image.digests.audit=sha256:abc", "does not match pattern"},
		{"image.digests.audit=sha256:" + strings.Repeat("a", 64), "ingest"},
		{"image.digests.watch=sha256:" + strings.Repeat("a", 64), "additional properties 'watch' not allowed"},
		{"rulebooks.house=x", "does not match pattern"},
		{"secrets.patronKey.name=", "minLength: got 0, want 1"},
		{"networkPolicy.kafka.ports={70000}", "maximum: got 70,000, want 65,535"},
		{"reaudit.from=01/02/2026", "does not match pattern"},
		{"properties={ac-1,ac-1},nightly.settings.export.licensee=x", "items at 0 and 1 are equal"},
		{"exports.bucket=audit", "does not match pattern"},
		{
			"exports.bucket=s3://audit,properties={ac-1},nightly.settings.export.licensee=x",
			"exports.bucket: needs nightly.settings.export.s3.endpoint and .access_key, and secrets.objectStore.name",
		},
		{"nightly.settings.export.log=x", "additional properties 'log' not allowed"},
		{"reaudit.enabled=true", "reaudit.property: whose days to audit again"},
		{complete + ",console.ingress.enabled=true", "console.ingress.host: the name under which the console is opened"},
		{
			"console.enabled=true,console.settings.console.sign_in=token",
			"console.settings.console.access_file: want the file",
		},
		{complete + ",secrets.console.name=", "secrets.console.name: want the Secret whose key access.yaml is"},
		{complete + ",console.settings.console.public_url=", "want the https address at which browsers reach the console"},
		{
			complete + ",console.settings.console.sign_in=oidc",
			"console.settings.console.oidc.issuer: want it for sign_in: oidc",
		},
		{
			complete + ",console.settings.console.sign_in=oidc,console.settings.console.oidc.issuer=https://id.example," +
				"console.settings.console.oidc.client_id=x,console.settings.console.oidc.client_secret_file=/x",
			"networkPolicy.web.ports: want the ports of the identity provider",
		},
		{
			complete + ",console.settings.console.notify_file=/x",
			"networkPolicy.web.ports: want the ports of console.notify_file",
		},
		{"monitoring.runbooks=runbooks", "does not match pattern"},
		{"gateway.enabled=true", "secrets.gatewayTokens.name: want the Secret"},
		{"gateway.enabled=true,secrets.gatewayTokens.name=x", "gateway.settings.gateway.cert_file: want a certificate"},
		{
			"gateway.enabled=true,secrets.gatewayTokens.name=x,gateway.settings.gateway.cert_file=/etc/shoeproof/tls/tls.crt",
			"secrets.tls.name: want the Secret whose key tls.crt is",
		},
		{"ingest.settings.kafka.sasl.mechanism=plain", "ingest.settings.kafka.sasl.username: want the account"},
		{
			"ingest.settings.kafka.sasl.mechanism=plain,ingest.settings.kafka.sasl.username=x",
			"secrets.kafkaPassword.name: want the Secret with the password of ingest.settings.kafka.sasl",
		},
		{"ingest.settings.kafka.sasl.username=x", "ingest.settings.kafka.sasl.mechanism: want plain,"},
		{"secrets.kafkaPassword.name=x", "ingest.settings.kafka.sasl.mechanism: want plain,"},
		{"ingest.settings.kafka.sasl.mechanism=gssapi", `sasl.mechanism: "gssapi", want plain,`},
		{"ingest.goMemLimit=513MiB", "ingest.goMemLimit: 513MiB, want at most ingest.resources.limits.memory"},
		{"ingest.goMemLimit=1GiB,ingest.resources.limits.memory=1G", "ingest.goMemLimit: 1GiB, want at most"},
		{"ingest.goMemLimit=1MiB,ingest.resources.limits.memory=1000000", "ingest.goMemLimit: 1MiB, want at most"},
		{"exports.size=big", "does not match pattern"},
		{"gateway.outbox.size=0", "got number, want string"},
		{"gateway.outbox.size=20GB", "does not match pattern"},
		{"ingest.resources.limits.memory=big", "does not match pattern"},
		{"watch.resources.requests.cpu=two", "does not match pattern"},
		{"gateway.replicas=2", "additional properties 'replicas' not allowed"},
		{"gateway.settings.gateway.folder=/tmp", "additional properties 'folder' not allowed"},
	} {
		t.Run(c.set, func(t *testing.T) {
			_, errs, err := helm(t, "template", "sp", "shoeproof", "--kube-version", kubeVersion, "--set", c.set)
			if err == nil || !strings.Contains(errs, c.want) {
				t.Errorf("--set %s: %v, %s\nwant a refusal with %q", c.set, err, errs, c.want)
			}
		})
	}
}

// Objects that an option brings, with what matters of them.
func TestOptions(t *testing.T) {
	find := func(t *testing.T, all []object, kind, name string) object {
		t.Helper()
		for _, o := range all {
			if o.kind() == kind && o.name() == name {
				return o
			}
		}
		t.Fatalf("no %s %s", kind, name)
		return nil
	}
	same := func(t *testing.T, what string, have, want any) {
		t.Helper()
		if fmt.Sprint(have) != fmt.Sprint(want) {
			t.Errorf("%s is %v, want %v", what, have, want)
		}
	}
	values := func(name string) []string { return []string{"-f", "shoeproof/ci/" + name + "-values.yaml"} }

	t.Run("a job a property, in its zone", func(t *testing.T) {
		all := render(t, values("properties")...)
		for _, name := range []string{
			"boardwalk-run-ac-1", "boardwalk-run-ac-2", "boardwalk-run-ny-3-b", "boardwalk-export-ny-3-b",
		} {
			job := find(t, all, "CronJob", name)
			same(t, "zone", at(job, "spec", "timeZone"), "America/New_York")
			same(t, "concurrency", at(job, "spec", "concurrencyPolicy"), "Forbid")
		}
		spec, _ := pod(find(t, all, "CronJob", "boardwalk-run-ny-3-b"))
		same(t, "args", at(list(at(spec, "containers"))[0], "args"),
			"[run --config /etc/shoeproof/config/shoeproof.yaml --property NY_3.b --gaming-day missing]")
	})
	t.Run("exports in a bucket", func(t *testing.T) {
		all := render(t, values("bucket")...)
		for _, o := range all {
			if o.kind() == "PersistentVolumeClaim" {
				t.Errorf("a volume all the same: %s", o.name())
			}
		}
		spec, _ := pod(find(t, all, "CronJob", "sp-shoeproof-export-ac-1"))
		same(t, "args", at(list(at(spec, "containers"))[0], "args"),
			"[export --export-log s3://audit-exports/floor/ac-1 --export-s3-secret-key-file "+
				"/etc/shoeproof/object-store/secret_key "+
				"--export-key-file /etc/shoeproof/signing/ac-1 --config /etc/shoeproof/config/shoeproof.yaml "+
				"--property ac-1 --gaming-day missing]")
		spec, _ = pod(find(t, all, "CronJob", "sp-shoeproof-run-ac-1"))
		for _, v := range list(at(spec, "volumes")) {
			if name := at(v, "name"); name == "signing" || name == "object-store" {
				t.Errorf("the run has the secret %v, which only the export needs", name)
			}
		}
	})
	t.Run("runbooks at the operator's address", func(t *testing.T) {
		set := []string{"--set", "monitoring.runbooks=https://wiki.example/runbooks/"}
		rule := find(t, render(t, append(set, values("monitored")...)...), "PrometheusRule", "sp-shoeproof")
		urls := 0
		for _, group := range list(at(rule, "spec", "groups")) {
			for _, r := range list(at(group, "rules")) {
				name := at(r, "alert")
				if name == nil {
					continue
				}
				urls++
				want := fmt.Sprintf("https://wiki.example/runbooks/%v.md", name)
				same(t, "runbook_url", at(r, "annotations", "runbook_url"), want)
			}
		}
		if urls < 20 {
			t.Errorf("%d alerts", urls)
		}
	})
	t.Run("a console that sends to a topic", func(t *testing.T) {
		set := []string{"--set", complete + ",console.settings.console.notify_topic=critical"}
		all := render(t, append(set, values("secure")...)...)
		file := fmt.Sprint(at(find(t, all, "ConfigMap", "sp-shoeproof-console"), "data", "shoeproof.yaml"))
		for _, want := range []string{"- b1:9093", "username: shoeproof", "password_file: /etc/shoeproof/secrets/kafka"} {
			if !strings.Contains(file, want) {
				t.Errorf("no %s in\n%s", want, file)
			}
		}
		spec, _ := pod(find(t, all, "Deployment", "sp-shoeproof-console"))
		if volumes := fmt.Sprint(at(spec, "volumes")); !strings.Contains(volumes, "kafka-account") {
			t.Errorf("the account at Kafka is not mounted: %s", volumes)
		}
		policy := fmt.Sprint(at(find(t, all, "NetworkPolicy", "sp-shoeproof-console"), "spec", "egress"))
		if !strings.Contains(policy, "9093") {
			t.Errorf("no connection to Kafka: %s", policy)
		}
	})
	t.Run("a gateway with its outbox", func(t *testing.T) {
		all := render(t, values("gateway")...)
		o := find(t, all, "Deployment", "sp-shoeproof-gateway")
		same(t, "replicas", at(o, "spec", "replicas"), 1)
		same(t, "strategy", at(o, "spec", "strategy", "type"), "Recreate")
		claim := find(t, all, "PersistentVolumeClaim", "sp-shoeproof-outbox")
		same(t, "policy", at(claim, "metadata", "annotations", "helm.sh/resource-policy"), "keep")
		same(t, "size", at(claim, "spec", "resources", "requests", "storage"), "8Gi")
		spec, _ := pod(o)
		container := list(at(spec, "containers"))[0]
		same(t, "args", at(container, "args"), "[gateway --config /etc/shoeproof/config/shoeproof.yaml]")
		same(t, "ready", at(container, "readinessProbe", "httpGet"), "map[path:/readyz port:metrics]")
		volumes := fmt.Sprint(at(spec, "volumes"))
		for _, want := range []string{"gateway-tokens", "claimName:sp-shoeproof-outbox", "gateway-account"} {
			if !strings.Contains(volumes, want) {
				t.Errorf("no %s in %s", want, volumes)
			}
		}
		for _, foreign := range []string{"shoeproof-clickhouse", "shoeproof-patron-key"} {
			if strings.Contains(volumes, foreign) {
				t.Errorf("the gateway has the secret %s", foreign)
			}
		}
		file := fmt.Sprint(at(find(t, all, "ConfigMap", "sp-shoeproof-gateway"), "data", "shoeproof.yaml"))
		for _, want := range []string{
			"folder: /var/lib/shoeproof/outbox", "listen: :8481", "tokens_file: /etc/shoeproof/secrets/tokens.yaml",
		} {
			if !strings.Contains(file, want) {
				t.Errorf("no %s in\n%s", want, file)
			}
		}
		same(t, "port", at(find(t, all, "Service", "sp-shoeproof-gateway"), "spec", "ports"),
			"[map[name:events port:8481 targetPort:events]]")
	})
	t.Run("bundles in the console", func(t *testing.T) {
		spec, _ := pod(find(t, render(t, values("ingress")...), "Deployment", "sp-shoeproof-console"))
		mounts := fmt.Sprint(at(list(at(spec, "containers"))[0], "volumeMounts"))
		if want := "map[mountPath:/var/lib/shoeproof/exports name:exports readOnly:true]"; !strings.Contains(mounts, want) {
			t.Errorf("%s has no %s", mounts, want)
		}
	})
	t.Run("autoscaling", func(t *testing.T) {
		all := render(t, values("keda")...)
		same(t, "replicas", at(find(t, all, "Deployment", "sp-shoeproof-ingest"), "spec", "replicas"), nil)
		trigger := list(at(find(t, all, "ScaledObject", "sp-shoeproof-ingest"), "spec", "triggers"))[0]
		same(t, "topic", at(trigger, "metadata", "topic"), "floor.table-events")
		same(t, "group", at(trigger, "metadata", "consumerGroup"), "audit")
		same(t, "authentication", at(trigger, "authenticationRef", "name"), "keda-kafka")
		plain := render(t, "--set", "ingest.keda.enabled=true,ingest.settings.kafka.tls.enabled=false")
		trigger = list(at(find(t, plain, "ScaledObject", "sp-shoeproof-ingest"), "spec", "triggers"))[0]
		same(t, "no authentication", at(trigger, "authenticationRef"), nil)
	})
	t.Run("an indexed re-audit", func(t *testing.T) {
		for _, o := range render(t, values("reaudit")...) {
			if o.kind() == "Job" && strings.Contains(o.name(), "reaudit") {
				same(t, "mode", at(o, "spec", "completionMode"), "Indexed")
				same(t, "completions", at(o, "spec", "completions"), 7)
				spec, _ := pod(o)
				args := list(at(list(at(spec, "containers"))[0], "args"))
				same(t, "worker", args[len(args)-1], "--worker=$(JOB_COMPLETION_INDEX)/7")
				return
			}
		}
		t.Error("no job")
	})
	t.Run("bundles outlive the release", func(t *testing.T) {
		claim := find(t, render(t, values("property")...), "PersistentVolumeClaim", "sp-shoeproof-exports")
		same(t, "policy", at(claim, "metadata", "annotations", "helm.sh/resource-policy"), "keep")
	})
	t.Run("migrations come first", func(t *testing.T) {
		all := render(t)
		same(
			t, "hook", at(find(t, all, "Job", "sp-shoeproof-migrate"), "metadata", "annotations", "helm.sh/hook"),
			"pre-install,pre-upgrade",
		)
		same(
			t, "weight",
			at(find(t, all, "ConfigMap", "sp-shoeproof-migrate"), "metadata", "annotations", "helm.sh/hook-weight"),
			"-5",
		)
	})
	t.Run("graceful stop", func(t *testing.T) {
		spec, _ := pod(find(t, render(t), "Deployment", "sp-shoeproof-ingest"))
		same(t, "grace", at(spec, "terminationGracePeriodSeconds"), 30)
	})
	t.Run("a changed setting restarts", func(t *testing.T) {
		sum := func(args ...string) any {
			return at(
				find(t, render(t, args...), "Deployment", "sp-shoeproof-ingest"), "spec", "template", "metadata",
				"annotations", "checksum/config",
			)
		}
		if a, b := sum(), sum("--set", "ingest.settings.kafka.topic=x"); a == b || a == nil {
			t.Errorf("checksums %v and %v", a, b)
		}
	})
	t.Run("monitoring", func(t *testing.T) {
		all := render(t, values("monitored")...)
		same(
			t, "label", at(find(t, all, "ServiceMonitor", "sp-shoeproof"), "metadata", "labels", "release"),
			"prometheus",
		)
		if groups := list(at(find(t, all, "PrometheusRule", "sp-shoeproof"), "spec", "groups")); len(groups) != 2 {
			t.Errorf("%d groups of rules, want 2", len(groups))
		}
		for _, name := range []string{"operators", "surveillance"} {
			data := mapping(find(t, all, "ConfigMap", "sp-shoeproof-"+name)["data"])
			if !json.Valid([]byte(fmt.Sprint(data[name+".json"]))) {
				t.Errorf("the dashboard %s is no JSON", name)
			}
		}
	})
	t.Run("every program is watched, on a port for nothing else", func(t *testing.T) {
		all := render(t, append(values("ingress"), "--set", "monitoring.serviceMonitor=true")...)
		selector := at(find(t, all, "ServiceMonitor", "sp-shoeproof"), "spec", "selector", "matchLabels")
		for service, component := range map[string]string{
			"ingest": "ingest", "watch": "watch", "console-metrics": "console",
		} {
			o := find(t, all, "Service", "sp-shoeproof-"+service)
			if !selects(selector, mapping(at(o, "metadata", "labels"))) {
				t.Errorf("%s is not scraped", o.name())
			}
			same(t, o.name(), at(o, "spec", "ports"), "[map[name:metrics port:9464 targetPort:metrics]]")
			same(t, o.name(), at(o, "spec", "clusterIP"), "None")
			same(t, o.name(), at(o, "spec", "selector", "app.kubernetes.io/component"), component)
			deployment := "sp-shoeproof-" + component
			if component == "watch" {
				deployment += "-ac-1"
			}
			spec, labels := pod(find(t, all, "Deployment", deployment))
			if !selects(at(o, "spec", "selector"), labels) {
				t.Errorf("%s does not lead to %s", o.name(), deployment)
			}
			ports := fmt.Sprint(at(list(at(spec, "containers"))[0], "ports"))
			if !strings.Contains(ports, "map[containerPort:9464 name:metrics]") {
				t.Errorf("%s has the ports %s", deployment, ports)
			}
			file := fmt.Sprint(at(find(t, all, "ConfigMap", "sp-shoeproof-"+component), "data", "shoeproof.yaml"))
			if !strings.Contains(file, "listen: :9464") {
				t.Errorf("%s does not listen at its port:\n%s", component, file)
			}
		}
		same(
			t, "the console's Service", at(find(t, all, "Service", "sp-shoeproof-console"), "spec", "ports"),
			"[map[name:http port:80 targetPort:http]]",
		)
		rule := list(at(find(t, all, "Ingress", "sp-shoeproof-console"), "spec", "rules"))[0]
		same(
			t, "the ingress", at(list(at(rule, "http", "paths"))[0], "backend", "service"),
			"map[name:sp-shoeproof-console port:map[name:http]]",
		)
		spec, _ := pod(find(t, all, "Deployment", "sp-shoeproof-watch-ac-1"))
		for probe, path := range map[string]string{"livenessProbe": "/healthz", "readinessProbe": "/readyz"} {
			same(t, probe, at(list(at(spec, "containers"))[0], probe, "httpGet"), "map[path:"+path+" port:metrics]")
		}
	})
	t.Run("image", func(t *testing.T) {
		spec, _ := pod(find(t, render(t, values("placed")...), "Deployment", "sp-audit-ingest"))
		same(
			t, "image", at(list(at(spec, "containers"))[0], "image"),
			"registry.example.org/casino/shoeproof/ingest:1.2.3",
		)
	})
}

// With digests every container of every file of values has the digest of its program, and no image has none.
func TestImageDigests(t *testing.T) {
	digest := func(c string) string { return "sha256:" + strings.Repeat(c, 64) }
	files, err := filepath.Glob("shoeproof/ci/*-values.yaml")
	if err != nil {
		t.Fatal(err)
	}
	set := "image.digests.ingest=" + digest("a") + ",image.digests.audit=" + digest("b")
	seen := map[string]int{}
	for _, file := range append(files, sample(t)) {
		for _, o := range render(t, "-f", file, "--set", set) {
			spec, _ := pod(o)
			for _, kind := range []string{"containers", "initContainers"} {
				for _, c := range list(at(spec, kind)) {
					image := fmt.Sprint(at(c, "image"))
					program := regexp.MustCompile(`/(ingest|audit):[^@]+@(sha256:[0-9a-f]{64})$`).FindStringSubmatch(image)
					if program == nil || program[2] != map[string]string{"ingest": digest("a"), "audit": digest("b")}[program[1]] {
						t.Errorf("%s, %s %s: the image is %s", file, o.kind(), o.name(), image)
						continue
					}
					seen[program[1]]++
				}
			}
		}
	}
	if seen["ingest"] == 0 || seen["audit"] == 0 {
		t.Errorf("containers with a digest: %v", seen)
	}
	text, _, err := helm(t, "template", "sp", "shoeproof", "--kube-version", kubeVersion, "-f", files[0], "--set", set)
	if n := strings.Count(text, "image:"); err != nil || n != strings.Count(text, "@sha256:") {
		t.Errorf("%d images, %d digests, %v", n, strings.Count(text, "@sha256:"), err)
	}
}

const runbooks = "https://github.com/shoeproof/shoeproof/blob/main/docs/runbooks/"

// Every alert has a runbook and a test; every runbook an alert.
func TestRunbooks(t *testing.T) {
	alerts, err := os.ReadFile("shoeproof/files/alerts.yaml")
	if err != nil {
		t.Fatal(err)
	}
	tests, err := os.ReadFile("tests/alerts_test.yaml")
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, m := range regexp.MustCompile(`- alert: (\w+)`).FindAllStringSubmatch(string(alerts), -1) {
		names = append(names, m[1]+".md")
		if n := strings.Count(string(tests), "alertname: "+m[1]); n < 3 {
			t.Errorf("%s is tested at %d times, want silence, not yet, and alarm", m[1], n)
		}
		if !strings.Contains(string(alerts), "\n          runbook_url: "+runbooks+m[1]+".md\n") {
			t.Errorf("%s has no runbook_url", m[1])
		}
	}
	slices.Sort(names)
	files, err := filepath.Glob("../../docs/runbooks/Shoeproof*.md")
	if err != nil {
		t.Fatal(err)
	}
	for i := range files {
		files[i] = filepath.Base(files[i])
	}
	if !slices.Equal(names, files) {
		t.Errorf("alerts   %v\nrunbooks %v", names, files)
	}
}
