// The supervisor of the container in which an agent's tools run.
module hamlet.village/hands

go 1.26.0
