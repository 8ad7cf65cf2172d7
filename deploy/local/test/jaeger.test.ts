import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { freePort } from '@lettergate/stage/ports'
import { until } from '@lettergate/stage'
import { findJaeger, startJaeger } from '../jaeger/jaeger.ts'

/** Takes the place of Jaeger: reads its configuration, and serves each address of it that has a port. */
const program = `#!${process.execPath}
const { createServer } = require('node:http')
const { readFileSync } = require('node:fs')
const [, , option, file] = process.argv
if (option !== '--config') process.exit(64)
const text = readFileSync(file, 'utf8').replace(/\\$\\{env:(\\w+)\\}/g, (_, name) => process.env[name])
const ports = [...text.matchAll(/^ +endpoint: 127\\.0\\.0\\.1:(\\d+)$/gm)].map(([, port]) => Number(port)).filter(Boolean)
for (const port of ports) createServer((_, res) => res.end(String(port))).listen(port, '127.0.0.1')
`

let directory: string
beforeAll(() => {
  directory = mkdtempSync(join(tmpdir(), 'lettergate-jaeger-'))
  mkdirSync(join(directory, 'folder', 'jaeger'), { recursive: true })
  for (const name of ['plain', 'here']) mkdirSync(join(directory, name))
  writeFileSync(join(directory, 'plain', 'jaeger'), 'not a program')
  writeFileSync(join(directory, 'here', 'jaeger'), program)
  chmodSync(join(directory, 'here', 'jaeger'), 0o755)
})
afterAll(() => rmSync(directory, { recursive: true }))

const path = (...names: string[]) => names.map((name) => join(directory, name)).join(delimiter)

test('Jaeger is the first program of that name on PATH, not a folder and not a file that cannot be run', () => {
  expect(findJaeger(path('missing', 'folder', 'plain', 'here'))).toBe(join(directory, 'here', 'jaeger'))
  expect(findJaeger(path('missing', 'folder', 'plain'))).toBeUndefined()
  expect(findJaeger('')).toBeUndefined()
})

test('Jaeger listens on the ports that the stack chose, and ends with it', async () => {
  const [uiPort, otlpPort] = [await freePort(), await freePort()]
  const jaeger = startJaeger({ program: join(directory, 'here', 'jaeger'), uiPort, otlpPort })
  await until(() => jaeger.isReady())
  expect(await (await fetch(jaeger.url)).text()).toBe(String(uiPort))
  expect(await (await fetch(`http://127.0.0.1:${otlpPort}`)).text()).toBe(String(otlpPort))
  await jaeger.stop()
  await jaeger.ended
  expect(await jaeger.isReady()).toBe(false)
})

test('a program that cannot be started ends', async () => {
  await startJaeger({ program: join(directory, 'missing'), uiPort: 1, otlpPort: 1 }).ended
})
