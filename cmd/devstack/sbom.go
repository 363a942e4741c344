//go:build unix

package main

import (
	"debug/buildinfo"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/shoeproof/shoeproof/internal/cli"
)

func sbomCommand() *cobra.Command {
	return &cobra.Command{
		Use:     "sbom PROGRAM",
		Short:   "print the bill of materials of a program, as CycloneDX 1.6 JSON",
		Long:    "Sbom reads the build information in a Go program of any platform. The output is reproducible.",
		Example: "  devstack sbom bin/audit >audit.cdx.json",
		Args:    cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			info, err := buildinfo.ReadFile(args[0])
			if err != nil {
				return cli.WrongUsage(fmt.Errorf("read the modules of %s: %w", args[0], err))
			}
			enc := json.NewEncoder(cmd.OutOrStdout())
			enc.SetEscapeHTML(false)
			enc.SetIndent("", "  ")
			return enc.Encode(bill(info))
		},
	}
}

// component is one entry of a bill, https://cyclonedx.org/docs/1.6/json/.
type component struct {
	Type    string `json:"type"`
	Name    string `json:"name"`
	Version string `json:"version,omitempty"`
	PURL    string `json:"purl"`
	// Hashes are absent: Go's h1 is a hash of a module's tree and not of a file, so it is a property.
	Properties []billProperty `json:"properties,omitempty"`
}

type billProperty struct {
	Name  string `json:"name"`
	Value string `json:"value"`
}

type billOfMaterials struct {
	Format      string `json:"bomFormat"`
	SpecVersion string `json:"specVersion"`
	Version     int    `json:"version"`
	Metadata    struct {
		Component component `json:"component"`
	} `json:"metadata"`
	Components []component `json:"components"`
}

func bill(info *buildinfo.BuildInfo) billOfMaterials {
	b := billOfMaterials{Format: "CycloneDX", SpecVersion: "1.6", Version: 1, Components: []component{}}
	b.Metadata.Component = module("application", info.Path, info.Main.Version, "")
	std := strings.TrimPrefix(info.GoVersion, "go")
	b.Components = append(b.Components, module("library", "std", std, ""))
	for _, m := range info.Deps {
		if m.Replace != nil {
			m = m.Replace
		}
		b.Components = append(b.Components, module("library", m.Path, m.Version, m.Sum))
	}
	return b
}

func module(kind, path, version, sum string) component {
	c := component{Type: kind, Name: path, Version: version, PURL: "pkg:golang/" + path}
	if version != "" {
		c.PURL += "@" + strings.ReplaceAll(version, "+", "%2B")
	}
	if sum != "" {
		c.Properties = []billProperty{{"go:sum", sum}}
	}
	return c
}
