#!/usr/bin/env bash
# Prints NOT PINNED for each image of another project that a file here names by tag only: a tag can be moved to other
# content. A digest is obtained where a registry can be reached, and is never written by guess:
#
#   docker buildx imagetools inspect golang:1.26 --format '{{.Manifest.Digest}}'
#
# and then written behind the tag: golang:1.26@sha256:... With PINNED=must it fails instead.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."

found=0
while IFS=: read -r file line text; do
  image=$(sed -E 's/^ *(FROM|image:) +//; s/ +AS .*//; s/"//g' <<<"$text")
  case $image in
    scratch | *@sha256:* | shoeproof/*) continue ;;
  esac
  echo "NOT PINNED: $image in $file:$line is named by tag, not by digest"
  found=1
done < <(grep -nE '^ *(FROM|image:) ' Dockerfile deploy/compose.yaml)
[ $found = 0 ] || [ "${PINNED:-}" != must ] || exit 1
