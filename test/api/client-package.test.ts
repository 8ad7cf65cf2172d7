import { execFile, spawn } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { once } from 'node:events'
import { tmpdir } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import { text } from 'node:stream/consumers'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { gatewayStage, type GatewayStage } from '@lettergate/gateway/test/gateway-stage'

const root = resolve(import.meta.dirname, '../..')
const folder = mkdtempSync(join(tmpdir(), 'lettergate-client-'))
const execute = promisify(execFile)
/** The gateway runs in this process, so that nothing here may block it. */
const run = async (command: string, args: string[], cwd = folder) => (await execute(command, args, { cwd })).stdout

let gateway: GatewayStage
beforeAll(async () => {
  gateway = await gatewayStage()
  const build = [join(root, 'tools/build-package.ts'), join(root, 'clients/typescript'), join(folder, 'built')]
  await run(process.execPath, build, root)
  await run('npm', ['pack', './built', '--silent'])
  writeFileSync(join(folder, 'package.json'), '{ "type": "module", "private": true }')
  await run('npm', ['install', '--offline', '--no-audit', '--no-fund', './lettergate-client-0.1.0.tgz'])
})
afterAll(async () => {
  rmSync(folder, { recursive: true, force: true })
  await gateway.close()
})

const program = `import { bearer, openApi } from '@lettergate/client'
import { openConsole } from '@lettergate/client/console'

const api = openApi({ baseUrl: process.argv[2] ?? '', credential: bearer('wallet-session-dev-owner') })
const result = await api.getMe()
console.log(result.ok ? result.data.user.username : result.message, typeof openConsole)
`

test('the packed client is installed elsewhere and calls a running gateway', async () => {
  writeFileSync(join(folder, 'use.mjs'), program)
  expect(await run(process.execPath, ['use.mjs', gateway.baseUrl])).toBe('owner function\n')
})

test('a program in TypeScript gets its types from the packed client', async () => {
  writeFileSync(join(folder, 'use.ts'), program)
  writeFileSync(
    join(folder, 'wrong.ts'),
    `${program}const wrong: number = result.ok ? result.data.user.identity_type : 1\n`,
  )
  const flags = ['--strict', '--noEmit', '--target', 'es2024', '--module', 'nodenext', '--types', 'node']
  const tsc = [
    join(root, 'node_modules/typescript/bin/tsc'),
    ...flags,
    '--typeRoots',
    join(root, 'node_modules/@types'),
  ]
  expect(await run(process.execPath, [...tsc, 'use.ts'])).toBe('')
  await expect(run(process.execPath, [...tsc, 'wrong.ts'])).rejects.toMatchObject({
    stdout: expect.stringMatching(/^wrong\.ts.*is not assignable to type 'number'/),
  })
})

test('the packed client needs no other package, and has no test', async () => {
  const [packed] = JSON.parse(await run('npm', ['pack', './built', '--dry-run', '--json'])) as {
    files: { path: string }[]
  }[]
  const paths = packed!.files.map(({ path }) => path)
  expect(paths.filter((path) => path.includes('test'))).toEqual([])
  expect(paths).toEqual(expect.arrayContaining(['LICENSE', 'README.md', 'package.json']))
  const installed = JSON.parse(await run('npm', ['ls', '--json', '--all'])) as { dependencies: object }
  expect(Object.keys(installed.dependencies)).toEqual(['@lettergate/client'])
})

describe.each([
  { name: 'cli', command: 'lettergate', says: 'Contacts, consent and campaigns of a Lettergate deployment.' },
  { name: 'mcp', command: 'lettergate-mcp', says: 'It only reads unless you enable more.' },
])('the packed $command', ({ name, command, says }) => {
  const home = join(folder, name)
  const installed = join(home, 'node_modules/@lettergate', name)
  interface Manifest {
    bin: Record<string, string>
    dependencies: Record<string, string>
  }
  const manifest = () => JSON.parse(readFileSync(join(installed, 'package.json'), 'utf8')) as Manifest

  beforeAll(async () => {
    await run(
      process.execPath,
      [join(root, 'tools/build-package.ts'), join(root, 'clients', name), join(home, 'built')],
      root,
    )
    const [packed] = JSON.parse(await run('npm', ['pack', './built', '--silent', '--json'], home)) as {
      filename: string
    }[]
    mkdirSync(installed, { recursive: true })
    await run('tar', ['xzf', join(home, packed!.filename), '-C', installed, '--strip', '1'])
    // The registry is not asked: its dependencies are the packed client, and the packages that this repository has installed.
    for (const dependency of Object.keys(manifest().dependencies)) {
      const target = join(home, 'node_modules', dependency)
      mkdirSync(dirname(target), { recursive: true })
      const from = dependency === '@lettergate/client' ? join(folder, 'built') : join(root, 'node_modules', dependency)
      symlinkSync(from, target)
    }
  })

  const program = () => join(installed, manifest().bin[command]!)

  test('is JavaScript with its types, a licence and a readme, and has no test', async () => {
    const paths = (await run('tar', ['tzf', join(home, `lettergate-${name}-0.1.0.tgz`)])).trim().split('\n')
    expect(paths.filter((path) => /(?<!\.d)\.ts$|test|tsconfig/.test(path))).toEqual([])
    expect(paths).toEqual(
      expect.arrayContaining(['package/LICENSE', 'package/README.md', `package/src/main.js`, 'package/src/main.d.ts']),
    )
  })

  test('starts with plain Node, elsewhere, and says how it is used', async () => {
    expect(readFileSync(program(), 'utf8').split('\n')[0]).toBe('#!/usr/bin/env node')
    expect(await run(process.execPath, [program(), '--help'], home)).toContain(says)
  })

  test('says nothing when the reader of its output has left', async () => {
    const child = spawn(process.execPath, [program(), '--help'], { stdio: ['ignore', 'pipe', 'pipe'] })
    child.stdout.destroy()
    const [said, [code]] = await Promise.all([text(child.stderr), once(child, 'exit') as Promise<[number]>])
    expect([said, code]).toEqual(['', 0])
  })
})
