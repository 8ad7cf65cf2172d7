import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { ignoring } from '@lettergate/fault'
import type { Stack } from '@lettergate/local/launcher/state'

/** Every process of these services: the worker builds the snapshots that the api accepts. */
const processesOf = ({ processes }: Stack, names: readonly string[]) =>
  processes
    .filter(({ name }) => names.includes(name))
    .map(({ name, role, pid }) => ({ pid, label: role === 'worker' ? `${name}-worker` : name }))

/** Resets the peak memory of these services in the kernel. Only on Linux. */
export function resetMemoryPeaks(stack: Stack, names: readonly string[]): void {
  for (const { pid } of processesOf(stack, names)) {
    try {
      writeFileSync(`/proc/${pid}/clear_refs`, '5')
    } catch (error) {
      ignoring(error, 'the peak since the start of the process is then shown')
    }
  }
}

/** The peak memory of each process of these services, as text for a note. */
export const memoryPeaks = (stack: Stack, names: readonly string[]): string =>
  processesOf(stack, names)
    .map(({ pid, label }) => `${label} at most ${peakMb(pid)} MB`)
    .join(', ')

function peakMb(pid: number): string {
  const path = `/proc/${pid}/status`
  const peak = existsSync(path) ? /VmHWM:\s+(\d+) kB/.exec(readFileSync(path, 'utf8'))?.[1] : undefined
  return peak === undefined ? 'unknown' : String(Math.round(Number(peak) / 1024))
}
