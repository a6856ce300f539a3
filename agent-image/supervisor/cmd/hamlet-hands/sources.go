package main

import (
	"log"

	"hamlet.village/hands/internal/sources"
)

// leadSources leads apt and cargo to the endpoints of the broker before the first program starts.
func leadSources() {
	if err := sources.Lead(sources.System()); err != nil {
		log.Printf(`{"level":"warn","message":"apt or cargo may not find the registries of the village","cause":%q}`, err)
	}
}
