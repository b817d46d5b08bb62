@rem npm scripts begin with "exec" so that a signal to npm reaches Parapet instead of a shell between them; cmd has no exec.
@%*
