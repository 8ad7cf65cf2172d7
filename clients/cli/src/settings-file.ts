import { chmodSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { UsageError } from './exit.ts'

/** What `lettergate sign-in` keeps. */
export interface StoredSettings {
  baseUrl?: string
  workspace?: string
  token?: string
}

/** Reads the file; empty when there is none. A file that other users can read is refused. */
export function readStored(path: string): StoredSettings {
  let mode: number
  try {
    mode = statSync(path).mode
  } catch {
    return {}
  }
  if (process.platform !== 'win32' && (mode & 0o077) !== 0)
    throw new UsageError(`Other users can read ${path}, which holds a token. Run: chmod 600 ${path}`)
  try {
    return JSON.parse(readFileSync(path, 'utf8')) as StoredSettings
  } catch {
    throw new UsageError(`${path} is not JSON. Run lettergate sign-in to write it again.`)
  }
}

/** Writes the file, readable by its owner only. */
export function writeStored(path: string, settings: StoredSettings): void {
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 })
  writeFileSync(path, `${JSON.stringify(settings, null, 2)}\n`, { mode: 0o600 })
  chmodSync(path, 0o600) // the mode above does not change a file that is already there
}

/** Deletes the file. */
export const removeStored = (path: string): void => rmSync(path, { force: true })
