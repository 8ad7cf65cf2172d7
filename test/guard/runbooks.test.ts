import { expect, test } from '@jest/globals'
import { globSync, readFileSync } from 'node:fs'

const root = new URL('../..', import.meta.url).pathname

test('every alert has a runbook, and every runbook an alert', () => {
  const sources = globSync('{services,libs}/*/src/**/*.ts', { cwd: root }).map((file) =>
    readFileSync(`${root}/${file}`, 'utf8'),
  )
  const raised = sources
    .filter((source) => source.includes('AlertRaisedSchema'))
    .flatMap((source) => [...source.matchAll(/code: '([a-z_]+)'/g)].map((match) => match[1]!))
  const runbooks = globSync('docs/runbooks/*.md', { cwd: root }).map((file) =>
    file.split('/').at(-1)!.replace('.md', ''),
  )
  expect(new Set(runbooks)).toEqual(new Set(raised))
  expect(raised.length).toBeGreaterThan(5)
})
