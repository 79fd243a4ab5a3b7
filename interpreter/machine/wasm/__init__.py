"""The fast machine: programs as WebAssembly.

    program ─▶ module ─▶ bytes ─▶ host ─▶ executor
              lowering   encode   wasmtime  protocol.Executor

`encode` knows the binary format, `memory` where everything lies, `values` and `expressions` how numbers, sets and sequences are worked
out, `statements`, `structure` and `procedures` how blocks become functions, `questions` what a Choose or Chance offers, `runtime` what
runs stacks and looks ahead, `playouts` whole games, `module` puts them together. `host` alone knows wasmtime.
"""
