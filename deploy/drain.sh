#!/bin/sh
# What a pod does before it stops (preStop of deploy/rayservice.yaml): its replicas go elsewhere and finish what they speak, and listeners
# who came through its door hear the end. Returns when nobody is left, or after SECONDS, which terminationGracePeriodSeconds has to exceed.
# usage: drain.sh SECONDS
over=$(($(date +%s) + $1))
ray drain-node --reason DRAIN_NODE_REASON_PREEMPTION --reason-message "its pod stops" --deadline-remaining-seconds "$1"

busy() {
  grep -qs 'ray::Serve[R]eplica' /proc/[0-9]*/cmdline && return 0
  awk '$2 ~ /:1F40$/ && $4 == "01" { open = 1 } END { exit !open }' /proc/net/tcp /proc/net/tcp6 # port 8000, established
}

sleep 5 # until Kubernetes sends nobody here any more
while busy && [ "$(date +%s)" -lt "$over" ]; do sleep 2; done
