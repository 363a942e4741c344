package console

import (
	"crypto/sha256"
	"crypto/subtle"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"time"

	"go.yaml.in/yaml/v3"

	"github.com/shoeproof/shoeproof/console/store"
)

// Token authenticates a program or a person. The file has its hash only.
type Token struct {
	Name string `yaml:"name"`
	// Person is the person to whom the token was given; the token of a program has none.
	Person  string    `yaml:"person"`
	SHA256  string    `yaml:"sha256"` // hex, of a secret of 256 random bits
	Expires time.Time `yaml:"expires"`
	Grants  []Grant   `yaml:"grants"`
}

// Account is a user at an issuer of identities: the URL of an OpenID provider, or a mode of sign-in.
type Account struct {
	Issuer  string `yaml:"issuer"`
	Subject string `yaml:"subject"`
}

// Access maps tokens, and the groups of an identity provider or a proxy, to grants.
type Access struct {
	Tokens []Token            `yaml:"tokens"`
	Groups map[string][]Grant `yaml:"groups"`
	// People links the accounts of a person at several issuers; Programs are accounts of machines.
	People   map[string][]Account `yaml:"people"`
	Programs []Account            `yaml:"programs"`
}

// ReadAccess reads an access file. It changes names to the form in which they are compared.
func ReadAccess(in io.Reader) (Access, error) {
	var a Access
	dec := yaml.NewDecoder(in)
	dec.KnownFields(true)
	if err := dec.Decode(&a); err != nil && !errors.Is(err, io.EOF) {
		return a, err
	}
	problems := []error{a.checkTokens(), a.checkPeople()}
	for _, name := range slices.Sorted(maps.Keys(a.Groups)) {
		problems = append(problems, checkGrants("group "+name, a.Groups[name]))
	}
	return a, errors.Join(problems...)
}

// publicHashes are the SHA-256 of "test", which an older page of the documents had, and of the empty text.
var publicHashes = [...]string{
	"9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
	"e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
}

// SetAccess replaces the access rights: of the next request, also in sessions that exist.
func (c *Console) SetAccess(a Access) { c.access.Store(&a) }

func (c *Console) rights() *Access { return c.access.Load() }

// checkTokens checks each token, and that no two have one name or one secret: a session and the log name a token, and
// the rights of one token must not be those of another.
func (a *Access) checkTokens() error {
	var problems []error
	names, sums := map[string]bool{}, map[string]string{}
	for i := range a.Tokens {
		t := &a.Tokens[i]
		of := "token " + t.Name
		complain := func(format string, args ...any) {
			problems = append(problems, fmt.Errorf(of+": "+format, args...))
		}
		if t.Name == "" {
			problems = append(problems, fmt.Errorf("tokens[%d]: no name", i))
			continue
		}
		name, err := userName(t.Name)
		if err != nil {
			complain("%w", err)
		}
		if names[name] {
			complain("two tokens have this name; name the successor of a token %s-2, with the same person", t.Name)
		}
		names[name] = true
		if t.Person != "" {
			if t.Person, err = userName(t.Person); err != nil {
				complain("person: %w", err)
			}
		}
		t.SHA256 = strings.ToLower(t.SHA256)
		if sum, err := hex.DecodeString(t.SHA256); err != nil || len(sum) != sha256.Size {
			complain("sha256 is not 64 hex digits")
		} else if slices.Contains(publicHashes[:], t.SHA256) {
			complain("sha256 is of a public text, such as that of an example: make a token with audit token new")
		} else if other, twice := sums[t.SHA256]; twice {
			complain("token %s has the same sha256", other)
		}
		sums[t.SHA256] = t.Name
		if t.Expires.IsZero() {
			complain("no expires: want a time such as 2027-01-01T00:00:00Z")
		}
		problems = append(problems, checkGrants(of, t.Grants))
	}
	return errors.Join(problems...)
}

