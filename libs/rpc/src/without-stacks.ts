/** grpc-js keeps the stack of every call that begins, for the error it may end with; a felt part of what a call costs. */
export function withoutStacks<T>(begin: () => T): T {
  const limit = Error.stackTraceLimit
  Error.stackTraceLimit = 0
  try {
    return begin()
  } finally {
    Error.stackTraceLimit = limit
  }
}
