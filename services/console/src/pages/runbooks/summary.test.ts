import { expect, test } from '@jest/globals'
import { readdirSync, readFileSync } from 'node:fs'
import { summaryOf } from './summary.ts'

const folder = new URL('../../../../../docs/runbooks/', import.meta.url)

test('a runbook is listed with its heading in words and its first sentence', () => {
  const runbook =
    '# Alert: step_failing\n\n**Meaning.** Of 5,000 steps (`count` of them), 0.1 % failed ([ADR 9](../adr/9.md)). More.\n'
  expect(summaryOf(runbook)).toEqual({ title: 'Step failing', about: 'Of 5,000 steps, 0.1 % failed (ADR 9).' })
})

test('every runbook has a heading and a first sentence for the list', () => {
  for (const file of readdirSync(folder)) {
    const { title, about } = summaryOf(readFileSync(new URL(file, folder), 'utf8'))
    expect([file, title]).toEqual([file, expect.stringMatching(/^[A-Z][^_:#]+$/)])
    expect([file, about]).toEqual([file, expect.stringMatching(/^[A-Z][^`*[\]]{15,300}\.$/)])
  }
})
