package main

import (
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/cli-utils/pkg/kstatus/status"
)

func kstatus(object map[string]any) (string, string, error) {
	result, err := status.Compute(&unstructured.Unstructured{Object: object})
	if err != nil {
		return "", "", err
	}
	return result.Status.String(), result.Message, nil
}
