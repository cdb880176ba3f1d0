module sluice.dev/tools/node/pause

go 1.24.0
