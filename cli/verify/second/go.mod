// A second implementation that checks what ours says: the one of the Go project.
module hamlet.village/verify/second

go 1.26.0

require golang.org/x/mod v0.42.0
