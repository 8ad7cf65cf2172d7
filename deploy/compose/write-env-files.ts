import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { envFileText, type EnvFiles } from './env-files.ts'

/** Writes the files into a new folder that only this user can read. Throws when the folder exists, because it holds the only copy of keys. */
export function writeEnvFiles(folder: string, files: EnvFiles): void {
  if (existsSync(folder)) throw new Error(`${folder} exists. An installation keeps its keys, so nothing was changed.`)
  const texts = Object.entries(files).map(([name, variables]) => [name, envFileText(variables)] as const)
  mkdirSync(folder, { mode: 0o700 })
  for (const [name, text] of texts) writeFileSync(join(folder, name), text, { mode: 0o600, flag: 'wx' })
}
