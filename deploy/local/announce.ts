/**
 * Prints the line that the launcher waits for, `{"ready": name, …facts}`, and stops the parts on SIGTERM or SIGINT.
 */
export function announce(name: string, facts: Record<string, string>, parts: readonly { stop(): Promise<void> }[]) {
  let stopping = false
  const stop = async () => {
    if (stopping) return
    stopping = true
    for (const part of parts.toReversed()) await part.stop()
    process.exit(0)
  }
  process.on('SIGTERM', () => void stop())
  process.on('SIGINT', () => void stop())
  process.stdout.write(`${JSON.stringify({ ready: name, ...facts })}\n`)
}
