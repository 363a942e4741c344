#!/bin/sh
# Runs before a removal of the deb (remove) and the rpm (0): programs that are removed do not keep running. An upgrade
# stops nothing.
set -e
case $1 in
remove | 0) if [ -z "$DPKG_ROOT" ] && [ -d /run/systemd/system ]; then systemctl stop 'shoeproof-*'; fi ;;
esac
