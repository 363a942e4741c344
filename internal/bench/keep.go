package bench

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
	"sync"

	"github.com/shoeproof/shoeproof/internal/cli"
)

// keep stores results in a file, a line of JSON for each table, so that a long measurement can be interrupted and
// resumed.
type keep struct {
	mu   sync.Mutex
	file *os.File // nil if nothing is kept
	done map[string]json.RawMessage
}

// kept is a line of the file: a table of a section, row and seed, and its result.
type kept struct {
	Table   string          `json:"table"`
	Outcome json.RawMessage `json:"outcome"`
}

func openKeep(path string) (*keep, error) {
	k := &keep{done: map[string]json.RawMessage{}}
	if path == "" {
		return k, nil
	}
	file, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE|os.O_APPEND, 0o644)
	if err != nil {
		return nil, cli.WrongUsage(fmt.Errorf("open what was played: %w", err))
	}
	k.file = file
	lines := bufio.NewScanner(file)
	lines.Buffer(nil, 1<<24)
	for n := 1; lines.Scan(); n++ {
		var line kept
		if err := json.Unmarshal(lines.Bytes(), &line); err != nil {
			file.Close()
			return nil, cli.WrongUsage(fmt.Errorf("%s:%d: %w; want a table and its outcome: delete a line that was cut short",
				path, n, err))
		}
		k.done[line.Table] = line.Outcome
	}
	if err := lines.Err(); err != nil {
		file.Close()
		return nil, fmt.Errorf("read %s: %w", path, err)
	}
	return k, nil
}

func (k *keep) close() error {
	if k.file == nil {
		return nil
	}
	return k.file.Close()
}

// played sets the result of a table from the file, or plays the table.
func (k *keep) played(table string, outcome any, play func() error) error {
	k.mu.Lock()
	old, ok := k.done[table]
	k.mu.Unlock()
	if ok {
		if err := json.Unmarshal(old, outcome); err != nil {
			return fmt.Errorf("what was played at %s: %w", table, err)
		}
		return nil
	}
	if err := play(); err != nil || k.file == nil {
		return err
	}
	value, err := json.Marshal(outcome)
	if err != nil {
		return fmt.Errorf("keep what was played at %s: %w", table, err)
	}
	line, err := json.Marshal(kept{table, value})
	if err != nil {
		return fmt.Errorf("keep what was played at %s: %w", table, err)
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	if _, err := k.file.Write(append(line, '\n')); err != nil {
		return fmt.Errorf("keep what was played at %s: %w", table, err)
	}
	return nil
}
