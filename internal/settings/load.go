package settings

import (
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/spf13/pflag"
	"github.com/spf13/viper"

	"github.com/shoeproof/shoeproof/internal/program"
)

const (
	prefix     = "SHOEPROOF_"
	configFlag = "config"
)

// AddFlags offers --config, and the settings whose keys begin with one of the sections, as flags; a
// pointer to the defaults is given. Without sections all settings are offered, except secrets.
func AddFlags(fs *pflag.FlagSet, defaults any, sections ...string) {
	fs.String(configFlag, "", "YAML file of settings; SHOEPROOF_CONFIG names one too")
	for _, l := range leaves(defaults) {
		wanted := len(sections) == 0 || slices.ContainsFunc(sections, func(s string) bool { return l.key == s || strings.HasPrefix(l.key, s+".") })
		if wanted && !l.secret() {
			l.addFlag(fs)
			fs.Lookup(l.flag()).Annotations = map[string][]string{program.Setting: nil}
		}
	}
}

// Loaded is a configuration's origins.
type Loaded struct {
	origins map[string]string
	leaves  []leaf
	wrong   []error
}

// Complaints is all that is wrong with a configuration.
type Complaints []error

func (c Complaints) Error() string {
	if len(c) == 1 {
		return "configuration: " + c[0].Error()
	}
	lines := []string{fmt.Sprintf("configuration, %d complaints:", len(c))}
	for _, err := range c {
		lines = append(lines, "  "+err.Error())
	}
	return strings.Join(lines, "\n")
}

// Unwrap gives each complaint.
func (c Complaints) Unwrap() []error { return c }

// Load fills a configuration, a pointer to its defaults: *Ingest or *Audit. The error is Complaints;
// what could be read is filled in all the same.
func Load(fs *pflag.FlagSet, config any) (*Loaded, error) {
	l := &Loaded{origins: map[string]string{}, leaves: leaves(config)}
	v := viper.New()
	file := l.readFile(fs)
	l.checkVariables(os.Environ())
	for i := range l.leaves {
		leaf := &l.leaves[i]
		v.SetDefault(leaf.key, leaf.text())
		if err := v.BindEnv(leaf.key, leaf.variable()); err != nil {
			l.complain(leaf.key, err)
		}
		l.origins[leaf.key] = "default"
		if file != nil && file.lines[leaf.key] > 0 {
			l.origins[leaf.key] = fmt.Sprintf("%s:%d", file.path, file.lines[leaf.key])
		}
		if os.Getenv(leaf.variable()) != "" {
			l.origins[leaf.key] = leaf.variable()
		}
		if flag := fs.Lookup(leaf.flag()); flag != nil && !leaf.secret() {
			if flag.Changed {
				l.origins[leaf.key] = "--" + flag.Name
			}
			if err := v.BindPFlag(leaf.key, flag); err != nil {
				l.complain(leaf.key, err)
			}
		}
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
	if c, ok := config.(interface{ check(*Loaded) }); ok {
		c.check(l)
	}
	return l, l.err()
}

// nested puts each key's value where its dots lead.
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

// complain notes what is wrong with a setting, and where it was given; nil is nothing.
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

// everything are the settings of all programs: they may share a file and an environment.
func everything() []leaf {
	ingest, audit := DefaultIngest(), DefaultAudit()
	all := leaves(&ingest)
	for _, l := range leaves(&audit) {
		if !slices.ContainsFunc(all, func(have leaf) bool { return have.key == l.key }) {
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
		l.wrong = append(l.wrong, err)
		return nil
	}
	l.wrong = append(l.wrong, file.wrong...)
	return file
}

// checkVariables complains of SHOEPROOF_ variables that nobody reads, which is how a typo looks.
func (l *Loaded) checkVariables(environ []string) {
	known := []string{prefix + "CONFIG"}
	for _, leaf := range everything() {
		known = append(known, leaf.variable())
	}
	for _, pair := range sorted(environ) {
		name, _, _ := strings.Cut(pair, "=")
		if !strings.HasPrefix(name, prefix) || strings.HasPrefix(name, prefix+"TEST_") || name == prefix+"CHDB" || slices.Contains(known, name) {
			continue
		}
		hint := ""
		if near := nearest(name, known); near != "" {
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

// secret takes a secret from its file, if one is named.
func (l *Loaded) secret(key string, into *Secret, path string) {
	if path == "" {
		return
	}
	key += "_file"
	if *into != "" {
		l.complain(key, errors.New("the secret is also given directly, want one of the two"))
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

// private refuses a file that others may read, or could have written. The group may read it if the
// file is not ours: so an orchestrator gives secrets to a process that is not root.
func private(path string) error {
	info, err := os.Stat(path)
	if err != nil {
		return err
	}
	if !info.Mode().IsRegular() {
		return fmt.Errorf("%s is no file", path)
	}
	switch mode := info.Mode().Perm(); {
	case mode&0o007 != 0:
		return fmt.Errorf("%s may be read by everybody (mode %04o), want 0400", path, mode)
	case mode&0o020 != 0, mode&0o040 != 0 && ours(info):
		return fmt.Errorf("%s may be read by its group (mode %04o), want 0400, or 0440 and another owner", path, mode)
	}
	return nil
}
