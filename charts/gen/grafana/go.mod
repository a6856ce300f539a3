// Checks the dashboards of the chart by Grafana's own schemas.
module hamlet.village/grafana

go 1.26.0

require github.com/grafana/grafana-foundation-sdk/go v0.0.22
