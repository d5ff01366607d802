#!/bin/sh
# HAProxy with the studio's routing, for RAY_SERVE_HAPROXY_BINARY_PATH. The python3 of PATH is the one that has Ray.
# FORWARDED_ALLOW_IPS: proxies in front of it that say truly who asks, as for a studio alone.
root=$(cd "$(dirname "$0")/../.." && pwd)
PYTHONPATH="$root${PYTHONPATH:+:$PYTHONPATH}" exec python3 -m studio.scale.haproxy "${FORWARDED_ALLOW_IPS:-127.0.0.1}" "$@"
