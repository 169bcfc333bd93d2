#!/bin/sh
# Prints the prometheus.yml for all gateways of a folder (docs/fleet.md says how to fill it). Each gateway is a separate job,
# because tokens and certificates in Prometheus belong to a job. The stored series all have the label job="smartmeter".
#
#   sh scrape.sh FOLDER [INTERVAL [CA_FILE]] > prometheus.yml
set -eu
folder=$(cd "$1" && pwd)
interval=${2:-60s}
cat <<END
global:
  scrape_interval: $interval
  scrape_timeout: $interval
  evaluation_interval: $interval
rule_files: [rules.yml]
scrape_configs:
END
for gateway in "$folder"/*/; do
	gateway=${gateway%/}
	name=$(basename "$gateway")
	cat <<END
  - job_name: $name
    scheme: https
    metrics_path: /api/v1/metrics
    authorization: { credentials_file: "$gateway/token" }
    tls_config: { ca_file: "${3:-$gateway/certificate.pem}", server_name: "$name.local" }
    file_sd_configs: [{ files: ["$gateway/targets.json"] }]
    relabel_configs:
      - { target_label: job, replacement: smartmeter }
      - { target_label: instance, replacement: "$name" }
END
done
