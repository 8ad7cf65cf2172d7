import { setTimeout as sleep } from 'node:timers/promises'

const sliceMs = 300

/** Makes a process slow: stopped for 300 ms, then running for 300 ms, and so on until `stop`, which leaves it running. */
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
