import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { expect, test } from '@jest/globals'

const run = new URL('../src/run.ts', import.meta.url).pathname
const config = new URL('../src/config.ts', import.meta.url).pathname
const health = new URL('../src/health.ts', import.meta.url).pathname

/** A process with the services `first` and `second`; the second starts when a line arrives on standard input. */
const main = `
import { once } from 'node:events'
import { program, runTogether } from '${run}'
import { commonVariables, readConfig } from '${config}'
import { serveHealth } from '${health}'
const loadConfig = () => readConfig(commonVariables, { DATABASE_URL: 'postgres://x', NATS_URL: 'nats://x', ...process.env })
const say = (line) => process.stderr.write(line + '\\n')
const part = (name) => ({ stop: async () => say('stopped ' + name) })
const start = (name, ready) => program(name, async (service) => {
  await ready?.()
  if (process.env.FAILS === name) throw new Error('cannot start')
  await service.use(part(name))
  say('started ' + name)
}, loadConfig)
await runTogether(
  [start('first'), start('second', () => once(process.stdin, 'data'))],
  async (services) => {
    const served = await serveHealth(services[1], 0)
    say('health ' + served.port)
    return { stop: async () => { await served.stop(); say('stopped health') } }
  },
)
say('all started')
`

function opened(env: Record<string, string> = {}) {
  const child = spawn(process.execPath, ['--input-type=module', '-e', main], {
    env: { ...env, LOG_LEVEL: 'silent' },
    stdio: ['pipe', 'ignore', 'pipe'],
  })
  const lines: string[] = []
  const reader = createInterface({ input: child.stderr })
  reader.on('line', (line) => void lines.push(line))
  const ended = once(child, 'close')
  return {
    child,
    lines,
    ended: ended.then(([status]) => status as number),
    async line(this: void, start: string) {
      for (;;) {
        const found = lines.find((line) => line.startsWith(start))
        if (found) return found
        await Promise.race([once(reader, 'line'), ended.then(() => Promise.reject(new Error(lines.join('\n'))))])
      }
    },
  }
}

test('services of one process are ready when all have started, and stop in the reverse order', async () => {
  const { child, lines, line, ended } = opened()
  const readyz = `http://127.0.0.1:${(await line('health')).split(' ')[1]}/readyz`
  await line('started first')
  expect(await (await fetch(readyz)).json()).toEqual({ status: 'unavailable', failed: ['started'] })
  expect((await fetch(`${readyz}/process`)).status).toBe(503)
  child.stdin.write('go\n')
  await line('all started')
  for (const path of ['', '/process']) expect((await fetch(readyz + path)).status).toBe(200)
  // The rule process_missing looks for each service, also for those that share a process.
  expect(await (await fetch(new URL('/metrics', readyz))).text()).toMatch(
    /^process_start_time_seconds\{service="second",role="service"\} \d{10}$/m,
  )
  child.kill('SIGTERM')
  expect(await ended).toBe(0)
  expect(lines.slice(-3)).toEqual(['stopped second', 'stopped first', 'stopped health'])
})

test('when one service cannot start, those that have started stop, and the process ends with 70', async () => {
  const { child, lines, line, ended } = opened({ FAILS: 'second' })
  await line('started first')
  child.stdin.write('go\n')
  expect(await ended).toBe(70)
  expect(lines.slice(-2)).toEqual(['stopped first', 'stopped health'])
})

test('the problems of every environment are listed, with the names of the services', async () => {
  const { lines, ended } = opened({ RPC_PORT: 'x' })
  expect(await ended).toBe(78)
  expect(lines).toEqual(
    ['first', 'second'].flatMap((name) => [
      `${name}: the environment is not complete:`,
      '  RPC_PORT must be a whole number (it is "x")',
    ]),
  )
})
