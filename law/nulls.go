package law

import (
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"

	"github.com/shoeproof/shoeproof/baccarat"
)

// beneath is what a book is laid over. Of a book without a base it is its games, empty.
func beneath(nodes map[string]map[string]any, name string) map[string]any {
	if base, ok := nodes[name]["extends"].(string); ok {
		return resolve(nodes, base)
	}
	own, _ := nodes[name]["games"].(map[string]any)
	games := map[string]any{}
	for game := range own {
		games[game] = map[string]any{}
	}
	return map[string]any{"games": games}
}

// uselessNulls complains of the words of a book with the value null that remove nothing of what is below: they are
// misspelt.
func uselessNulls(under, over map[string]any, known []string) []complaint {
	return nothingRemoved(reflect.TypeFor[bookFile](), nil, under, over, known)
}

// nothingRemoved complains of each word with the value null that is neither a word of what is below nor one that could
// be there. The keys of a type are no words: a wrong one is refused where it is decoded.
func nothingRemoved(t reflect.Type, path []string, under, over map[string]any, known []string) (wrong []complaint) {
	if under == nil {
		return nil // over is taken as it is, and is judged where it is read
	}
	of := map[string]reflect.Type{}
	for word := range over {
		if t.Kind() == reflect.Map {
			of[word] = t.Elem()
		}
	}
	if t.Kind() == reflect.Struct {
		for f := range t.Fields() {
			of[f.Tag.Get("yaml")] = f.Type
		}
	}
	for _, word := range slices.Sorted(maps.Keys(over)) {
		at := append(slices.Clip(path), word)
		if value, ok := over[word].(map[string]any); ok && of[word] != nil {
			below, _ := under[word].(map[string]any)
			wrong = append(wrong, nothingRemoved(of[word], at, below, value, known)...)
		}
		if _, there := under[word]; over[word] != nil || there || t.Kind() != reflect.Map {
			continue
		}
		words := append(wordsAt(path[len(path)-1], known), slices.Sorted(maps.Keys(under))...)
		if !slices.Contains(words, word) {
			err := fmt.Errorf("null removes nothing: %w", noSuch("word", word, words))
			wrong = append(wrong, complaint{strings.Join(at, "/"), err})
		}
	}
	return wrong
}

// wordsAt are the words that may be at a key.
func wordsAt(key string, known []string) []string {
	switch key {
	case "games":
		return wordsOf[baccarat.Game]()
	case "spots":
		return wordsOf[baccarat.Spot]()
	case "options":
		return optionNames()
	case "rules":
		return slices.Clone(known)
	}
	return nil
}
