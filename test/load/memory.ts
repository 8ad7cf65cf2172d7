import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { ignoring } from '@lettergate/fault'
import type { Stack } from '@lettergate/local/launcher/state'

const pidOf = ({ processes }: Stack, name: string) =>
  processes.find((running) => running.name === name && running.role !== 'worker')!.pid

/** Has the system measure from now on how much these services hold, where it can (Linux). */
export function forgetMemoryPeaks(stack: Stack, names: readonly string[]): void {
  for (const name of names) {
    try {
      writeFileSync(`/proc/${pidOf(stack, name)}/clear_refs`, '5')
    } catch (error) {
      ignoring(error, 'the peak is then the one since the start')
    }
  }
}

/** The most that each of these services has held, as words for a note. */
export const memoryPeaks = (stack: Stack, names: readonly string[]): string =>
  names.map((name) => `${name} at most ${peakMb(pidOf(stack, name))} MB`).join(', ')

function peakMb(pid: number): string {
  const path = `/proc/${pid}/status`
  const peak = existsSync(path) ? /VmHWM:\s+(\d+) kB/.exec(readFileSync(path, 'utf8'))?.[1] : undefined
  return peak === undefined ? 'unknown' : String(Math.round(Number(peak) / 1024))
}
