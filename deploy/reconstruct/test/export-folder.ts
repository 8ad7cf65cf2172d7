import { createHash } from 'node:crypto'
import { cpSync, mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { manifestFormat } from '../src/manifest.ts'

const examples = new URL('../examples/', import.meta.url).pathname

/** Folders outside of every repository, removed by `removeFolders`. */
const made: string[] = []
export function newFolder(): string {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'lettergate-export-')))
  made.push(folder)
  return folder
}

export function removeFolders(): void {
  for (const folder of made.splice(0)) rmSync(folder, { recursive: true, force: true })
}

/** A copy of an example, which lies in this repository and therefore cannot be used directly. */
export function copyOf(example: 'harbour-mail' | 'mautic'): string {
  const folder = newFolder()
  cpSync(join(examples, example), folder, { recursive: true })
  return folder
}

/** An export with these files, and a manifest that lists them; `change` changes the manifest. */
export function exportOf(files: Record<string, string>, manifest: object = {}): string {
  const folder = newFolder()
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true })
    writeFileSync(join(folder, path), text)
  }
  const listed = Object.entries(files).map(([path, text]) => ({
    path,
    sha256: createHash('sha256').update(text).digest('hex'),
  }))
  writeFileSync(
    join(folder, 'manifest.json'),
    JSON.stringify({
      format: manifestFormat,
      source_system: 'old-mail',
      source_repository_commit: 'a'.repeat(40),
      files: listed,
      emails: [],
      workflows: [],
      ...manifest,
    }),
  )
  return folder
}
