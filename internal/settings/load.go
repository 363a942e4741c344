package settings

import (
	"errors"
	"fmt"
	"log/slog"
	"os"
	"slices"
	"strings"

	"github.com/shoeproof/shoeproof/law"

	"github.com/spf13/pflag"
	"github.com/spf13/viper"

	"github.com/shoeproof/shoeproof/internal/cli"
)

const (
	prefix     = "SHOEPROOF_"
	configFlag = "config"
)

// AddFlags adds --config and a flag for each setting of the sections, or for all settings without sections.
// defaults is a pointer to a configuration. Secrets have no flag.
func AddFlags(fs *pflag.FlagSet, defaults any, sections ...string) {
	fs.String(configFlag, "", "YAML file of settings; also SHOEPROOF_CONFIG")
	for _, l := range leaves(defaults) {
		wanted := len(sections) == 0 || slices.ContainsFunc(sections,
			func(s string) bool { return l.key == s || strings.HasPrefix(l.key, s+".") })
		if wanted && !l.secret() {
			l.addFlag(fs)
			fs.Lookup(l.flag()).Annotations = map[string][]string{cli.Setting: nil}
			if old, ok := l.renamed(); ok {
				old.addFlag(fs)
				fs.Lookup(old.flag()).Hidden = true
			}
		}
	}
}

// Loaded is a configuration with the origin of each setting.
type Loaded struct {
	origins map[string]string
	leaves  []setting
	wrong   []error
	unread  bool     // the file could not be read
	renamed []string // warnings of settings under an old name
}

// Warn logs each setting that was given under an old name.
func (l *Loaded) Warn(log *slog.Logger) {
	for _, text := range l.renamed {
		log.Warn("setting has a new name; the next release does not accept the old one", "setting", text)
	}
}

// Complaints are all errors of a configuration.
type Complaints []error

func (c Complaints) Error() string {
	if len(c) == 1 {
		return "configuration: " + c[0].Error()
	}
	lines := []string{fmt.Sprintf("configuration, %d errors:", len(c))}
	for _, err := range c {
		lines = append(lines, "  "+err.Error())
	}
	return strings.Join(lines, "\n")
}

// Unwrap returns the complaints.
func (c Complaints) Unwrap() []error { return c }

// Load fills a configuration, a pointer to its defaults: *Ingest or *Audit. The error is Complaints; valid settings
// are filled in nevertheless.
func Load(fs *pflag.FlagSet, config any) (*Loaded, error) {
	l := &Loaded{origins: map[string]string{}, leaves: leaves(config)}
	v := viper.New()
	file := l.readFile(fs)
	l.inline(file)
	l.checkVariables(os.Environ())
	for i := range l.leaves {
		l.bind(v, fs, file, &l.leaves[i])
	}
	if file != nil {
		if err := v.MergeConfigMap(nested(file.values)); err != nil {
			l.wrong = append(l.wrong, fmt.Errorf("%s: %w", file.path, err))
		}
	}
	for i := range l.leaves {
		if leaf := &l.leaves[i]; l.origins[leaf.key] != "default" {
			l.complain(leaf.key, leaf.set(v.Get(leaf.key)))
		}
	}
	if c, ok := config.(interface{ check(*Loaded) }); ok && !l.unread { // what is missing may be in the file
		c.check(l)
	}
	return l, l.err()
}

// bind connects a setting with its default, its variable and its flag in v, and records its origin.
func (l *Loaded) bind(v *viper.Viper, fs *pflag.FlagSet, file *configFile, leaf *setting) {
	v.SetDefault(leaf.key, leaf.text())
	names := []*setting{leaf}
	if old, ok := leaf.renamed(); ok {
		names = append(names, old)
	}
	l.origins[leaf.key] = "default"
	if file != nil && file.lines[leaf.key] > 0 {
		l.origins[leaf.key] = fmt.Sprintf("%s:%d", file.path, file.lines[leaf.key])
	}
	var given []string
	for _, name := range names {
		if os.Getenv(name.variable()) != "" {
			given = append(given, name.variable())
		}
	}
	if name := l.oneOf(leaf, given); name != "" {
		l.origins[leaf.key] = name
		if err := v.BindEnv(leaf.key, name); err != nil {
			l.complain(leaf.key, err)
		}
	}
	given = nil
	for _, name := range names {
		if flag := fs.Lookup(name.flag()); flag != nil && flag.Changed && !leaf.secret() {
			given = append(given, "--"+flag.Name)
		}
	}
	if name := l.oneOf(leaf, given); name != "" {
		l.origins[leaf.key] = name
		if err := v.BindPFlag(leaf.key, fs.Lookup(strings.TrimPrefix(name, "--"))); err != nil {
			l.complain(leaf.key, err)
		}
	}
}

// oneOf returns the name under which a setting was given, of its name and its old name, "" for neither.
func (l *Loaded) oneOf(leaf *setting, given []string) string {
	switch len(given) {
	case 0:
		return ""
	case 1:
		if old, ok := leaf.renamed(); ok && (given[0] == old.variable() || given[0] == "--"+old.flag()) {
			l.renamed = append(l.renamed, given[0]+" is now "+leaf.key)
		}
	default:
		l.wrong = append(l.wrong, fmt.Errorf("%s: also given as %s, its old name; want one of the two", given[0], given[1]))
	}
	return given[0]
}

