import { createHash } from 'node:crypto'
import { constants, existsSync } from 'node:fs'
import { lstat, open, readdir, realpath } from 'node:fs/promises'
import { dirname, join, sep } from 'node:path'
import { manifestName, parseManifest, type Manifest } from './manifest.ts'
import { listed, ReconstructionRefusal } from './refusal.ts'

/** An export whose every file matches its manifest. Files are read once, so the checked bytes are the used bytes. */
export interface LegacyExport {
  readonly manifest: Manifest
  readonly manifestSha256: string
  readonly files: ReadonlyMap<string, Buffer>
  readonly sha256Of: (path: string) => string
}

export interface ExportLimits {
  readonly manifestBytes: number
  readonly fileBytes: number
  readonly totalBytes: number
  readonly entries: number
  readonly depth: number
}

const MiB = 1024 * 1024
export const exportLimits: ExportLimits = {
  manifestBytes: 2 * MiB,
  fileBytes: 8 * MiB,
  totalBytes: 128 * MiB,
  entries: 5_000,
  depth: 8,
}

const sha256 = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex')

/**
 * Reads an export and checks every file against the manifest. Throws a ReconstructionRefusal for a file that is missing, changed, not listed,
 * too large or no ordinary file, and for a folder inside a Git repository. Writes nothing.
 */
export async function readExport(folder: string, limits: ExportLimits = exportLimits): Promise<LegacyExport> {
  const root = await rootOf(folder)
  const found = await filesBelow(root, limits)
  if (!found.includes(manifestName)) throw new ReconstructionRefusal('export', `${folder} has no ${manifestName}`)
  const manifestBytes = await readOne(root, manifestName, limits.manifestBytes)
  const manifest = parseManifest(manifestBytes)
  const hashes = new Map(manifest.files.map((file) => [file.path, file.sha256]))
  const problems = [
    ...[...hashes.keys()].filter((path) => !found.includes(path)).map((path) => `${path} is listed and not there`),
    ...found
      .filter((path) => path !== manifestName && !hashes.has(path))
      .map((path) => `${path} is there and not listed`),
  ]
  const files = new Map<string, Buffer>()
  let total = 0
  if (problems.length === 0) {
    for (const [path, expected] of hashes) {
      const bytes = await readOne(root, path, limits.fileBytes)
      total += bytes.length
      if (total > limits.totalBytes)
        throw new ReconstructionRefusal(
          'export',
          `the files have more than ${limits.totalBytes} bytes together; split the export`,
        )
      if (sha256(bytes) === expected) files.set(path, bytes)
      else problems.push(`${path} does not have the SHA-256 of the manifest`)
    }
  }
  if (problems.length > 0)
    throw new ReconstructionRefusal(
      'export',
      `the folder does not match its manifest, so nothing was written:\n${listed(problems)}`,
    )
  return { manifest, manifestSha256: sha256(manifestBytes), files, sha256Of: (path) => hashes.get(path)! }
}

/** The folder without symbolic links in its path. Legacy content is protected, so it never lies in a Git repository. */
async function rootOf(folder: string): Promise<string> {
  const root = await realpath(folder).catch(() => {
    throw new ReconstructionRefusal('export', `there is no folder ${folder}`)
  })
  if (!(await lstat(root)).isDirectory()) throw new ReconstructionRefusal('export', `${folder} is not a folder`)
  for (let at = root; ; at = dirname(at)) {
    if (existsSync(join(at, '.git')))
      throw new ReconstructionRefusal(
        'export',
        `${folder} lies in the Git repository ${at}. Exports of legacy content stay outside: copy the folder elsewhere.`,
      )
    if (at === dirname(at)) return root
  }
}

/** Every file below the folder, by its relative path. Refuses everything that is neither a file nor a folder. */
async function filesBelow(root: string, limits: ExportLimits): Promise<string[]> {
  const files: string[] = []
  let entries = 0
  const visit = async (folder: string, depth: number): Promise<void> => {
    if (depth > limits.depth)
      throw new ReconstructionRefusal('export', `${folder} is more than ${limits.depth} folders deep`)
    for (const entry of await readdir(join(root, folder), { withFileTypes: true })) {
      entries += 1
      if (entries > limits.entries)
        throw new ReconstructionRefusal('export', `the folder has more than ${limits.entries} entries`)
      const path = folder === '' ? entry.name : `${folder}/${entry.name}`
      if (entry.isDirectory()) await visit(path, depth + 1)
      else if (entry.isFile()) files.push(path)
      else
        throw new ReconstructionRefusal(
          'export',
          `${path} is a symbolic link or another special file; only ordinary files are read`,
        )
    }
  }
  await visit('', 1)
  return files.toSorted()
}

/** Follows no symbolic link, also not one that replaced the file or a folder after the list was made. */
async function readOne(root: string, path: string, bytesMax: number): Promise<Buffer> {
  const full = join(root, ...path.split('/'))
  if ((await realpath(full).catch(() => '')) !== full || !full.startsWith(root + sep))
    throw new ReconstructionRefusal('export', `${path} changed while the export was read`)
  const file = await open(full, constants.O_RDONLY | constants.O_NOFOLLOW).catch((error: unknown) => {
    throw new ReconstructionRefusal('export', `${path} cannot be read: ${(error as Error).message}`)
  })
  try {
    const { size } = await file.stat()
    if (size > bytesMax)
      throw new ReconstructionRefusal('export', `${path} has ${size} bytes, and at most ${bytesMax} are read`)
    const bytes = Buffer.alloc(size)
    const { bytesRead } = await file.read(bytes, 0, size, 0)
    return bytes.subarray(0, bytesRead)
  } finally {
    await file.close()
  }
}
