#!/bin/sh
# Runs after an installation and an upgrade of the deb and the rpm: systemd reads the units again. None is started or
# restarted: which ones run is the choice of the operator.
set -e
if [ -z "$DPKG_ROOT" ] && [ -d /run/systemd/system ]; then systemctl daemon-reload; fi