// nested turns dotted keys into nested maps.
func nested(values map[string]any) map[string]any {
	root := map[string]any{}
	for key, value := range values {
		at := root
		words := strings.Split(key, ".")
		for _, w := range words[:len(words)-1] {
			if at[w] == nil {
				at[w] = map[string]any{}
			}
			at = at[w].(map[string]any)
		}
		at[words[len(words)-1]] = value
	}
	return root
}

func (l *Loaded) err() error {
	if len(l.wrong) == 0 {
		return nil
	}
	return Complaints(l.wrong)
}

// complain records an error of a setting with its origin; nil records nothing.
func (l *Loaded) complain(key string, err error) {
	if err == nil {
		return
	}
	if from := l.origins[key]; from != "" && from != "default" {
		l.wrong = append(l.wrong, fmt.Errorf("%s: %w (from %s)", key, err, from))
		return
	}
	l.wrong = append(l.wrong, fmt.Errorf("%s: %w", key, err))
}

// everything returns the settings of all programs, which may share a file and an environment.
func everything() []setting {
	ingest, audit, gateway := DefaultIngest(), DefaultAudit(), DefaultGateway()
	all := leaves(&ingest)
	for _, l := range append(leaves(&audit), leaves(&gateway)...) {
		if !slices.ContainsFunc(all, func(have setting) bool { return have.key == l.key }) {
			all = append(all, l)
		}
	}
	return all
}

func (l *Loaded) readFile(fs *pflag.FlagSet) *configFile {
	path := os.Getenv(prefix + "CONFIG")
	if flag := fs.Lookup(configFlag); flag != nil && flag.Changed {
		path = flag.Value.String()
	}
	if path == "" {
		return nil
	}
	file, err := readFile(path, everything())
	if err != nil {
		l.wrong, l.unread = append(l.wrong, err), true
		return nil
	}
	l.wrong = append(l.wrong, file.wrong...)
	l.renamed = append(l.renamed, file.renamed...)
	return file
}

// checkVariables reports SHOEPROOF_ variables that no program reads: they are typing errors.
func (l *Loaded) checkVariables(environ []string) {
	known := []string{prefix + "CONFIG"}
	for _, leaf := range everything() {
		known = append(known, leaf.variable())
		if old, ok := leaf.renamed(); ok {
			known = append(known, old.variable())
		}
	}
	for _, pair := range sorted(environ) {
		name, _, _ := strings.Cut(pair, "=")
		if !strings.HasPrefix(name, prefix) || strings.HasPrefix(name, prefix+"TEST_") || name == prefix+"CHDB" ||
			slices.Contains(known, name) {
			continue
		}
		hint := ""
		if near := law.Nearest(name, known); near != "" {
			hint = ", did you mean " + near + "?"
		}
		l.wrong = append(l.wrong, fmt.Errorf("%s: unknown variable%s", name, hint))
	}
}

func sorted(words []string) []string {
	words = slices.Clone(words)
	slices.Sort(words)
	return words
}

// secret reads a secret from its file, if there is one.
func (l *Loaded) secret(key string, into *Secret, path string) {
	if path == "" {
		return
	}
	key += "_file"
	if *into != "" {
		l.complain(key, errors.New("the secret is also set directly, want one of the two"))
		return
	}
	if err := private(path); err != nil {
		l.complain(key, err)
		return
	}
	data, err := readSmall(path)
	if err != nil {
		l.complain(key, err)
		return
	}
	if *into = Secret(strings.TrimRight(string(data), "\r\n")); *into == "" {
		l.complain(key, fmt.Errorf("%s is empty", path))
	}
}

// authentic returns an error for a file that anyone may write. It may be readable: a ConfigMap of Kubernetes is.
func authentic(path string) error {
	if path == "" {
		return nil
	}
	if info, err := os.Stat(path); err == nil && info.Mode().Perm()&0o002 != 0 {
		return fmt.Errorf("%s is writable by everyone (mode %04o), want 0640 or less", path, info.Mode().Perm())
	}
	return nil
}

// inline checks a settings file that has secrets itself: such a file must be as private as a file of a secret.
func (l *Loaded) inline(file *configFile) {
	if file == nil {
		return
	}
	if err := authentic(file.path); err != nil {
		l.wrong = append(l.wrong, err)
	}
	for _, leaf := range everything() {
		if line := file.lines[leaf.key]; line == 0 || !leaf.secret() || file.values[leaf.key] == "" {
			continue
		} else if err := private(file.path); err != nil {
			l.wrong = append(l.wrong, fmt.Errorf("%s:%d: %s: the secret is in the settings file, and %w; or give %s_file",
				file.path, line, leaf.key, err, leaf.key))
		}
	}
}

// private returns an error for a file that others may read or write. The group may read it if this process does
// not own the file: an orchestrator mounts secrets for a process that is not root this way.
func private(path string) error {
	info, err := os.Stat(path)
	if err != nil {
		return err
	}
	if !info.Mode().IsRegular() {
		return fmt.Errorf("%s is not a file", path)
	}
	switch mode := info.Mode().Perm(); {
	case mode&0o007 != 0:
		return fmt.Errorf("%s is readable by everyone (mode %04o), want 0400", path, mode)
	case mode&0o020 != 0, mode&0o040 != 0 && owned(info):
		return fmt.Errorf("%s is readable by its group (mode %04o), want 0400, or 0440 with another owner", path, mode)
	}
	return nil
}
