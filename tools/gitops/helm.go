package main

import (
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"helm.sh/helm/v3/pkg/chart"
	"helm.sh/helm/v3/pkg/chart/loader"
	"helm.sh/helm/v3/pkg/chartutil"
	"helm.sh/helm/v3/pkg/engine"
	"k8s.io/apimachinery/pkg/util/json"
	"sigs.k8s.io/yaml"
)

// helm returns a reader of values that renders a chart with them, as `helm template --namespace <namespace>` does.
func helm(folder, namespace string) (reader, error) {
	loaded, err := loader.Load(folder)
	if err != nil {
		return nil, err
	}
	return func(values map[string]any) (string, string, error) {
		objects, err := rendered(loaded, namespace, values)
		if err != nil {
			return "error", err.Error(), nil
		}
		text, err := json.Marshal(objects)
		return "objects", string(text), err
	}, nil
}

func rendered(loaded *chart.Chart, namespace string, values map[string]any) ([]any, error) {
	release := chartutil.ReleaseOptions{Name: "sluice", Namespace: namespace, Revision: 1, IsInstall: true}
	// It checks the values by the chart's schema.
	all, err := chartutil.ToRenderValues(loaded, values, release, chartutil.DefaultCapabilities)
	if err != nil {
		return nil, err
	}
	files, err := engine.Render(loaded, all)
	if err != nil {
		return nil, err
	}
	objects := []any{}
	for _, name := range slices.Sorted(maps.Keys(files)) {
		if filepath.Ext(name) != ".yaml" || strings.TrimSpace(files[name]) == "" {
			continue
		}
		var object map[string]any
		if err := yaml.Unmarshal([]byte(files[name]), &object); err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		objects = append(objects, object)
	}
	return objects, nil
}
