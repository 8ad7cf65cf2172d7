import { expect, test } from '@jest/globals'
import { globSync, readFileSync } from 'node:fs'

const root = new URL('../..', import.meta.url).pathname
const read = (file: string) => readFileSync(`${root}/${file}`, 'utf8')
const sources = globSync('{services,libs}/*/src/**/*.ts', { cwd: root }).map(read)

/** The text of each alert in the code, by its kind: from its code to the end of the call that raises it. */
const raised = sources
  .filter((source) => /AlertRaisedSchema|storeAlerts/.test(source))
  .flatMap((source) =>
    [...source.matchAll(/code: '([a-z_]+)'[^]*?(?:\n *\}\)?,?\n|$)/g)].map(([text, code]) => ({ code: code!, text })),
  )
const kinds = new Set(raised.map(({ code }) => code))

/** The kinds that a service ends: by a time, or by saying that the condition is over. */
const ending = new Set(
  [...kinds].filter(
    (kind) =>
      raised.some(({ code, text }) => code === kind && text.includes('lastsSeconds')) ||
      sources.some(
        (source) =>
          /endAlerts?\b|isOver: true/.test(source) && source.includes(`'${kind}'`) && !isOnlyRaised(source, kind),
      ),
  ),
)
/** Whether a source that ends alerts names this kind only where it raises it. */
function isOnlyRaised(source: string, kind: string): boolean {
  return !source.includes('isOver: true') && source.split(`'${kind}'`).length === source.split(`code: '${kind}'`).length
}

const runbooks = globSync('docs/runbooks/*.md', { cwd: root })
const kindOf = (file: string) => file.split('/').at(-1)!.replace('.md', '')
const ofConsole = runbooks.filter((file) => kinds.has(kindOf(file)))

/** Prometheus has a rule for each of these alerts, and further rules. */
const linked = globSync('charts/lettergate/files/rules/*.yaml', { cwd: root })
  .map(read)
  .flatMap((rules) => [...rules.matchAll(/runbook_url: docs\/runbooks\/(\w+)\.md$/gm)].map((match) => match[1]!))

test('every alert has a runbook, and every runbook an alert', () => {
  expect(new Set(runbooks.map(kindOf))).toEqual(new Set([...kinds, ...linked]))
  expect([...kinds].filter((kind) => !linked.includes(kind))).toEqual([])
  expect(kinds.size).toBeGreaterThan(25)
})

test('a runbook says that its alert ends by itself exactly if the code ends it, and else that a person acknowledges it', () => {
  const says = ofConsole.filter((file) => read(file).includes('ends by itself')).map(kindOf)
  expect(new Set(says)).toEqual(ending)
  const others = ofConsole.filter((file) => !ending.has(kindOf(file)) && !read(file).includes('acknowledge'))
  expect(others).toEqual([])
})

test('every alert is raised in a test', () => {
  const tests = globSync('{services,libs,test}/**/*.test.ts', { cwd: root, exclude: ['**/node_modules/**'] }).map(read)
  expect([...kinds].filter((kind) => !tests.some((text) => text.includes(`'${kind}'`)))).toEqual([])
})
