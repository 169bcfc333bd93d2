module peer

go 1.24.1

require (
	github.com/andig/gosunspec v0.0.0-20260705113727-6d585e133512
	github.com/grid-x/modbus v0.0.0-20210714071042-7af2b65ec03b
	gitlab.com/bboehmke/sunny v0.17.0
)

require (
	github.com/dmarkham/enumer v1.6.3 // indirect
	github.com/grid-x/serial v0.0.0-20211107191517-583c7356b3aa // indirect
	github.com/pascaldekloe/name v1.0.0 // indirect
	golang.org/x/mod v0.24.0 // indirect
	golang.org/x/sync v0.12.0 // indirect
	golang.org/x/tools v0.31.0 // indirect
)
