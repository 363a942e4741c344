package settings

import (
	"bytes"
	"encoding/json"
	"flag"
	"maps"
	"os"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"
)

var update = flag.Bool("update", false, "write the settings into the chart's schema")

const chartSchema = "../../deploy/helm/shoeproof/values.schema.json"

// chartGives are the settings that the chart itself fills in, from users, secrets and rulebooks.
var chartGives = []string{
	"clickhouse.user", "clickhouse.password_file", "patron_key_file", "kafka.sasl.password_file", "rulebooks",
	"http.listen", "console.listen",
	"console.metrics_listen", "watch.metrics_listen", "gateway.listen", "gateway.tokens_file", "gateway.folder",
	"console.archive.user", "console.archive.password_file",
	"export.log", "export.key_file", "export.s3.secret_key_file", "console.exports.folder",
}

// The chart takes exactly the settings that the programs know, and no secret.
func TestChartKnowsTheSettings(t *testing.T) {
	have, err := os.ReadFile(chartSchema)
	if err != nil {
		t.Fatal(err)
	}
	var schema map[string]any
	if err := json.Unmarshal(have, &schema); err != nil {
		t.Fatalf("%s: %v", chartSchema, err)
	}
	ingest, audit, gateway := DefaultIngest(), DefaultAudit(), DefaultGateway()
	defs := schema["$defs"].(map[string]any)
	defs["ingestSettings"], defs["auditSettings"] = objectOf(&ingest), objectOf(&audit)
	defs["gatewaySettings"] = objectOf(&gateway)
	var want bytes.Buffer
	enc := json.NewEncoder(&want)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	if err := enc.Encode(schema); err != nil {
		t.Fatal(err)
	}
	if *update {
		if err := os.WriteFile(chartSchema, want.Bytes(), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if !bytes.Equal(have, want.Bytes()) {
		t.Errorf("%s does not know the settings of today: go test ./internal/settings -run Chart -update", chartSchema)
	}
}

// objectOf is the JSON schema of a configuration file.
func objectOf(config any) map[string]any {
	root := object()
	for _, l := range leaves(config) {
		if l.secret() || slices.Contains(chartGives, l.key) {
			continue
		}
		add(root, l.key, l.field.Type(), map[string]any{"description": l.doc})
		if old, ok := l.renamed(); ok {
			add(root, old.key, l.field.Type(), map[string]any{"description": old.doc, "deprecated": true})
		}
	}
	return root
}

// add puts the schema of a setting under its key.
func add(root map[string]any, key string, kind reflect.Type, with map[string]any) {
	at := root
	path := strings.Split(key, ".")
	for _, name := range path[:len(path)-1] {
		properties := at["properties"].(map[string]any)
		if properties[name] == nil {
			properties[name] = object()
		}
		at = properties[name].(map[string]any)
	}
	one := valueOf(kind)
	maps.Copy(one, with)
	at["properties"].(map[string]any)[path[len(path)-1]] = one
}

func object() map[string]any {
	return map[string]any{"type": "object", "additionalProperties": false, "properties": map[string]any{}}
}

func valueOf(t reflect.Type) map[string]any {
	switch {
	case t == reflect.TypeFor[time.Duration]():
		return map[string]any{"type": "string", "pattern": `^([0-9.]+(ns|us|ms|s|m|h))+$`}
	case t.Kind() == reflect.Bool:
		return map[string]any{"type": "boolean"}
	case t.Kind() == reflect.Int || t.Kind() == reflect.Int64:
		return map[string]any{"type": "integer"}
	case t.Kind() == reflect.Float64:
		return map[string]any{"type": "number"}
	case t.Kind() == reflect.Slice:
		return map[string]any{"type": "array", "items": map[string]any{"type": "string"}}
	case t.Kind() == reflect.Map:
		return map[string]any{"type": "object", "additionalProperties": map[string]any{"type": "string"}}
	default:
		return map[string]any{"type": "string"}
	}
}
