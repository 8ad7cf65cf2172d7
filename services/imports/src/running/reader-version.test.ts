import { createHash } from 'node:crypto'
import { expect, test } from '@jest/globals'
import type { Ctx } from '../ctx.ts'
import type { ImportJobRow } from '../jobs/import-job.entity.ts'
import { readRecords } from '../reading/read-records.ts'
import { openFile } from './import-run.ts'
import { readerVersion } from './reader-version.ts'

const headers = ['email', 'state', 'name', 'since', 'labels']
const job = {
  headers,
  mapping: { email: 'email', state: 'status', name: 'first_name', since: 'captured_at', labels: 'tags' },
  policy: { status_values: { active: 'subscribed', left: 'unsubscribed' } },
  consent_policy: 'status_column',
} as unknown as ImportJobRow
const { rowOf } = openFile({ ctx: {} as Ctx, job, rowsDone: () => undefined })

const pieces = [
  'ada@example.com',
  'ADA@Example.com',
  ' bea@b\u00fccher.example ',
  'cyd',
  'active',
  'Left',
  'left',
  'pending',
  '',

  '2024-02-30',
  '2024-01-31 09:00',
  '2024-01-31T09:00:00+02:00',
  'vip; old',
  '"a","b"',
  '\u00e9',
  '\u0007',
  '\u00a0',
  ',',
  ',',
  ',',
  ',',
  ';',
  '\t',
  '"',
  '"',
  '""',
  '\n',
  '\n',
  '\r\n',
  '\r',
]

/** Numbers that are the same in every run: the constants of Numerical Recipes. */
function numbers(): (below: number) => number {
  let state = 1
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return Math.floor((state / 2 ** 32) * below)
  }
}

/** Files with every kind of broken row, and one that is longer than a row may be. */
function files(): { text: string; delimiter: string }[] {
  const next = numbers()
  const broken = Array.from({ length: 2_000 }, (_, n) => {
    const delimiter = [',', ';', '\t'][n % 3]!
    const cells = Array.from({ length: next(60) }, () => pieces[next(pieces.length)]!)
    return { text: `${headers.join(delimiter)}\n${cells.join('')}`, delimiter }
  })
  const long = `${headers.join(',')}\nada@example.com,left,"${'x'.repeat(300_000)}\nbea@example.com,left,,,\n`
  const cell = `${headers.join(',')}\nada@example.com,left,${'y'.repeat(40_000)},,\n\n,,,,\n`
  return [...broken, { text: long, delimiter: ',' }, { text: cell, delimiter: ',' }]
}

const encodings = [
  { encoding: 'utf-8', write: (text: string) => Buffer.from(text) },
  { encoding: 'utf-16le', write: (text: string) => Buffer.from(text, 'utf16le') },
  { encoding: 'windows-1252', write: (text: string) => Buffer.from(text, 'latin1') },
]

async function meanings(): Promise<string> {
  const hash = createHash('sha256')
  for (const [n, { text, delimiter }] of files().entries()) {
    const { encoding, write } = encodings[n % encodings.length]!
    for await (const { firstRow, records } of readRecords([write(text)], { encoding, delimiter, headers })) {
      for (const [at, record] of records.entries())
        hash.update(`${n} ${firstRow + at} ${JSON.stringify(rowOf(record))}\n`)
    }
  }
  return hash.digest('hex')
}

test('a change of row numbers or of the meaning of rows has a new reader version', async () =>
  expect({ readerVersion, meanings: await meanings() }).toEqual({
    readerVersion: 1,
    meanings: 'b8ce40f961f94daae1a08f5c5cff217585a3284906579af63a60a9dac3f76d15',
  }))
