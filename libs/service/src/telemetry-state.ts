import { ignoring } from '@lettergate/fault'

let shutdown: (() => Promise<void>) | undefined

/** Stores the function that flushes the spans in memory. */
export const onTelemetryStop = (stop: () => Promise<void>): void => void (shutdown = stop)

/** Flushes spans, for at most 2 s, and never fails: an unreachable collector must not delay an exit or change its status. */
export async function stopTelemetry(): Promise<void> {
  const flushed = shutdown?.().catch((error: unknown) =>
    ignoring(error, 'the process ends, and its work does not depend on its spans'),
  )
  await Promise.race([flushed, new Promise<void>((resolve) => setTimeout(resolve, 2_000).unref())])
}
