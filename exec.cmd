@rem npm scripts say "exec" so that a signal to npm reaches Parapet and not a shell in between; cmd has no exec.
@%*
