"""What every route stands behind or uses: arrival, limits, errors, meters, threads."""
