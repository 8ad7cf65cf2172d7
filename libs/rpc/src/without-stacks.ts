/** grpc-js captures a stack trace for each call, in case the call fails. This is a measurable part of the cost of a call, so it is turned off. */
export function withoutStacks<T>(begin: () => T): T {
  const limit = Error.stackTraceLimit
  Error.stackTraceLimit = 0
  try {
    return begin()
  } finally {
    Error.stackTraceLimit = limit
  }
}
