let shutdown: (() => Promise<void>) | undefined

/** Remembers how to flush the spans that are still in memory. */
export const onTelemetryStop = (stop: () => Promise<void>): void => void (shutdown = stop)

/** Flushes spans, for at most 2 s: a collector that is gone must not hold up an exit. */
export const stopTelemetry = (): Promise<void> =>
  Promise.race([shutdown?.() ?? Promise.resolve(), new Promise<void>((resolve) => setTimeout(resolve, 2_000).unref())])
