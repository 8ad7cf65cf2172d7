import type { Logger, Part } from '@lettergate/service'

/** Work that may end after the call that began it was answered. `stop` waits for it. */
export interface WorkAfterAnswer extends Part {
  add(work: Promise<unknown>): void
}

export function workAfterAnswer(log: Logger): WorkAfterAnswer {
  const running = new Set<Promise<void>>()
  return {
    add(work) {
      const ended = work
        .then(
          () => undefined,
          (error: unknown) => log.error({ err: error }, 'work that may end after its answer failed'),
        )
        .finally(() => running.delete(ended))
      running.add(ended)
    },
    async stop() {
      await Promise.all(running)
    },
  }
}
