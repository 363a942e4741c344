# Sourced by the scripts beside it: the folder of fetched engines, and a lock on a part of it.

# engines_cache is where Go's os.UserCacheDir() puts it too.
engines_cache() {
  case $(uname -s) in
    Darwin) echo "$HOME/Library/Caches/shoeproof/engines" ;;
    *) echo "${XDG_CACHE_HOME:-$HOME/.cache}/shoeproof/engines" ;;
  esac
}

# pinned FOLDER compares the files of a fetched folder with engines.sha256, which has their SHA-256 as sha256sum prints
# them, below the name of the folder. What the list does not have is printed as NOT PINNED.
pinned() {
  local name list sum=sha256sum
  name=$(basename "$1")
  list=$(dirname "${BASH_SOURCE[0]}")/engines.sha256
  command -v sha256sum >/dev/null || sum="shasum -a 256"
  if ! grep -q " $name/" "$list" || [ -n "${2:-}" ] && ! grep -q " $name/.*# $2\$" "$list"; then
    echo "NOT PINNED: deploy/dev/engines.sha256 has no hash of $name${2:+ for $2}" >&2
    return 0
  fi
  grep " $name/" "$list" | sed 's/ *#.*//' | (cd "$(dirname "$1")" && $sum -c --quiet -) >&2 ||
    { echo "$1 is not what deploy/dev/engines.sha256 has: delete it and fetch it again, or find out who changed it" >&2; return 1; }
}

# fetch_once TARGET COMMAND fills the folder TARGET by a function that is given an
# empty folder beside it. TARGET appears whole or not at all; two at once wait for
# each other if flock is installed, and otherwise the second deletes its copy.
fetch_once() {
  [ ! -d "$1" ] || return 0
  mkdir -p "$(dirname "$1")"
  (
    if command -v flock >/dev/null; then
      flock -n 9 || { echo "waiting for another fetch of $(basename "$1")" >&2; flock 9; }
    fi
    [ ! -d "$1" ] || exit 0
    new=$(mktemp -d "$1.new.XXXXXX")
    trap 'rm -rf "$new"' EXIT
    mkdir "$new/$(basename "$1")"
    "$2" "$new/$(basename "$1")"
    # Into the parent, by a name of its own: never into a folder that is there by now.
    [ -d "$1" ] || mv "$new/$(basename "$1")" "$(dirname "$1")/"
  ) 9>"$1.lock"
}
