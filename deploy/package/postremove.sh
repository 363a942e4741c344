#!/bin/sh
# Runs after a removal and an upgrade: systemd forgets the units that are gone.
set -e
if [ -z "$DPKG_ROOT" ] && [ -d /run/systemd/system ]; then systemctl daemon-reload; fi
