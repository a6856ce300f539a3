// Package grafana has one test: Grafana's own schemas know each field of the dashboards of the chart.
package grafana

import (
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"github.com/grafana/grafana-foundation-sdk/go/cog"
	"github.com/grafana/grafana-foundation-sdk/go/dashboard"
	"github.com/grafana/grafana-foundation-sdk/go/prometheus"
	"github.com/grafana/grafana-foundation-sdk/go/stat"
	"github.com/grafana/grafana-foundation-sdk/go/timeseries"
)

const folder = "../../hamlet/files/dashboards"

func TestGrafanaKnowsEachFieldOfTheDashboards(t *testing.T) {
	// Without their schemas, any options and targets of a panel would do.
	cog.NewRuntime().RegisterPanelcfgVariant(stat.VariantConfig())
	cog.NewRuntime().RegisterPanelcfgVariant(timeseries.VariantConfig())
	cog.NewRuntime().RegisterDataqueryVariant(prometheus.VariantConfig())
	files, err := filepath.Glob(filepath.Join(folder, "*.json"))
	if err != nil || len(files) != 4 {
		t.Fatalf("%d dashboards in %s, error %v: run make charts", len(files), folder, err)
	}
	for _, file := range files {
		t.Run(filepath.Base(file), func(t *testing.T) {
			var read dashboard.Dashboard
			// A list of no errors is not nil.
			if err := read.UnmarshalJSONStrict(withoutComment(t, file)); err != nil && err.Error() != "" {
				t.Fatal(err)
			}
			if err := read.Validate(); err != nil {
				t.Fatal(err)
			}
			if len(read.Panels) == 0 {
				t.Fatal("it has no panels")
			}
		})
	}
}

// The comment names the command that writes the file, and no part of Grafana reads it.
func withoutComment(t *testing.T, file string) []byte {
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	fields := map[string]json.RawMessage{}
	if err := json.Unmarshal(text, &fields); err != nil {
		t.Fatal(err)
	}
	delete(fields, "__comment")
	text, err = json.Marshal(fields)
	if err != nil {
		t.Fatal(err)
	}
	return text
}
