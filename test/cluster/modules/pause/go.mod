module berth.dev/test/pause

go 1.24.0