// checkPeople checks that each account belongs to one person or program.
func (a *Access) checkPeople() error {
	var problems []error
	of := map[Account]string{}
	add := func(owner string, accounts []Account) {
		for i := range accounts {
			x := &accounts[i]
			if x.Issuer == "" || x.Subject == "" {
				problems = append(problems, fmt.Errorf("%s: an account needs an issuer and a subject", owner))
				continue
			}
			if x.Issuer == ByProxy || x.Issuer == ByToken {
				name, err := userName(x.Subject)
				if err != nil {
					problems = append(problems, fmt.Errorf("%s: subject %q: %w", owner, x.Subject, err))
				}
				x.Subject = name
			}
			if other, twice := of[*x]; twice {
				problems = append(problems, fmt.Errorf("%s: account %s of %s belongs to %s too", owner, x.Subject, x.Issuer,
					other))
			}
			of[*x] = owner
		}
	}
	people := map[string][]Account{}
	for _, name := range slices.Sorted(maps.Keys(a.People)) {
		person, err := userName(name)
		if _, twice := people[person]; err == nil && twice {
			err = errors.New("two people have this name")
		}
		if err != nil {
			problems = append(problems, fmt.Errorf("people: %q: %w", name, err))
		}
		people[person] = a.People[name]
		add("person "+name, a.People[name])
	}
	if a.People != nil {
		a.People = people
	}
	add("programs", a.Programs)
	return errors.Join(problems...)
}

// token returns the identity of a secret. Its duration does not depend on how much of the secret is correct.
func (a *Access) token(secret string, now time.Time) (*Identity, bool) {
	sum := sha256.Sum256([]byte(secret))
	return a.tokenOf(hex.EncodeToString(sum[:]), now)
}

// tokenOf returns the identity of the token with a hash, if it is valid.
func (a *Access) tokenOf(hash string, now time.Time) (*Identity, bool) {
	var found *Token
	for i := range a.Tokens {
		if subtle.ConstantTimeCompare([]byte(hash), []byte(strings.ToLower(a.Tokens[i].SHA256))) == 1 {
			found = &a.Tokens[i]
		}
	}
	if found == nil || !now.Before(found.Expires) {
		return nil, false
	}
	who := store.Who{Issuer: ByToken, Subject: found.Person, Method: ByToken}
	if found.Person == "" {
		who.Subject, who.Program = found.Name, true
	}
	return a.identity(found.Name, who, found.Grants)
}

// of returns the identity of a user by groups; false if no group has a grant.
func (a *Access) of(name string, who store.Who, groups []string) (*Identity, bool) {
	var grants []Grant
	for _, g := range groups {
		grants = append(grants, a.Groups[g]...)
	}
	return a.identity(name, who, grants)
}

func (a *Access) identity(name string, who store.Who, grants []Grant) (*Identity, bool) {
	who.Program = a.program(who)
	return &Identity{Name: name, Who: who, Grants: grants}, name != "" && who.Subject != "" && len(grants) > 0
}

// program reports whether an account is that of a machine.
func (a *Access) program(who store.Who) bool {
	return who.Program || slices.Contains(a.Programs, Account{who.Issuer, who.Subject})
}

// person returns the person of an account; false if the access file names none.
func (a *Access) person(who store.Who) (string, bool) {
	if _, known := a.People[who.Subject]; known && who.Issuer == ByToken {
		return who.Subject, true
	}
	for name, accounts := range a.People {
		if slices.Contains(accounts, Account{who.Issuer, who.Subject}) {
			return name, true
		}
	}
	return "", false
}

// Same reports whether two accounts belong to one person.
func (a *Access) Same(x, y store.Who) bool {
	of, linked := a.person(x)
	person, too := a.person(y)
	return linked && too && of == person || x.Issuer == y.Issuer && x.Subject == y.Subject
}

// second reports whether a user may confirm what another one requested: both must be known as people, and as two.
// An issuer gives one subject to one person. Accounts of two issuers are two people only if the access file links both
// of them to people.
func (a *Access) second(requester, confirmer store.Who) error {
	_, linked := a.person(requester)
	_, too := a.person(confirmer)
	switch {
	case confirmer.Issuer == "" || confirmer.Issuer == ByChoice:
		return errors.New("this console does not authenticate its users (console.sign_in is none)")
	case a.program(confirmer):
		return errors.New("a program cannot confirm the closing of a critical finding")
	case requester.Issuer == "" || requester.Issuer == ByChoice || a.program(requester):
		return errors.New("no authenticated person requested it: reject it, and request it again")
	case a.Same(requester, confirmer):
		return errors.New("a second person must confirm the closing of a critical finding")
	case requester.Issuer != confirmer.Issuer && (!linked || !too):
		return errors.New("the requester signed in another way, and the access file does not show that you are two people " +
			"(people): reject it, and request it again")
	}
	return nil
}
