import { expect, test } from '@jest/globals'
import { once } from 'node:events'
import { spawn } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { writeStack, type Stack } from '@lettergate/local/launcher/state'
import { stopStacks } from './stop-stacks.ts'

const none: Stack = {
  base_url: '',
  console_url: '',
  wallet_url: '',
  provider_url: '',
  dns: '',
  database_url: '',
  nats_url: '',
  processes: [],
  fingerprints: {},
  infrastructure: [],
  ports: {},
}

test('the processes of stacks that tests left are stopped, and their data is deleted', async () => {
  const directory = mkdtempSync(join(tmpdir(), 'lettergate-stacks-'))
  const left = ['one', 'two'].map((name) => {
    const stack = join(directory, name)
    mkdirSync(stack)
    const child = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1_000)', 'main.ts'], { stdio: 'ignore' })
    const running = { name, role: '', replica: 1, pid: child.pid!, health_url: '', log: '' }
    writeStack(stack, { ...none, processes: [running] })
    return child
  })
  mkdirSync(join(directory, 'not-started'))
  const ended = Promise.all(left.map((child) => once(child, 'exit')))

  await stopStacks(directory)
  expect(await ended).toEqual([
    [null, 'SIGTERM'],
    [null, 'SIGTERM'],
  ])
  expect(existsSync(directory)).toBe(false)
})
