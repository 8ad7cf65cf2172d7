import { setTimeout as sleep } from 'node:timers/promises'

const sliceMs = 300

/** Slows a process down: it is stopped for 300 ms and runs for 300 ms, repeatedly, until `stop`, after which it runs. */
export function slowDown(pid: number): { stop(): Promise<void> } {
  let isOver = false
  const slices = async () => {
    while (!isOver) {
      process.kill(pid, 'SIGSTOP')
      try {
        await sleep(sliceMs)
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
