import { execFile } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
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
