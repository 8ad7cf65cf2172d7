import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { expect, test } from '@jest/globals'
import { freePort } from '@lettergate/stage/ports'

const ask = `import { freePort } from '@lettergate/stage/ports'
const ports = []
for (let n = 0; n < 60; n += 1) ports.push(await freePort())
console.log(ports.join(' '))`

/** The ports that another process gets. */
const ofAnotherProcess = async () =>
  (await promisify(execFile)(process.execPath, ['--input-type=module', '-e', ask], { cwd: import.meta.dirname })).stdout
    .trim()
    .split(' ')
    .map(Number)

test('no port is given to two processes, or twice to one process', async () => {
  const own: number[] = []
  const [one, other] = await Promise.all([
    ofAnotherProcess(),
    ofAnotherProcess(),
    (async () => {
      for (let n = 0; n < 60; n += 1) own.push(await freePort())
    })(),
  ])
  const all = [...one, ...other, ...own]
  expect(all.length).toBe(180)
  expect(new Set(all).size).toBe(180)
})
