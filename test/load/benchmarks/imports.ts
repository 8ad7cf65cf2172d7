import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { parse } from 'csv-parse'
import type pg from 'pg'
import { headers, type Bench } from '../bench.ts'
import { memoryPeaks, resetMemoryPeaks } from '../memory.ts'
import type { Result } from '../result.ts'
import { countSpending } from '../spending.ts'

/** Its sender is not enabled: imports are applied only while nothing can send. */
const workspace = '/api/v1/organizations/acme/workspaces/product'
const services = ['imports', 'contacts-consent']
const pieceRows = 20_000

interface ImportJob {
  id: string
  status: string
  report: Record<string, unknown>
  error: unknown
}

const person = (n: number) =>
  `person${n}@example${n % 1_000}.test,First ${n % 5_000},Last ${n % 20_000},Company ${n % 300},subscribed`

/** A file of new people with consent: 70 bytes a row. */
function peopleFile(rows: number): Buffer {
  const pieces = [Buffer.from('email,first_name,last_name,company,status\n')]
  for (let from = 0; from < rows; from += pieceRows) {
    const lines = Array.from({ length: Math.min(pieceRows, rows - from) }, (_, n) => person(from + n))
    pieces.push(Buffer.from(`${lines.join('\n')}\n`))
  }
  return Buffer.concat(pieces)
}

/** From the mapping of an uploaded file until its report. */
export async function importDryRun(bench: Bench): Promise<Result[]> {
  const { importRows: rows } = bench.options
  const file = peopleFile(rows)
  const floor = await parsed(file, rows)
  const { seconds, note } = await evaluated(bench, file)
  return [
    {
      name: `import dry run of ${rows}`,
      unit: 'rows/s',
      ours: rows / seconds,
      floor: rows / floor,
      floorIs: 'csv-parse alone',
      note,
    },
  ]
}

/** From the approval of a report until the import is reconciled and its payload destroyed. */
export async function importApply(bench: Bench): Promise<Result[]> {
  const { importRows: rows } = bench.options
  const file = peopleFile(rows)
  const floor = await inserted(bench.floor.pool, rows)
  const { job } = await evaluated(bench, file)
  resetMemoryPeaks(bench.stack, services)
  const spending = countSpending(bench)
  const { seconds, job: done } = await spending.during(
    async () => {
      const confirmation = `APPLY CSV IMPORT ${job.id} TO acme/product`
      return timed(async () => {
        await bench.api.ok('POST', `${workspace}/imports/csv/${job.id}/approve`, { confirmation })
        return { job: await ended(bench, job.id, 'completed') }
      })
    },
    () => rows,
  )
  spending.print('import-apply', 'row')
  const { matches } = done.report['reconciliation'] as { matches: boolean }
  if (!matches) throw new Error(`the import is not reconciled: ${JSON.stringify(done.report)}`)
  return [
    {
      name: `import apply of ${rows}`,
      unit: 'rows/s',
      ours: rows / seconds,
      floor: rows / floor,
      floorIs: 'contacts written by unnest, a thousand at a time',
      note: memoryPeaks(bench.stack, services),
    },
  ]
}

async function timed<T extends object>(work: () => Promise<T>): Promise<T & { seconds: number }> {
  const began = performance.now()
  const result = await work()
  return { ...result, seconds: (performance.now() - began) / 1_000 }
}

async function evaluated(bench: Bench, file: Buffer) {
  const { api, stack, print } = bench
  const { audience } = await api.ok<{ audience: { id: string } }>('POST', `${workspace}/audiences`, {
    name: 'Bench',
    slug: `bench-${randomUUID()}`,
    purpose: 'benchmarks',
  })
  const { import: uploaded } = await upload(bench, file, audience.id)
  print(`uploaded ${(file.length / 1e6).toFixed(0)} MB`)
  await sleep(2_000)
  resetMemoryPeaks(stack, services)
  const before = memoryPeaks(stack, services)
  const spending = countSpending(bench)
  const mapping = {
    email: 'email',
    first_name: 'first_name',
    last_name: 'last_name',
    company: 'company',
    status: 'status',
  }
  const measured = await spending.during(
    () =>
      timed(async () => {
        const request = { mapping, consent_policy: 'status_column', policy: {} }
        await api.ok('PATCH', `${workspace}/imports/csv/${uploaded.id}/mapping`, request)
        return { job: await ended(bench, uploaded.id, 'ready_for_review') }
      }),
    () => bench.options.importRows,
  )
  spending.print('import-dry-run', 'row')
  return { ...measured, note: `${memoryPeaks(stack, services)}; before: ${before}` }
}

async function upload({ stack }: Bench, file: Buffer, audienceId: string): Promise<{ import: ImportJob }> {
  const form = new FormData()
  form.set('audience_id', audienceId)
  form.set('source_label', 'benchmark')
  form.set('file', new Blob([new Uint8Array(file)], { type: 'text/csv' }), 'people.csv')
  const answer = await fetch(`${stack.base_url}${workspace}/imports/csv`, { method: 'POST', headers, body: form })
  if (answer.status !== 201) throw new Error(`the upload answered ${answer.status}: ${await answer.text()}`)
  return (await answer.json()) as { import: ImportJob }
}

/** Waits until the import has this status. It asks less often the longer it waits, because each request takes processor time. */
async function ended({ api }: Bench, id: string, status: string): Promise<ImportJob> {
  const began = performance.now()
  for (;;) {
    const { import: job } = await api.ok<{ import: ImportJob }>('GET', `${workspace}/imports/csv/${id}`)
    if (job.status === status) return job
    if (job.error !== null) throw new Error(`the import failed: ${JSON.stringify(job.error)}`)
    await sleep(Math.max(100, (performance.now() - began) / 100))
  }
}

/** Parses the file from memory and counts its rows. Returns seconds. */
async function parsed(file: Buffer, rows: number): Promise<number> {
  const { count, seconds } = await timed(async () => {
    const parser = parse()
    let count = -1
    const reading = (async () => {
      for await (const _ of parser) count += 1
    })()
    for (let from = 0; from < file.length; from += 262_144) {
      if (!parser.write(file.subarray(from, from + 262_144)))
        await new Promise((resolve) => parser.once('drain', resolve))
    }
    parser.end()
    await reading
    return { count }
  })
  if (count !== rows) throw new Error(`the floor read ${count} of ${rows} rows`)
  return seconds
}

/** Writes a contact for each row by unnest, a thousand in each transaction. Returns seconds. */
async function inserted(pool: pg.Pool, rows: number): Promise<number> {
  await pool.query('drop table if exists imported')
  await pool.query(
    'create table imported (id uuid primary key, email text unique not null, first_name text, last_name text, company text)',
  )
  const { seconds } = await timed(async () => {
    for (let from = 0; from < rows; from += 1_000) {
      const cells = Array.from({ length: Math.min(1_000, rows - from) }, (_, n) => person(from + n).split(','))
      await pool.query(
        `insert into imported select gen_random_uuid(), email, first_name, last_name, company
           from unnest($1::text[], $2::text[], $3::text[], $4::text[]) as t (email, first_name, last_name, company)`,
        [0, 1, 2, 3].map((column) => cells.map((row) => row[column])),
      )
    }
    return {}
  })
  return seconds
}
