#!/usr/bin/env bash
# Prints the licences and notices of all modules that ingest and audit link, which are distributed with them.
# Fails if a licence is not known to be compatible with Apache 2.0.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."

# kind recognizes a licence by its text.
kind() {
  local text
  text=$(tr -s ' \n\t' '   ' <"$1")
  case $text in
    *'Apache License Version 2.0'*) echo Apache-2.0 ;;
    *'Permission is hereby granted, free of charge, to any person'*) echo MIT ;;
    *'Redistribution and use in source and binary forms'*) echo BSD ;;
    *) return 1 ;;
  esac
}

# A module's own licence, then those of linked packages that have another.
go list -deps -f '{{with .Module}}{{if not .Main}}{{.Path}} {{.Version}} {{.Dir}} {{$.Dir}}{{end}}{{end}}' ./cmd/ingest ./cmd/audit | LC_ALL=C sort -u |
  { echo "go $(go env GOVERSION) $(go env GOROOT) $(go env GOROOT)"; cat; } | {
  last=
  while read -r module version root dir; do
    for at in "$root" "$dir"; do
      [ "$at" != "$root" ] || [ "$module" != "$last" ] || continue
      last=$module
      found=
      for file in "$at"/LICEN[SC]E* "$at"/COPYING* "$at"/NOTICE*; do
        [ -f "$file" ] || continue
        case $file in
          */NOTICE*) what=notice ;;
          *) what=$(kind "$file") || { echo "$module $version: $(basename "$file") is no known licence" >&2; exit 1; }; found=yes ;;
        esac
        printf '=== %s %s: %s\n\n' "$module" "$version" "$what"
        cat "$file"
        echo
      done
      [ -n "$found" ] || [ "$at" != "$root" ] || { echo "$module $version has no licence" >&2; exit 1; }
    done
  done
}
