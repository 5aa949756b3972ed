"""kimg-lint, a linter for CUDA architectures. The program is a binary; this package starts it."""
