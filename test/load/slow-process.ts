import { setTimeout as sleep } from 'node:timers/promises'

const sliceMs = 300
/** Longer than the 2 s for which a verdict may be used. */
const longMs = 2_500
const longEvery = 10

/**
 * Slows a process down: it is stopped for 300 ms and runs for 300 ms, repeatedly, until `stop`, after which it runs. Every
 * tenth stop lasts 2.5 s; the first of them comes at a random time.
 */
export function slowDown(pid: number): { stop(): Promise<void> } {
  let isOver = false
  const slices = async () => {
    for (let stops = Math.floor(Math.random() * longEvery); !isOver; stops += 1) {
      process.kill(pid, 'SIGSTOP')
      try {
        await sleep(stops % longEvery === 0 ? longMs : sliceMs)
      } finally {
        process.kill(pid, 'SIGCONT')
      }
      await sleep(sliceMs)
    }
  }
  const running = slices()
  return {
    async stop() {
      isOver = true
      await running
    },
  }
}
