import { afterEach, describe, expect, test } from '@jest/globals'
import fc from 'fast-check'
import { appendFileSync, mkdirSync, readFileSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { execFileSync } from 'node:child_process'
import { exportLimits, readExport } from '../src/read-export.ts'
import { copyOf, exportOf, newFolder, removeFolders } from './export-folder.ts'

afterEach(removeFolders)

const refused = (message: string | RegExp) => ({
  kind: 'export',
  message: typeof message === 'string' ? expect.stringContaining(message) : expect.stringMatching(message),
})

test.each(['harbour-mail', 'mautic'] as const)('the example %s matches its manifest', async (example) => {
  const read = await readExport(copyOf(example))
  expect([...read.files.keys()].toSorted()).toEqual(read.manifest.files.map(({ path }) => path).toSorted())
  expect(read.manifestSha256).toMatch(/^[0-9a-f]{64}$/)
})

describe('a folder that does not match its manifest is refused', () => {
  const cases: [string, (folder: string) => void, string | RegExp][] = [
    ['a changed file', (folder) => appendFileSync(join(folder, 'emails/1.json'), ' '), /SHA-256[^]*|emails\/1\.json/],
    ['a missing file', (folder) => rmSync(join(folder, 'emails/2.json')), 'emails/2.json is listed and not there'],
    ['a file more', (folder) => writeFileSync(join(folder, 'more.html'), ''), 'more.html is there and not listed'],
    ['a hidden file more', (folder) => writeFileSync(join(folder, '.more'), ''), '.more is there and not listed'],
    [
      'a renamed file',
      (folder) => renameSync(join(folder, 'emails/1.json'), join(folder, 'emails/one.json')),
      'emails/1.json is listed and not there',
    ],
    ['no manifest', (folder) => rmSync(join(folder, 'manifest.json')), 'has no manifest.json'],
    ['a manifest that is no JSON', (folder) => writeFileSync(join(folder, 'manifest.json'), '{'), 'is not usable JSON'],
    [
      'a manifest with a NUL character',
      (folder) => writeFileSync(join(folder, 'manifest.json'), '{"name":"a\\u0000"}'),
      'contains a NUL character',
    ],
    [
      'a manifest with half a character',
      (folder) => writeFileSync(join(folder, 'manifest.json'), '{"\\ud83d":1}'),
      'half a character',
    ],
    [
      'a symbolic link in place of a file',
      (folder) => {
        rmSync(join(folder, 'emails/1.json'))
        symlinkSync('/etc/hostname', join(folder, 'emails/1.json'))
      },
      'emails/1.json is a symbolic link',
    ],
    [
      'a symbolic link in place of a folder',
      (folder) => {
        const elsewhere = newFolder()
        renameSync(join(folder, 'emails'), join(elsewhere, 'emails'))
        symlinkSync(join(elsewhere, 'emails'), join(folder, 'emails'))
      },
      'emails is a symbolic link',
    ],
    ['a named pipe', (folder) => void execFileSync('mkfifo', [join(folder, 'pipe')]), 'pipe is a symbolic link or'],
  ]
  test.each(cases)('%s', async (_, change, message) => {
    const folder = copyOf('mautic')
    change(folder)
    await expect(readExport(folder)).rejects.toMatchObject(refused(message))
  })

  test('any file with any one changed byte', async () => {
    const folder = copyOf('harbour-mail')
    const { manifest } = await readExport(folder)
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom(...manifest.files),
        fc.nat(),
        fc.integer({ min: 1, max: 255 }),
        async (file, at, by) => {
          const path = join(folder, file.path)
          const bytes = readFileSync(path)
          const changed = Buffer.from(bytes)
          changed[at % bytes.length]! ^= by
          writeFileSync(path, changed)
          try {
            await expect(readExport(folder)).rejects.toMatchObject(refused(file.path))
          } finally {
            writeFileSync(path, bytes)
          }
        },
      ),
      { numRuns: 50 },
    )
  })
})

describe('paths never lead out of the folder', () => {
  test.each([
    '../secret',
    '/etc/passwd',
    'a/../../b',
    'a//b',
    './a',
    'a/.',
    '..',
    '',
    'a\\b',
    'a\u0000b',
    '.git/config',
    'é',
  ])('a manifest that lists %j is refused', async (path) => {
    const folder = exportOf({}, { files: [{ path, sha256: 'a'.repeat(64) }] })
    await expect(readExport(folder)).rejects.toMatchObject(
      refused(/manifest\.json (does not have the documented format|is not usable JSON)/),
    )
  })

  test('a folder inside a Git repository is refused, at any depth', async () => {
    const outer = newFolder()
    mkdirSync(join(outer, '.git'))
    mkdirSync(join(outer, 'a/b'), { recursive: true })
    await expect(readExport(join(outer, 'a/b'))).rejects.toMatchObject(refused('lies in the Git repository'))
    const examples = new URL('../examples/mautic', import.meta.url).pathname
    await expect(readExport(examples)).rejects.toMatchObject(refused('lies in the Git repository'))
  })

  test('a symbolic link to a folder inside a repository is refused like the folder', async () => {
    const link = join(newFolder(), 'link')
    symlinkSync(new URL('../examples/mautic', import.meta.url).pathname, link)
    await expect(readExport(link)).rejects.toMatchObject(refused('lies in the Git repository'))
  })
})

describe('limits', () => {
  const files = { 'a.html': 'x'.repeat(100), 'b/c/d.html': 'y'.repeat(100) }
  test.each([
    ['the size of a file', { fileBytes: 99 }, 'at most 99 are read'],
    ['the size of all files', { totalBytes: 150 }, 'more than 150 bytes together'],
    ['the size of the manifest', { manifestBytes: 10 }, 'at most 10 are read'],
    ['the number of entries', { entries: 2 }, 'more than 2 entries'],
    ['the depth', { depth: 2 }, 'more than 2 folders deep'],
  ])('%s', async (_, limit, message) => {
    const folder = exportOf(files)
    await readExport(folder)
    await expect(readExport(folder, { ...exportLimits, ...limit })).rejects.toMatchObject(refused(message))
  })

  test.each([
    ['a file', 'a.html'],
    ['nothing', 'nowhere'],
  ])('%s is no folder', async (_, name) => {
    await expect(readExport(join(exportOf(files), name))).rejects.toMatchObject({ kind: 'export' })
  })
})

describe('a manifest that contradicts itself is refused', () => {
  const email = (id: string | number, more: object = {}) => ({
    object_id: id,
    name: 'A',
    format: 'html',
    file: 'a.html',
    subject: 'A',
    ...more,
  })
  test.each<[string, object, string]>([
    [
      'an email of a file that is not listed',
      { emails: [email(1, { file: 'b.html' })] },
      'b.html is used and not listed',
    ],
    ['two emails with one id', { emails: [email(1), email('1')] }, 'two emails have the object_id 1'],
    ['two ids with one slug', { emails: [email('a b'), email('a.b')] }, 'two emails have the slug old-mail-email-a-b'],
    ['an unknown field', { emails: [email(1, { html: 'x' })] }, 'html'],
    ['an unknown format', { emails: [email(1, { format: 'doc' })] }, 'format'],
    ['a short commit', { source_repository_commit: 'abc1234' }, 'must be a full commit id'],
    ['an email without a subject', { emails: [email(1, { subject: ' ' })] }, 'subject'],
  ])('%s', async (_, manifest, message) => {
    await expect(readExport(exportOf({ 'a.html': '<p>A</p>' }, manifest))).rejects.toMatchObject(refused(message))
  })
})
