import { chmodSync, mkdtempSync, statfsSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

const memoryBacked = '/dev/shm'
const freeBytesMin = 4 * 1024 ** 3

/**
 * A new directory for temporary data of a test run, which servers of another user can enter. It is in memory if at least 4 GiB
 * are free there (a container often has 64 MiB), because a run makes hundreds of databases. A directory `below` is used if given.
 */
export function scratchDirectory(prefix: string, below = hasRoom(memoryBacked) ? memoryBacked : tmpdir()): string {
  const directory = mkdtempSync(join(below, prefix))
  chmodSync(directory, 0o755)
  return directory
}

function hasRoom(path: string): boolean {
  try {
    const { bavail, bsize } = statfsSync(path)
    return bavail * bsize >= freeBytesMin
  } catch {
    return false
  }
}
