// Reads exported profiles with the libraries that Go's tools read them with, and prints what they say as JSON.
package main

import (
	"encoding/json"
	"log"
	"os"

	pprof "github.com/google/pprof/profile"
	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/pprofile"
)

// Sample is one sum: its number of events and their value, its labels, and its frames, innermost first.
type Sample struct {
	Kind   string            `json:"kind"`
	Unit   string            `json:"unit"`
	Count  int64             `json:"count"`
	Value  int64             `json:"value"`
	Labels map[string]string `json:"labels"`
	Frames []string          `json:"frames"`
}

func main() {
	log.SetFlags(0)
	read := map[string]func(string) ([]Sample, error){"pprof": readPprof, "otlp": readOtlp}[os.Args[1]]
	samples, err := read(os.Args[2])
	if err != nil {
		log.Fatal(err)
	}
	if err := json.NewEncoder(os.Stdout).Encode(samples); err != nil {
		log.Fatal(err)
	}
}

func readPprof(path string) ([]Sample, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	profile, err := pprof.Parse(file)
	if err != nil {
		return nil, err
	}
	if err := profile.CheckValid(); err != nil {
		return nil, err
	}
	var samples []Sample
	for _, each := range profile.Sample {
		sample := Sample{Count: each.Value[0], Value: each.Value[1], Labels: map[string]string{}}
		sample.Kind, sample.Unit = profile.SampleType[1].Type, profile.SampleType[1].Unit
		for key, values := range each.Label {
			sample.Labels[key] = values[0]
		}
		for _, location := range each.Location {
			sample.Frames = append(sample.Frames, location.Line[0].Function.Name)
		}
		samples = append(samples, sample)
	}
	return samples, nil
}

func readOtlp(path string) ([]Sample, error) {
	bytes, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	profiles, err := (&pprofile.ProtoUnmarshaler{}).UnmarshalProfiles(bytes)
	if err != nil {
		return nil, err
	}
	dictionary := profiles.Dictionary()
	text := func(at int32) string { return dictionary.StringTable().At(int(at)) }
	var samples []Sample
	for _, resource := range profiles.ResourceProfiles().All() {
		for _, scope := range resource.ScopeProfiles().All() {
			for _, profile := range scope.Profiles().All() {
				for _, each := range profile.Samples().All() {
					sample := Sample{Value: each.Values().At(0), Labels: map[string]string{}}
					sample.Kind, sample.Unit = text(profile.SampleType().TypeStrindex()), text(profile.SampleType().UnitStrindex())
					for _, at := range each.AttributeIndices().All() {
						attribute := dictionary.AttributeTable().At(int(at))
						if attribute.Value().Type() == pcommon.ValueTypeInt {
							sample.Count = attribute.Value().Int()
						} else {
							sample.Labels[text(attribute.KeyStrindex())] = attribute.Value().Str()
						}
					}
					stack := dictionary.StackTable().At(int(each.StackIndex()))
					for _, at := range stack.LocationIndices().All() {
						line := dictionary.LocationTable().At(int(at)).Lines().At(0)
						function := dictionary.FunctionTable().At(int(line.FunctionIndex()))
						sample.Frames = append(sample.Frames, text(function.NameStrindex()))
					}
					samples = append(samples, sample)
				}
			}
		}
	}
	return samples, nil
}
