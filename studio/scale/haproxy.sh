#!/bin/sh
# HAProxy with the studio's routing, for RAY_SERVE_HAPROXY_BINARY_PATH. The python3 of PATH is the one that has Ray.
root=$(cd "$(dirname "$0")/../.." && pwd)
PYTHONPATH="$root${PYTHONPATH:+:$PYTHONPATH}" exec python3 -m studio.scale.haproxy "$@"
